#!/bin/sh
# program.sh HEADER - prints the program in the comment that a header opens with: the lines set off
# by a tab, from the first #include or #define to the last brace.
awk '
	/\*\// { exit }
	/^ \*\t#/ { begun = 1 }
	begun && /^ \*\t/ { sub(/^ \*\t/, ""); print; next }
	begun && /^ \*$/ { print ""; next }
	begun { exit }' "$1"
