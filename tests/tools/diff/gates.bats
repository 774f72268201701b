# gates.bats - pp-diff as a gate: the recipe of the guide in a repository, and how often it is wrong and finds.

setup() {
	load ../../helper
	load ../../house/examples
}

# ---- the recipe of perfpipe-guide(7)

# program PARSE RENDER: one whose functions touch so many pages, which are its page faults; no load of the
# machine and no size of pages changes their number
program() {
	cat >app.c <<-END
		#include <sys/mman.h>

		static inline __attribute__((always_inline)) void touch(int pages)
		{
			for (int i = 0; i < pages; i++) {
				volatile char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

				p[0] = 1;
				munmap((void *)p, 4096);
			}
		}
		__attribute__((noinline)) void parse(void) { touch($1); __asm__ volatile("" ::: "memory"); }
		__attribute__((noinline)) void render(void) { touch($2); __asm__ volatile("" ::: "memory"); }
		int main(void)
		{
			parse();
			render();
			return 0;
		}
	END
}

commit() { git add -A && git commit -qm "$1"; }

# job BRANCH: what CI does with a branch: a clone of it, and the recipe's commands, with an event whose counts are
# exact.  Its status is that of the last.
job() {
	rm -rf job
	git clone -q -b "$1" origin job
	(cd job && bash -e ../recipe >log 2>&1)
}

# bats test_tags=nightly
@test "the recipe for continuous integration fails on a slow commit, and on no other" {
	need mandoc
	need git
	need cc
	page_text "$ROOT/man/perfpipe-guide.7" | awk '/^   [A-Z]/ { on = /Continuous integration/; next } on' |
		sed -n 's/^ *\$ //p' | sed -e '/pp-count/,$d' -e 's/pp-record -g/& -e page-faults:u -c 1/' >recipe
	[ "$(wc -l <recipe)" -eq 5 ]
	git config --global user.name x
	git config --global user.email x@example.org
	git config --global init.defaultBranch main
	git init -q origin
	cd origin
	printf 'app: app.c\n\tcc -O1 -fno-omit-frame-pointer -o $@ app.c\n' >Makefile
	program 2000 1000
	commit first
	git checkout -qb branch
	echo 'notes' >README
	commit 'words alone'
	cd ..
	pp-record -q -e page-faults:u -c 1 -o /dev/null -- true 2>/dev/null || skip "nothing can be recorded here"
	job branch || { cat job/log; return 1; }
	cd origin
	program 2000 1300
	commit 'nicer pictures'
	cd ..
	run -1 job branch
	grep -E '^\| worse \| \+3[0-9]\.[0-9] % \|.*`render`' job/summary.md || { cat job/log job/summary.md; return 1; }
	cd origin
	program 2000 1001
	commit 'as nice, and fast'
	cd ..
	job branch || { cat job/log; return 1; }
	run -1 grep -w worse job/summary.md
}

# ---- streams of pp-gen

# made FIRST COUNT NAME [EXPRESSION]: recordings of 12 programs that are as heavy, of the seeds from FIRST on; samples
# for which the expression is false are left out
made() {
	local seed
	for ((seed = $1; seed < $1 + $2; seed++)); do
		pp-gen --samples 4000 --duration 2 --pids 12 --seed "$seed" | pp-filter "${4:-pid > 0}" -o "$3.$seed"
	done
}

# judged_worse ARG...: which programs are worse
judged_worse() { pp-diff -q --by comm --csv "$@" | awk -F, '$1 == "comm" && $3 == "worse" { print $2 }'; }

# alarms COMPARISONS: of so many of runs that do not differ, how many say that a program became worse; and how many
# find one that did by a fifth, and say so of it alone
alarms() {
	local i alarms=0 hits=0 others=0 worse
	for ((i = 0; i < $1; i++)); do
		rm -f a.* b.* less.*
		made $((1000 * i)) 5 a
		made $((1000 * i + 500)) 5 b
		# a sixth of its samples is later than that
		made $((1000 * i)) 5 less 'comm != "gen-4" || time < 1001666666666'
		[ -z "$(judged_worse a.* -- b.*)" ] || alarms=$((alarms + 1))
		worse=$(judged_worse less.* -- b.*)
		grep -qx gen-4 <<<"$worse" && hits=$((hits + 1))
		[ -z "$(grep -vx gen-4 <<<"$worse")" ] || others=$((others + 1))
	done
	echo "$alarms $hits $others"
}

@test "of two comparisons of streams of one kind none says worse, and a program that costs a fifth more is found" {
	[ "$(alarms 2)" = "0 2 0" ]
}

# bats test_tags=nightly
@test "of twenty comparisons of streams of one kind at most one says worse, and all find a fifth more" {
	run -0 alarms 20
	echo "$output"
	read -r alarms hits others <<<"$output"
	[ "$alarms" -le 1 ]
	[ "$hits" -eq 20 ]
	# with one that is found, one in twenty may be found that is not
	[ "$others" -le 2 ]
}
