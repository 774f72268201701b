# pp.fish - completes the options of every pp-* tool in fish, as each tool lists them.
#
# Installed under each tool's name, where fish finds it; read as pp.fish it serves all tools
# on PATH.

# The last name of an expression, as the tool lists what it may be.
function __pp_fields --argument-names tool
	set -l token (commandline -ct)
	string match -q -- '-*' $token; and return
	set -l before (string replace -r '[A-Za-z0-9_.]*$' '' -- $token | string replace -r '^["\']' '')
	for name in (command $tool --list-fields 2>/dev/null)
		echo -- $before$name
	end
end

# The file that the tool is to read, as far as the line says it.
function __pp_recording
	set -l before
	set -l found
	for word in (commandline -po)
		set -l path (string replace -r '^--input=' '' -- $word | string replace -r '^~' $HOME)
		if test -f "$path"; and not contains -- "$before" -o --output
			set found $path
		end
		set before $word
	end
	echo -- $found
end

# The last of a list of values, as the tool lists them.
function __pp_list --argument-names tool arg
	set -l before (commandline -ct | string replace -r '^--?[a-z-]+=' '')
	if string match -q 'FIELD*' -- $arg
		set before (string replace -r '[^-+:,]*$' '' -- $before)
	else
		set before (string replace -r '[^,{]*$' '' -- $before)
	end
	for line in (command $tool --values-of=(__pp_recording) --list-values=$arg 2>/dev/null)
		echo -- $before$line
	end
end

function __pp_complete --argument-names tool
	for line in (command $tool --list-options 2>/dev/null)
		set -l columns (string split \t -- $line)
		set -l arg (string trim --chars '[]' -- $columns[3])
		if test -z "$columns[1]$columns[2]"
			switch "$arg"
				case '*COMMAND*'
					complete -c $tool -x -a '(__fish_complete_subcommand)'
				case '*EXPRESSION*FILE*'
					complete -c $tool -a "(__pp_fields $tool)"
				case '*FILE*'
				case '*EXPRESSION*'
					complete -c $tool -f -a "(__pp_fields $tool)"
				case '*'
					complete -c $tool -f
			end
			continue
		end
		set -l spec -d $columns[4]
		test -z "$columns[2]"; or set -a spec -l (string replace -- -- '' $columns[2])
		string match -qr '^-.$' -- $columns[1]; and set -a spec -s (string sub -s 2 -- $columns[1])
		switch "$columns[3]"
			case '' '[*'
			case 'METRIC*'
				set -a spec -x -a "(__pp_list $tool '$arg')"
			case '*FILE*'
				set -a spec -r -F
			case FIELDS
				set -a spec -x -a "(__pp_fields $tool)"
			case '*|*'
				set -a spec -x -a (string replace -a '|' ' ' -- $arg)
			case '*'
				set -a spec -x -a "(__pp_list $tool '$arg')"
		end
		complete -c $tool $spec
	end
end

set -l name (string replace -r '.*/' '' -- (status filename) | string replace -r '\.fish$' '')
if string match -q 'pp-*' -- $name
	__pp_complete $name
else
	# Others have programs named pp-something; ours stand in one folder.
	for tool in (string replace -r '[^/]*$' '' -- (command -s pp-dump))pp-*
		__pp_complete (string replace -r '.*/' '' -- $tool)
	end
end
