# peer.bats - perf's own shell tests have the results that peer.txt gives for them, with our tools under perf's
# name, and with perf alone.

setup() {
	load ../helper
	peer=$TESTS/oracle/peer.sh
}

# rows VERSION: `FILE OURS PERF` of each row of peer.txt, without the reasons
rows() {
	awk -F ' *[|] *' -v section="[$1]" '/^\[/ { of_it = $0 == section } of_it && NF > 1 { print $1, $2, $3 }' \
		"$TESTS/oracle/peer.txt"
}

# suite VERSION: sets $perf and $folder of the tests of this perf, of which the table is
suite() {
	need_perf_events
	need gcc nm setsid ps python3 objdump
	! sanitized || skip "perf's tests want the speed of tools that are built without sanitizers"
	version=$1
	if [ "$1" = 6.1 ]; then
		perf=$(command -v perf) folder=/usr/lib/perf-core/tests/shell
		[[ $(perf version) == "perf version 6.1."* ]] || skip "the installed perf is not 6.1"
	else
		need_newer_perf "$1"
		perf=$PERF_NEWER/perf-$1 folder=$PERF_NEWER/root-$1/usr/lib/perf-core/tests/shell
		[ -x "$perf" ] || skip "the perf in \$PERF_NEWER is not $1, of which the table is"
	fi
	[ -d "$folder" ] || skip "perf $1 has no tests in its package here"
}

# run_files ours|perf FILE...: runs them, and puts those whose result is not that of the table into `others`
run_files() {
	local column=2 tools=$1
	[ "$tools" = ours ] || column=3
	shift
	"$peer" "$tools" "$perf" "$folder" "$@" | sort >results
	rows "$version" | awk -v column=$column -v files=" $* " 'index(files, " " $1 " ") {
		if ($column == "any") print $1, "pass\n" $1, "fail"
		else print $1, $column
	}' | sort >listed
	[ "$(cut -d ' ' -f 1 listed | uniq | wc -l)" -eq $# ]
	comm -13 listed results >others
}

# ours FILE...: with our tools the files have the results of the table.  Where one has another, and with perf alone
# as well, it is due to the machine.
ours() {
	local file result
	run_files ours "$@"
	mv others other-ours
	: >wrong
	: >unlike
	while read -r file result; do
		cp "$file.log" ours.log
		run_files perf "$file"
		if [ -s others ]; then
			echo "$file" >>unlike
		else
			echo "perf $version, $file: with our tools it ends with $result, the table has $(rows "$version" |
				awk -v file="$file" '$1 == file { print $2 }'):"
			tail -n 15 ours.log
			echo "$file" >>wrong
		fi
	done <other-ours
	[ ! -s wrong ]
	[ ! -s unlike ] || skip "perf alone has other results here, too: $(paste -sd ' ' unlike)"
}

# tried VERSION: the files that are run
tried() { rows "$1" | awk '$2 != "-" { print $1 }'; }

@test "each shell test of perf 6.1 and 7.3 has its row, and a reason where the two do not both pass" {
	for version in 6.1 7.3; do
		suite $version
		diff <(rows $version | cut -d ' ' -f 1) <(cd "$folder" && ls -- *.sh)
	done
	run -1 grep -nE '\|.*(fail|skip|any|-) \|.*\| *$' "$TESTS/oracle/peer.txt"
	run -1 grep -nE '\.sh \|.*-F max' <(grep -v ' | - | - | ' "$TESTS/oracle/peer.txt")
}

@test "a file that fails, that skips itself, that does not end, and what it leaves running" {
	need gcc setsid ps
	mkdir suite
	echo 'perf test -w noploop 0.01 && mktemp /tmp/made.XXX' >suite/good.sh
	echo false >suite/bad.sh
	echo 'exit 2' >suite/not.sh
	echo 'sleep 600 & echo $! >pid; sleep 600' >suite/long.sh
	"$peer" ours true suite good.sh bad.sh not.sh >results
	SECONDS_EACH=1 "$peer" ours true suite long.sh >>results
	diff - results <<-'END'
		good.sh pass
		bad.sh fail
		not.sh skip
		long.sh late
	END
	grep -q "$PWD/peer\..*/made" good.sh.log
	[ ! -e "$(cat good.sh.log)" ]
	[[ $(ps -o stat= -p "$(cat pid)") = @(|Z*) ]]
}

# bats test_tags=T3-C10
@test "a recording that is cut, and the fields of perf stat -x, pass the tests of perf 7.3" {
	suite 7.3
	ours data_validation.sh stat+csv_output.sh
}

# bats test_tags=nightly,T3-C10
@test "perf 7.3's own tests have the results of the table with our tools" {
	suite 7.3
	# shellcheck disable=SC2046
	ours $(tried 7.3)
}

# bats test_tags=nightly,T3-C10
@test "perf 6.1's own tests have the results of the table with our tools" {
	suite 6.1
	# shellcheck disable=SC2046
	ours $(tried 6.1)
}

# Of perf alone the table can be wrong only where the machine is like the one that it is of.
# bats test_tags=nightly
@test "perf's own tests have the results of the table with perf alone" {
	for version in 6.1 7.3; do
		suite $version
		! once instructions perf record -o /dev/null -e instructions true ||
			skip "the table is of a machine without hardware events"
		# shellcheck disable=SC2046
		SECONDS_EACH=60 run_files perf $(tried $version)
		[ ! -s others ] || SECONDS_EACH=60 run_files perf $(cut -d ' ' -f 1 others)
		cat others
		[ ! -s others ]
	done
}
