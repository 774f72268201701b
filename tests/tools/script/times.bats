# times.bats - pp-script's options for times, for the end of call chains, and what is there for those who know perf.

setup() { load ../../helper; }

# bats test_tags=T3-C5
@test "script: --reltime, --deltatime, tod, --stop-bt, --max-stack=0, -f and --no-itrace are as in perf 7.3" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol name=cpu-clock clockid=1
		feature CLOCK_DATA u32 1 u32 1 u64 1700000000123456789 u64 1000000000
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=inner time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name=middle time=1
		ksymbol addr=0xffffffff81000200 len=256 ksym_type=1 name=outer time=1
		comm pid=7 comm=seven time=2
		sample misc=1 id=1 pid=7 ip=0xffffffff81000010 time=1500000000 callchain=-128,0xffffffff81000010,0xffffffff81000110,0xffffffff81000210
		sample misc=1 id=1 pid=7 ip=0xffffffff81000110 time=1700000001 callchain=-128,0xffffffff81000110,0xffffffff81000210
		sample misc=1 id=1 pid=7 ip=0xffffffff81000010 time=4000000123 callchain=-128,0xffffffff81000010,0xffffffff81000210
		auxtrace_error type=1 code=8 cpu=3 pid=7 tid=8 fmt=0 ip=0x1234 msg="Lost trace"
		auxtrace_error type=1 code=5 cpu=3 pid=7 tid=8 fmt=1 ip=0x1234 time=1234567891234 msg="Lost data"
		auxtrace_error type=9 code=5 cpu=3 pid=7 tid=8 fmt=2 msg="vm" machine_pid=4 vcpu=2
		round
	END
	pp-script --reltime -F time,ip in | grep : >got
	printf '%12s: \n' 0.000000 0.200000 2.500000 | sed 's/ $//' | diff - <(grep -v error got | sed 's/ $//')
	pp-script --deltatime --ns -F time,ip in | grep -v error | grep : | sed 's/ $//' >got
	printf '%15s:\n' 0.000000000 0.200000001 2.300000122 | diff - got
	[ "$(TZ=UTC pp-script --ns -F tod in | sed -n 4p)" = '2023-11-14 22:13:20.623456789 ' ]
	pp-script --csv --reltime -G -F time in | tail -n +2 | cut -d, -f1 | tr -d "\r" | diff - <(printf "%s\n" 0.000000000 0.200000001 2.500000123)
	pp-script --stop-bt middle,inner -F ip,sym in | grep -c outer | grep -qx 0
	pp-script --stop-bt middle -F ip,sym --json in | jq -c 'select(.callchain) | .callchain | map(.sym)' >got
	printf '%s\n' '["inner","middle"]' '["middle"]' '["inner","outer"]' | diff - got
	[ "$(pp-script --max-stack=0 in | grep -c inner)" = 0 ]
	[ "$(pp-script in | grep -c 'error type')" = 3 ]
	run -2 --separate-stderr pp-script --reltime --deltatime in
	[[ "$stderr" == *'--reltime and --deltatime exclude each other'* ]]
	need_newer_perf 7.3
	local perf row
	perf=$(newer_perf 7.3)
	while read -r row; do
		echo "row: $row"
		# shellcheck disable=SC2086 # options
		"$perf" script $row -i in 2>err </dev/null | sed 's/(inner)\|(middle)\|(outer)/([kernel.kallsyms])/' >expected
		# shellcheck disable=SC2086 # options
		pp-script $row in | diff expected -
	done <<-'END'

		--reltime
		--deltatime --ns
		-F +tod
		-F comm,tod,time --ns
		--stop-bt middle
		--stop-bt inner,middle --reltime
		--max-stack 0
		-f --no-itrace
		--force
	END
}
