# symbols.awk - makes the linker's version script, or a source of the stable interface, of the public headers.
#
#	awk -f symbols.awk *.h >symbols.map
#	awk -f symbols.awk -v stable=1 *.h >stable.c
#
# The first is the version script.  Symbols of headers that ask for PP_UNSTABLE are in a node of their own, so
# that a program that uses one says so in its dependencies; symbols without PP_API are hidden.  The second
# defines every stable function and variable, which do nothing: compiled, it has their types and no others.

# Adds the names of a declaration, which is one line without comments.
function declare(s,  i, n, part) {
	if (s ~ /[ \t]extern[ \t]/) {
		n = split(s, part, ",")
		for (i = 1; i <= n; i++)
			if (match(part[i], /pp_[a-z0-9_]+[ \t]*(\[.*)?$/))
				add(substr(part[i], RSTART))
		sub(/[ \t]extern[ \t]/, " ", s)
		define(s ";")
	} else if (match(s, /pp_[a-z0-9_]+[ \t]*\(/)) {
		add(substr(s, RSTART))
		sub(/PP_PRINTF\([^()]*\)[ \t]*$/, "", s)
		define(s " { __builtin_trap(); }")
	}
}

function add(s) {
	sub(/[^a-z0-9_].*/, "", s)
	symbols[node] = symbols[node] "\t" s ";\n"
}

function define(s) {
	if (node == "LIBPERFPIPE_0")
		definitions = definitions s "\n"
}

FNR == 1 { node = "LIBPERFPIPE_0"; commenting = gathering = 0 }
/^#ifndef PP_UNSTABLE/ { node = "LIBPERFPIPE_0_UNSTABLE" }

{
	line = $0
	if (commenting && !sub(/^.*\*\//, "", line))
		next
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
	sub(/\/\/.*/, "", line)
	commenting = sub(/\/\*.*/, "", line)
}

# a pointer to every named type, so that one that no function takes, such as an enum, is there, too
line ~ /^(struct|union|enum) pp_[a-z0-9_]+ \{/ {
	split(line, word, " ")
	define(word[1] " " word[2] " *type_" word[2] ";")
}

line ~ /^PP_API/ { gathering = 1; gathered = "" }
gathering {
	gathered = gathered " " line
	if (sub(/;[ \t]*$/, "", gathered)) {
		declare(gathered)
		gathering = 0
	}
}

END {
	if (stable) {
		print "#include <perfpipe/perfpipe.h>\n" definitions
		exit
	}
	print "LIBPERFPIPE_0 {\nglobal:\n" symbols["LIBPERFPIPE_0"] "local:\n\t*;\n};"
	if ("LIBPERFPIPE_0_UNSTABLE" in symbols)
		print "LIBPERFPIPE_0_UNSTABLE {\nglobal:\n" symbols["LIBPERFPIPE_0_UNSTABLE"] "};"
}
