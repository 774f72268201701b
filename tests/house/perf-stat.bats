# perf-stat.bats - each option of perf stat's page has something of ours, and a test that shows it: perf-stat.txt.

setup() { load ../helper; }

# rows TABLE: without comments, and without what the page has not, which follows the last empty line
rows() { awk '/^#/ { next } !NF { part++; next } part < 2' "$1"; }

# compare PAGE TABLE: options of the page without a row, and rows of options that it has not
compare() {
	grep -oE '^(-[-[:alpha:]]+|<command>|record|report).*::' "$1" | grep -oE '^[-<>[:alpha:]]+' | sort -u >page
	rows "$2" | sed 's/ | .*//' | tr ',' '\n' | tr -d ' ' | sort -u >table
	[ -s page ] || echo "no options in $1"
	comm -23 page table | sed 's/$/: without a row/'
	comm -13 page table | sed 's/$/: not of the page/'
}

# check TABLE: what its rows name and there is not
check() {
	local row ours tool test word
	for tool in pp-count pp-stat; do { "$tool" --help; "$tool" --list-hidden | tr "\t" " "; } >"$tool.help"; done
	while IFS= read -r row; do
		test=${row##* | } ours=${row#* | }
		grep -qF "@test \"${test#*: }\" {" "$TESTS/${test%%: *}" || echo "no test: $row"
		for word in ${ours% | *}; do
			case $word in
			pp-*) tool=$word ;;
			-*) grep -qE -- "(^|[ ,])${word%,}([][ ,=]|\$)" "$tool.help" || echo "no option ${word%,}: $row" ;;
			esac
		done
	done < <(grep -v -e '^#' -e '^$' "$1")
}

@test "each option of perf stat's page has a row, and no other has one" {
	PERF_STAT=${PERF_STAT:-$CORPUS/../seeds/perf-stat.txt}
	[ -f "$PERF_STAT" ] || skip "no page of perf stat at \$PERF_STAT"
	compare "$PERF_STAT" "$TESTS/house/perf-stat.txt" >wrong
	diff /dev/null wrong
	[ "$(wc -l <page)" -gt 70 ]
}

@test "each row names a test that there is, and options that pp-count and pp-stat have" {
	check "$TESTS/house/perf-stat.txt" >wrong
	diff /dev/null wrong
}

@test "a row that is missing, or names what there is not, is found" {
	printf '%s\n' '-e::' '--event=::' ' - text' '--table:: Display' '-d: no' 'record::' '--control=fd:ctl-fd[,ack-fd]::' >in.page
	printf '%s\n' '# comment' '' '-e, --event | pp-count -e | f: s' 'record | pp-count | f: s' '--none | pp-stat | f: s' '' \
		'-j | pp-stat -j | f: s' >in.table
	run compare in.page in.table
	[ "$output" = $'--control: without a row\n--table: without a row\n--none: not of the page' ]
	printf '%s\n' '-a | pp-count -a, pp-stat --per-core | house/perf-stat.bats: a row that is missing, or names what there is not, is found' \
		'-b | pp-count --per-core | house/perf-stat.bats: a row' >in.table
	run check in.table
	[ "${lines[0]}" = 'no test: -b | pp-count --per-core | house/perf-stat.bats: a row' ]
	[ "${lines[1]}" = 'no option --per-core: -b | pp-count --per-core | house/perf-stat.bats: a row' ]
	[ "${#lines[@]}" -eq 2 ]
}
