# limits.bats - what a stream makes a stage keep stays within 16 MB and what --size allows, and within
# n log n: every tool that keeps something, under the limits of address space and of processor time.

setup() {
	load ../helper
	load space
	need_limits
}

grow() { perl "$TESTS/pipeline/grow.pl" "$@"; }

# within MB TOOL ARGUMENTS...: with -S MB, in 16 MB and MB beside what the program takes for nothing
within() {
	local mb=$1 tool=$2
	shift 2
	prlimit --as=$((($(nothing "$tool") + (16 + mb) * 1024) * 1024)) "$tool" -S "${mb}M" "$@"
}

# the_same_within MB TOOL ARGUMENTS...: as without a limit, of in.pipe
the_same_within() {
	local mb=$1 tool=$2
	shift 2
	"$tool" -S 4G -i in.pipe -o expected.pipe "$@" &&
		within "$mb" "$tool" -i in.pipe -o got.pipe "$@" &&
		same_bytes expected.pipe got.pipe
}

# pieces_within MB ARGUMENTS...: of pp-split
pieces_within() {
	local mb=$1
	shift
	rm -f piece-* expected-*
	pp-split -q -S 4G -i in.pipe -o expected-%u "$@" && within "$mb" pp-split -q -i in.pipe -o piece-%u "$@" || return
	[ -e expected-1 ] || return
	for piece in expected-*; do
		same_bytes "$piece" "piece-${piece#expected-}" || return
	done
}

# split_within MB: all of it into one piece
split_within() {
	within "$1" pp-split -q -i in.pipe -o piece-%u --bytes 1G && pp-sort -i in.pipe -o expected.pipe &&
		[ "$(stat -c %s piece-0)" -eq "$(stat -c %s expected.pipe)" ]
}

# names_the_limit MB TOOL ARGUMENTS...: what lives does not fit, and that is said
names_the_limit() {
	run -4 --separate-stderr within "$@"
	grep -q 'more than the limit of memory allows: names and maps of running tasks take .* MiB; --size sets the limit' <<<"$stderr"
}

quickly() { prlimit --cpu="$1" "${@:2}"; }

@test "children that share a thousand maps cost little, with --prune and without" {
	grow forks 20000 1000 >in.pipe
	the_same_within 1 pp-filter --prune
	the_same_within 1 pp-filter 'dso ~ "*lib1*"'
	the_same_within 1 pp-inject -b
	split_within 4
}

# bats test_tags=nightly
@test "children that map one file more share the others" {
	grow heirs 20000 1000 >in.pipe
	the_same_within 32 pp-filter --prune
	the_same_within 32 pp-filter 'dso ~ "*lib1*"'
	the_same_within 32 pp-inject -b
	split_within 32
	names_the_limit 1 pp-filter 'dso ~ "*lib1*"' -i in.pipe -o out.pipe
	[ ! -e out.pipe ]
	names_the_limit 1 pp-filter --prune -i in.pipe -o out.pipe
	names_the_limit 1 pp-inject -b -i in.pipe -o out.pipe
	names_the_limit 1 pp-split --bytes 3M -i in.pipe -o piece-%u
}

# bats test_tags=nightly
@test "tracing data of 100 MB wait for the first tracepoint in a file, and so for the heads of pieces" {
	grow tracing 100000000 | within 1 pp-filter --prune -o out.pipe
	[ "$(stat -c %s out.pipe)" -gt 100000000 ]
	[ "$(json out.pipe | jq -r 'select(.type).type' | xargs)" = "HEADER_ATTR HEADER_TRACING_DATA SAMPLE FINISHED_ROUND" ]
	grow tracing 100000000 | within 1 pp-split --samples 1 -o piece-%u
	[ "$(stat -c %s piece-0)" -gt 100000000 ]
}

@test "features and updates of events wait for the first sample in linear time" {
	grow features 200000 >in.pipe
	quickly 5 pp-filter --prune -i in.pipe -o out.pipe
	[ "$(stat -c %s out.pipe)" -gt 4000000 ]
	grow updates 200000 >in.pipe
	quickly 5 pp-filter --prune -i in.pipe -o out.pipe
	[ "$(stat -c %s out.pipe)" -gt 6000000 ]
}

@test "pp-split takes the maps of one process in any order" {
	grow random 200000 >in.pipe
	quickly 6 pp-split --samples 150000 -i in.pipe -o piece-%u
	[ "$(json piece-1 | grep -c '"MMAP"')" -eq 200000 ]
}

# bats test_tags=nightly
@test "pp-filter and pp-inject take the maps of one process in any order, or one inside of the other" {
	grow random 400000 >in.pipe
	quickly 7 pp-filter 'dso == "/lib/some.so"' -i in.pipe | pp-check | grep -q '400000 samples'
	quickly 7 pp-inject -b -i in.pipe -o out.pipe
	quickly 12 pp-filter --prune -i in.pipe -o out.pipe
	[ "$(json out.pipe | grep -c '"MMAP"')" -eq 400000 ]
	grow nested 30000 >in.pipe
	quickly 3 pp-filter --prune -i in.pipe -o out.pipe
	[ "$(json out.pipe | grep -c '"MMAP"')" -eq 30000 ]
}

# bats test_tags=nightly
@test "processes that live take what --size allows, or the limit is named" {
	grow tasks 100000 >in.pipe
	the_same_within 16 pp-filter 'dso ~ "*some*" && comm == "task"'
	the_same_within 16 pp-inject -b
	the_same_within 64 pp-filter --prune
	pieces_within 64 --samples 50000
	names_the_limit 2 pp-filter 'dso ~ "*some*"' -i in.pipe -o out.pipe
	[ ! -e out.pipe ]
	names_the_limit 2 pp-filter --prune -i in.pipe -o out.pipe
	names_the_limit 2 pp-inject -b -i in.pipe -o out.pipe
	names_the_limit 2 pp-split --samples 50000 -i in.pipe -o piece-%u
}

# bats test_tags=nightly
@test "what waits for --context beyond --size is in a file, and what a round held is given back" {
	grow round 56000000 >in.pipe
	the_same_within 16 pp-filter --context 1s 'tid == 7 && time < 2000'
	[ "$(records -s got.pipe | wc -l)" -eq 1750 ]
	mkdir folder
	TMPDIR=$PWD/folder within 16 pp-filter --context 1s 'tid == 7 && time < 2000' -i in.pipe -o again.pipe
	[ -z "$(ls -A folder)" ]
	run -4 --separate-stderr env TMPDIR=$PWD/nowhere pp-filter -S 16M --context 1s 'tid == 7 && time < 2000' -i in.pipe -o no.pipe
	grep -q "cannot make a file in $PWD/nowhere: No such file" <<<"$stderr"
	# a round, its heads and a bit
	prlimit --as=$((($(nothing pp-filter) + (16 + 120) * 1024) * 1024)) \
		pp-filter --context 1s 'tid == 7 && time < 2000' -i in.pipe -o again.pipe
	same_bytes got.pipe again.pipe
}

# bats test_tags=nightly
@test "a round alone is held to --size" {
	grow round 56000000 >in.pipe
	the_same_within 16 pp-filter --comm task
	the_same_within 16 pp-filter --prune
	the_same_within 16 pp-inject -b
	pieces_within 16 --samples 1000000
}

@test "an id takes some tens of bytes, also where two streams are merged" {
	grow ids 123 >in.pipe                    # 1,004,910 ids
	cp in.pipe other.pipe
	prlimit --as=$((($(nothing pp-merge) + 16 * 1024) * 1024 + 100 * 2009820)) pp-merge in.pipe other.pipe >merged.pipe
	pp-check merged.pipe
	prlimit --as=$((($(nothing pp-cat) + 16 * 1024) * 1024 + 48 * 1004910)) pp-cat in.pipe >same.pipe
	same_bytes in.pipe same.pipe
}
