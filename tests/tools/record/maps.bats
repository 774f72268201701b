# maps.bats - code that is hard to name: what the kernel makes for itself, BPF programs, files that
# no path of ours leads to, huge pages.

setup() {
	load ../../helper
	load recorder
}

teardown() {
	touch stop # for what may still run
	[ ! -s pids ] || cut -d ' ' -f 1 pids | xargs kill 2>/dev/null || true
}

@test "functions of BPF programs that are loaded already have their names" {
	need_all_cpus
	need "${CC:-cc}"
	"${CC:-cc}" -o loader "$TESTS/tools/record/bpf.c"
	local options loader
	./loader 2>refused 3>&- &
	loader=$!
	until_true test -e loaded -o -s refused
	[ -e loaded ] || skip "$(cat refused)"
	for options in "-a" "--sideband=none -a" ""; do
		echo "options: $options"
		# shellcheck disable=SC2086
		pp-record -q -e cpu-clock $options -o out -- true
		pp-check -q out
		fields out 'select(.type == "KSYMBOL" and .fields.sample_id.time == 0).fields | [.name, .ksym_type]' >symbols
		grep -E '^\["bpf_prog_[0-9a-f]{16}_pp_outer",1\]$' symbols
		grep -E '^\["bpf_prog_[0-9a-f]{16}_pp_inner",1\]$' symbols
		# at the addresses of kallsyms, where they are shown (older kernels have another tag there)
		fields out 'select(.type == "KSYMBOL" and .fields.sample_id.time == 0).fields | .addr[2:] + " " + .name' |
			sed -nE 's/^"(.*)bpf_prog_.*(_pp_.*)"$/\1\2/p' | sort >ours.txt
		awk '$3 ~ /^bpf_prog_.*_pp_/ && $1 !~ /^0*$/ { print $1, substr($3, 26) }' /proc/kallsyms | sort >theirs.txt
		[ ! -s theirs.txt ] || diff theirs.txt ours.txt
		if once perf perf version; then
			perf_quiet report --header-only -I -i out >header
			grep -E 'sub_prog 1: bpf_prog_[0-9a-f]{16}_(F|pp_inner) addr' header
		fi
	done
	touch stop
	wait $loader
}

@test "code that the kernel makes for itself has its names" {
	need_events
	awk '$1 !~ /^0*$/ && ($4 ~ /^\[__builtin__/ || $4 == "[bpf]" && $3 ~ /^bpf_(trampoline|dispatcher)_/) { print $1, $3 }' /proc/kallsyms | sort >want
	[ -s want ] || skip "there is none, or it is not shown"
	pp-record -q -e cpu-clock -o out -- true
	fields out 'select(.type == "KSYMBOL" and .fields.sample_id.time == 0).fields | .addr[2:] + " " + .name' |
		tr -d '"' | grep -v ' bpf_prog_' | sort >got
	# what comes and goes meanwhile aside
	awk '$1 !~ /^0*$/ { print $1, $3 }' /proc/kallsyms | sort >now
	comm -12 want now >still
	[ -s still ]
	comm -23 still got >missing
	run cat missing
	assert_output ''
}

@test "files of maps that no path of ours leads to have their build-ids" {
	need_all_cpus
	need_root
	need "${CC:-cc}" unshare chroot mount
	local how pid prefix
	cat >idle.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char buf[65536];
			const int from = argc > 1 ? open(argv[0], O_RDONLY) : -1;
			const int to = argc > 1 ? memfd_create("idle", 0) : -1;
			ssize_t n;
			if (argc < 2)
				sleep(120);
			while ((n = read(from, buf, sizeof(buf))) > 0)
				if (write(to, buf, n) != n)
					return 1;
			return argc > 1 ? fexecve(to, (char *[]){ "idle", 0 }, (char *[]){ 0 }) : 0;
		}
	END
	"${CC:-cc}" -static -Wl,--build-id -o idle idle.c || skip "programs cannot be linked statically here"
	mkdir root mount lower upper work merged
	cp idle root/rooted
	cp idle lower/idle
	cp idle gone
	: >pids
	./idle 3>&- & echo "$! /idle\$" >>pids
	./gone 3>&- & echo "$! /gone (deleted)\$" >>pids
	./idle memfd 3>&- & echo "$! ^/memfd:idle (deleted)\$" >>pids
	chroot root /rooted 3>&- & echo "$! /rooted\$" >>pids
	if unshare -m true; then
		unshare -m sh -c 'mount -t tmpfs none mount && cp idle mount/hidden && exec mount/hidden' 3>&- & echo "$! /hidden\$" >>pids
		unshare -m sh -c 'mount -t tmpfs none mount && mkdir mount/a mount/u mount/w mount/m && cp idle mount/a &&
			mount -t overlay -o lowerdir=mount/a,upperdir=mount/u,workdir=mount/w none mount/m && exec mount/m/idle || exec ./idle' 3>&- &
		echo "$! /idle\$" >>pids
	fi
	while read -r pid how; do
		until_true runs "$pid" "${how%% (*}"
	done <pids
	rm gone
	pp-record -q -a -e cpu-clock -o out -- true
	while read -r pid how; do kill "$pid"; done <pids
	fields out 'select(.type == "MMAP2" and .fields.sample_id.time == 0 and .fields.build_id_size > 0).fields |
		[.pid, .build_id, .filename]' | tr -d '[]"' >maps
	local id
	id=$(grep "^$(head -n 1 pids | cut -d ' ' -f 1)," maps | grep '/idle$' | cut -d , -f 2 | sort -u)
	[ ${#id} -ge 32 ]
	while read -r pid how; do
		echo "$pid: $how"
		grep "^$pid," maps | cut -d , -f 2- | grep "^$id," | cut -d , -f 2 | grep -- "$how"
	done <pids
}

@test "maps of huge pages are called what perf calls them" {
	need_all_cpus
	need_root
	need_perf
	need "${CC:-cc}" unshare mount
	mkdir huge
	unshare -m mount -t hugetlbfs none huge || skip "there is no hugetlbfs here"
	cat >huge.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(void)
		{
			const int code = PROT_READ | PROT_EXEC, fd = open("huge/file", O_RDWR | O_CREAT, 0600);
			if (mmap(NULL, 2 << 20, code, MAP_SHARED | MAP_NORESERVE, fd, 0) == MAP_FAILED ||
			    mmap(NULL, 2 << 20, code, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0) == MAP_FAILED)
				return 1;
			close(open("mapped", O_WRONLY | O_CREAT, 0600));
			return sleep(120);
		}
	END
	"${CC:-cc}" -o mapper huge.c
	unshare -m sh -c 'mount -t hugetlbfs none huge || exit
		./mapper 3>&- & pid=$!
		for try in $(seq 600); do [ -e mapped ] && break; kill -0 $pid || exit 77; sleep 0.05; done
		pp-record -q -e cpu-clock -p $pid -o ours --duration 0.1
		perf record -q -e cpu-clock -p $pid -o theirs -- sleep 0.1
		kill $pid' || skip "there are no huge pages here"
	perf_quiet script -i theirs --show-mmap-events | grep anon | sed 's/.*: r-x. //' | sort >theirs.txt
	fields ours 'select(.type == "MMAP2" and (.fields.filename | test("anon"))).fields | [.filename, .flags]' >names
	jq -r '.[0]' names | sort >ours.txt
	diff theirs.txt ours.txt
	# MAP_HUGETLB, as the kernel has it for new maps
	grep -E '^\["//anon","?(0x40001|262145)"?\]$' names
}

# builds a program NAME that has no other's build-id
build_named() {
	printf '%s\n' "volatile char name[] = \"$1\";" 'int main(void) { return !name[0]; }' >"$1.c"
	"${CC:-cc}" -Wl,--build-id=sha1 -o "$1" "$1.c"
}

# id_of FILE: its build-id
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

# bats test_tags=T3-A1
@test "files that are mapped during a recording have their build-ids, or with -B their device and inode" {
	need_events
	need jq readelf
	pp-record -q -e cpu-clock -o out -- true
	fields out 'select(.type == "MMAP2" and (.fields.filename | test("^/.*/true$"))).fields.build_id' >ids
	[ "$(tr -d '"' <ids)" = "$(id_of "$(type -P true)")" ]
	pp-check -q out
	pp-record -q -e cpu-clock -B -o out -- true
	fields out 'select(.type == "MMAP2" and .fields.build_id_size > 0 and .fields.pid >= 0)' >ids
	run cat ids
	assert_output ''
	fields out 'select(.type == "MMAP2" and (.fields.filename | test("^/.*/true$")) and .fields.ino > 0)' >maps
	[ -s maps ]
}

# bats test_tags=T3-A1
@test "a file that was written to before it could be looked at has no build-id, rather than the new file's" {
	need_events
	need jq readelf "${CC:-cc}"
	build_named one
	build_named two
	[ "$(id_of one)" != "$(id_of two)" ]
	cp one over
	cp one moved
	cp one gone
	cp one kept
	sleep 0.3
	# the recorder does not look before all is done
	pp-record -q -e cpu-clock -o out -- sh -c '
		kill -STOP $PPID
		./over; ./moved; ./gone; ./kept
		cat two >over; cp two new; mv new moved; rm gone
		kill -CONT $PPID'
	fields out 'select(.type == "MMAP2" and (.fields.filename | test("/(over|moved|gone|kept)$"))).fields |
		[(.filename | sub(".*/"; "")), .build_id, .ino > 0]' | sort -u >got
	run cat got
	assert_output "[\"gone\",null,true]
[\"kept\",\"$(id_of one)\",false]
[\"moved\",null,true]
[\"over\",null,true]"
}

# bats test_tags=T3-A1
@test "a recording whose pp-keeper was killed has no more build-ids, which is said" {
	need_events
	need jq pgrep
	run -0 --separate-stderr pp-record -e cpu-clock -o out -- sh -c '
		until pgrep -P $PPID pp-keeper >keeper; do :; done
		kill -KILL $(cat keeper)
		/usr/bin/env true'
	[[ $stderr == *'pp-keeper, the process that opens mapped files, was ended by signal 9: maps that were made since have no build-ids'* ]]
	pp-check -q out
	fields out 'select(.type == "MMAP2" and (.fields.filename | test("/env$")) and .fields.ino > 0)' >maps
	[ -s maps ]
}
