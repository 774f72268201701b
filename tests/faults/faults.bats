# faults.bats - what the tools make of a system that refuses: a sample of the fault matrix, whose
# command lines are faults/lines.txt; `make faults` tries every call of each.

setup() {
	load ../helper
	export SHIM=$BIN/tests/faults/shim.so
	[ -f "$SHIM" ] || skip "the shim is not built"
}

# refused CLASS COUNT: so many calls of the class fail, in command lines that chance chooses (of which
# some have no such call)
refused() {
	run perl "$TESTS/faults/matrix.pl" --seed 1 --class "$1" --sample "$2" --line "${LINE:-^[^~]}"
	echo "$output"
	[ "$status" -eq 0 ]
	assert_line --regexp '^[1-9][0-9]* passed, 0 failed$'
}

# ---- that it can fail

# verdict COMMAND-LINE CLASS:ERROR:FIRST:EVERY: what the matrix says of a program that is none of ours
verdict() {
	cp -r "$TESTS/faults" own
	echo "$1" >own/lines.txt
	printf '#!/bin/sh\necho hello >$1/text\n' >own/inputs.sh
	perl own/matrix.pl --line . --only "$2"
}

@test "a program that takes a failed read for the end is found" {
	cat >reads.c <<-'END'
		#include <unistd.h>
		int main(void) { char c; while (read(0, &c, 1) == 1) if (write(1, &c, 1) < 0) return 4; return 0; }
	END
	"${CC:-cc}" -o reads reads.c
	PATH=.:$PWD:$PATH
	run -0 verdict 'reads <in/text' read:EIO:3:0
	assert_line 'exit status 0, standard output differs'
	run -0 verdict 'reads <in/text' write:EIO:3:0
	assert_line 'exit status 4, the reason is not said'
	run -0 verdict 'reads <in/text' pipe:EPIPE:2:0
	assert_line 'exit status signal 13, as it should be'
}

@test "a program that does not look at what malloc() returns is found" {
	cat >crashes.c <<-'END'
		#include <stdlib.h>
		int main(void) { volatile char *p = malloc(9); *p = 1; return 0; }
	END
	"${CC:-cc}" -O0 -o crashes crashes.c
	PATH=.:$PWD:$PATH
	run -0 verdict 'crashes' memory:ENOMEM:1:0
	assert_line 'exit status signal 11, it ended by signal 11'
}

@test "a program that leaves the order of equals to qsort() is found" {
	cat >sorts.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		static int by_tens(const void *a, const void *b) { return *(char *)a / 10 - *(char *)b / 10; }
		int main(void)
		{
			char x[] = { 72, 71, 55, 73 };
			qsort(x, 4, 1, by_tens);
			for (int i = 0; i < 4; i++)
				printf("%d\n", x[i]);
			return 0;
		}
	END
	"${CC:-cc}" -o sorts sorts.c
	PATH=.:$PWD:$PATH
	run verdict sorts memory:ENOMEM:1:0
	[ "$status" -ne 0 ]
	assert_line 'sorts: two runs differ'
}

@test "when the time is over, a tenth has been tried, and what was not is said" {
	cp -r "$TESTS/faults" own
	for n in {1..20}; do echo "pp-cat in/text$n"; done >own/lines.txt
	printf '#!/bin/sh\nfor n in $(seq 20); do cp %s $1/text$n; done\n' "$TESTS/streams/plain.pipe" >own/inputs.sh
	run -0 perl own/matrix.pl --class open --seconds -1
	assert_line 'left to make nightly, as -1 s were over: 18 of 20'
	assert_line '2 passed, 0 failed'
	echo 'pp-cat in/text7' >own/whole
	run -0 perl own/matrix.pl --class open --whole own/whole
	assert_line '3 passed, 0 failed'
}

@test "a row that would take longer than there is time is left, and that is said" {
	cp -r "$TESTS/faults" own
	mkdir bin
	printf '#!/bin/sh\necho >>%s\nsleep 1\nexec pp-cat in/text\n' "$PWD/ran" >bin/pp-slow
	chmod +x bin/pp-slow
	printf '%s\n' 'pp-cat in/text' pp-slow >own/lines.txt
	printf '#!/bin/sh\ncp %s $1/text\n' "$TESTS/streams/plain.pipe" >own/inputs.sh
	run -0 env PATH="$PWD/bin:$PATH" perl own/matrix.pl --class read --seconds 5
	assert_line 'left to make nightly, as 5 s were over: 1 of 2'
	assert_line '1 passed, 0 failed'
	# twice by itself
	[ "$(wc -l <ran)" -le 2 ]
}

@test "every option of every tool is in a command line of the matrix" {
	for tool in $(tools); do
		grep -E "^[~=]?&?([0-9]:)? ?$tool( |\$)" "$TESTS/faults/lines.txt" >own
		while IFS=$'\t' read -r letter name _; do
			echo "$tool $letter $name"
			grep -qE -e "(^| )($letter|$name)([ =]|\$)" own ||
				[[ $name == --@(help|version) ]] || grep -qE -e " $letter[0-9A-Za-z]" own
		done < <({ "$tool" --list-hidden && "$tool" --list-options; } | sed '$d' | sed 's/^\t/-\t/')
	done
}

# ---- the sample

@test "out of memory is exit 4 with the reason" { refused memory 120; }

@test "where one frame of a chain cannot be named, that is the reason, whatever became of the next" {
	run perl "$TESTS/faults/matrix.pl" --class memory --line '^&pp-script -v --like 6.1 --show-namespace'
	echo "$output"
	[ "$status" -eq 0 ]
	assert_line '1 passed, 0 failed'
}

@test "a read that fails is exit 4 with the reason, one that is short or interrupted is nothing" {
	refused read 80
	refused wait 30
}

@test "a write that fails is exit 4 with the reason, one that is short or interrupted is nothing" {
	refused write 80
	refused pipe 30
}

@test "what cannot be opened, mapped, found or waited for is exit 4 with the reason" {
	refused open 60
	LINE='pp-(sort|merge)' refused map 20
	LINE='^[^~]*pp-(save|gen --damage)' refused seek 20
	LINE='pp-merge' refused poll 20
	refused stat 50
}

@test "what cannot be renamed, removed, closed or started is exit 4 with the reason" {
	refused files 50
	LINE='pp-split' refused tasks 20
}

# ---- a system that cannot, rather than fails

@test "where no file can be made without a name, what is put aside has one for a moment" {
	pp-gen --samples 2000 --rounds 200 --pids 30 --threads 2 --mmaps 40 --forks 9 --exits 9 -o in.pipe
	pp-filter --prune 'cpu == 1' -i in.pipe -o pruned.pipe
	pp-gen --samples 9000 --callchain 30 --rounds 0 --disorder 0.1 -o mixed.pipe
	pp-sort --all -S 100M -i mixed.pipe -o sorted.pipe
	mkdir folder
	without() { run -0 --separate-stderr env TMPDIR="$PWD/folder" LD_PRELOAD="$SHIM" FAULT_TMPFILE="$error" "$@"; }
	for error in 95 21 22; do               # EOPNOTSUPP EISDIR EINVAL
		without pp-filter --prune -v -S 32k 'cpu == 1' -i in.pipe -o a.pipe
		grep -q 'a temporary file held some' <<<"$stderr"
		same_bytes pruned.pipe a.pipe
		without pp-sort --all -S 1M -i mixed.pipe -o b.pipe
		same_bytes sorted.pipe b.pipe
		[ -z "$(ls -A folder)" ]
	done
}
