# formats.bats - pp-stat for programs: --csv, --json, --prometheus and --openmetrics, of streams that were
# built, so that every number is known.

setup() {
	load ../../helper
	need jq
}

# counts: cycles and instructions, task-clock, one event that is called strangely, one that was never
# counted; on CPUs 0 and 1 of two sockets, in two rounds
counts() {
	build <<-'END'
		header
		attr id=1,2 type=0 config=0 sample_type=0 flags=0
		attr id=3,4 type=0 config=1 sample_type=0 flags=0
		attr id=5,6 type=1 config=1 sample_type=0 flags=0
		attr id=7,8 type=4 config=0x1c2 sample_type=0 flags=0
		attr id=9,10 type=0 config=3 sample_type=0 flags=0
		event_update id=5 unit=msec
		event_update id=5 scale=1e-6
		event_update id=7 name="say \"x\\y\",z"
		feature NRCPUS u32 2 u32 2
		feature CPU_TOPOLOGY u32 2 string "0" string "1" u32 2 string "0" string "1" u32 0 u32 0 u32 0 u32 1 u32 2 string "0" string "1" u32 0 u32 0
		thread_map entries=-1:
		cpu_map cpus=0,1
		stat_config entries=0:1,1:0,2:1
		stat id=1 cpu=0 thread=0 val=1000 ena=500 run=500
		stat id=2 cpu=1 thread=0 val=3000 ena=500 run=500
		stat id=3 cpu=0 thread=0 val=500 ena=500 run=500
		stat id=4 cpu=1 thread=0 val=1500 ena=500 run=250
		stat id=5 cpu=0 thread=0 val=2000000 ena=500 run=500
		stat id=6 cpu=1 thread=0 val=1000000 ena=500 run=500
		stat id=7 cpu=0 thread=0 val=7 ena=500 run=500
		stat id=8 cpu=1 thread=0 val=0 ena=500 run=500
		stat id=9 cpu=0 thread=0 val=0 ena=0 run=0
		stat id=10 cpu=1 thread=0 val=0 ena=0 run=0
		stat_round type=1 time=4000000
		round
	END
}

@test "a count in milliseconds has no more digits than it has nanoseconds" {
	build >in.pipe <<-'END'
		header
		attr id=5 type=1 config=1 sample_type=0 flags=0
		event_update id=5 unit=msec
		event_update id=5 scale=1e-6
		thread_map entries=-1:
		cpu_map cpus=0
		stat_config entries=0:1,1:0,2:1
		stat id=5 cpu=0 thread=0 val=390205 ena=500 run=500
		stat_round type=1 time=4000000
		round
	END
	pp-stat --json in.pipe | grep -q '"value":0.390205[,}]'
	pp-stat --csv in.pipe | grep -q ',0.390205,msec,'
}

@test "--csv has a header, and every value where it says; it is read back as it was" {
	counts >in.pipe
	pp-stat --csv in.pipe >out.csv
	perl -ne 'print "line $.\n" unless /\r\n\z/' out.csv >bad
	[ ! -s bad ]
	/usr/bin/python3 -c 'import csv' 2>/dev/null || skip "there is no python here to read CSV"
	/usr/bin/python3 - >got <<-'END'
		import csv
		rows = list(csv.DictReader(open("out.csv", newline="")))
		print(len(set(map(len, rows))))
		for r in rows:
		    if r["kind"] == "count": print(r["event"], r["value"], r["unit"], r["raw"], r["enabled"], r["running"], r["state"], sep="|")
		for r in rows:
		    if r["kind"] == "time": print(r["name"], r["value"], r["unit"])
	END
	cat >want <<-'END'
		1
		cycles|4000||4000|1000|1000|
		instructions|3500||2000|1000|750|
		task-clock|3|msec|3000000|1000|1000|
		say "x\y",z|7||7|1000|1000|
		cache-misses|||||0|0|not counted
		elapsed 0.004 s
	END
	# an event that ran for part of its time is scaled CPU by CPU, or as a whole
	sed -i 's/^instructions|[0-9.]*|/instructions|N|/' got want
	sed -i 's/^cache-misses|||||/cache-misses||||/' want
	sed -i 's/not supported$/not counted/' got
	diff -u want got
}

@test "--json: the schema first, numbers as numbers, what is absent is left out" {
	counts >in.pipe
	pp-stat --json in.pipe >out
	[ "$(head -n 1 out | jq -r .schema)" = perfpipe.counts/1 ]
	jq -e -s '.[1:] | all(.kind | IN("count", "rate", "metric", "time"))' out
	jq -e -s '.[1:] | all(.[] | type | IN("string", "number"))' out
	jq -e -s '.[1:] | all(.value == null or (.value | type) == "number")' out
	[ "$(jq -c 'select(.event == "cycles" and .kind == "count")' out)" = \
		'{"kind":"count","span":"total","from":0,"to":4000000,"cpus":2,"event":"cycles","value":4000,"raw":4000,"enabled":1000,"running":1000}' ]
	[ "$(jq -r 'select(.event == "task-clock" and .kind == "count") | "\(.value) \(.unit)"' out)" = '3 msec' ]
	[ "$(jq -r 'select(.kind == "count") | .event' out | sed -n 4p)" = 'say "x\y",z' ]
	# the members that the page documents, and no others
	jq -r -s '.[1:] | map(keys[]) | unique[]' out >used
	sed -n '/^\.Sh OUTPUT FOR PROGRAMS/,/^\.Sh DIFF/s/^\.It //p' "$ROOT/tools/pp-stat.1" | tr -d ',' | tr -s ' ' '\n' | sort -u >documented
	run comm -23 used documented
	assert_output ''
}

@test "--json by CPU and in intervals says where and when" {
	counts >in.pipe
	pp-stat --json -A in.pipe >out
	[ "$(jq -r 'select(.event == "cycles" and .kind == "count") | "\(.cpu) \(.value)"' out)" = $'0 1000\n1 3000' ]
	pp-stat --json --per-socket in.pipe >out
	[ "$(jq -r 'select(.event == "cycles" and .kind == "count") | "\(.socket) \(.value)"' out)" = $'0 1000\n1 3000' ]
}

@test "--prometheus: what promtool and a textfile collector take" {
	counts >in.pipe
	pp-stat --prometheus -M insn_per_cycle --mixed -o out.prom in.pipe
	grep -qxF 'perf_cycles_total{event="cycles"} 4000' out.prom
	grep -qxF 'perf_task_clock_seconds_total{event="task-clock"} 0.003' out.prom
	grep -qxF 'perf_say_x_y_z_total{event="say \"x\\y\",z"} 7' out.prom
	grep -qxF 'perf_event_running_ratio{event="instructions"} 0.75' out.prom
	grep -qxF 'perf_elapsed_seconds_total 0.004' out.prom
	grep -q '^perf_metric_insn_per_cycle' out.prom
	# of each family one HELP, one TYPE, and then its samples without a gap
	[ -z "$(grep -o '^# HELP [^ ]*' out.prom | sort | uniq -d)" ]
	[ -z "$(grep -o '^[a-zA-Z_]*' out.prom | uniq | sort | uniq -d)" ]
	[ -z "$(grep -v '^#' out.prom | sed 's/ [^ ]*$//' | sort | uniq -d)" ]
	pp-stat --prometheus -A in.pipe >cpus.prom
	grep -q '^perf_cycles_total{event="cycles",.*cpu="1"} 3000$' cpus.prom
	command -v promtool >/dev/null || skip "there is no promtool here"
	promtool check metrics <out.prom >said 2>&1
	[ ! -s said ]
	promtool check metrics <cpus.prom
}

@test "--openmetrics: what the parser of prometheus_client takes" {
	counts >in.pipe
	pp-stat --openmetrics -A in.pipe >out
	[ "$(tail -n 1 out)" = '# EOF' ]
	grep -qxF '# TYPE perf_cycles counter' out
	/usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null ||
		skip "there is no python3-prometheus-client here"
	/usr/bin/python3 - >got <<-'END'
		from prometheus_client.openmetrics.parser import text_string_to_metric_families
		for f in text_string_to_metric_families(open("out").read()):
		    for s in f.samples:
		        if s.name in ("perf_cycles_total", "perf_say_x_y_z_total"): print(f.type, s.labels["event"], s.labels["cpu"], float(s.value))
	END
	printf '%s\n' 'counter cycles 0 1000.0' 'counter cycles 1 3000.0' 'counter say "x\y",z 0 7.0' 'counter say "x\y",z 1 0.0' >want
	diff -u want got
}

@test "an event that was asked for twice has a label that says so" {
	build >in.pipe <<-'END'
		header
		attr id=1 type=1 config=2 sample_type=0 flags=0
		attr id=2 type=1 config=2 sample_type=0 flags=0
		thread_map entries=-1:
		cpu_map cpus=0
		stat_config entries=0:1,1:0,2:1
		stat id=1 cpu=0 thread=0 val=5 ena=1 run=1
		stat id=2 cpu=0 thread=0 val=6 ena=1 run=1
		stat_round type=1 time=4000000
		round
	END
	pp-stat --prometheus in.pipe >out
	grep -qxF 'perf_page_faults_total{event="page-faults"} 5' out
	grep -qxF 'perf_page_faults_total{event="page-faults",copy="2"} 6' out
}

@test "numbers have a point in any locale, and only one form is given" {
	counts >in.pipe
	for form in --csv --json --prometheus --openmetrics; do
		LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 pp-stat $form in.pipe >german
		pp-stat $form in.pipe >out
		same_bytes out german
	done
	run -2 pp-stat --csv --json in.pipe
	run -2 pp-stat --metric-only --csv in.pipe
}

@test "a file of --prometheus is never seen half written" {
	counts >in.pipe
	echo old >out.prom
	run -3 pp-stat --prometheus -o out.prom <(head -c 100 in.pipe)
	run -4 pp-stat --prometheus -o nowhere/out.prom in.pipe
	strace -f -e trace=openat,rename,renameat,renameat2 -o calls pp-stat --prometheus -o out.prom in.pipe 2>/dev/null ||
		skip "strace is refused here"
	grep -q 'rename.*out\.prom' calls
	run grep -E 'openat.*"out\.prom".*O_(WRONLY|RDWR)' calls
	assert_output ''
}

@test "with -I a collector's file is written anew after each interval: totals so far, ratios of the newest" {
	build <"$TESTS/streams/counts.txt" >in.pipe
	mkfifo pipe
	pp-stat --prometheus -I 100 -o out.prom pipe 3>&- &
	exec 9>pipe
	# as far as the second interval, which has 200 ms
	at=$(pp-dump --type stat_round in.pipe | sed -n 's/^0x\([0-9a-f]*\) .*/\1/p' | sed -n 2p)
	head -c $((0x$at + 32)) in.pipe >&9
	for ((i = 0; i < 400; i++)); do
		grep -q 'perf_elapsed_seconds_total 0.2$' out.prom 2>/dev/null && break
		sleep 0.05
	done
	[ "$(grep '^perf_cpu_core_cycles_total' out.prom)" = 'perf_cpu_core_cycles_total{event="cpu_core/cycles/"} 2000000000' ]
	exec 9>&-
	wait $! || [ $? -eq 3 ]
}

@test "each file that a collector sees is whole" {
	! sanitized || skip "leaks are looked for by ptrace"
	strace -f -o calls true 2>/dev/null || skip "strace is refused here"
	build <"$TESTS/streams/counts.txt" >in.pipe
	for form in --prometheus --openmetrics; do
		strace -f -e trace=openat,rename,renameat,renameat2,write -s 9999999 -o calls \
			pp-stat $form -I 100 -M CPUs_utilized -o out.prom in.pipe
		# two whole intervals, a shorter one, which is in the last, and all
		[ "$(grep -c 'rename.*out\.prom.*= 0' calls)" -ge 3 ]
		! grep -E 'openat.*"out\.prom".*O_(WRONLY|RDWR)' calls
		grep -q '^perf_elapsed_seconds_total 0.25$' out.prom
		grep -q '^perf_event_running_ratio{event="cpu_core/cycles/"} 0.5$' out.prom
	done
	[ "$(tail -n 1 out.prom)" = '# EOF' ]
	run -2 pp-stat --prometheus -I 100 in.pipe
	run -2 pp-stat --prometheus -I 100 --append -o out.prom in.pipe
	run -2 pp-stat --prometheus -I 150 -o other.prom in.pipe
	[ ! -e other.prom ]
}
