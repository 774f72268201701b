#!/usr/bin/env bats
# linux.bats - the folders of metrics and events that Linux has of processors, tools/perf/pmu-events/arch.

bats_require_minimum_version 1.5.0

setup_file() {
	load ../helper
	need jq
	load program
	build_metric
}

setup() { load ../helper; }

# arm: an architecture with common files, and a processor's folder that refers to them
arm() {
	mkdir -p arm64/maker/core
	echo '0x00000000c00fac30,v1,maker/core,core' >arm64/mapfile.csv
	echo '[{"MetricName":"backend_bound","MetricExpr":"page\\-faults * 2","MetricGroup":"TopdownL1"},
		{"MetricName":"waits","MetricExpr":"1"}]' >arm64/sbsa.json
	echo '[{"EventCode":"0x23","EventName":"STALL_FRONTEND"},{"ConfigCode":"0x1f","EventName":"STALL_ALL"}]' >arm64/common.json
	echo '[{"ArchStdEvent":"backend_bound"},{"ArchStdEvent":"WAITS","MetricExpr":"page\\-faults + 1"},
		{"ArchStdEvent":"STALL_FRONTEND","PublicDescription":"x"},{"ArchStdEvent":"stall_all","EventName":"OWN","Unit":"L3PMC"}]' \
		>arm64/maker/core/metrics.json
}

# counts FROM METRICS [CPUID]: their values, of 9 page faults
counts() { "$METRIC" set "$1" "${3:--}" "$2" page-faults=9; }

# bats test_tags=T3-C1
@test "the list of groups that a folder has is no list of metrics" {
	mkdir cpu
	echo '{"Backend":"Grouping of a spreadsheet"}' >cpu/metricgroups.json
	echo '[{"MetricName":"faults","MetricExpr":"page\\-faults","MetricGroup":"Backend"}]' >cpu/metrics.json
	run -0 counts cpu Backend
	assert_output $'faults\t9'
	run -0 pp-stat -M ./cpu -M faults "$TESTS/streams/stat.pipe"
	assert_output --partial '  faults'
	refute_output --partial 'passed over'
}

# bats test_tags=T3-C1
@test "entries refer to those that the architecture has in common, and may have members of their own" {
	arm
	for from in arm64 arm64/maker/core arm64/maker/core/metrics.json; do
		run -0 counts $from backend_bound 0x00000000c00fac30
		assert_output $'backend_bound\t18' # not ours
		run -0 counts $from waits 0x00000000c00fac30
		assert_output $'waits\t10'
		run -0 "$METRIC" event $from 0x00000000c00fac30 stall_frontend
		assert_output cpu/event=0x23/
		run -0 "$METRIC" event $from 0x00000000c00fac30 OWN
		assert_output amd_l3/config=0x1f/
	done
	cd arm64/maker/core
	run -0 counts metrics.json waits
	assert_output $'waits\t10'
}

# bats test_tags=T3-C1
@test "what an entry refers to and no file has is said once, and ours does not take its place" {
	arm
	rm arm64/sbsa.json
	run -2 counts arm64 backend_bound 0x00000000c00fac30
	assert_output "0: there is no metric and no group of metrics 'backend_bound'"
	run -1 "$METRIC" check arm64 0x00000000c00fac30
	assert_line --index 0 "arm64/maker/core/metrics.json: 2 of the entries refer by ArchStdEvent to what no file of arm64/maker/core/../.. has, such as 'backend_bound': passed over"
	run -0 "$METRIC" event arm64 0x00000000c00fac30 stall_frontend
	assert_output cpu/event=0x23/
	run -0 pp-stat -M ./arm64/maker/core -M retiring "$TESTS/streams/stat.pipe"
	[ "$(grep -c 'passed over' <<<"$output")" -eq 1 ]
	rm arm64/mapfile.csv
	run -1 "$METRIC" check arm64/maker/core -
	assert_line --index 0 --partial "4 of the entries refer by ArchStdEvent to what no file of a folder with a mapfile.csv has"
}

# bats test_tags=T3-C1
@test "a file with an error costs what it has, and is said with the place; alone it is refused" {
	mkdir cpu
	echo '[{"MetricName":"x","MetricExpr":"1"},]' >cpu/hip.json
	echo '[{"MetricName":"faults","MetricExpr":"page\\-faults"}]' >cpu/metrics.json
	echo '{}' >cpu/object.json
	run -0 pp-stat -M ./cpu -M faults "$TESTS/streams/stat.pipe"
	assert_line 'pp-stat: --metrics: ./cpu/hip.json: byte 37: a value is expected: passed over'
	assert_line 'pp-stat: --metrics: ./cpu/object.json: a list of metrics is expected, not an object: passed over'
	assert_output --partial '  faults'
	run -2 pp-stat -M ./cpu -M x "$TESTS/streams/stat.pipe"
	assert_output --partial 'hip.json: byte 37'
	run -2 pp-stat -M ./cpu/hip.json -M x "$TESTS/streams/stat.pipe"
	assert_line --index 0 'pp-stat: --metrics: ./cpu/hip.json: byte 37: a value is expected'
	rm cpu/metrics.json cpu/object.json
	run -2 pp-stat -M ./cpu -M x "$TESTS/streams/stat.pipe"
	assert_line --index 0 'pp-stat: --metrics: ./cpu/hip.json: byte 37: a value is expected'
}

# bats test_tags=T3-C1
@test "what fixed counters count has the kernel's codes, and codes have all their parts" {
	echo '[{"EventName":"INST_RETIRED.ANY","UMask":"0x1"},{"EventName":"CPU_CLK_UNHALTED.THREAD","UMask":"0x2"},
		{"EventName":"UNC_CLOCKS","Unit":"CBO","PerPkg":"1"},{"EventName":"UNC_MORE","EventCode":"0x2","ExtSel":"1","Unit":"QPI LL"},
		{"EventName":"HNF","EventidCode":"0x1","NodeType":"0x5","Unit":"arm_cmn"},
		{"EventName":"OPC","EventCode":"0x35","UMask":"0x3","Filter":"filter_opc=0x180","Unit":"CBO"},
		{"EventName":"DDR","ConfigCode":"0x5","Unit":"hisi_sccl,ddrc"}]' >events.json
	event() { "$METRIC" event events.json - "$1"; }
	run -0 event inst_retired.any
	assert_output cpu/event=0xc0/
	run -0 event CPU_CLK_UNHALTED.THREAD
	assert_output cpu/event=0x3c/
	run -0 event UNC_CLOCKS
	assert_output uncore_cbox/event=0/
	run -0 event UNC_MORE
	assert_output uncore_qpi/event=0x102/
	run -0 event HNF
	assert_output arm_cmn/eventid=0x1,type=0x5/
	run -0 event OPC
	assert_output uncore_cbox/event=0x35,umask=0x3,filter_opc=0x180/
	run -0 event DDR
	assert_output 'hisi_sccl*_ddrc*/config=0x5/'
}

# bats test_tags=T3-C1
@test "an event that both kinds of cores have is that of the cores which the metric names" {
	echo '[{"EventName":"WORK","EventCode":"0x11","Unit":"cpu_core"},{"EventName":"WORK","EventCode":"0x22","Unit":"cpu_atom"},
		{"MetricName":"big","MetricExpr":"cpu_core@WORK@","Unit":"cpu_core"},{"MetricName":"small","MetricExpr":"cpu_atom@WORK@","Unit":"cpu_atom"}]' >m.json
	run -0 "$METRIC" events m.json - big
	assert_output cpu_core/event=0x11/
	run -0 "$METRIC" events m.json - small
	assert_output cpu_atom/event=0x22/
}

# bats test_tags=T3-C1
@test "a processor is that of the first line which matches, and a group of a file is not ours" {
	mkdir first second
	printf '%s\n' 'AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]]),v1,first,core' 'AuthenticAMD-25-[[:xdigit:]]+,v1,second,core' >mapfile.csv
	echo '[{"MetricName":"a;b","MetricExpr":"1","MetricGroup":"TopdownL1"}]' >first/metrics.json
	echo '[{"MetricName":"c","MetricExpr":"2","MetricGroup":"TopdownL1"}]' >second/metrics.json
	run -0 counts . TopdownL1 AuthenticAMD-25-1-1
	assert_output $'a;b\t1'
	run -0 counts . TopdownL1 AuthenticAMD-25-61-1
	assert_output $'c\t2'
	run -0 counts . b AuthenticAMD-25-1-1 # perf finds it by each of its words
	assert_output $'a;b\t1'
	echo '[{"MetricName":"d %","MetricExpr":"3"},{"MetricName":"e","MetricExpr":"4"}]' >first/metrics.json
	run -0 counts . ' d % , e' AuthenticAMD-25-1-1
	assert_output $'d %\t3\ne\t4'
}

# bats test_tags=T3-C1
@test "a folder that is named without a slash is told from a metric" {
	mkdir cpu
	run -2 pp-stat -M cpu "$TESTS/streams/stat.pipe"
	assert_line --index 0 "pp-stat: --metrics: there is no metric and no group of metrics 'cpu', but a file: ./cpu is what reads it"
}

# sources VERSION: tools/perf/pmu-events of Debian's Linux of that version, in $events; false: it cannot be had
sources() {
	local package=linux-source-$1 cache=${PERF_NEWER%/*}/pmu-events
	events=$cache/$1
	[ -d "$events" ] && return
	command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null && command -v xz >/dev/null || return
	mkdir -p "$cache/new.$$" && timeout 300 apt-get -q download "$package" >log 2>&1 </dev/null &&
		dpkg-deb --fsys-tarfile "$package"_*.deb | tar -xO "./usr/src/$package.tar.xz" | xz -dc |
		tar -x -C "$cache/new.$$" --strip-components=4 "$package/tools/perf/pmu-events" &&
		mv -T "$cache/new.$$" "$events"
	local status=$?
	rm -rf "$package"_*.deb "$cache/new.$$"
	return $status
}

# bats test_tags=nightly,T3-C1
@test "Linux's own folders: every file parses, every metric is linked, every event is as perf's program has it" {
	local version folder had=0 folders=0 metrics=0 events
	need python3
	cat >events.py <<-'END' # FOLDER of an architecture's: its events, by the jevents.py of that Linux
		import argparse, os, sys
		source, arch, folder = sys.argv[1:4]
		sys.path.insert(0, source)
		import jevents
		jevents._args = argparse.Namespace(arch=arch, starting_dir=source + "/arch")
		jevents.preprocess_arch_std_files(source + "/arch/" + arch)
		for file in sorted(os.listdir(folder)):
		    if file.endswith(".json") and file != "metricgroups.json":
		        for e in jevents.read_json_events(folder + "/" + file, ""):
		            if e.name:
		                pmu = e.pmu if getattr(e, "pmu", None) not in (None, "default_core") else "cpu"
		                print(e.name, pmu + "/" + e.event + "/", sep="\t")
	END
	cat >same.pl <<-'END' # NAME EXPECTED FOUND: prints those that differ, but for what says nothing
		sub plain {
			my ($pmu, $terms) = shift =~ m{^([^/]*)/(.*)/$} or return "-";
			$pmu =~ s/(hisi_\w+),(\w+)/$1*_$2*/;
			my @terms = grep { !/^period=|=(?:0|None)$/ or /^(event|config|eventid)=/ }
				map { my ($k, $v) = split /=/, $_, 2; "$k=" . ($v =~ /^0x/i ? hex $v : $v) } split /,/, $terms;
			return join ",", $pmu, sort @terms;
		}
		while (<>) {
			chomp;
			my ($name, $expected, $found) = split /\t/;
			push @{$of{$name}}, plain($expected);
			$found{$name} = plain($found);
		}
		for my $name (sort keys %of) {
			print "$name: $found{$name}, not @{$of{$name}}\n" unless grep { $_ eq $found{$name} } @{$of{$name}};
		}
	END
	for version in 6.1 6.12; do
		sources $version || { echo "# linux-source-$version cannot be had here: $(tail -n 1 log)" >&3; continue; }
		had=$((had + 1))
		# test: what perf's own tests are made of, with metrics that refer to themselves
		while read -r folder; do
			folders=$((folders + 1))
			run "$METRIC" check "$folder" -
			[[ ${#lines[@]} -eq 1 && $output =~ ^([0-9]+)\ of ]] || { echo "$folder: ${#lines[@]} lines: $output"; return 1; }
			metrics=$((metrics + BASH_REMATCH[1]))
			arch=${folder#"$events"/arch/}
			python3 events.py "$events" "${arch%%/*}" "$folder" >expected
			cut -f 1 expected | "$METRIC" event "$folder" - - | paste expected - | perl same.pl >differ
			[ ! -s differ ] || { echo "$folder: $(wc -l <differ) events differ:"; head differ; return 1; }
		done < <(find "$events/arch" -mindepth 3 -name '*.json' -not -path '*/arch/test/*' -printf '%h\n' | sort -u)
	done
	[ "$had" -gt 0 ] || skip "Linux's sources cannot be had here"
	echo "# $folders folders of $had versions of Linux, $metrics metrics with ours" >&3
	[ "$folders" -gt 50 ]
}
