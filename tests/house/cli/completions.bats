# completions.bats - bash, fish and zsh complete options, values, files and commands of every
# tool: asked of the shells themselves.

setup() {
	load ../../helper
	load cli
}

# offered: `TOOL OPTION` a line for all that a shell should offer
offered() {
	for tool in $(tools); do
		shown "$tool" | awk -F'\t' -v tool="$tool" '
			$1 ~ /^-.$/ && !(long && $2) { print tool, $1 } $2 { print tool, $2 }'
	done | sort
}

@test "bash completes every option of every tool" {
	offered >expected
	bash --norc -c '
		. "$1"
		shift
		for tool; do
			complete -p "$tool" >/dev/null || exit
			COMP_WORDS=("$tool" -) COMP_CWORD=1
			_pp "$tool" - "$tool"
			printf "$tool %s\n" "${COMPREPLY[@]%=}"
		done' - "$ROOT/completions/pp.bash" $(tools) | sort >got
	diff expected got
}

@test "bash completes a file installed under a tool's name, values, files and commands" {
	cp "$ROOT/completions/pp.bash" pp-record
	: >'file one'
	bash --norc -c '
		. ./pp-record
		complete -p pp-record
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-record -o fil
		try pp-record --output = fil
		try pp-record --outp
		try pp-record whoam
		try pp-record -- -
		try pp-dump -i fil' >got
	[ "$(sed -n 1p got)" = 'complete -F _pp pp-record' ]
	[ "$(sed -n 2p got)" = 'file one' ]
	[ "$(sed -n 3p got)" = 'file one' ]
	[ "$(sed -n 4p got)" = '--output=' ]
	[[ "$(sed -n 5p got)" == whoami* ]]
	[ "$(sed -n 6p got)" = '' ]
	[ "$(sed -n 7p got)" = 'file one' ]
}

@test "fish completes every option of every tool" {
	need fish
	offered >expected
	fish -N -c '
		source $argv[1]
		for tool in $argv[2..]
			for word in - --
				for line in (complete -C "$tool $word")
					echo $tool (string split -f1 \t -- $line)
				end
			end
		end' "$ROOT/completions/pp.fish" $(tools) | sort -u >got
	diff expected got
}

@test "fish completes a file installed under a tool's name, values, files and commands" {
	need fish
	mkdir -p completions
	cp "$ROOT/completions/pp.fish" completions/pp-record.fish
	: >fileone
	fish -N -c '
		set -p fish_complete_path $PWD/completions
		complete -C "pp-record -o fil"
		complete -C "pp-record --output=fil"
		complete -C "pp-record --outp"
		complete -C "pp-record whoam"' | cut -f1 >got
	[ "$(sed -n 1p got)" = fileone ]
	[ "$(sed -n 2p got)" = --output=fileone ]
	[ "$(sed -n 3p got)" = --output ]
	[ "$(sed -n 4p got)" = whoami ]
}

@test "bash and fish complete the names of an expression" {
	bash --norc -c '
		. "$1"
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-filter phys_
		try pp-filter "'"'"'cpu == 0 && phys_"
		try pp-filter --first-per = pid,phys_
		try pp-filter weight.var1_' - "$ROOT/completions/pp.bash" >got
	[ "$(sed -n 1p got)" = phys_addr ]
	[ "$(sed -n 2p got)" = 'cpu == 0 && phys_addr' ]
	[ "$(sed -n 3p got)" = pid,phys_addr ]
	[ "$(sed -n 4p got)" = weight.var1_dw ]
	need fish
	fish -N -c 'source $argv[1]; complete -C "pp-filter phys_"' "$ROOT/completions/pp.fish" | cut -f1 >got
	[ "$(cat got)" = phys_addr ]
}

@test "each argument that has a list of values is one that the tools list" {
	for tool in $(tools); do
		rows "$tool" | while IFS=$US read -r _ name arg _; do
			case $arg in
			EVENT | TYPES | READER | CPUS | PIDS | TIDS | KEY,* | FIELD,* | METRIC* | FILTERS | USERS)
				echo "$tool $name $arg"
				"$tool" --list-values="$arg" >values
				[ -s values ]
				;;
			esac
		done
	done
	[ "$(pp-cat --list-values=READER | tr '\n' ' ')" = '6.1 6.12 7.3 quipper ' ]
	pp-dump --list-values=TYPES | grep -q "^comm$(printf '\t')"
	pp-record --list-values PIDS | cut -f1 | grep -qx 1
	pp-record --list-values EVENT | grep -qx cpu-clock
	[ -z "$(pp-record --list-values=NOTHING)" ]
	# What is listed is taken.
	pp-gen --samples 10 >in
	pp-dump --list-values=TYPES | cut -f1 | while read -r type; do
		pp-dump --type "$type" -i in -o out
	done
}

@test "bash completes events, clocks, readers, types of records and processes" {
	bash --norc -c '
		. "$1"
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-record -e cpu-c
		try pp-record --event = page-faults,cpu-c
		try pp-record -k boot
		try pp-cat --for 6
		try pp-dump --type comm,mmap
		try pp-filter --drop = cgr
		try pp-record -p 1' - "$ROOT/completions/pp.bash" >got
	[ "$(sed -n 1p got)" = cpu-clock ]
	[ "$(sed -n 2p got)" = page-faults,cpu-clock ]
	[ "$(sed -n 3p got)" = boottime ]
	[ "$(sed -n 4p got)" = 6.1,6.12 ]
	[ "$(sed -n 5p got)" = comm,mmap,comm,mmap2 ]
	[ "$(sed -n 6p got)" = cgroup ]
	[[ ",$(sed -n 7p got)," == *,1,* ]]
}

@test "bash completes a tracepoint, of which it makes three words" {
	need_tracepoints
	bash --norc -c '
		. "$1"
		try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		try pp-record -e sched : sched_swit
		try pp-record -e sched :
		try pp-record -e sched:sched_swit
		try pp-record --event = cpu-clock,sched : sched_swit' - "$ROOT/completions/pp.bash" >got
	[ "$(sed -n 1p got)" = sched_switch ]
	[[ ",$(sed -n 2p got)," == *,sched_switch,* ]]
	[ "$(sed -n 3p got)" = sched_switch ]
	[ "$(sed -n 4p got)" = sched_switch ]
}

@test "fish completes events, clocks, readers, types of records and processes" {
	need fish
	fish -N -c '
		source $argv[1]
		complete -C "pp-record -e cpu-c"
		complete -C "pp-record -k boott"
		complete -C "pp-cat --for 6.12"
		complete -C "pp-dump --type comm,mmap2"
		complete -C "pp-filter --drop=cgroup"
		complete -C "pp-record -p 1" | string match -r "^1\t.*"' "$ROOT/completions/pp.fish" | cut -f1 >got
	[ "$(sed -n 1p got)" = cpu-clock ]
	[ "$(sed -n 2p got)" = boottime ]
	[ "$(sed -n 3p got)" = 6.12 ]
	[ "$(sed -n 4p got)" = comm,mmap2 ]
	[ "$(sed -n 5p got)" = --drop=cgroup ]
	[ "$(sed -n 6p got)" = 1 ]
}

# zsh_offers LINE...: what zsh offers at the end of each line, `LINE: WORD` a line.  It shows
# completions on a terminal only, so it gets one; marks in its output tell when it is done.
zsh_offers() {
	mkdir -p functions
	cp "$ROOT/completions/pp.zsh" functions/_pp
	cat >offers.zsh <<-'END'
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1= PS2= PROMPT_EOL_MARK=; stty -echo
		fpath=($PWD/functions \$fpath)
		autoload -Uz compinit; compinit -u -D
		compadd() {
			[[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]] || { builtin compadd \"\$@\"; return }
			typeset -a words
			builtin compadd -A words \"\$@\"
			print -rl -- \${words/#/OFFER:}
		}
		finish() { print -r -- DONE; zle kill-whole-line }
		zle -N finish
		bindkey '^I' complete-word '^X' finish
		print -r -- REA''DY"
		zpty -r z out '*READY*'
		for line; do
			zpty -w -n z "$line"$'\t\x18'
			zpty -r z out '*DONE*'
			print -r -- $out | tr -d '\r' | sed -n "s/^.*OFFER:/$line: /p"
		done
		zpty -d z
	END
	timeout 120 zsh -f offers.zsh "$@" 3>&- | sort -u
}

# bats test_tags=nightly
@test "zsh completes every option of every tool" {
	need zsh
	lines=("pp-sort --")
	for tool in $(tools); do
		lines+=("$tool -") # behind which it offers what begins with two as well
	done
	offered >expected
	# "-" is also the name of a command, which pp-record may be given.
	zsh_offers "${lines[@]}" | sed -E 's/ --?: / /; / -$/d' | sort -u >got
	diff expected got
}

# bats test_tags=nightly
@test "zsh completes values, files and commands" {
	need zsh
	: >fileone
	zsh_offers 'pp-record -o fil' 'pp-record --output=fil' 'pp-record --outp' 'pp-record whoam' >got
	grep -x 'pp-record -o fil: fileone' got
	grep -x 'pp-record --output=fil: fileone' got
	grep -x 'pp-record --outp: --output' got
	grep -x 'pp-record whoam: whoami' got
	zsh_offers 'pp-filter phys_' >got
	grep -x 'pp-filter phys_: phys_addr' got
}

# bats test_tags=nightly
@test "zsh completes events, clocks, readers, types of records and processes" {
	need zsh
	zsh_offers 'pp-record -e cpu-c' 'pp-record --event=page-faults,cpu-c' 'pp-record -k boot' 'pp-cat --for 6' \
		'pp-dump --type comm,mmap2' 'pp-record -p 1' >got
	grep -x 'pp-record -e cpu-c: cpu-clock' got
	grep -x 'pp-record --event=page-faults,cpu-c: cpu-clock' got
	grep -x 'pp-record -k boot: boottime' got
	grep -x 'pp-cat --for 6: 6.12' got
	grep -x 'pp-dump --type comm,mmap2: mmap2' got
	grep -x 'pp-record -p 1: 1' got
}

# bats test_tags=T3-E5,nightly
@test "zsh completes keys, fields, metrics and words, those of a recording that is named" {
	need zsh
	pp-gen --samples 20 --events 2 >plain.pipe
	pp-gen --samples 20 --branches 3 >branches.pipe
	zsh_offers 'pp-report -s comm,symbol_f' 'pp-report plain.pipe -s symbol_f' 'pp-report branches.pipe -s symbol_f' \
		'pp-script -F +srcl' 'pp-stat -M page_faults_per_s' 'pp-fold --weight=cou' 'pp-report -g graph,folde' \
		'pp-record -u roo' 'pp-filter plain.pipe -e cycl' >got
	diff got - <<-'END'
		pp-filter plain.pipe -e cycl: cycles
		pp-fold --weight=cou: count
		pp-record -u roo: root
		pp-report -g graph,folde: folded
		pp-report -s comm,symbol_f: symbol_from
		pp-report branches.pipe -s symbol_f: symbol_from
		pp-script -F +srcl: srcline
		pp-stat -M page_faults_per_s: page_faults_per_second
	END
}
