# strangers.bats - what others own is never trusted: what another user left where a tool reads or writes, and
# whatever the kernel is set to forbid of it.  Root asks; 65534 is the other user.

setup() {
	load ../helper
	need_root
	names=(protected_symlinks protected_hardlinks protected_regular protected_fifos)
	mkdir -m 1777 open
	echo precious >victim
	chmod 666 victim
}

teardown() {
	put_back
	[ -z "${map:-}" ] || rm -f "$map"
}

# every_setting: skips the test unless the kernel can be set; teardown puts back what was set
every_setting() {
	local name
	for name in "${names[@]}"; do
		[ -w "/proc/sys/fs/$name" ] || skip "fs.$name cannot be set here"
		echo "$name $(cat "/proc/sys/fs/$name")" >>settings
	done
	protect 1 2>/dev/null || skip "fs.protected_symlinks and its like cannot be set here"
}
protect() { for name in "${names[@]}"; do echo "$1" >"/proc/sys/fs/$name" || return; done; }
put_back() {
	local name value
	[ ! -e "$BATS_TEST_TMPDIR/settings" ] || while read -r name value; do
		echo "$value" >"/proc/sys/fs/$name" || true
	done <"$BATS_TEST_TMPDIR/settings" 2>/dev/null
}

# leave KIND AT: what the other user leaves there; of a link to the victim, under any name
leave() {
	rm -f "$2"
	case $1 in
	link) ln -s "$PWD/victim" "$2" ;;
	dangling) ln -s "$PWD/nothing" "$2" ;;
	hard) ln victim "$2"; return ;;
	fifo) mkfifo -m 666 "$2" ;;
	empty) : >"$2"; chmod 666 "$2" ;;
	file) echo theirs >"$2"; chmod 666 "$2" ;;
	esac
	chown -h 65534 "$2"
}

small() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		comm pid=7 comm=work exec time=1000
		sample pid=7 cpu=0 time=2000 ip=0x1000
		stat id=1 cpu=0 thread=0 val=40 ena=400 run=400
		stat_round type=1 time=400
		round
	END
}

# written TOOL FILE
written() {
	case $1 in
	pp-record|pp-count) "$1" -q -o "$2" -e cpu-clock -- true ;;
	pp-gen) pp-gen --samples 1 -o "$2" ;;
	pp-split) pp-split --samples 9 -o "$2%u" -i in && mv "${2}0" "$2" ;;
	pp-export) pp-export --to pprof -i in -o "$2" ;;
	pp-diff) pp-gen --samples 999 -o run && pp-diff run -- run -o "$2" ;;
	pp-inject) pp-inject -b -i in -o "$2" ;;
	pp-span) pp-span off-cpu -i in -o "$2" ;;
	pp-thin) pp-thin --every 2 -i in -o "$2" ;;
	pp-ring) pp-ring -i in -o "$2" && { [ ! -e "$2-1" ] || mv -f "$2-1" "$2"; } ;;
	pp-undump) pp-dump --json -i in | pp-undump -o "$2" ;;
	*) "$1" -i in -o "$2" ;;
	esac
}

# bats test_tags=nightly,T3-B1,T3-B2
@test "an output is the user's alone, or there is none, and no file of the user's is changed by it" {
	every_setting
	small >in
	for setting in 0 1; do
		for tool in $(tools); do
			# all others write as pp-cat does
			[[ $setting == 0 || $tool == pp-@(cat|record|count|split) ]] || continue
			for kind in link dangling hard fifo empty file; do
				[ "$tool" = pp-split ] && at=open/out0 || at=open/out
				echo "$setting $tool $kind"
				rm -f open/*
				protect 0
				leave "$kind" "$at"
				exec 4<>/dev/null
				[[ $kind != @(fifo|empty|file) ]] || exec 4<>"$at"
				protect "$setting"
				was=$(stat -c '%F %i' "$at")
				status=0
				timeout 60 bash -c "$(declare -f written); written $tool open/out" 2>err >/dev/null || status=$?
				[ "$(cat victim)" = precious ]
				[ ! -e nothing ]
				[ $kind != empty ] || [ ! -s /dev/fd/4 ]
				[ $kind != file ] || [ "$(cat /dev/fd/4)" = theirs ]
				case $kind in
				link|dangling|fifo)
					[ "$(stat -c '%F %i' "$at")" = "$was" ]
					[ "$tool $kind" != 'pp-save fifo' ] || continue # for which it has another reason
					[ $status -eq 4 ]
					grep -q ' is another user.s$' err
					;;
				*)
					[ $status -eq 0 ]
					[ "$(stat -c '%u %a %h' open/out)" = '0 600 1' ]
					;;
				esac
			done
		done
	done
}

# bats test_tags=T3-B6
@test "no tool keeps anything in the home of another user's" {
	need cc
	echo 'int main(void) { for (volatile int i = 0; i < 9; i++); return 0; }' >main.c
	cc -o prog main.c
	touch -d 2001-01-01 prog
	build <<-END >in
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		mmap2 pid=7 start=0x10000 len=0x4000 prot=5 file="$PWD/prog" time=1 maj=$(($(stat -c %d prog) >> 8 & 0xfff)) min=$(($(stat -c %d prog) & 0xff)) ino=$(stat -c %i prog)
		sample pid=7 ip=0x11130 misc=2 time=11
		round
	END
	mkdir -p home/.cache target
	ln -s "$PWD/target" home/.cache/perfpipe
	chown -hR 65534 home
	for tool in pp-symbol pp-script pp-report pp-fold pp-flame; do
		echo $tool
		HOME=$PWD/home $tool -i in -o out
		[ "$(find home target | sort | xargs)" = 'home home/.cache home/.cache/perfpipe target' ]
	done
}

# bats test_tags=T3-B5
@test "whatever another user leaves as perf-PID.map, no tool has names of it, nor waits for it" {
	pid=$(($(cat /proc/sys/kernel/pid_max) + 9))
	map=/tmp/perf-$pid.map
	build <<-END >in
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		mmap2 pid=$pid start=0x10000 len=0x1000 prot=5 file="//anon" time=1
		sample pid=$pid ip=0x10010 misc=2 time=11
		round
	END
	printf '10000 100 jitted\n' >victim
	for kind in file link dangling fifo none; do
		for tool in pp-symbol pp-script pp-report pp-fold; do
			[[ $tool == pp-symbol || $kind == file ]] || continue
			echo "$kind $tool"
			rm -f "$map"
			case $kind in
			none) cp victim "$map" ;; # which is root's
			file) cp victim "$map"; chown 65534 "$map" ;;
			*) leave $kind "$map" ;;
			esac
			timeout 60 $tool -i in -o out 2>err
			[ $tool != pp-symbol ] || pp-dump --headers --json out >json
			[ $tool != pp-symbol ] || mv json out
			[ $kind = none ] || run ! grep -q jitted out
			[ $kind != none ] || grep -q jitted out
		done
	done
}

# bats test_tags=nightly
@test "files that are mapped are read only as regular files, and only what is in them, however short they become" {
	need cc
	echo 'int main(void) { return 0; }' >main.c
	cc -o whole main.c
	for kind in link dangling fifo empty file cut; do
		rm -f prog
		cp whole prog
		build <<-END >in
			header
			attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
			mmap2 pid=7 start=0x10000 len=0x4000 prot=5 file="$PWD/prog" time=1 maj=$(($(stat -c %d prog) >> 8 & 0xfff)) min=$(($(stat -c %d prog) & 0xff)) ino=$(stat -c %i prog)
			sample pid=7 ip=0x11130 misc=2 time=11
			round
		END
		[ $kind = cut ] && truncate -s 900 prog || leave $kind prog
		for tool in pp-symbol pp-script pp-report pp-fold 'pp-inject -b'; do
			[[ $tool == pp-symbol || $kind == @(link|cut) ]] || continue
			echo "$kind $tool"
			timeout 60 $tool -i in -o out 2>err
			run ! grep -aq precious out
		done
	done
}

@test "a folder for temporary files that others may write has no name of one, and gives the same" {
	every_setting
	pp-gen --samples 20000 | pp-cat --no-seal >in
	pp-sort -S 64k -i in -o expected 2>/dev/null
	pp-inject -b -S 64k -i in -o expected2 2>/dev/null
	chown 65534 open
	for setting in 0 1; do
		protect $setting
		TMPDIR=$PWD/open pp-sort -S 64k -i in -o out 2>/dev/null
		same_bytes expected out
		TMPDIR=$PWD/open pp-inject -b -S 64k -i in -o out 2>/dev/null
		same_bytes expected2 out
		[ -z "$(ls -A open)" ]
	done
}
