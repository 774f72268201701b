# data.bats - pp-report of types of data: a sample of each instruction that accesses memory, in programs that are
# compiled here.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	[ "$(uname -m)" = x86_64 ] || skip "types of data are known of x86-64 alone"
	need objdump readelf
}

# compiled OPTIONS...: prog, out of prog.c, or prog.cc with a C++ compiler; and in, a stream of it
compiled() {
	local compiler=${CC:-cc} source=prog.c
	[ -f prog.cc ] && compiler=${CXX:-c++} source=prog.cc
	need "$compiler"
	"$compiler" -g "$@" -fno-stack-protector -fcf-protection=none -fpie -no-pie -nostdlib -static \
		-Wl,--build-id=none,-Ttext=0x401000 -o prog "$source" 2>compiler.err ||
		skip "no static program can be linked here"
	sampled >in
}

# sampled: a stream of prog: each instruction that accesses memory once, and those of this pattern
sampled() {
	local offset size
	offset=$(readelf -SW prog | sed -n 's/.* \.text  *PROGBITS  *0*401000 \([0-9a-f]*\) .*/\1/p')
	size=$(readelf -SW prog | sed -n 's/.* \.text  *PROGBITS  *0*401000 [0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	{
		echo header
		echo 'attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap'
		echo 'event_update id=1 name=made'
		echo 'comm pid=7 comm=prog time=5'
		echo "mmap2 pid=7 tid=7 start=0x401000 len=0x$size pgoff=0x$offset prot=5 file=$PWD/prog time=7"
		objdump -d -j .text prog | perl -F'\t' -lane '
			next if @F < 3 || $F[2] !~ /[(]|%fs:|^(push|pop|call|ret)/ || $F[2] =~ /^(lea|nop|data16|cs nop)/;
			my ($at) = $F[0] =~ /([0-9a-f]+):/;
			print "sample id=1 misc=2 pid=7 tid=7 time=", 1000 + ++$n, " period=", 1 + $n % 7, " ip=0x$at"'
		echo round
	} | build
}

# types FUNCTION: the types that are accessed in it, each once
types() {
	pp-report --csv -F typeoff,sym in | tr -d '\r' | sed -n "s/^made,\(.*\),$1\$/\1/p" | tr -d '"' | sort -u
}

as_it_is() { sed -E '/^# \((Tip|For|Cannot)/,$d' | perl -0777 -pe 's/#\n\z//'; }

# structs: what the programs below are about
structs() {
	cat <<-'END'
		struct inner { int x, y; long z[4]; };
		union either { int i; double d; char c[8]; };
		typedef struct { long low, high; } range_t;
		struct node {
			struct node *next;
			long value;
			struct inner in;
			union either un;
			char name[16];
			int key;
			range_t range;
			struct { int deep; };
			int bits : 4, more : 9;
		};
		struct table { long n; struct node *head; int counts[64]; };
		struct table table;
		long total;
		#define ALONE __attribute__((noinline, used))
	END
}

@test "report: types of data are those of perf 7.3, in the frames and registers of a program" {
	need_newer_perf 7.3
	local options wrong=0
	{
		structs
		cat <<-'END'
			ALONE long walk(struct node *n)
			{
				long s = 0;
				while (n) {
					s += n->value + n->in.y + n->range.high + n->deep;
					n = n->next;
				}
				return s;
			}
			ALONE void change(struct node *n) { n->un.d += 1.5; n->name[3]++; n->key ^= 5; n->in.z[2] = 1; }
			ALONE void global(int k) { table.n += k; total += k; table.head->next->key = k; }
			ALONE long frame(int k)
			{
				struct inner l;
				range_t r;
				l.x = k;
				l.y = 2 * k;
				l.z[1] = l.z[3] = 4;
				r.high = k;
				return l.x + l.y + l.z[1] + r.high;
			}
			int _start(void) { return 0; }
		END
	} >prog.c
	# perf does not look for the frame in .eh_frame, nor for addresses in tables of them
	compiled -O0 -fno-asynchronous-unwind-tables -gdwarf-4
	pp-save -o in.data in
	while IFS= read -r options; do
		# shellcheck disable=SC2086
		"$(newer_perf 7.3)" report --stdio -i in.data $options 2>/dev/null </dev/null | as_it_is >expected
		# shellcheck disable=SC2086
		pp-report $options in >got
		[ -s expected ]
		grep -q 'struct node' expected
		diff expected got || { echo "differs: $options"; wrong=$((wrong + 1)); }
	done <<-'END'
		-s type
		-s type,typeoff
		-s typeoff,type
		-s type,sym
		-s typecln,sym
		-s typecln
		-s sym,typeoff
		-s typeoff -n
	END
	[ "$wrong" -eq 0 ]
}

@test "report: members are known where a register holds a pointer, was loaded, copied or stepped" {
	{
		structs
		cat <<-'END'
			ALONE long value(struct node *n) { return n->value; }
			ALONE long far(struct node *n) { return n->next->next->in.y; }
			ALONE struct node *first(void) { return table.head; }
			ALONE int returned(void) { return first()->key; }
			ALONE long steps(struct inner *p, struct inner *end)
			{
				long s = 0;
				for (; p != end; p++)
					s += p->y;
				return s;
			}
			ALONE void counted(struct table *t, long i) { t->counts[i] = 7; }
			ALONE long high(const volatile range_t *r) { return r->high; }
			ALONE double either(union either *e) { return e->d; }
			ALONE long kept(struct node *n) { long v = n->value; first(); return v + n->range.low; }
			struct three { long a, b, c; };
			ALONE long indexed(struct three *p, long i) { return p[i].b; }
			ALONE int nothing(void *p) { return *(char *)p; }
			long _start(void) { return 0; }
		END
	} >prog.c
	compiled -O1
	run -0 types value
	assert_line 'struct node +0x8 (value)'
	run -0 types far
	assert_line 'struct node +0 (next)'
	assert_line 'struct node +0x14 (in.y)'
	run -0 types first
	assert_line 'struct table +0x8 (head)'
	run -0 types returned
	assert_line 'struct node +0x50 (key)'
	run -0 types steps
	assert_line 'struct inner +0x4 (y)'
	run -0 types counted
	assert_line 'struct table +0x10 (counts)'
	run -0 types high
	assert_line 'range_t +0x8 (high)'
	run -0 types either
	assert_line 'union either +0 (i)'
	run -0 types kept
	assert_line 'struct node +0x58 (range.low)'
	run -0 types indexed
	assert_line 'struct three +0x8 (b)'
	run -0 types nothing
	refute_output --partial 'char'
}

@test "report: a member that an index may be in is not named after where it begins" {
	{
		structs
		cat <<-'END'
			ALONE void before(struct table *t, long i) { t->counts[i - 1] = 7; }
			ALONE void after(struct table *t, long i) { t->counts[i + 1] = 7; }
			ALONE void global(long i) { table.counts[i - 2] = 7; }
			ALONE void bytes(struct node *n, long i) { n->name[i - 1] = 7; }
			long _start(void) { return 0; }
		END
	} >prog.c
	local function level
	for level in -O0 -O1 -O2; do
		compiled "$level"
		for function in before after global bytes; do
			types "$function" | { ! grep -E '\((n|head|un[.].*)\)'; }
		done
	done
}

@test "report: what is left in a register in only one of two ways has no type" {
	{
		structs
		cat <<-'END'
			/* %rax is a node or a table when it is read */
			ALONE long either(struct node *n, struct table *t, int which);
			__asm__(".text\n.type either, %function\neither:\n"
				"mov %rdi, %rax\ntest %edx, %edx\nje 1f\nmov %rsi, %rax\n1: mov 8(%rax), %rax\nret\n"
				".size either, . - either\n");
			ALONE long one(struct node *n, struct table *t, int which)
			{
				long v;
				__asm__ volatile("mov %1, %%rax\n test %3, %3\n je 1f\n mov %2, %%rax\n"
						 "1: mov 8(%%rax), %0\n" : "=r"(v) : "D"(n), "S"(t), "d"(which) : "rax");
				return v;
			}
			ALONE long both(struct node *n, struct node *t, int which)
			{
				long v;
				__asm__ volatile("mov %1, %%rax\n test %3, %3\n je 1f\n mov %2, %%rax\n"
						 "1: mov 8(%%rax), %0\n" : "=r"(v) : "D"(n), "S"(t), "d"(which) : "rax");
				return v;
			}
			/* the other way is behind a byte that is no instruction */
			ALONE long hidden(struct node *n, struct table *t, int which)
			{
				long v;
				__asm__ volatile("mov %1, %%rax\n 1: mov 8(%%rax), %0\n test %3, %3\n je 2f\n jmp 3f\n"
						 ".byte 6\n 2: mov %2, %%rax\n jmp 1b\n 3:\n"
						 : "=r"(v) : "D"(n), "S"(t), "d"(which) : "rax");
				return v;
			}
			/* a pointer that no variable is, from thing to thing of 40 bytes; and by 8 bytes */
			ALONE int stepped(struct inner *a, long n)
			{
				int v;
				__asm__ volatile("mov %2, %%rax\n1: mov 4(%%rax), %0\n add $40, %%rax\n dec %1\n jne 1b\n"
						 : "=&r"(v), "+r"(n) : "D"(a) : "rax");
				return v;
			}
			ALONE int strayed(struct inner *a, long n)
			{
				int v;
				__asm__ volatile("mov %2, %%rax\n1: mov 4(%%rax), %0\n add $8, %%rax\n dec %1\n jne 1b\n"
						 : "=&r"(v), "+r"(n) : "D"(a) : "rax");
				return v;
			}
			long _start(void) { return 0; }
		END
	} >prog.c
	compiled -O2
	run -0 types stepped
	assert_line 'struct inner +0x4 (y)'
	run -0 types strayed
	refute_output --partial struct
	run -0 types one
	refute_output --partial struct
	run -0 types hidden
	refute_output --partial struct
	run -0 types both
	assert_line 'struct node +0x8 (value)'
	# of a function without debug information nothing is known
	run -0 types either
	refute_output --partial struct
}

@test "report: variables in the frame are found without .debug_frame, too" {
	{
		structs
		cat <<-'END'
			ALONE long walk(struct node *n) { long s = n->value; return s; }
			long _start(void) { return 0; }
		END
	} >prog.c
	compiled -O0
	[[ $(readelf -SW prog) != *.debug_frame* ]] || skip "this compiler writes .debug_frame"
	run -0 types walk
	assert_line 'struct node* +0 (no field)'
	assert_line --regexp '^long( int)? \+0 \(no field\)$'
	assert_line 'struct node +0x8 (value)'
	assert_line '(stack operation)'
}

@test "report: the guard of stacks has a name of its own" {
	cat >prog.c <<-'END'
		long guard(void) { long v; __asm__ volatile("mov %%fs:0x28, %0" : "=r"(v)); return v; }
		long _start(void) { return 0; }
	END
	compiled -O1
	run -0 types guard
	assert_line '(stack canary)'
}

@test "report: members of C++ classes are named, those of their bases and those behind references" {
	cat >prog.cc <<-'END'
		#define ALONE __attribute__((noinline, used))
		namespace ns {
		class Shape { public: int id; double w, h; static int all; };
		class Square : public Shape { public: long extra[4]; };
		}
		template<typename T> struct Box { T v; int n; };
		extern "C" {
		ALONE double wide(const ns::Square *s) { return s->w; }
		ALONE long own(ns::Square &s) { return s.extra[2]; }
		ALONE int boxed(Box<double> *b) { return b->n; }
		ALONE int through(ns::Shape *const &s) { return s->id; }
		long _start() { return 0; }
		}
	END
	compiled -O1
	run -0 types wide
	assert_line 'Square +0x8 (w)'
	run -0 types own
	assert_line 'Square +0x28 (extra)'
	run -0 types boxed
	assert_line 'struct Box<double> +0x8 (n)'
	run -0 types through
	assert_line 'Shape* +0 (no field)'
	assert_line 'Shape +0 (id)'
}

@test "report: without debug information types are unknown, which is said once, whatever names there are" {
	{
		structs
		cat <<-'END'
			ALONE long value(struct node *n) { return n->value; }
			ALONE long other(struct node *n) { return n->next->value; }
			long _start(void) { return 0; }
		END
	} >prog.c
	compiled -O1
	pp-symbol in >named
	run -0 --separate-stderr pp-report --csv -F type,sym named
	assert_line --partial 'struct node,value'
	[ -z "$stderr" ]
	objcopy -g prog
	run -0 --separate-stderr pp-report --json -F typeoff,sym in
	refute_output --partial struct
	assert_line --partial '"symbol":"value"'
	[[ $stderr == *"no data types: $PWD/prog has no debug information"* ]]
	[ "$(grep -c 'no data types' <<<"$stderr")" -eq 1 ]
	rm prog
	run -0 --separate-stderr pp-report --csv -F type,sym named
	refute_output --partial struct
	assert_line --partial '(unknown),value'
	[ "$(grep -c 'no data types' <<<"$stderr")" -eq 1 ]
}

# bats test_tags=nightly
@test "report: damaged debug information ends in an answer" {
	{
		structs
		cat <<-'END'
			ALONE long walk(struct node *n) { long s = 0; for (; n; n = n->next) s += n->in.z[n->key]; return s; }
			ALONE void fill(struct table *t) { for (int i = 0; i < 64; i++) t->counts[i] += total; }
			long _start(void) { return walk(table.head); }
		END
	} >prog.c
	compiled -O1
	cp prog whole
	local seed
	for seed in {1..60}; do
		perl -e 'my ($seed, $from, $to) = @ARGV; srand $seed; open my $f, "<:raw", $from or die; local $/; my $b = <$f>;
			substr($b, 0x1000 + int rand(length($b) - 0x1000), 1) = chr int rand 256 for 1 .. 20;
			open my $o, ">:raw", $to or die; print $o $b' "$seed" whole prog
		run -0 --separate-stderr pp-report --csv -F typeoff,sym in
		[[ $stderr != *signal* ]]
	done
}
