# truth.bats - names, inlined frames and lines of pp-symbol at 10,000 addresses of a program, spread evenly
# over its code, are those of llvm-symbolizer, eu-addr2line and perf 7.3; truth.pl names the differences.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
}

# templates: prog.cc, in which everything is inlined
templates() {
	cat >prog.cc <<-'END'
		#include <algorithm>
		#include <functional>
		#include <iostream>
		#include <map>
		#include <regex>
		#include <sstream>
		#include <unordered_map>
		#include <variant>
		#include <vector>
		namespace big {
		template <int N> struct Node {
			std::map<std::string, std::vector<int>> table;
			std::unordered_map<int, std::string> names;
			std::variant<int, std::string, double> value;
			int put(const std::string &key, int x)
			{
				auto &v = table[key + std::to_string(N)];
				v.push_back(x);
				std::sort(v.begin(), v.end(), [](int a, int b) { return a % (N + 2) < b % (N + 2); });
				names.emplace(x, key);
				value = key;
				return std::visit([&](auto &&y) { std::ostringstream s; s << y; return (int)s.str().size(); }, value);
			}
		};
		template <int N> __attribute__((noinline)) int run(int n)
		{
			Node<N> node;
			std::function<int(int)> f = [&](int x) { return x ? f(x - 1) + node.put("k", x) : 0; };
			return f(n) + std::regex_match("abcbc", std::regex("a(b|c)*"));
		}
		}
		int main(int argc, char **) { std::cout << big::run<1>(argc) + big::run<2>(argc) << "\n"; }
	END
}

# units: 40 files, of functions that are inlined three deep
units() {
	local i
	for i in $(seq 40); do
		sed "s/@/$i/g" >"unit$i.c" <<-'END'
			extern volatile int sink;
			static inline int low_@(int x) { for (int i = 0; i < x; i++) if (x & i) sink += i * @; return x ^ sink; }
			static inline int middle_@(int x) { int s = low_@(x); while (s > @) s = low_@(s / 2) - sink; return s; }
			static int apart_@(int x)
			{
				switch (x % 7) {
				case 0: return middle_@(x);
				case 1: return low_@(x) * low_@(x + 1);
				case 2: { int y = middle_@(x - 1); return y ? low_@(y) : x; }
				default: return x * sink;
				}
			}
			int unit_@(int x) { int s = 0; for (int i = 0; i < x; i++) s += apart_@(i) + middle_@(s); return s; }
			__attribute__((cold)) int cold_@(int x) { return apart_@(x) / (sink + @); }
		END
	done
	{
		echo 'volatile int sink;'
		seq 40 | sed 's/.*/int unit_&(int), cold_&(int);/'
		echo 'int main(int c, char **v) { (void)v; return 0'
		seq 40 | sed 's/.*/ + unit_&(c) + cold_&(c)/'
		echo '; }'
	} >main.c
}

# spread FILE: addresses has 10,000 "address offset" lines, in has samples of them, ours what pp-symbol says
spread() {
	nm "$1" >nm
	readelf -lSW "$1" | perl -ne '
		@text = map { hex } $1, $2, $3 if /\] \.text +PROGBITS +(\S+) (\S+) (\S+)/;
		END { for $n (0 .. 9999) { printf "0x%x 0x%x\n", map { $_ + int($n * $text[2] / 10000) } @text[0, 1] } }
	' >addresses
	[ "$(wc -l <addresses)" -eq 10000 ]
	some 1 >/dev/null
	pp-symbol -q --lines --demangle=no in | pp-dump --headers --json >ours
}

# some EVERY: of the addresses each so manieth: few has them, in samples of them; and prints them
some() {
	awk "NR % $1 == 0" addresses >few
	perl -ne '
		BEGIN { print "header\nattr id=1 sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all\n",
			"mmap2 pid=7 prot=5 start=0x100000000 len=0x10000000 file=\"'"$PWD/prog"'\" build_id='"$(id_of prog)"' time=1\n" }
		printf "sample pid=7 ip=0x%x misc=2 time=%d callchain=0xfffffffffffffe00,0x%1\$x\n",
			0x100000000 + hex((split)[1]), $. + 10;
		END { print "round\n" }' few | build >in
	cut -d' ' -f1 few
}

# agrees WHOSE PERCENT CLASSES: what truth.pl says of the few is of these classes, but for so many; other versions
# of compilers and of whose names these are may bring classes of their own
agrees() {
	perl "$TESTS/tools/symbol/truth.pl" "$1" ours theirs nm few >classes 2>differ
	sed "s/^/# $1: /" classes >&3
	grep -A 2 ^other differ || true
	grep -vE "^[0-9]+ ($3)\$" classes | awk -v all="$(wc -l <few)" -v most="$2" '
		{ n += $1 } END { exit 100 * n > most * all }'
	[ "$(awk '$2 == "equal" { print $1 }' classes)" -gt $(($(wc -l <few) / 2)) ]
}

llvm_agrees() {
	some 1 | llvm-symbolizer -a --obj=prog --inlines --no-demangle --functions=linkage >theirs
	agrees llvm .5 'equal|gap|place|alias|piece'
}

# where eu-addr2line differs, llvm-symbolizer says what we do: of a frame that is in several pieces the first takes
# all between them to be in it
eu_agrees() {
	some "$1" | eu-addr2line -aif -e prog >theirs
	agrees eu 10 'equal|gap|place|alias|piece'
}

perf_agrees() {
	some "$1" >/dev/null
	"$(newer_perf 7.3)" script --no-demangle -F ip,sym -i in >theirs 2>perf.err
	agrees perf .5 'equal|gap|alias|piece|repeat'
}

# all EU PERF: llvm-symbolizer at each address, the others at each so manieth
all() {
	spread prog
	llvm_agrees
	! command -v eu-addr2line >/dev/null || eu_agrees "$1"
	! newer_perf 7.3 >/dev/null || perf_agrees "$2"
}

# bats test_tags=nightly
@test "C: llvm-symbolizer, eu-addr2line and perf 7.3 say the same" {
	need llvm-symbolizer
	units
	"${CC:-cc}" -O3 -gdwarf-4 -o prog main.c unit*.c
	all 1 1
}

# bats test_tags=nightly
@test "C++: llvm-symbolizer says the same, and eu-addr2line and perf 7.3, which are slow, at some addresses" {
	need llvm-symbolizer
	templates
	"${CXX:-c++}" -std=c++17 -O2 -g -o prog prog.cc
	all 80 40
}
