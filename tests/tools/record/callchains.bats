# callchains.bats - pp-record: call chains, by frame pointers and out of copies of the stack.

setup() {
	load ../../helper
	load recorder
}

teardown() { touch stop; } # for what may still run

@test "-g records call chains" {
	need_events
	pp-record -e cpu-clock -g -- "${WORK[@]}" >out
	fields out 'select(.type == "SAMPLE").fields.callchain | length > 1' >chains
	run sort -u chains
	assert_line true
}

# chain_program: "chain", whose time is spent in innermost, called by middle, outer and main, with no
# frame pointers
chain_program() {
	need "${CC:-cc}"
	cat >chain.c <<-'END'
		#include <stdlib.h>
		#define FUNCTION __attribute__((noinline))
		volatile unsigned long sink;
		FUNCTION void innermost(long n) { for (long i = 0; i < n; i++) sink += i; sink++; }
		FUNCTION void middle(long n) { innermost(n); sink++; }
		FUNCTION void outer(long n) { middle(n); sink++; }
		int main(int argc, char **argv) { outer(argc > 1 ? atol(argv[1]) : 0); return 0; }
	END
	"${CC:-cc}" -g -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o chain chain.c
}

# unwound PERF STREAM: the callers that it finds for what was sampled in innermost, each way once, but for
# one in 20: where the kernel could not copy a stack, because the page was being moved, there are none
unwound() {
	"$1" script -i "$2" -F ip,sym 2>script.err </dev/null |
		awk -v RS= '$2 == "innermost" { n[$2 " " $4 " " $6 " " $8]++; all++ }
			END { for (way in n) if (n[way] * 20 > all) print way }'
}

@test "--call-graph dwarf records what perf needs to unwind a program without frame pointers" {
	need_perf
	need_events
	chain_program
	pp-record -e cpu-clock:u --call-graph dwarf -o out -- ./chain 100000000 2>err ||
		{ grep -q 'architecture' err && skip "$(cat err)"; }
	pp-check -q out
	run fields out 'select(.type == "HEADER_ATTR").fields.attr | [.sample_stack_user, .flags.exclude_callchain_user, .flags.mmap_data]'
	assert_output '[8192,1,1]'
	local perf stage
	perf version --build-options 2>&1 | grep -qE '(libunwind|dwarf-unwind): \[ on' || skip "this perf does not unwind"
	for perf in $(perfs); do
		run unwound "$perf" out
		assert_output 'innermost middle outer main'
	done
	for stage in 'pp-filter --prune "comm == \"chain\""' pp-sort 'pp-inject -b' 'pp-compress | pp-decompress' \
		'pp-dump --json | pp-undump' 'pp-save -q -o saved; pp-cat saved' 'pp-merge -' pp-mend; do
		echo "$stage"
		bash -c "$stage" <out >passed
		run unwound perf passed
		assert_output 'innermost middle outer main'
	done
}

@test "--call-graph dwarf reports the maps of data of a process that runs already" {
	need_events
	need timeout
	perl -e "$busy" stop 3>&- &
	local pid=$!
	timeout 120 pp-record -e cpu-clock:u --call-graph dwarf -p $pid -o out -- true 2>err ||
		{ grep -q 'architecture' err && touch stop && skip "$(cat err)"; }
	touch stop
	# bit 13 of misc: data
	fields out "select(.type == \"MMAP2\" and .fields.pid == $pid) | [.misc / 8192 % 2 >= 1, (.fields.prot | test(\"[4-7]$\"))]" >maps
	run sort -u maps
	assert_output $'[false,true]\n[true,false]'
}

@test "--call-graph takes fp, dwarf and a size, and says what it does not take" {
	need_events
	pp-record -e cpu-clock --call-graph fp -o fp -- true
	pp-record -e cpu-clock -g -o g -- true
	fields fp 'select(.type == "HEADER_ATTR").fields.attr' >fp.attr
	fields g 'select(.type == "HEADER_ATTR").fields.attr' >g.attr
	same_bytes fp.attr g.attr
	if pp-record -e cpu-clock --call-graph dwarf,1001 -o out -- true; then
		run fields out 'select(.type == "HEADER_ATTR").fields.attr.sample_stack_user'
		assert_output 1008
	fi
	run -2 --separate-stderr pp-record --call-graph dwarf,65536 -- true
	assert_regex "$stderr" "'dwarf,65536' needs a SIZE from 8 to 65528"
	run -2 --separate-stderr pp-record --call-graph true
	assert_regex "$stderr" "'true' is not a way to record call chains: use fp, fp,defer, dwarf, dwarf,SIZE or lbr"
	run -2 --separate-stderr pp-record -g dwarf -- true
	assert_regex "$stderr" '-g takes no mode: use --call-graph dwarf'
}
