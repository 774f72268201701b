# names.bats - what pp-report calls an address: names, those that come late, what has none,
# hostile ones.

setup() {
	load ../../helper
	load ../names
	load report
}

@test "report: calls of equal weight are in the order of their files' names, then of addresses" {
	{
		head_of
		cat <<-END
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 prot=5 file=/nowhere/a.so time=7
			mmap2 pid=7 tid=7 start=0x4000 len=0x1000 prot=5 file=/nowhere/b.so time=7
		END
		for address in 0x4010 0x9010 0x4020 0x9020; do
			echo "sample id=1 misc=1 pid=7 tid=7 time=10 period=1 ip=0xffffffff81000110 callchain=-128,0xffffffff81000110,-512,$address"
		done
		echo round
	} | build >in
	pp-report -q --no-children -s sym -g callee in | grep -o '0x[49]0[12]0' >got
	printf '0x%s\n' 4020 4010 9020 9010 | diff - got
}

@test "report: an address without a name is that in its file, or, in the kernel, as it is" {
	{
		head_of
		cat <<-END
			mmap misc=1 pid=-1 tid=0 start=$K len=0x100000 pgoff=$K file=[kernel.kallsyms]_text time=7
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 pgoff=0x3000 prot=5 file=/nowhere/a.so time=7
			sample id=1 misc=1 pid=7 tid=7 time=10 period=2 ip=0xffffffff81000400 callchain=-128,0xffffffff81000400
			sample id=1 misc=2 pid=7 tid=7 time=11 period=1 ip=0x9010 callchain=-512,0x9010
			sample id=1 misc=2 pid=7 tid=7 time=12 period=1 ip=0x8010 callchain=-512,0x8010
			round
		END
	} | build >in
	pp-report -q --root "$PWD" --no-children -g none -s sym,srcline in | grep '%' | sed 's/ *$//' >got
	diff - got <<-'END'
		    50.00%  [k] 0xffffffff81000400  [kernel.kallsyms][400]
		    25.00%  [.] 0x0000000000008010  ??:0
		    25.00%  [.] 0x0000000000003010  a.so[3010]
	END
}

@test "report: memory that cannot be run is no code made at run time" {
	{
		head_of
		cat <<-END
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 pgoff=0x9000 prot=3 file=//anon time=7
			mmap2 pid=7 tid=7 start=0xb000 len=0x1000 pgoff=0xb000 prot=7 file=//anon time=7
			sample id=1 misc=2 pid=7 tid=7 time=11 period=3 ip=0x9010 callchain=-512,0x9010
			sample id=1 misc=2 pid=7 tid=7 time=12 period=1 ip=0xb010 callchain=-512,0xb010
			round
		END
	} | build >in
	pp-report -q --root "$PWD" --no-children -g none -s dso in | grep '%' | sed 's/ *$//' >got
	diff - got <<-'END'
		    75.00%  anon
		    25.00%  [JIT] tid 7
	END
	! newer_perf 7.3 >/dev/null || {
		pp-save -o in.data in
		"$(newer_perf 7.3)" report --stdio -i in.data --no-children -g none -s dso 2>/dev/null </dev/null |
			grep '^ .*%' | sed 's/ *$//' | diff - got
	}
}

@test "report: hostile names stay text in every format" {
	local long
	long=$(head -c 60000 /dev/zero | tr '\0' A)
	{
		head_of
		cat <<-END
			ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name="<b>&\"x\",y" time=7
			ksymbol addr=0xffffffff81000210 len=16 ksym_type=1 name="a\\x1b[31mb" time=7
			ksymbol addr=0xffffffff81000220 len=16 ksym_type=1 name="\\xff\\xfe" time=7
			ksymbol addr=0xffffffff81000230 len=16 ksym_type=1 name=$long time=7
			sample id=1 misc=1 pid=7 tid=7 time=10 period=1 ip=0xffffffff81000200 callchain=-128,0xffffffff81000200
			sample id=1 misc=1 pid=7 tid=7 time=11 period=1 ip=0xffffffff81000210 callchain=-128,0xffffffff81000210
			sample id=1 misc=1 pid=7 tid=7 time=12 period=1 ip=0xffffffff81000220 callchain=-128,0xffffffff81000220
			sample id=1 misc=1 pid=7 tid=7 time=13 period=1 ip=0xffffffff81000230 callchain=-128,0xffffffff81000230
			round
		END
	} | build >in
	for format in -n --csv --json '-t ,' '-g folded' '-g flat'; do
		# shellcheck disable=SC2086
		pp-report $format -s sym in >got
		LC_ALL=C refute grep -q $'[\x01-\x08\x0e-\x1f\xff]' got
		grep -q 'AAAAAAAAAAAAAAAA' got
	done
	pp-report --json -s sym in | jq -r 'select(.symbol).symbol' | grep -Fqx '<b>&"x",y'
	pp-report --csv -s sym --no-children in | grep -Fq '"<b>&""x"",y"'
}

@test "report: names that come after the samples are those of the samples" {
	named_program
	{
		cat <<-END
			header
			attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
			comm pid=7 comm=seven time=5
			mmap2 pid=7 tid=7 start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=$PWD/prog time=7
		END
		for ip in 0x401024 0x401030 0x401060; do
			echo "sample id=1 misc=2 pid=7 tid=7 time=10 period=1 ip=$ip callchain=-512,$ip,0x401010"
		done
		echo round
	} | build >in
	pp-report --csv -s sym in >before
	printf '%s\r\n' event,overhead_children,overhead,symbol cpu-clock,100.0000,0.0000,_start \
		cpu-clock,66.6667,66.6667,inner cpu-clock,33.3333,33.3333,leaf >expected
	diff expected before
	pp-report -s sym in >table
	# the record with the names goes behind all samples, and the rounds that let them through
	pp-symbol in | pp-dump --json | jq -c 'select(.fields.payload == null)' >rest
	pp-symbol in | pp-dump --json | jq -c 'select(.fields.payload != null)' >names
	[ "$(wc -l <names)" = 1 ]
	{ cat rest && tail -n 1 rest && tail -n 1 rest && cat names; } | pp-undump >late
	mv prog elsewhere
	pp-report --csv -s sym late >got
	diff expected got
	pp-report -s sym late >got
	diff table got
}

@test "report: names that come after the samples are those of the file, of two that were at one path" {
	local a=0123456789abcdef0123456789abcdef01234567 b=76543210fedcba9876543210fedcba9876543210
	named_program
	{
		cat <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,mmap
		END
		for of in 7:$a 8:$b; do
			cat <<-END
				mmap2 pid=${of%:*} start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=$PWD/prog build_id=${of#*:} time=7
				sample id=1 misc=2 pid=${of%:*} tid=${of%:*} time=10 period=1 ip=0x401024
			END
		done
		echo round
	} | build >unnamed
	for of in inner:$a other:$b; do
		named_program ${of%:*}
		"${CC:-cc}" -nostdlib -static -Wl,--build-id=0x${of#*:},-Ttext=0x401000 -o prog prog.s
		pp-symbol -q unnamed >named
		mv named unnamed
	done
	rm prog
	printf '%s\r\n' event,overhead,symbol cpu-clock,50.0000,inner cpu-clock,50.0000,other >expected
	pp-report --csv --no-children -s sym unnamed | diff expected -
	pp-dump --json unnamed | jq -c 'select(.fields.payload == null)' >rest
	pp-dump --json unnamed | jq -c 'select(.fields.payload != null)' >names
	{ cat rest && tail -n 1 rest && tail -n 1 rest && cat names; } | pp-undump >late
	pp-report --csv --no-children -s sym late | diff expected -
}
