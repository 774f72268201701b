#!/bin/sh
# assemble.sh - puts the parts of the page together, and prints them as C: an array of lines, since strings may not
# be as long as it is.  Its policy lets the browser take these styles and scripts alone, by their sums.
set -eu
cd "$(dirname "$0")"

# sum FILE...: of what stands between the two tags, as a policy has it
sum() {
	{ echo && cat "$@" | sed 's/^\t*//'; } | sha256sum | awk '
		{
			digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
			for (i = 1; i <= 64; i++)
				for (bit = 8; bit >= 1; bit /= 2)
					bits = bits int((index("0123456789abcdef", substr($1, i, 1)) - 1) / bit) % 2
			for (i = 1; i <= 258; i += 6) {
				six = substr(bits "00", i, 6)
				n = 0
				for (k = 1; k <= 6; k++)
					n = 2 * n + substr(six, k, 1)
				text = text substr(digits, n + 1, 1)
			}
			print "sha256-" text "="
		}'
}

scripts='words.js model.js state.js time.js graph.js views.js start.js'
{
	# shellcheck disable=SC2086 # words
	awk -v style="$(sum style.css)" -v script="$(sum $scripts)" -v scripts="$scripts" '
		function add(file, line) { while ((getline line <file) > 0) { sub(/^\t+/, "", line); print line } close(file) }
		/^STYLE$/ { add("style.css"); next }
		/^SCRIPT$/ { n = split(scripts, parts, " "); for (i = 1; i <= n; i++) add(parts[i]); next }
		{ sub(/STYLE_SUM/, style); sub(/SCRIPT_SUM/, script); print }' page.html
} | sed -e 's/[\\"]/\\&/g' -e 's/.*/"&",/' -e '1s/^/static const char *const page[] = {\n/' -e '$s/$/\nNULL };/'
