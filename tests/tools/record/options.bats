# options.bats - pp-record: for every option something that was recorded with it, as perf script, perf
# report and pp-check read it.  The recordings are the rows of options.txt.

setup() {
	load ../../helper
	load recorder
	rows=$TESTS/tools/record/options.txt
	fake=$BIN/tests/fake/kernel.so
}

teardown() { touch stop; }

# touches memory, starts a child and uses a processor, each for sure
PROGRAM=(perl -e '$x = "x" x 2e6; unless (fork) { $y = "y" x 2e6; exit } wait; 1 while (times)[0] < 0.03')

# impossible ROW: says what a row needs that there is not here
impossible() {
	case " $1 " in
	*' sched:'* | *=wakers*) once pp_points pp-record -e sched:sched_process_exec -- true || echo tracepoints ;;
	' fake '*) { [ -f "$fake" ] && ! sanitized; } || echo "a fake kernel" ;;
	*' -r '* | *' --realtime='*) once pp_realtime pp-record -e cpu-clock -r 1 -- true || echo "a real-time priority" ;;
	*' -G '* | *' --cgroup='*) once pp_cgroup pp-record -a -e cpu-clock -G / --max-samples 1 || echo "control groups" ;;
	*' -a '* | *' --all-cpus '* | *' -C '* | *' --cpu='* | *' -u '* | *' --uid='*)
		once pp_all pp-record -e cpu-clock -a -- true || echo "permission to record all CPUs" ;;
	*' --pfm-events '*) once pp_pfm pp-record --pfm-events perf::PERF_COUNT_SW_PAGE_FAULTS -- true || echo libpfm4 ;;
	esac
}

# recorded ROW: records by a row, to `out`
recorded() {
	local words busy row=${1//FIFO/$PWD/fifo} user=61234
	if [[ $row == *PID* || $row == *USER* ]]; then
		# root may have more threads, of other tests, than one event can be of
		perl -e '($user) = @ARGV; $< = $> = $user if $user; $i++ until !($i % 1000) && -e "stop"' \
			"$([[ $row == *PID* ]] || echo $user)" 3>&- &
		busy=$!
		until_true test -e "/proc/$busy"
		[[ $row == *PID* ]] || until_true test "$(stat -c %u "/proc/$busy")" = $user
		row=${row//PID/$busy} row=${row//USER/$user}
	fi
	eval "words=(${row#fake })"
	case " ${words[*]} " in
	*' --max-samples'* | *' --duration'*) ;;
	*) words+=(-- "${PROGRAM[@]}") ;;
	esac
	if [[ $row == fake* ]]; then
		LD_PRELOAD=$fake pp-record -o out "${words[@]}"
	else
		pp-record -o out "${words[@]}"
	fi
	[ -z "$busy" ] || kill "$busy"
}

# bats test_tags=nightly
@test "for every option something real is recorded that perf script, perf report and pp-check read" {
	need_events
	need_perf
	local row lacks left=
	mkfifo fifo
	while read -r row <&9; do
		lacks=$(impossible "$row")
		[ -z "$lacks" ] || { left+=" [$row: $lacks]"; continue; }
		echo "$row"
		rm -f out
		recorded "$row" >said 2>&1 9<&- || { cat said; false; }
		pp-check out >checked || { cat checked; false; }
		perf_quiet script -i out >script
		[[ $row == fake* ]] || [ -s script ]
		perf_quiet report -i out --stdio >report
		[[ $row == fake* ]] || grep -q '%' report
	done 9< <(grep -vE '^(#|other |$)' "$rows")
	[ -z "$left" ] || skip "not all options can be recorded with here:$left"
}

@test "every option has its row, and every row is of options that there are" {
	{ pp-record --list-hidden && pp-record --list-options; } | awk -F '\t' '{ print $1 " " $2 }' >options
	grep -vE '^(#|$)' "$rows" >all
	local letter long
	while read -r letter long; do
		[ -n "$long" ] || { long=$letter letter=; }
		grep -qE -e "(^| )$long([ =]|\$)" ${letter:+-e "(^| )$letter"} all || { echo "no row has $long"; false; }
	done <options
	grep -oE -e '(^| )--[a-z-]+' all | tr -d ' ' | sort -u | while read -r long; do
		grep -q -- " $long\$" options || { echo "there is no option $long"; false; }
	done
	local other file
	while read -r other long file _; do
		grep -q -e "$long" "$TESTS/$file" || { echo "$file does not test $long"; false; }
	done < <(grep '^other ' all)
}
