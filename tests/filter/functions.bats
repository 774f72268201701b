# functions.bats - pp-filter and its kin: names of functions and lines in expressions, beside jq and
# pp-script's JSON.

setup() {
	load ../helper
	mkdir empty
}

# What pp-script says of the samples of a stream, by the names in the stream alone.
samples() {
	pp-script --json -q -F comm,tid,time,ip,sym,srcline --root "$PWD/empty" "$@" 2>/dev/null | tail -n +2
}

# Each expression, and the same in the words of jq.
expressions() {
	cat <<-'END'
		sym == "Perl_pp_gvsv" | sym == "Perl_pp_gvsv"
		sym != "Perl_pp_gvsv" | sym != "Perl_pp_gvsv"
		sym in {"main", "deflate", "Perl_pp_lt"} | (sym | IN("main", "deflate", "Perl_pp_lt"))
		sym =~ "^Perl_pp_[a-g]" | (sym | test("^Perl_pp_[a-g]"))
		sym ~ "*mem*" | (sym | contains("mem"))
		sym == "" | sym == ""
		defined(sym) | sym != ""
		any_sym == "main" | any(syms[]; . == "main")
		any_sym == "deflate" || sym == "main" | any(syms[]; . == "deflate") or sym == "main"
		!(any_sym == "gzprintf") | (any(syms[]; . == "gzprintf") | not)
		any_sym != "main" | any(syms[]; . != "main")
		any_sym == "_IO_new_file_xsputn" | any(syms[]; . == "_IO_new_file_xsputn")
		any_sym !~ "." | any(syms[]; . == "")
		parent_sym == "write_invoice" | parent == "write_invoice"
		parent_sym != "" | parent != ""
		parent_sym == "" | parent == ""
		srcline == "libc-start.c:360" | line == "libc-start.c:360"
		srcline != "" | line != ""
		srcline =~ ":[0-9]+$" | (line | test(":[0-9]+$"))
		srcfile != "" | line != ""
		comm != "sh" && any_sym =~ "^[a-z]" | .comm != "sh" and any(syms[]; test("^[a-z]"))
	END
}

words='def frames: .callchain // [.]; def sym: frames[0].sym // ""; def parent: frames[1].sym // "";
	def syms: [frames[] | .sym // ""]; def line: frames[0].srcline // "";'

@test "functions in expressions: they choose what jq chooses of pp-script's JSON" {
	local stream expression same n=0
	for stream in demo picture; do
		samples "$TESTS/streams/$stream.pipe" >all
		while IFS= read -r line; do
			# the last " | " that is outside of a jq bracket is the first one here
			expression=${line%% | *}
			same=${line#* | }
			jq -c "$words select($same)" all >want
			pp-filter -q "$expression" "$TESTS/streams/$stream.pipe" >out
			samples out | jq -c . >got
			echo "$stream: $expression: $(wc -l <want), not $(wc -l <got)"
			diff want got >/dev/null
			n=$((n + $(wc -l <want)))
		done < <(expressions)
	done
	[ "$n" -gt 1000 ]
}

@test "functions in expressions: pp-report, pp-top and pp-export choose the same" {
	local in=$TESTS/streams/picture.pipe expression='any_sym == "deflate" && sym != "deflate"'
	pp-filter "$expression" "$in" >out
	pp-report -q --json --root empty out | jq -s '[.[] | .samples // 0] | add' >want
	[ "$(cat want)" -gt 10 ]
	pp-report -q --json --root empty --filter "$expression" "$in" |
		jq -s '[.[] | .samples // 0] | add' | diff want -
	pp-top -q --once --decay 0 --root empty --filter "$expression" "$in" | grep -q " $(cat want) samples"
	pp-export -q --to speedscope --root empty out >a
	pp-export -q --to speedscope --root empty --filter "$expression" "$in" >b
	jq -S '[.profiles[] | .weights | add]' a >want
	jq -S '[.profiles[] | .weights | add]' b | diff want -
}

kernel_functions() {
	local k=0xffffffff81000
	cat <<-END | build
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm,ksymbol
		ksymbol addr=${k}000 len=256 ksym_type=1 name="f(int)" time=1
		ksymbol addr=${k}100 len=256 ksym_type=1 name="f@plt" time=1
		ksymbol addr=${k}200 len=256 ksym_type=1 name="ns::operator()(char) const" time=1
		comm pid=7 comm=seven time=5
		sample id=1 misc=1 pid=7 tid=7 time=10 ip=${k}010 callchain=-128,${k}010,${k}110
		sample id=1 misc=1 pid=7 tid=7 time=11 ip=${k}110 callchain=-128,${k}110
		sample id=1 misc=1 pid=7 tid=7 time=12 ip=${k}210 callchain=-128,${k}210,${k}010
		sample id=1 misc=2 pid=7 tid=7 time=13 ip=0x10
		round
	END
}

# chosen EXPRESSION: the times of the samples
chosen() {
	pp-filter -q "$@" in | pp-dump --json | jq -r 'select(.type == "SAMPLE") | .fields.time' | tr '\n' ' '
}

@test "functions in expressions: a function goes by its name without parameters, too" {
	kernel_functions >in
	[ "$(chosen 'sym == "f"')" = '10 ' ]
	[ "$(chosen 'sym == "f(int)"')" = '10 ' ]
	[ "$(chosen 'sym == "f@plt"')" = '11 ' ]
	[ "$(chosen 'sym != "f"')" = '11 12 13 ' ]
	[ "$(chosen 'sym =~ "^f$"')" = '10 ' ]
	[ "$(chosen 'sym ~ "ns::operator()"')" = '12 ' ]
	[ "$(chosen 'any_sym == "f"')" = '10 12 ' ]
	[ "$(chosen 'parent_sym == "f"')" = '12 ' ]
	[ "$(chosen 'parent_sym == ""')" = '11 13 ' ]
	[ "$(chosen 'defined(sym)')" = '10 11 12 ' ]
	# the first sample of each function
	[ "$(chosen --first-per sym)" = '10 11 12 13 ' ]
}

@test "functions in expressions: a stream without names of functions is refused, one without samples is not" {
	run -2 --separate-stderr pp-filter 'sym == "x"' "$TESTS/streams/switch.pipe" -o out
	[[ $stderr == *"this stream has no names of functions: pp-symbol it first"* ]]
	[ ! -e out ]
	run -2 pp-filter --prune 'any_sym == "x"' "$TESTS/streams/switch.pipe" -o out
	pp-filter -e none "$TESTS/streams/switch.pipe" >none
	pp-filter -q 'sym == "x"' none >/dev/null
	# where files may have them it is no mistake
	pp-report -q --root empty --filter 'sym == "x"' "$TESTS/streams/switch.pipe" >/dev/null
}

@test "functions in expressions: what is pruned keeps the names of what is left" {
	pp-filter -q --prune 'sym == "Perl_pp_lt"' "$TESTS/streams/demo.pipe" >out
	samples out >got
	samples "$TESTS/streams/demo.pipe" | jq -c 'select((.callchain // [.])[0].sym == "Perl_pp_lt")' |
		diff - <(jq -c . got)
	[ -s got ]
	# as does one that was chosen already
	pp-filter -q 'sym == "Perl_pp_lt"' out | samples | diff got -
}

@test "functions in expressions: any chunking, and what lies beside, changes nothing" {
	pp-filter -q 'any_sym == "main"' "$TESTS/streams/picture.pipe" >want
	trickle "$TESTS/streams/picture.pipe" 777 | pp-filter -q 'any_sym == "main"' | cmp - want
	pp-filter -q 'any_sym == "main"' want | cmp - want
	pp-sort "$TESTS/streams/picture.pipe" | pp-filter -q 'any_sym == "main"' | samples |
		diff - <(samples want)
}
