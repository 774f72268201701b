# squeeze.awk - leaves out of scripts what a browser does not read: comments, blanks that part nothing, and the ends of
# lines where a statement goes on or has ended.  What never changes is declared as what may (const, let), in one
# statement with what is declared before it.  Strings, templates and regular expressions stay as they are.

# fail: a string without an end was none, and the rest of the file cannot be read
function fail(what) {
	printf "%s:%d: %s does not end\n", FILENAME, FNR, what >"/dev/stderr"
	failed = 1
	exit 1
}

# keep: of the line, so many characters as they are
function keep(n) {
	made = made substr($0, at, n)
	at += n
}

# blanks: one stays where two words would be one without it, or two signs another one: + +, and ??( in C
function blanks(    after) {
	while (substr($0, at, 1) ~ /[ \t]/) at++
	after = substr($0, at, 1)
	if (made == "" || after == "" || substr($0, at, 2) == "//") return
	if ((last ~ /[A-Za-z0-9_$]/ && after ~ /[A-Za-z0-9_$.]/) || (last == after && after ~ /[-+\/]/) || made ~ /\?\?$/)
		made = made " "
}

# quoted: a string, or a regular expression, in which / may stand within [ ]
function quoted(end, what,    c, set) {
	keep(1)
	while ((c = substr($0, at, 1)) != end || set) {
		if (c == "") fail(what)
		if (end == "/" && c == "[") set = 1
		if (end == "/" && c == "]") set = 0
		keep(c == "\\" ? 2 : 1)
	}
	keep(1)
}

# template: up to its end, or to code within it
function template(    c) {
	while ((c = substr($0, at, 1)) != "") {
		if (c == "`") { keep(1); deep--; return }
		if (substr($0, at, 2) == "${") { keep(2); braces[++deep] = 0; last = "{"; return }
		keep(c == "\\" ? 2 : 1)
	}
	fail("a template")
}

# begins: whether a / begins a regular expression here, and does not divide
function begins() { return last ~ /^[(,=:[!&|?{;<>]?$/ || made ~ /(^|[^A-Za-z0-9_$.])return ?$/ }

# declared: const or let, where a statement begins with it; `declares` has of each open bracket whether one is in it
function declared(    word) {
	word = substr($0, at, 6)
	if (word !~ /^(const|let)[ \t]/ || made ~ /[A-Za-z0-9_$.]$/) return 0
	at += word ~ /^l/ ? 3 : 5
	if (last == ";" && goes_on) {
		if (made == "") sub(/;$/, ",", lines)
		sub(/;$/, ",", made)
		last = ","
	} else {
		made = made "let"
		last = "t"
	}
	return declares[open] = 1
}

# code: one thing of it
function code(    c) {
	c = substr($0, at, 1)
	if (c ~ /[ \t]/) { blanks(); return }
	if (substr($0, at, 2) == "//") { at = length($0) + 1; return }
	if (declared()) return
	if (c == "\"" || c == "'") quoted(c, "a string")
	else if (c == "/" && begins()) quoted(c, "a regular expression")
	else {
		if (c == ";") { goes_on = declares[open]; declares[open] = 0 }
		if (c ~ /[[({]/) declares[++open] = 0
		if (c ~ /[])]/ || (c == "}" && braces[deep])) open--
		if (c == "{") braces[deep]++
		if (c == "}" && made ~ /;$/) made = substr(made, 1, length(made) - 1)
		if (c == "}" && braces[deep]-- == 0) deep--
		if (c == "`") braces[++deep] = -1
		keep(1)
	}
	last = c
}

# join: the line to those before it, up to what a string of C may hold; a word after } is no value that goes on
function join() {
	if (length(lines) > 1000 || (lines !~ /[;{,([]$/ && made !~ /^[]})]/ &&
				     !(lines ~ /}$/ && made ~ /^(for|function|if|let|return) ?[A-Za-z_$({[]/))) {
		if (lines != "") print lines
		lines = made
		return
	}
	if (made ~ /^}/) sub(/;$/, "", lines)
	lines = lines made
}

BEGIN { open = 0 }
{
	made = ""
	at = 1
	# how many templates are open, and codes within them; of each code its open braces, of a template -1
	deep = 0
	braces[0] = 1000
	# a statement may have ended without a sign
	if (last !~ /[;{(,[=?:|&+-]/) declares[open] = 0
	while (at <= length($0)) {
		if (deep && braces[deep] < 0) template()
		else code()
	}
	if (deep) fail("a template")
	if (made != "") join()
}
END { if (!failed) print lines }
