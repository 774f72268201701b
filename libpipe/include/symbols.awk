# symbols.awk - finds what the public headers declare as PP_API, and writes what is made of that.
#
#	awk -f symbols.awk *.h >symbols.map
#	awk -f symbols.awk -v stable=1 *.h >stable.c
#
# The first is the linker's version script: what is declared in a header that asks for PP_UNSTABLE is in a node
# of its own, so that a program that uses any of it says so in its dependencies, and all else is hidden.  The
# second defines all that is stable, and does nothing: compiled, it has the types of that, and of no more.

# A declaration without its comments, in one line: the names that it declares.
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

# what has a name, whether a function takes it or not, such as the numbers of types
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
