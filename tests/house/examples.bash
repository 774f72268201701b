# examples.bash - what the tests that run the examples of pages and README load: programs in place of those
# that would wait or that this machine need not have, a stream for every file that an example reads, and a
# judge of how it ended.

# page_text FILE: a manual page, a line for each line of its source's displays
page_text() { mandoc -T utf8 -O width=500 "$1" | perl -CS -pe 's/.\x08//g'; }

# Programs that would wait, or that this machine need not have; a recording without a command, which
# would wait for ^C, gets one.
stand_ins() {
	mkdir -p bin
	cat >bin/pp-record <<-END
		#!/bin/sh
		case " \$* " in
		*" -a "*" sleep "* | *" -- "* | *" --self-test "*) ;;
		*" -a "*) set -- "\$@" sleep ;;
		esac
		exec "$BIN/pp-record" "\$@"
	END
	sed 's/pp-record/pp-top/; s/"\$@" sleep ;;/"$@" -- sleep ;;/' bin/pp-record >bin/pp-top
	printf '#!/bin/sh\nexec perl -e %s\n' "'\$i++ while \$i < 1e6'" >bin/sleep
	for name in make git nginx my-program node python3 java create_llvm_prof go llvm-bolt; do cp bin/sleep bin/$name; done
	mkdir -p base
	for name in base/app app app.before app.main app.branch before after; do cp bin/sleep $name; done
	# what pp-diff compares
	mkdir -p old new runs
	for name in 1 2; do
		stream | tee old/$name.pipe >new/$name.pipe
		pp-inject --note side=a --note run=$name -i old/$name.pipe -o runs/a$name.pipe
		pp-inject --note side=b --note run=$name -i old/$name.pipe -o runs/b$name.pipe
	done
	printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >bin/ssh
	printf '#!/bin/sh\n' >bin/scp
	# shellcheck disable=SC2016 # for the shell there
	printf '#!/bin/sh\ntool=$1\nshift\nexec "pp-${tool#pp-}" "$@"\n' >perfpipe
	printf '#!/bin/sh\necho %s\n' $$ >bin/pidof
	cp bin/pidof bin/pgrep
	printf '#!/bin/sh\nexec cat\n' >bin/less
	printf '#!/bin/sh\necho "app;main 7"\n' >bin/duckdb
	# GNU parallel, whatever its options, on this machine and one after the other
	cat >bin/parallel <<-'END'
		#!/bin/sh
		until [ "${1#pp-}" != "$1" ]; do shift; done
		command=$1
		shift 2
		for file; do
			sh -c "$(echo "$command" | sed "s|{\\.}|${file%.*}|g; s|{}|$file|g")" || exit
		done
	END
	chmod +x bin/* base/app app* before after perfpipe
	PATH=$PWD/bin:$PATH
}

stream() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		comm pid=7 comm=nginx exec time=1000
		repeat 40 {
		sample pid=7 cpu=$(i%2) time=$(i*1000000000+2000) ip=0x1000
		}
		round
	END
}

# runs COMMAND: with every file that it reads there, it ends well (1: a check failed; 141: the
# reader had enough).  A recording of the whole system may be refused for a moment, for memory.
runs() {
	local command=$1 file status
	for file in $(grep -oE '[A-Za-z0-9_.-]+\.(pipe|perf|stream|pp|data|zst)\b' <<<"$command" | sort -u); do
		[[ -e $file || $command != *pp-stat* || $command == *--from-samples* ]] || cp "$TESTS/streams/stat.pipe" "$file"
		[ -e "$file" ] || cp stream.in "$file"
	done
	for _ in 1 2 3; do
		status=0
		timeout 120 bash -c "set -o pipefail; $command" >out 2>err </dev/null || status=$?
		[[ $status =~ ^(0|1|141)$ ]] && return
		echo "exit $status: $command"
		cat err
		[[ $command == *record* ]] || break
	done
	return 1
}

# allowed COMMAND: whether this machine lets it record, and has perf where it asks for it
allowed() {
	[[ ! $1 =~ (^|[^-])perf\  ]] || once perf perf version || return
	case $1 in
	*pp-record*:* | *perf\ record*:*)
		once tracepoints perf record -o - -e sched:sched_switch -e syscalls:sys_enter_openat true || return ;;
	*pp-record* | *perfpipe\ record* | *pp-count* | *perf\ record* | *perf\ stat\ record* | *-e\ context-switches*)
		once system_wide perf record -a -o - -e cpu-clock true || return ;;
	esac
	[[ ! $1 =~ pp-record\ -b ]] || once branches "$BIN/pp-record" -b -e cycles:u -o /dev/null -- true
}

# all_run FILE: each line of it is a command that runs
all_run() {
	local command
	while IFS= read -r command; do
		echo "$command"
		allowed "$command" || continue
		runs "$command" || return
	done <"$1"
}
