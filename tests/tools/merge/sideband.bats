# sideband.bats - pp-merge: names and maps of tasks count from when their own recording began.

setup() {
	load ../../helper
	load merge
}

# shown PERF FILE: how it names the program, symbol and file of each sample
shown() {
	local names=,sym
	# other programs and their files come and go while perf looks
	[ -z "${whole_system:-}" ] || names=
	"$1" script -i - -F comm,tid,time,ip$names,dso <"$2" 2>/dev/null | tr -s ' ' | sort -k3
}

# apart INPUT...: what perf of each version shows of the merged is what it shows of each, in every
# order of them
apart() {
	local file perf order
	for order in "$*" "$(printf '%s\n' "$@" | tac | tr '\n' ' ')"; do
		# shellcheck disable=SC2086
		pp-merge -q $order -o merged && sound merged || return
		for perf in $(perfs); do
			for file; do shown $perf $file; done | sort -k3 >want
			[ -s want ] || { echo "$perf shows nothing"; return 1; }
			shown $perf merged >got
			diff want got || { echo "so $perf of $order"; return 1; }
		done
	done
}

# program NAME TIME [FLAGS]: one process, by that name and with a map of that file, from TIME on
program() {
	local flags=${3-sample_id_all,comm,mmap} how=synthesized
	[[ $flags == *sample_id_all* ]] || how=
	build <<-END
		header
		attr id=$2 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=$flags
		comm pid=5 comm=$1 $how
		mmap2 pid=5 start=0x1000 len=0x1000 file=/$1 prot=5 $how
		init
		sample pid=5 time=$2 ip=0x1010
		sample pid=5 time=$(($2 + 5)) ip=0x1011
		round
	END
}

@test "a process that had become another program by the second recording keeps its name and file in both" {
	need_perf
	program alpha 1000 >a
	program beta 2000 >b
	apart a b
	for name in alpha beta; do
		run -0 bash -c "pp-filter --comm $name -i merged | pp-dump --json | jq -c 'select(.type == \"SAMPLE\") | .fields.time'"
		[ "${#lines[@]}" -eq 2 ]
	done
}

@test "the two recordings of one process in ../shared/found are shown as each alone is" {
	need_perf
	found r1.pipe
	cp "$FOUND"/r[12].pipe .
	apart r1.pipe r2.pipe
	[ "$(perf_quiet script -i merged -F comm | grep -c alpha)" -eq 44 ]
	[ "$(perf_quiet script -i merged -F comm | grep -c beta)" -eq 29 ]
}

@test "pp-inject -b asks for the file that the process had at each time" {
	for n in 1:pp-cat 2:pp-sort; do
		printf '%s\n' header "attr id=${n%%:*} flags=sample_id_all,comm,mmap" "comm pid=5 comm=x synthesized" \
			"mmap2 pid=5 start=0x1000 len=0x1000 file=$BIN/${n#*:} prot=5 synthesized" \
			"sample pid=5 time=${n%%:*}000 ip=0x1010" round | build >"${n#*:}.pipe"
	done
	for order in "pp-cat.pipe pp-sort.pipe" "pp-sort.pipe pp-cat.pipe"; do
		# shellcheck disable=SC2086
		pp-merge $order | pp-inject -b -o out
		run -0 bash -c "pp-dump --json -i out | jq -r 'select(.type == \"HEADER_BUILD_ID\") | .fields.filename' | sort"
		[ "$output" = "$BIN/pp-cat
$BIN/pp-sort" ]
	done
}

@test "what an earlier recording mapped, and a later one did not, ends where the later one begins" {
	need_perf
	build >a <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,mmap sample_type=IP,TID,TIME,IDENTIFIER
		comm pid=5 comm=one synthesized
		comm pid=5 tid=6 comm=thread synthesized
		mmap2 pid=5 start=0x1000 len=0x1000 file=/old prot=5 synthesized
		sample pid=5 time=1000 ip=0x1010
		sample pid=5 tid=6 time=1001 ip=0x1010
		round
	END
	build >b <<-'END'
		header
		attr id=2 flags=sample_id_all,comm,mmap sample_type=IP,TID,TIME,IDENTIFIER
		comm pid=5 comm=one synthesized
		mmap2 pid=5 start=0x8000 len=0x1000 file=/new prot=5 synthesized
		comm pid=5 tid=6 comm=thread synthesized
		sample pid=5 time=2000 ip=0x1010
		sample pid=5 tid=6 time=2001 ip=0x1010
		sample pid=5 tid=6 time=2002 ip=0x8010
		round
	END
	apart a b
	grep -q '/old' got
	grep -q '/new' got
}

@test "what recordings agree on stays without a time, and is written once" {
	for n in 1 2; do
		printf '%s\n' header "attr id=$n" 'fork pid=5 ppid=1 tid=5 ptid=1 misc=0x2000 synthesized' \
			'comm pid=5 comm=same synthesized' 'mmap2 pid=5 start=0x1000 len=0x1000 file=/x synthesized' \
			init "sample pid=5 time=${n}000" round | build >$n
	done
	pp-merge 1 2 -o out
	run -0 order out
	[ "$output" = "FORK COMM MMAP2 FINISHED_INIT 1000 2000 R" ]
}

@test "of recordings that run at once the later one names what it found, from its begin on" {
	for n in 1 2; do
		printf '%s\n' header "attr id=$n" "comm pid=5 comm=kworker/$n synthesized" 'comm pid=6 comm=init synthesized' \
			"sample pid=5 time=${n}000" 'sample pid=5 time=3000' round | build >$n
	done
	for order in "1 2" "2 1"; do
		# shellcheck disable=SC2086
		pp-merge $order -o out
		run -0 bash -c "pp-dump --json -i out | jq -r 'select(.type == \"COMM\") | .fields | \"\(.comm) \(.sample_id.time)\"'"
		[ "$output" = "kworker/1 0
init 0
kworker/2 2000" ]
	done
}

@test "a name or map that a running recording saw come is not undone by one that looked before" {
	build >a <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,mmap
		comm pid=5 comm=sh synthesized
		mmap2 pid=5 start=0x1000 len=0x1000 file=/sh prot=5 synthesized
		sample pid=5 time=1000 ip=0x1010
		comm pid=5 comm=ls exec time=1500
		mmap2 pid=5 start=0x1000 len=0x1000 file=/ls prot=5 time=1501
		sample pid=5 time=3000 ip=0x1010
		round
	END
	build >b <<-'END'
		header
		attr id=2 flags=sample_id_all,comm,mmap
		comm pid=5 comm=sh synthesized
		mmap2 pid=5 start=0x1000 len=0x2000 file=/sh prot=5 synthesized
		mmap2 pid=5 start=0x8000 len=0x1000 file=/data prot=5 synthesized
		comm pid=7 comm=other synthesized
		sample pid=5 time=2000 ip=0x1010
		sample pid=5 time=2001 ip=0x8010
		sample pid=7 time=2002 ip=0x8010
		round
	END
	for order in "a b" "b a"; do
		# shellcheck disable=SC2086
		pp-merge $order -o out
		[ "$(pp-filter --comm ls -i out | records -s /dev/stdin | cut -d' ' -f5 | tr '\n' ' ')" = "2000 2001 3000 " ]
		[ "$(pp-filter --comm other -i out | records -s /dev/stdin | cut -d' ' -f5)" = 2002 ]
		[ "$(pp-filter 'dso == "/ls"' -i out | records -s /dev/stdin | cut -d' ' -f5 | tr '\n' ' ')" = "2000 3000 " ]
		[ "$(pp-filter 'dso == "/data"' -i out | records -s /dev/stdin | cut -d' ' -f5)" = 2001 ]
	done
}

@test "a process that ended and whose number is another's is told anew" {
	need_perf
	build >a <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,mmap,task sample_type=IP,TID,TIME,IDENTIFIER
		comm pid=5 comm=first synthesized
		mmap2 pid=5 start=0x1000 len=0x1000 file=/first prot=5 synthesized
		sample pid=5 time=1000 ip=0x1010
		exit pid=5 ppid=1 tid=5 ptid=1 time=1100
		sample pid=9 time=5000 ip=0x1010
		round
	END
	program second 2000 >b
	apart a b
}

@test "where side-band has no times at all, it still counts from its own recording's begin" {
	need_perf
	program alpha 1000 comm,mmap >a
	program beta 2000 comm,mmap >b
	apart a b
	program beta 2000 >b
	apart a b
}

@test "a recording without samples names nothing in another" {
	need_perf
	program alpha 1000 >a
	program beta 2000 | pp-filter -p 77 -o b
	[ "$(records -s b | wc -l)" -eq 0 ]
	shown perf a >want
	for order in "a b" "b a"; do
		# shellcheck disable=SC2086
		pp-merge -q $order -o out
		shown perf out >got
		diff want got
	done
}

# bats test_tags=nightly
@test "recordings of the whole system, one after the other, are shown as each alone is" {
	need_system_wide
	whole_system=yes
	# perf on a busy machine breaks the promise of its rounds: a name or a map that is late counts from where a
	# reader meets it, which is not the same place in what was merged
	for file in a b; do
		perf_quiet record -a -F 499 -e cpu-clock -o - -- "${CALLS[@]}" >recorded
		pp-sort -q --all -i recorded -o $file
	done
	apart a b
}
