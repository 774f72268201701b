#!/bin/sh
# assemble.sh - puts the parts of the page together, and prints them as C: an array of lines, since strings may not
# be as long as it is.  Its policy lets the browser take these styles and scripts alone, by their sums.
set -eu
cd "$(dirname "$0")"
export LC_ALL=C

# sum TEXT: of what stands between the two tags, as a policy has it
sum() {
	printf '\n%s\n' "$1" | sha256sum | awk '
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

# No style has a string, in which a blank would count.
style=$(sed -E 's/^\t+//; s/ *([{};,]) */\1/g; s/: /:/g; s/;\}/}/g' style.css)
# What compares two sides stands between what all pages have.
before=$(awk -f squeeze.awk words.js model.js state.js time.js graph.js)
sides=$(awk -f squeeze.awk sides.js)
after=$(awk -f squeeze.awk views.js start.js)
style_sum=$(sum "$style")
one_sum=$(sum "$before
$after")
two_sum=$(sum "$before
$sides
$after")
while IFS= read -r line; do
	case $line in
	STYLE) line=$style ;;
	BEFORE) line=$before ;;
	SIDES) line=$sides ;;
	AFTER) line=$after ;;
	*_SUM*) line=$(printf '%s\n' "$line" | sed "s|STYLE_SUM|$style_sum|; s|ONE_SUM|$one_sum|; s|TWO_SUM|$two_sum|") ;;
	esac
	printf '%s\n' "$line"
done <page.html |
	sed -e 's/[\\"]/\\&/g' -e 's/.*/"&",/' -e '1s/^/static const char *const page[] = {\n/' -e '$s/$/\nNULL };/'
