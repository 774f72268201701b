# query.bash - what the tests of the filter's language share: expressions, and what they leave.

# all FILE: every record of the kernel in it, as TYPE:TIME in a line
all() { records "$1" | awk '$2 !~ /HEADER|ROUND|TIME_CONV/ { print $2 ":" $5 }' | xargs; }

# of TYPE FILE: the times of the records of a type
of() { records "$2" | awk -v type="$1" '$2 == type { print $5 }' | xargs; }

# rows TYPE: lines `EXPRESSION => TIMES` hold for in.pipe; the times are of records of this type, or
# as all() tells them
rows() {
	local line
	while IFS= read -r line; do
		echo "$line"
		pp-filter "${line% =>*}" -i in.pipe -o out.pipe
		if [ "$1" = all ]; then all out.pipe; else of "$1" out.pipe; fi >got
		[ "$(cat got)" = "$(xargs <<<"${line##*=>}")" ] || { cat got; return 1; }
	done
}

refused() { # EXPRESSION MESSAGE COLUMN
	echo "$1"
	run -2 --separate-stderr pp-filter -i in.pipe "$1"
	# shellcheck disable=SC2154
	printf '%s\n' "$stderr"
	[ -z "$output" ]
	[ "$stderr" = "pp-filter: $2
  $1
  $(printf '%*s' "$3" '')^" ]
}
