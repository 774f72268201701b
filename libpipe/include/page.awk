# page.awk - writes the manual page of a header in mdoc: what the header says, in its order.
#
#	awk -v page=perfpipe_reader -f page.awk reader.h >perfpipe_reader.3
#
# The comment that the header opens with is the description; then each declaration, and what the
# comment above it says.  Nothing of a page is written by hand.

function escaped(s) {
	gsub(/\\/, "\\e", s)
	if (s ~ /^[.']/)
		s = "\\&" s
	return s
}

# A line of a comment: paragraphs in words, what is set off by a tab as it is.
function say(s) {
	if (s ~ /^\t/ || (literal && s == "")) {
		if (!literal) {
			body = body ".Bd -literal -offset indent\n"
			literal = 1
		}
		sub(/^\t/, "", s)
		held = held escaped(s) "\n"
		if (s != "") {
			body = body held
			held = ""
		}
		return
	}
	if (literal) {
		body = body ".Ed\n.Pp\n"
		literal = 0
		held = ""
	} else if (s == "") {
		paragraph = 1
		return
	}
	if (paragraph && body !~ /\.Pp\n$/)
		body = body ".Pp\n"
	paragraph = 0
	gsub(/\\/, "\\e", s)
	while (match(s, /`[^`]*`/))
		s = substr(s, 1, RSTART - 1) "\\fI" substr(s, RSTART + 1, RLENGTH - 2) "\\fP" substr(s, RSTART + RLENGTH)
	while (match(s, /[A-Za-z0-9)"]\. +[A-Z]/)) # a sentence a line
		s = substr(s, 1, RSTART + 1) "\n" substr(s, RSTART + RLENGTH - 1)
	gsub(/  +/, " ", s)
	body = body (s ~ /^[.']/ ? "\\&" s : s) "\n"
}

function say_comment(  n, i, line) {
	n = split(comment, line, "\n")
	for (i = 1; i <= n; i++)
		say(line[i])
	if (literal) {
		body = body ".Ed\n"
		literal = 0
	}
	paragraph = 0
	comment = ""
}

# The text of a comment, from its lines as they are in the header.
function add_comment(s) {
	sub(/^\/\*+ ?/, "", s)
	sub(/ ?\*\/.*$/, "", s)
	sub(/^ \* ?/, "", s)
	sub(/^ \*$/, "", s)
	if (s != "" || comment != "")
		comment = comment (comment == "" ? "" : "\n") s
}

# What was declared, and below it what was said of it.
function declare(s) {
	body = body ".Bd -literal\n" s ".Ed\n"
	if (comment ~ /(^|\n)\t/) { # has a display of its own
		body = body ".Pp\n"
		say_comment()
	} else if (comment != "") {
		body = body ".Bd -filled -offset indent\n"
		say_comment()
		body = body ".Ed\n"
	}
}

# A prototype in lines of at most 76 columns.
function prototype(s,  out, cut) {
	gsub(/[ \t\n]+/, " ", s)
	sub(/^(PP_API |PP_MUST_CHECK |static |inline )+/, "", s)
	sub(/ PP_PRINTF\(.*\)/, "", s)
	if (match(s, /pp_[a-z0-9_]+\(/))
		names[++n_names] = substr(s, RSTART, RLENGTH - 1)
	while (length(s) > 76) {
		for (cut = 76; cut > 20 && substr(s, cut - 1, 2) != ", "; cut--)
			;
		if (cut <= 20)
			break
		out = out substr(s, 1, cut - 1) "\n"
		s = "    " substr(s, cut + 1)
	}
	return out s "\n"
}

BEGIN { state = "head"; opening = 1 }

state == "head" {
	add_comment($0)
	if (/\*\//) {
		title = comment
		sub(/\n.*/, "", title)
		if (comment ~ /\n/)
			sub(/^[^\n]*\n+/, "", comment)
		else
			comment = ""
		# a title of two lines goes on up to the first blank one
		while (title !~ /\.$/ && comment != "") {
			title = title " " comment
			sub(/\n.*/, "", title)
			if (!sub(/^[^\n]*\n+/, "", comment))
				comment = ""
		}
		sub(/^[a-z_]+\.h - /, "", title)
		sub(/\.$/, "", title)
		say_comment()
		description = body
		body = ""
		state = "body"
	}
	next
}

/^#include <perfpipe\// {
	sub(/^.*\//, "")
	sub(/\.h>.*/, "")
	also[++n_also] = $0
	next
}
/^#define PERFPIPE_/ || /^#(include|if|ifdef|ifndef|else|endif|error|undef)/ || /^extern "C"/ { next }

skipping { # the body of a function, or a macro that writes functions
	if (skipping == "macro" ? !/\\$/ : /^}/)
		skipping = ""
	next
}
/^#define.*LOADER/ { skipping = "macro"; next }
/^#define/ || defining {
	defining = defining escaped($0) "\n"
	if (/\\$/)
		next
	if (!($2 in defined))
		declare(defining)
	defined[$2]
	defining = ""
	next
}
/^\/\* ---- .* \*\/$/ { # a heading
	body = body ".Ss " escaped(substr($0, 9, length($0) - 11)) "\n"
	next
}
/^\/\*/ || commenting {
	if (!commenting && comment != "")
		comment = comment "\n"
	add_comment($0)
	commenting = !/\*\//
	next
}
/^$/ {
	if (comment != "") {
		body = body ".Pp\n"
		say_comment()
	}
	next
}
/^(struct|union) [a-z_0-9]+;/ { next }
/^PP_(SAMPLE_)?LOADER\(/ {
	split($0, word, /[(,)] */)
	declare(prototype("bool " word[2] "(const struct pp_record *, " (/^PP_SAMPLE/ ? "uint64_t" : word[5]) " *value);"))
	next
}
/^(PP_API|static inline)/ { gathered = ""; gathering = "prototype" }
/^typedef/ { gathered = ""; gathering = "prototype" }
/^(struct|union|enum)( [a-z_0-9]+)? \{/ { gathered = ""; gathering = "type" }
gathering == "type" {
	gathered = gathered escaped($0) "\n"
	if (/^}/ || /};[ \t]*(\/\*.*)?$/ && gathered !~ /\n.*\n/) {
		declare(gathered)
		gathering = ""
	}
	next
}
gathering == "prototype" {
	line = $0
	if (match(line, /[ \t]*\/\*.*\*\/[ \t]*$/)) {
		said = substr(line, RSTART)
		sub(/^[ \t]*/, "", said)
		comment = comment (comment == "" ? "" : "\n")
		add_comment(said)
		line = substr(line, 1, RSTART - 1)
	}
	gathered = gathered line "\n"
	if (line ~ /^static inline.*\}$/ || line ~ /;$/ || line ~ /^\{/) {
		if (line ~ /^\{/)
			skipping = "body"
		sub(/\n?[ \t]*\{.*/, ";\n", gathered)
		declare(prototype(gathered))
		gathering = ""
	}
	next
}

END {
	print ".\\\" made of the header by page.awk"
	print ".Dd November 22, 2026"
	print ".Dt " toupper(page) " 3"
	print ".Os perfpipe"
	print ".Sh NAME"
	printf ".Nm %s", page
	for (i = 1; i <= n_names; i++)
		if (!(names[i] in named)) {
			named[names[i]]
			printf " ,\n.Nm %s", names[i]
		}
	printf "\n.Nd %s\n", title
	print ".Sh LIBRARY\nlibperfpipe (-lperfpipe)"
	header = page == "perfpipe" ? page : substr(page, index(page, "_") + 1)
	print ".Sh SYNOPSIS\n.In perfpipe/" header ".h"
	if (description != "")
		printf ".Sh DESCRIPTION\n%s", description
	if (body != "") {
		sub(/^\.Pp\n/, "", body)
		printf ".Sh DECLARATIONS\n%s", body
	}
	print ".Sh SEE ALSO"
	if (header != "perfpipe")
		print ".Xr perfpipe 3 ,"
	for (i = 1; i <= n_also; i++) # by name
		for (j = i + 1; j <= n_also; j++)
			if (also[j] < also[i]) {
				least = also[j]
				also[j] = also[i]
				also[i] = least
			}
	for (i = 1; i <= n_also; i++)
		if (also[i] != header)
			printf ".Xr perfpipe_%s 3 ,\n", also[i]
	print ".Xr perf-pipe 5 ,\n.Xr perfpipe 7"
}
