# perf.bats - pp-annotate beside perf annotate: the same instructions have the same percents, and the same
# lines of source.

setup() {
	load ../../helper
	load annotate
}

# beside_perf FILE SYMBOL...: each of these functions, as perf shows it, in both kinds of shares
beside_perf() {
	local file=$1 symbol kind=period
	for symbol in "${@:2}"; do
		echo "$file $symbol"
		spread "$file" "$symbol" | weighed "$(realpath "$file")" "$(id_of "$file")" >in
		[ "$kind" = hits ] && kind=period || kind=hits
		perf annotate -i in --stdio --percent-type "local-$kind" 2>perf.err | columns >due
		[ "$(wc -l <due)" -gt 3 ] || { cat perf.err; return 1; }
		pp-annotate --stdio --percent-type "local-$kind" in 2>err | columns >got
		diff due got || { cat err; return 1; }
		pp-annotate --json in >out
		jq -s 'map(select(.instruction == null and .address and (.function | not))) | length' out >bare
		[ "$(cat bare)" -eq 0 ]
	done
}

# lines_beside_perf FILE SYMBOL...: and the lines that perf adds up
lines_beside_perf() {
	local file=$1 symbol
	for symbol in "${@:2}"; do
		echo "$file $symbol"
		spread "$file" "$symbol" | weighed "$(realpath "$file")" "$(id_of "$file")" >in
		perf annotate -i in --stdio -l 2>/dev/null |
			perl -ne 'exit if /^ Percent/; print "$2 $1\n" if /^\s*([\d.]+) +(\S+:\d+)$/' |
			sort >due
		[ -s due ]
		pp-annotate --json in | of_lines >got
		# a hundredth comes of rounding
		join due got |
			awk '{ d = $2 - $3; if (d > 0.011 || d < -0.011) { print; bad = 1 } } END { exit bad }'
		[ "$(cut -d' ' -f1 due)" = "$(cut -d' ' -f1 got)" ] || { diff due got; return 1; }
	done
}

asked() {
	need perf
	need objdump
	source_of_prog
	program prog
	spread prog work | weighed "$PWD/prog" "$(id_of prog)" >in
	need_capstone in
}

@test "annotate: addresses and percents are those of perf annotate" {
	asked
	beside_perf prog work main
	lines_beside_perf prog work
}

# bats test_tags=nightly
@test "annotate: so they are of larger functions, of C, C++ and Rust, and of a library" {
	asked
	cat >more.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		struct list { struct list *next; int key; char name[20]; };
		__attribute__((noinline)) struct list *sorted(struct list *in)
		{
			struct list *out = NULL;
			while (in) {
				struct list *one = in, **at = &out;
				in = in->next;
				while (*at && (*at)->key < one->key)
					at = &(*at)->next;
				one->next = *at;
				*at = one;
			}
			return out;
		}
		__attribute__((noinline)) unsigned hash(const char *s, size_t n)
		{
			unsigned h = 5381;
			for (size_t i = 0; i < n; i++)
				h = h * 33 ^ (unsigned char)s[i];
			return h;
		}
		__attribute__((noinline)) double sum(const double *a, const double *b, int n)
		{
			double s = 0;
			for (int i = 0; i < n; i++)
				s += a[i] * b[i];
			return s;
		}
		__attribute__((noinline)) int choose(int c)
		{
			switch (c) {
			case 0: return rand();
			case 1: return 77;
			case 2: return (int)strlen(getenv("HOME"));
			case 3: return -c;
			case 4: return abs(rand());
			case 5: return c << 7;
			default: return 0;
			}
		}
		int main(int c, char **v)
		{
			double a[9] = { c };
			struct list l = { NULL, c, "" };
			return choose(c) + (int)hash(v[0], 3) + (int)sum(a, a, 9) + sorted(&l)->key;
		}
	END
	cc -O2 -g -o more more.c
	beside_perf more sorted hash sum choose main
	lines_beside_perf more sorted hash sum choose
	cc -O0 -g -o plain more.c
	beside_perf plain sorted hash sum choose main
	lines_beside_perf plain sorted hash sum choose main
	cc -O3 -g -fPIC -shared -o more.so more.c
	beside_perf more.so sorted hash sum choose
	cat >more.cc <<-'END'
		#include <algorithm>
		#include <map>
		#include <string>
		#include <vector>
		struct by_length {
			bool operator()(const std::string &a, const std::string &b) const
			{
				return a.size() < b.size();
			}
		};
		__attribute__((noinline)) void sorted(std::vector<std::string> &v)
		{
			std::sort(v.begin(), v.end(), by_length());
		}
		__attribute__((noinline)) int count(const std::vector<std::string> &v)
		{
			std::map<std::string, int> words;
			for (auto &word : v)
				words[word]++;
			return words.size();
		}
		int main(int c, char **v)
		{
			std::vector<std::string> words(v, v + c);
			sorted(words);
			return count(words);
		}
	END
	c++ -O2 -g -o cxx more.cc
	# shellcheck disable=SC2046 # words
	beside_perf cxx $(largest cxx 7)
	lines_beside_perf cxx _Z5countRKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE
	if rustc --version >/dev/null 2>&1; then
		cat >more.rs <<-'END'
			use std::collections::HashMap;
			#[inline(never)]
			fn primes(n: usize) -> usize {
				let mut sieve = vec![true; n];
				for i in 2..n {
					if sieve[i] { for j in (2 * i..n).step_by(i) { sieve[j] = false; } }
				}
				sieve.iter().filter(|x| **x).count()
			}
			#[inline(never)]
			fn words(text: &str) -> usize {
				let mut seen = HashMap::new();
				for word in text.split(' ') { *seen.entry(word).or_insert(0) += 1; }
				seen.len()
			}
			fn main() { println!("{}", primes(9) + words("a b a")); }
		END
		rustc -O -g -C link-arg=-Wl,--build-id -o rust more.rs
		# shellcheck disable=SC2046 # words
		beside_perf rust $(nm rust | sed -n 's/.* t \(_.*4more\(6primes\|5words\).*\)/\1/p')
	fi
	libc=$(ldd "$(command -v cat)" | sed -n 's/.*libc.so.6 => \(\S*\) .*/\1/p')
	# shellcheck disable=SC2317 # by the functions that annotate.bash has
	nm() { command nm -D "$@" | sed 's/@@.*//'; }
	beside_perf "$libc" qsort_r getenv bsearch strfry hsearch_r
}

# largest FILE COUNT: functions by their size
largest() {
	nm -S --size-sort -r "$1" | sed -n 's/^[0-9a-f]* [0-9a-f]* [tTW] \(\S*\)$/\1/p' |
		grep -v '\.' | sed "$2q"
}
