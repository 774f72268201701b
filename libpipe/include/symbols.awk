# symbols.awk - writes the linker's version script out of the public headers: which symbols the shared library
# shows, and in which node each is.
#
#	awk -f symbols.awk *.h >symbols.map
#
# What is declared as PP_API in a header that asks for PP_UNSTABLE is in a node of its own, so that a program that
# uses any of it says so in its dependencies.  All else is hidden, whatever an object has.

# A declaration without its comments, in one line: the names that it declares.
function declare(s,  i, n, part) {
	if (s ~ /[ \t]extern[ \t]/) {
		n = split(s, part, ",")
		for (i = 1; i <= n; i++)
			if (match(part[i], /pp_[a-z0-9_]+[ \t]*(\[.*)?$/))
				add(substr(part[i], RSTART))
	} else if (match(s, /pp_[a-z0-9_]+[ \t]*\(/)) {
		add(substr(s, RSTART))
	}
}

function add(s) {
	sub(/[^a-z0-9_].*/, "", s)
	symbols[node] = symbols[node] "\t" s ";\n"
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

line ~ /^PP_API/ { gathering = 1; gathered = "" }
gathering {
	gathered = gathered " " line
	if (sub(/;[ \t]*$/, "", gathered)) {
		declare(gathered)
		gathering = 0
	}
}

END {
	print "LIBPERFPIPE_0 {\nglobal:\n" symbols["LIBPERFPIPE_0"] "local:\n\t*;\n};"
	if ("LIBPERFPIPE_0_UNSTABLE" in symbols)
		print "LIBPERFPIPE_0_UNSTABLE {\nglobal:\n" symbols["LIBPERFPIPE_0_UNSTABLE"] "};"
}
