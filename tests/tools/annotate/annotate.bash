# annotate.bash - programs whose functions are annotated, and streams that hit them.

load "$TESTS/tools/symbol/symbols"

# spread FILE SYMBOL: the offsets of its instructions as the disassembler of binutils has them, and a period
# for each, as different as they can be; some have none
spread() {
	local start size
	start=$(at "$1" "$2")
	size=0x$(nm -S "$1" | sed -n "s/^[0-9a-f]* \([0-9a-f]*\) [tTwW] $2\$/\1/p")
	objdump -d --no-show-raw-insn "$1" | perl -ne '
		$on = 1, next if /^[0-9a-f]+ <'"$2"'(@@[^>]*)?>:/;
		$on = 0 if /^$/;
		next unless $on && /^\s+([0-9a-f]+):\s/;
		$first //= hex $1;
		# bytes after its end are padding
		last if hex($1) - $first >= '$((size))';
		$n++;
		printf("%d %d\n", '"$start"' + hex($1) - $first, ($n * 7919) % 997 + 1) if $n % 5;'
}

# weighed PATH ID: "OFFSET PERIOD" lines become a stream in which process 7 maps the file, and samples of
# cpu-clock hit it
weighed() {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER \
			flags=sample_id_all,mmap,mmap2,comm,build_id
		echo event_update id=1 name=cpu-clock
		echo "comm pid=7 comm=prog time=1"
		echo "mmap2 pid=7 tid=7 start=0x100000000 len=0x1000000 prot=5 file=\"$1\" build_id=$2 time=1"
		perl -ne 'printf("sample id=1 pid=7 tid=7 ip=0x%x misc=2 time=%d period=%d\n",
			0x100000000 + $1, $. + 10, $2) if /(\d+) (\d+)/'
		echo round
	} | build
}

# columns: "ADDRESS PERCENT" of the columns of perf annotate --stdio, of what it shows first
columns() {
	perl -ne 'exit if /^ Percent/ && $head++; print "$2 $1\n" if /^\s*([\d.]+) :\s+([0-9a-f]+):/'
}

# of_lines: "FILE:LINE PERCENT" of JSON, as perf annotate -l adds up lines: of instructions above 0.5 % of the
# function
of_lines() {
	jq -r 'select(.address and .line and .percent > 0.5) |
		"\(.file | sub(".*/"; "")):\(.line) \(.percent)"' |
		awk '{ sum[$1] += $2 } END { for (line in sum) printf "%s %.2f\n", line, sum[line] }' | sort
}

need_capstone() {
	pp-annotate --json -i "$1" | grep -q '"instruction"' || skip "libcapstone is not here"
}
