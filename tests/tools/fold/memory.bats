# memory.bats - what stacks cost pp-fold, pp-flame and pp-report: no more than what is new in each; and what
# paths of files cost them, pp-script and pp-symbol; under a limit of address space.

setup() {
	load ../../helper
	load ../../pipeline/space
	need_limits
}

grown() { perl "$TESTS/bench/grown.pl" "$@"; }

# bats test_tags=T3-B8
@test "fold, flame, report: 2,500 stacks of 127 functions, all different, take less than 32 MB" {
	grown stacks 2500 127 >in.pipe
	in_space 20 pp-fold -q --root / in.pipe >folded
	[ "$(wc -l <folded)" -eq 2500 ]
	in_space 32 pp-flame -q --root / in.pipe >page
	perl "$TESTS/browser/page.pl" page | grep -q 'function_999[; ]'
	in_space 32 pp-report -q --root / -s comm in.pipe >table
	grep -q '100.00%.*some' table
}

# bats test_tags=T3-B8
@test "fold, flame: as many addresses that have no name, and are nearly all different, take no more" {
	grown unnamed 2500 127 >in.pipe
	in_space 32 pp-fold -q --root / in.pipe >folded
	[ "$(cat folded)" = "some$(printf ';[some]%.0s' {1..127}) 625000000" ]
	in_space 32 pp-flame -q --root / in.pipe >page
	[ "$(perl "$TESTS/browser/page.pl" page)" = "$(cat folded)" ]
}

# bats test_tags=T3-B8
@test "report: 300,000 addresses that have no name take less than 64 MB in tables of threads and functions, with callers" {
	grown unnamed 2500 127 >in.pipe
	in_space 64 pp-report -q --root / -s comm in.pipe >table
	grep -q '100.00%.*some' table
	in_space 64 pp-report -q --root / in.pipe >table
	[ "$(grep -c ' some .*\[\.\] 0x' table)" -eq 308045 ]
}

# bats test_tags=T3-B8
@test "report: of 2,500,000 such addresses it keeps what takes less than 125 MB, and says what it did not" {
	grown unnamed 20000 127 >in.pipe
	for keys in comm comm,dso,sym; do
		in_space 125 pp-report --root / -s "$keys" in.pipe >table 2>err
		grep -q '%  some' table
		stderr=$(<err)
		[[ "$(said)" == 'pp-report: the lightest stacks, which weigh '*' were dropped, to stay within --stacks' ]]
	done
}

# many STACKS: as many that were there once, in a file without names, and one that was there often
many() {
	echo 'header
		attr sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER
		comm pid=7 comm=t time=1
		mmap2 pid=7 start=0x400000 len=0x10000000 pgoff=0 file=/no/where/x prot=5 time=1' | sed 's/^\t*//'
	perl -e 'for my $i (0 .. $ARGV[0] - 1) {
		printf "sample pid=7 time=%d period=1 callchain=-512,%s\n", 1000 * $i + 10,
			join ",", map { 0x400010 + $i * 64 + 4 * $_ } 0 .. 7;
		print "sample pid=7 time=", 1000 * $i + 11, " period=5 callchain=-512,0x400000,0x400004\n" if $i % 4 == 0;
	}' "$1"
	echo round
}

# said: what the last run said, but that functions have no names, as many() made them
said() { grep -v ' % of the stacks have mostly functions without a name: ' <<<"$stderr"; }

# bats test_tags=T3-B8
@test "fold, flame: stacks stay within --stacks: the lightest go, and what they weighed is said" {
	local dropped
	many 4000 | build >in
	run -0 --separate-stderr pp-fold --addrs --root / in
	[ -z "$(said)" ]
	[ "${#lines[@]}" -eq 4001 ]
	run -0 --separate-stderr pp-fold --addrs --root / --stacks 200k in
	[[ "$(said)" =~ ^'pp-fold: the lightest stacks, which weigh '([0-9]+)' together, were dropped, to stay within --stacks'$ ]]
	dropped=${BASH_REMATCH[1]}
	[[ "$output" == *'t;[x <400004>];[x <400000>] 5000'* ]]
	# nothing is lost beyond what is said
	[ "$(awk '{ n += $NF } END { print n }' <<<"$output")" -eq $((9000 - dropped)) ]
	[ "$dropped" -gt 1000 ]
	run -0 --separate-stderr pp-fold --stacks 200k --addrs --root / --tid --weight=time in
	[[ "$stderr" == *'were dropped'* ]]
	run -0 --separate-stderr pp-flame --root / --addrs --stacks 200k in -o page
	[ "$(said)" = "pp-flame: the lightest stacks, which weigh $dropped together, were dropped, to stay within --stacks" ]
	[ "$(perl "$TESTS/browser/page.pl" page | awk '{ n += $NF } END { print n }')" -eq $((9000 - dropped)) ]
	pp-fold --addrs --root / in >folded
	run -0 --separate-stderr pp-flame --svg --stacks 200k folded -o page.svg
	[[ "$stderr" == *'were dropped, to stay within --stacks' ]]
}

# bats test_tags=T3-B8
@test "report: stacks stay within --stacks: all samples still count where they were, and what callers lose is said" {
	local dropped
	many 4000 | sed 's/callchain=-512,\([^,]*\)/ip=\1 &/' | build >in
	pp-report --root / --csv -s sym in >table 2>err
	stderr=$(<err)
	[ -z "$(said)" ]
	grep -q 'cpu-clock,55.5556,0.0000,0x400004' table
	[ "$(grep -c ,0.0111,0.0000,0x table)" -gt 20000 ]
	pp-report --root / --csv -s sym --stacks 600k in >table 2>err
	stderr=$(<err)
	grep -q 'cpu-clock,55.5556,0.0000,0x400004' table
	[ "$(grep -c ,0.0111,0.0000,0x table)" -lt 15000 ]
	[[ "$(said)" =~ ^'pp-report: the lightest stacks, which weigh '([0-9]+)' together, were dropped, to stay within --stacks'$ ]]
	dropped=${BASH_REMATCH[1]}
	[ "$dropped" -gt 1000 ]
	[ "$dropped" -lt 4000 ]
	for keys in sym comm,sym dso,sym,parent tid; do
		pp-report -q --root / --no-children --csv -s "$keys" in >all
		pp-report -q --root / --no-children --csv -s "$keys" --stacks 600k in >some
		cmp all some
	done
	pp-report -q --root / --stacks 600k -s comm in >table
	grep -q '100.00%.*100.00%.*t' table
	grep -q '55.56%--0x400004' table
}

# bats test_tags=T3-B8
@test "fold, flame, report, script, symbol: 8 MB of paths of files are there once, read or kept" {
	local run
	export XDG_CACHE_HOME=$PWD/cache
	grown paths 4096 >in.pipe
	# each leaves what was said of all 2,000 files to the next
	for run in read kept; do
		in_space 36 pp-fold -q --root / in.pipe >folded-$run
		in_space 36 pp-flame -q --root / in.pipe >page-$run
		in_space 36 pp-report -q --root / -s comm in.pipe >table-$run
		in_space 44 pp-script -q --root / in.pipe >script-$run
		in_space 36 pp-symbol -q --root / in.pipe >named-$run
	done
	[ "$(find cache -name 'names-*' | wc -l)" -gt 1000 ]
	[ "$(grep -c some-folder script-read)" -eq 2000 ]
	same_bytes folded-read folded-kept
	same_bytes script-read script-kept
	same_bytes named-read named-kept
}
