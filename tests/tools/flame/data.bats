# data.bats - what pp-flame writes into a page and a picture: the numbers are those of pp-fold, names are shortened
# from their less telling end, weights have three digits and a unit.

setup() {
	load ../../helper
	load ../names
	load ../fold/fold
}

# data PAGE: its stacks, read without its scripts
data() { perl "$TESTS/browser/page.pl" "$@"; }

@test "page: the numbers of a stream are those of pp-fold, by thread, and of folded stacks those that came in" {
	{
		head_of
		for i in {1..40}; do
			echo "sample id=1 pid=7 tid=$((7 + i % 3)) time=$((i * 700000)) period=$((i % 5 + 1)) callchain=-128,0xffffffff81000110,0xffffffff81000010"
			echo "sample id=1 pid=7 tid=7 time=$((i * 700000 + 9)) period=5 callchain=-128,0xffffffff810001$((i % 3 + 1))0,0xffffffff81000020"
		done
		echo round
	} | build >in
	pp-fold in >folded
	pp-flame -o page in
	# names in a page have their blanks
	data page | sed 's/^eight up;/eight_up;/' | diff folded -
	pp-flame -o page folded
	data page | diff folded -
	pp-flame -q --weight=count -o page in
	data page | sed 's/^eight up;/eight_up;/' | diff <(pp-fold -q --weight=count in) -
}

# sums: of folded stacks, those of the same names added up
sums() { perl -ne '/^(.*) (\d+)$/; $n{$1} += $2; END { print map { "$_ $n{$_}\n" } sort keys %n }'; }

# several: a recording of three events that have samples, of which the last is sampled first, and of one that has none
several() {
	{
		head_of
		echo "attr id=3 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all config=2"
		echo "attr id=4 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all config=3"
		echo "sample id=4 pid=8 tid=8 time=300000 period=1 callchain=-128,0xffffffff81000110"
		for i in {1..30}; do
			echo "sample id=$((1 + 2 * (i % 2))) pid=7 tid=$((7 + i % 3)) time=$((i * 700000)) period=$((i % 5 + 1)) callchain=-128,0xffffffff81000110,0xffffffff81000010"
			echo "sample id=$((4 - 3 * (i % 2))) pid=7 tid=7 time=$((i * 700000 + 9)) period=5 callchain=-128,0xffffffff810001$((i % 3 + 1))0,0xffffffff81000020"
		done
		echo round
	} | build
}

@test "page: all events that have samples are in it, in the order of the recording, each with the numbers of pp-fold" {
	several >in
	run -0 --separate-stderr pp-flame -o page in
	refute [ "$stderr" ]
	local n=0 event
	for event in cpu-clock page-faults context-switches; do
		n=$((n + 1))
		data --event $n page | sed 's/^eight up;/eight_up;/' | diff <(pp-fold -e $event in) -
	done
	run ! data --event 4 page
	# one alone is the page of a recording of it
	pp-flame -e page-faults -o one in
	pp-filter 'event == "page-faults"' in | pp-flame -o expected
	same_bytes expected one
	grep -q '"more":' page
	run ! grep -q '"more":' one
	# times are those of the whole recording
	grep -o '"duration":[0-9]*' page | sort -u | diff <(echo '"duration":20700000') -
}

@test "page: no more events than it has room for are in it, and what weighs nothing in time is said" {
	{
		echo header
		for i in {1..20}; do
			echo "attr id=$i sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all type=2 config=$i"
		done
		for i in {20..1}; do echo "sample id=$i pid=7 tid=7 time=$((100 - i)) period=2 ip=0x$i"; done
		echo round
	} | build >in
	run -0 --separate-stderr pp-flame -o page in
	assert_equal "$stderr" 'pp-flame: 4 samples of other events than the first 16 that have any are left out: --event chooses'
	data --event 16 page >got
	assert_equal "$(cat got)" ':7;[unknown] 2'
	several >in
	run -0 --separate-stderr pp-flame --weight time -o page in
	[[ "$stderr" == 'pp-flame: samples of context-switches cannot be weighed by time: '* ]]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	sum() { awk '{ sum += $NF } END { print sum }'; }
	[ "$(data --whole page | sum)" -eq "$(pp-fold --weight time -e cpu-clock in | sum)" ]
	run ! data --event 3 page
	run -2 pp-flame --weight time -e context-switches -o page in
}

@test "page: of a difference of streams each side has the numbers of pp-fold, also where names come late" {
	several >before
	several | pp-filter 'time > 1000000' >after
	pp-flame --diff before -o page after
	data page | sed 's/^eight up;/eight_up;/' | diff <(pp-fold -q before) -
	data --after page | sed 's/^eight up;/eight_up;/' | diff <(pp-fold -q after) -
	data --after --whole page | diff <(pp-fold -q after | sed 's/^[^;]*;//' | sums) -
	# its stacks are dropped while the second side is read: what stays is that of its cells
	pp-gen --samples 3000 --callchain 20 --seed 3 >before
	pp-gen --samples 3000 --callchain 20 --seed 4 >after
	pp-flame -q --stacks 300k --addrs --root /nowhere --diff before -o page after
	local side
	for side in '' --after; do
		# shellcheck disable=SC2086 # none, or one
		data $side page | sed 's/^[^;]*;//' | sums >cells
		# shellcheck disable=SC2086
		data $side --whole page | sums | diff cells -
		[ -s cells ]
	done
}

@test "page: samples without times, and of which only some have them, weigh in it" {
	{
		head_of
		echo 'sample id=1 pid=7 tid=7 time=0 period=3 callchain=-128,0xffffffff81000010'
		echo 'sample id=1 pid=7 tid=7 time=900 period=4 callchain=-128,0xffffffff81000010'
	} | build >in
	pp-flame -o page in
	[ "$(data --whole page)" = $'[unknown] 3\nouter 4' ]
	grep -q '>7[^<]*ns<' page
}

@test "page: times of what came late, and of what is days apart, are as exact as those of any other hours" {
	# at HOUR..: a recording with a sample 2.99 ms after each of these hours and one 3 ms after it, late if it is earlier
	at() {
		head_of
		local hours
		for hours; do
			echo "sample id=1 pid=7 tid=7 time=$((hours * 3600000000000 + 2990000)) period=1 callchain=-128,0xffffffff81000010"
			echo "sample id=1 pid=7 tid=7 time=$((hours * 3600000000000 + 3000000)) period=1 callchain=-128,0xffffffff81000010"
			echo round
			echo round
		done
	}
	# spans HOUR..: where these samples are from the first one on, in ms
	spans() {
		local hours
		for hours; do printf '%s;outer 1\n' "$((hours * 3600000)) seven" "$((hours * 3600000 + 1)) seven"; done | sort -n
	}
	at 5 1 3 | build >late
	pp-flame -q -o page late
	grep -q '"tick":1000000,' page
	data --ticks page | sort -n >got
	spans 0 2 4 | diff - got
	at 20 1 10 40 900 | build >apart
	pp-flame -q -o page apart
	grep -q '"tick":1000000,' page
	data --ticks page | sort -n >got
	spans 0 9 19 39 899 | diff - got
	# 32 bits of ms are 49 days
	at 1 1441 | build >far
	pp-flame -q -o page far
	grep -q '"tick":20000000,' page
	data --ticks page | sort -n | diff <(printf '0 seven;outer 2\n259200000 seven;outer 2\n') -
}

@test "page: threads all of whose samples weigh nothing are not in it, and those that weigh are whole" {
	{
		head_of
		for i in {1..90}; do
			# each new thread has one sample, which lasts until the next of that thread
			echo "sample id=1 pid=7 tid=$((100 + i)) time=$((i * 700000)) period=9 callchain=-128,0xffffffff81000010"
			echo "sample id=1 pid=7 tid=7 time=$((i * 700000 + 9)) period=5 callchain=-128,0xffffffff81000020"
		done
		echo round
	} | build >in
	pp-flame -q --weight=time -o page in
	grep -q '"threads":1,' page
	data page | sed 's/^eight up;/eight_up;/' | diff <(pp-fold -q --weight=time in | grep -v ' 0$') -
}

@test "page: threads that are rare by the thousand are read as those that are frequent" {
	# how often each has a sample: 1, 1, 2, 3, 5 ... 28657, by a die that always falls the same
	{
		head_of
		perl -e '
			my @often = (1, 1);
			push @often, $often[-1] + $often[-2] while @often < 23;
			my @who = map { ($_) x $often[$_] } 0 .. $#often;
			my $die = 1;
			print map { "comm pid=7 tid=" . (100 + $_) . " comm=t$_ time=6\n" } 0 .. $#often;
			for my $i (reverse 1 .. $#who) {
				$die = ($die * 1103515245 + 12345) % 2 ** 31;
				my $k = int($die / 2 ** 31 * ($i + 1));
				@who[$i, $k] = @who[$k, $i];
			}
			print map { "sample id=1 pid=7 tid=" . (100 + $who[$_]) . " time=" . (1 + $_) * 20000 .
				" period=1 callchain=-128,0xffffffff81000010\n" } 0 .. $#who'
		echo round
	} | build >in
	pp-flame -o page in
	grep -q '"cells":75024,' page
	data page | diff <(pp-fold in) -
}

@test "page: of so many samples that a page would be too long times are less exact, and the sums are not" {
	pp-gen --samples 1.6e6 --callchain 12 --duration 60 >in
	pp-flame -q --addrs --no-inline --root /nowhere -o page in
	[ "$(stat -c %s page)" -lt $((4700 * 1024)) ]
	grep -q '"tick":20000000,' page
	grep -q 'kept to 20' page
	# without tasks
	pp-fold -q --addrs --no-inline --root /nowhere in | perl -ne '
		/^[^; ]*;?(.*) (\d+)$/; $n{$1} += $2; END { print map { "$_ $n{$_}\n" } sort keys %n }' >folded
	data --whole page | cmp folded -
	pp-flame -q --addrs --no-inline --root /nowhere --whole -o page in
	[ "$(stat -c %s page)" -gt $((5000 * 1024)) ]
	grep -q '"tick":10000,' page
}

@test "page: time until the next sample is not called CPU time, which a clock that sleeps is not" {
	{
		head_of
		echo "sample id=1 pid=7 tid=7 time=1 period=1000 callchain=-128,0xffffffff81000010"
		echo "sample id=1 pid=7 tid=7 time=2001 period=1000 callchain=-128,0xffffffff81000010"
	} | build >in
	pp-flame -o page in
	sed 's/\xe2\x80\xaf/ /g' page | grep -q 'id="facts"><strong>2.00 µs</strong> of CPU time in 2 samples '
	pp-flame --weight time -o page in
	sed 's/\xe2\x80\xaf/ /g' page | grep -q 'id="facts"><strong>2.00 µs</strong> of time between samples in 2 samples '
}

@test "page: a weight has three digits and a unit, a time too" {
	local weight count ns rows=0
	while IFS='|' read -r weight count ns; do
		echo "$weight"
		echo "a $weight" | pp-flame --unit things -o page
		sed 's/\xe2\x80\xaf/ /g' page | grep -q "id=\"facts\"><strong>$count</strong> things<"
		{
			head_of
			echo "sample id=1 pid=7 tid=7 time=1 period=$weight callchain=-128,0xffffffff81000010"
		} | build | pp-flame -o page
		sed 's/\xe2\x80\xaf/ /g' page | grep -q "id=\"facts\"><strong>$ns</strong> of CPU time in 1 sample "
		rows=$((rows + 1))
	done <<-'END'
		1|1|1 ns
		999|999|999 ns
		1000|1,000|1.00 µs
		1125|1,125|1.13 µs
		9994|9,994|9.99 µs
		9996|9,996|10.0 µs
		99999|99,999|100 µs
		100000|100 k|100 µs
		999499|999 k|999 µs
		999600|1.00 M|1.00 ms
		170500000|171 M|171 ms
		1234567|1.23 M|1.23 ms
		59940000000|59.9 G|59.9 s
		60000000000|60.0 G|1 min 00 s
		125000000000|125 G|2 min 05 s
		3720000000000|3.72 T|1 h 02 min
		18446744073709551615|18.4 E|5,124,095 h 34 min
	END
	[ "$rows" -eq 17 ]
}

@test "svg: names lose what says least until they fit, and no label is wider than its box" {
	local width name label rows=0
	while IFS='|' read -r width name label; do
		echo "$width: $name"
		echo "$name 1" | pp-flame --svg --width "$width" -o out
		got=$(sed -nE '/<g><title>all:/d; s|^<g><title>.*<text x="3" y="12">(.*)</text></svg></g>$|\1|p' out | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g')
		assert_equal "$got" "$label"
		rows=$((rows + 1))
	done <<-'END'
		100|short|short
		300|std::vector<shop::item, std::allocator<shop::item>>::push_back|std::vector<…>::push_back
		150|std::vector<shop::item, std::allocator<shop::item>>::push_back|vector<…>::push_back
		100|std::vector<shop::item, std::allocator<shop::item>>::push_back|push_back
		100|std::map<int, long>::insert_or_assign_hint|insert_o…_hint
		300|shop::operator<<<char, shop::very_long_name_of_a_type>|shop::operator<<<…>
		100|shop::item::operator<|operator<
		100|shop::item_with_long_name::operator->|operator->
		100|shop::item_with_long_name::operator()|operator()
		170|std::function<void (int)>::operator()|function<…>::operator()
		300|<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend_desugared_abc|<…>::extend_desugared_abc
		150|(anonymous namespace)::shop::load_all_items|shop::load_all_items
		200|shop::load(int)::{lambda(char)#1}::operator()|{lambda(char)#1}::operator()
		120|github.com/some/module/package.Function|package.Function
		100|do_syscall_64_of_a_kernel|do_sysca…ernel
		100|日本語の関数の名前です|日本語の…です
	END
	[ "$rows" -eq 16 ]
}
