# browser.bash - a page in a browser, for the tests of pages.

# drive PAGE: the lines of standard input, done in a browser: drive.pl; what is said is in did
drive() {
	need perl
	need chromium-headless-shell
	once pp_browser chromium-headless-shell --no-sandbox --dump-dom about:blank || skip "the browser does not run here"
	perl "$TESTS/browser/drive.pl" "$PWD/$1" | sed 's/\xe2\x80\xaf/ /g' >did
	run -1 grep '^console:' did
}

# in_firefox PAGE: the same in Firefox, as far as firefox.pl does it
in_firefox() {
	need perl
	need firefox-esr
	perl "$TESTS/browser/firefox.pl" "$PWD/$1" | sed 's/\xe2\x80\xaf/ /g' >did
	run -1 grep '^console:' did
}

# is TEXT...: what was said, line by line
is() {
	printf '%s\n' "$@" >expected
	diff expected did
}

# text ID: an expression, the text of that element
text() { echo "document.getElementById('$1').textContent"; }

# middle ID: an expression, where the middle of that element is, as drive.pl takes a place
middle() { echo "(r => [r.left + r.width / 2, r.top + r.height / 2].map(Math.round).join(' '))(document.getElementById('$1').getBoundingClientRect())"; }
