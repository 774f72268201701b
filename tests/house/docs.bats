# docs.bats - the documentation says what the tools do: options of every man page, its sections,
# and its examples, which run.

setup() {
	load ../helper
	load examples
}

page() { echo "$ROOT/tools/$1.1"; }

# table TOOL: `-x --name ARG` a line, as the tool lists them; one that is more than a word is "..."
table() {
	"$1" --list-options | awk -F'\t' '$1 $2 {
		if ($1 !~ /^-.$/) $1 = ""
		gsub(/[][]/, "", $3)
		if ($3 ~ /[^A-Za-z]/) $3 = "..."
		print $1, $2, $3 }' | sed 's/^ *//; s/ *$//; s/  */ /g' | sort
}

# documented TOOL: the same, as its man page says in OPTIONS: `.It Fl x , Fl -name Ns = Ns Ar ARG`
documented() {
	perl -ne '
		$on = /^\.Sh OPTIONS/ if /^\.Sh/;
		next unless $on && /^\.It Fl/;
		my @options = /\bFl (-[\w?][\w-]*|[\w?])(?= |$)/g;
		my ($arg) = /.*\bFl \S+ ((?:Ns|Ar|Oo|Op|Cm) .*)$/;
		my @words = grep !/^(Ns|Ar|Oo|Oc|Op|Cm|=)$/, split " ", $arg // "";
		$arg = @words > 1 || "@words" =~ /[^A-Za-z]/ ? "..." : "@words";
		print join(" ", (map { "-$_" } @options), grep length, $arg), "\n"' "$(page "$1")" | sort
}

# section TOOL NAME: what the page shows there, as it is to be typed
section() {
	page_text "$(page "$1")" | awk -v name="$2" '/^[A-Z]/ { on = $0 == name; next } on'
}

# examples TOOL: the commands in EXAMPLES, which stand further in than the words around them
examples() {
	section "$1" EXAMPLES | perl -e '
		$_ = do { local $/; <STDIN> };
		s/(?:\\|\|)\K\n +/ /g;
		s/\\ / /g;
		print map { s/^ +(?:[\$#] )?//r . "\n" } grep { /^ {6,}\S/ } split /\n/'
}

@test "every tool has a man page" {
	for tool in $(tools); do
		echo "$tool"
		[ -f "$(page "$tool")" ]
	done
}

@test "mandoc has nothing to say about the man pages" {
	need mandoc
	for file in "$ROOT"/tools/*.1; do
		echo "$file"
		mandoc -T lint -W warning "$file"
	done
}

@test "no heading of a man page is taken for a macro" {
	# mandoc does not warn, since a heading may have macros
	local macros='Ad|An|Ap|Ar|At|Cd|Cm|Do|Dq|Em|Er|Ev|Fa|Fl|Fn|Ic|In|Li|Nm|No|Ns|Op|Pa|Ql|So|St|Sy|Tn|Va|Xr'
	! grep -nE "^\.S[hs] ([^\"]* )?($macros)( |$)" "$ROOT"/tools/*.1 "$ROOT"/man/*.[57]
}

@test "a man page has every option of its tool and no other, with letter, name and argument" {
	for tool in $(tools); do
		echo "$tool: < the tool, > its page"
		table "$tool" >expected
		documented "$tool" >got
		[ -s got ]
		diff expected got
	done
}

@test "what --help hides, the page of the tool names outside its list of options" {
	for tool in $(tools); do
		awk '/^\.Sh/ { on = /OPTIONS/ } on && !/^\.It/' "$(page "$tool")" >words
		"$tool" --list-hidden | cut -f1,2 | tr '\t' '\n' | sed '/^$/d' | while read -r option; do
			echo "$tool $option"
			grep -qE -e "(Fl|,) ${option#-}( |\$)" words
		done
	done
}

@test "a man page has the sections that every page has" {
	for tool in $(tools); do
		for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'EXIT STATUS' 'SEE ALSO'; do
			echo "$tool: $section"
			grep -qxE "\.Sh \"?$section\"?" "$(page "$tool")"
		done
		grep -qx ".Nm $tool" "$(page "$tool")"
	done
}

@test "EXIT STATUS names 0, misuse, damage and system errors" {
	need mandoc
	for tool in $(tools); do
		section "$tool" 'EXIT STATUS' >text
		for status in 0 2 3 4; do
			[ "$status" != 3 ] || "$tool" --list-options | grep -q -- --no-verify || continue # a source reads none
			echo "$tool: $status"
			grep -qw $status text
		done
	done
}

@test "every tool has an example, and only tools that exist are named" {
	need mandoc
	tools >names
	for tool in $(tools); do
		echo "$tool"
		examples "$tool" >commands
		grep -q "$tool" commands
		grep -oE '\bpp-[a-z]+\b' commands | sort -u >named
		[ "$(grep -vxFf names named)" = "" ]
	done
}

# ---- examples run

# bats test_tags=nightly
@test "the examples of the man pages run" {
	need mandoc
	stand_ins
	stream >stream.in
	for tool in $(tools); do
		examples "$tool" >commands
		all_run commands
	done
}

@test "perfpipe(7) names every tool, and the page of every tool names it" {
	need mandoc
	overview=$ROOT/man/perfpipe.7
	mandoc -T lint -W warning "$overview"
	for tool in $(tools); do
		echo "$tool"
		awk '/^\.Sh/ { on = /SEE ALSO/ } on' "$overview" | grep -qE "^\.Xr $tool 1( ,)?$"
		awk '/^\.Sh/ { on = /SEE ALSO/ } on' "$(page "$tool")" | grep -qE '^\.Xr perfpipe 7( ,)?$'
	done
	for section in 'EXIT STATUS' SIGNALS ENVIRONMENT CONVENTIONS; do
		grep -qx ".Sh $section" "$overview"
	done
	make -n -C "$ROOT" --no-print-directory B="$PWD/b" V=1 install >log
	for page in "$ROOT"/man/*.[57]; do grep -qF "man/${page##*/}" log; done
}

@test "the pages warn of perf's own faults, and name the remedies" {
	tr -s '\n' ' ' <"$ROOT/man/perfpipe-faults.7" | sed 's/\.Xr //g; s/\.Ql //g' >text
	for fault in 'HEADER_COMPRESSED not set' 'report --task' 'buildid-list' 'kmem stat' 'kwork report' \
		'timechart' 'sched timehist' 'sched latency' 'trace -i' 'inject -b' '-aslr' \
		'tail-synthesize' 'overwrite' 'Invalid HEADER_CPU_DOMAIN_INFO' '--for 7.3' \
		'stat record -I' 'stat report --per-core' 18446744073709551609 duration_time \
		pp-decompress pp-save pp-inject pp-cat pp-count; do
		echo "$fault"
		grep -qF -e "$fault" text
	done
	grep -q 'HEADER_COMPRESSED not set' "$(page pp-decompress)"
	grep -q 'Xr pp-decompress 1' "$(page pp-compress)"
	for command in trace 'kmem stat' 'kwork report' timechart 'sched timehist' 'inject -b' 'record --tail-synthesize'; do
		grep -q "perf $command" "$(page pp-save)"
	done
	grep -q HEADER_CPU_DOMAIN_INFO "$(page pp-cat)"
}

# bats test_tags=nightly
@test "pp-decompress and pp-save are remedies: perf reads what it could not" {
	need_tracepoints
	perf_quiet record -q -z -e cpu-clock -o - -- true >z.pipe
	pp-decompress -i z.pipe -o plain.pipe
	perf_quiet report --stdio --task -i plain.pipe | grep -q true
	perf_quiet record -q -e sched:sched_switch,raw_syscalls:sys_enter -o - -- "${CALLS[@]}" >trace.pipe
	pp-save -i trace.pipe -o trace.data
	perf_quiet sched timehist -i trace.data | grep -q perl
	perf_quiet inject -b -i trace.data -o injected.data
	perf_quiet script -i injected.data | grep -q perl
	for option in --tail-synthesize --overwrite; do
		perf_quiet record -q "$option" -e cpu-clock -o - -- "${WORK[@]}" >late.pipe
		pp-save -i late.pipe -o late.data
		perf_quiet script -i late.data | grep -q perl
	done
}

@test "pages, README, --help and messages have none of the sentences that readers stumbled over" {
	{
		cat "$ROOT"/README.md "$ROOT"/ARCHITECTURE.md "$ROOT"/CONTRIBUTING.md "$ROOT"/tests/README.md "$ROOT"/man/*.[57] "$ROOT"/tools/*.1
		cat "$ROOT"/tools/*.c "$ROOT"/tools/*/*.[ch] "$ROOT"/libpipe/*/*.[ch]
		for tool in $(tools); do "$tool" --help; done
	} | sed 's/^\.[A-Z][a-z] //; s/^[[:space:]]*"//; s/"$//' | tr -s '\n\t' '  ' >text
	[ "$(wc -c <text)" -gt 100000 ]
	while IFS= read -r sentence; do
		echo "$sentence"
		run ! grep -qF "$sentence" text
	done <<-'END'
		the answer is no
		the system said no
		The system said no
		All that can fail is done
		It has its name from the start
		With none of all this
		under its name when it is whole
		when it is whole
		keep the first in time of each value
		cannot be judged; it passes too
		their number is told
		others lie.
		holds the others up
		nobody knows which of
		nobody knows how far
		show how the expression is asked
		is no span of time
		no time of the wall clock
		can only make such a stream
		what they weighed is said
		What has a slash is no name
		Of others only the sum
		is said and passed over
		what is long of it
		each as heavy as the other,
		what it says of them is said
		it is said what would do
		of which only those count
	END
	# How it is said instead.
	for sentence in '1 check failed' '4 system error (I/O, permission, memory)' 'renamed into place only when it is complete' \
		'All setup that can fail happens before any output.' 'all CPUs are recorded.' \
		'Keep only the earliest matching sample of each distinct value' 'cannot be evaluated; they pass, and are counted on' \
		'others write wrong ones' 'A silent live input stalls the merge' 'the clocks cannot be aligned' \
		'print the evaluation plan and exit' "expected FROM,TO in seconds or 'YYYY-MM-DD HH:MM:SS'" \
		'perf can only produce such a stream and display it'; do
		echo "$sentence"
		grep -qF "$sentence" text
	done
}

@test "what an example leaves out for others' eyes is not in its output" {
	need mandoc
	build >web.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		feature HOSTNAME string "secret-host"
		feature CMDLINE list "perf" "secret-command"
		comm pid=7 comm=nginx exec time=1000
		comm pid=8 comm=other-comm exec time=1000
		mmap2 pid=8 tid=8 start=0x1000 len=0x1000 file=/other-map time=1001
		repeat 4 {
		sample pid=$(7+i%2) time=$(i+2000) ip=0x1000
		}
		round
	END
	grep -q other-comm web.pipe
	examples pp-filter | grep -e --prune >commands
	while IFS= read -r command; do
		echo "$command"
		bash -c "$command"
	done <commands
	for name in other-comm other-map; do
		run ! grep -q "$name" nginx.pipe
	done
	run ! grep -qE "secret|other" bare.pipe
	[ "$(json bare.pipe | grep -c '"comm":"nginx"')" -eq 1 ]
	# the page says that this one still has them
	grep -q secret-host nginx.pipe
	section pp-filter EXAMPLES | grep -q 'name of the host'
}

@test "an example that runs until ^C is not one that ends by itself" {
	need mandoc
	examples pp-split | grep -q '^pp-record -a | pp-split .*--keep'
}

@test "the filter and the ordered sink of CONTRIBUTING compile and run" {
	need "${CC:-cc}" pkg-config jq
	for file in "$ROOT"/tools/{cli,shared}/*.c; do
		file=${file#"$ROOT/"}
		shared+=("$BIN/${file%.c}.o")
	done
	for name in pp-nth pp-gap; do
		source=$TESTS/house/examples/$name.c
		[ "$(wc -l <"$source")" -lt 45 ]
		# shellcheck disable=SC2046
		"${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -DVERSION='"0"' -I"$ROOT/libpipe/include" \
			-I"$ROOT/tools" -I"$BIN/include" -o $name "$source" "${shared[@]}" "$BIN"/libperfpipe.a \
			$(pkg-config --libs libzstd libxxhash libelf libdw liblzma zlib) -liberty
	done
	stream="$ROOT/tests/streams/tracepoint.pipe"
	times=$(pp-dump --json --type sample "$stream" | jq -r '.fields.time // empty' | sort -n)
	./pp-nth --nth 3 "$stream" | pp-dump --json --type sample | jq -r '.fields.time // empty' | sort -n >thin
	[ "$(wc -l <thin)" -eq $((($(wc -l <<<"$times") + 2) / 3)) ]
	run -0 ./pp-gap "$stream"
	[ "$output" = "$(awk 'NR > 1 && $1 - last > gap { gap = $1 - last } { last = $1 }
		END { printf "%d.%09d s", gap / 1e9, gap % 1e9 }' <<<"$times")" ]
	head -c -5 "$stream" >cut
	run -3 ./pp-gap cut
}
