# suggestions.bats - what a refusal offers in place of a name that there is not: options, keys, fields,
# metrics, events; and what takes the place of options that only perf has.

setup() {
	load ../../helper
	load cli
	CURES=$ROOT/tools/cli/cures.c
}

# first LINE COMMAND...: it is misuse, and that is the first line of what it says
first() {
	local line=$1
	shift
	echo "$*"
	run -2 --separate-stderr "$@" </dev/null
	[ "${stderr_lines[0]}" = "$line" ] || { echo "$stderr"; return 1; }
}

# bats test_tags=T3-E5
@test "an option that is nearly one is refused, and the one that was meant is named" {
	misused pp-record "unknown option '--evnet'; did you mean --event?" --evnet=cycles
	misused pp-report "unknown option '--sotr'; did you mean --sort?" --sotr comm
	misused pp-filter "unknown option '--commm'; did you mean --comm?" --commm=x
	misused pp-cat "unknown option '--littleendian'; did you mean --little-endian?" --littleendian
	misused pp-sort "unknown option '--no-such-option'" --no-such-option
	# options for programs are not offered
	misused pp-sort "unknown option '--list-optoins'" --list-optoins
	for tool in $(tools); do
		run -2 --separate-stderr "$tool" --hepl
		[[ ${stderr_lines[0]} == "$tool: unknown option '--hepl'; did you mean --help"[?,]* ]]
	done
}

# bats test_tags=T3-E5
@test "keys, fields and metrics that are nearly some are named after the refusal" {
	pp-gen --samples 10 >in
	first "pp-report: no key 'symbl'; did you mean symbol?" pp-report -s comm,symbl in
	first "pp-report: no key 'ovrehead'; did you mean overhead?" pp-report -F ovrehead in
	first "pp-top: no key 'trnsaction'; did you mean transaction?" pp-top --once -s trnsaction in
	run -2 --separate-stderr pp-report -s nothing in
	[[ $stderr == "pp-report: no key 'nothing': there are pid, comm, "* ]]
	first "pp-script: --fields: 'comm,tmie' has a field that is not known; did you mean time, tid?" pp-script -F comm,tmie in
	first "pp-script: --fields: '-srclin' has a field that is not known; did you mean srcline?" pp-script -F -srclin in
	first "pp-script: --fields: 'sw:cpuu' has a field that is not known; did you mean cpu?" pp-script -F sw:cpuu in
	first "pp-script: --fields: 'ip,nothing' has a field that is not known: pp-script(1) lists them" pp-script -F ip,nothing in
	first "pp-filter: no field is called 'cgruop'; did you mean cgroup?" pp-filter 'cgruop == 1' in
	first "pp-count: there is no metric and no group of metrics 'insn_per_cylce'; did you mean insn_per_cycle?" \
		pp-count -M insn_per_cylce true
	first "pp-record: no event is called 'cpu-clcok'; did you mean cpu-clock?" pp-record -e cpu-clcok true
}

# bats test_tags=T3-E5
@test "an option that only perf has is refused with what takes its place" {
	misused pp-report "unknown option '-D'; pp-dump prints every record" -D
	misused pp-stat "unknown option '-a'; that is how counts are made: give it to pp-count, as in pp-count -a | pp-stat" -a
	misused pp-count "unknown option '--per-core'; that is how counts are shown: give it to pp-stat, as in pp-count -a | pp-stat" --per-core
	# but not of another tool
	misused pp-sort "unknown option '-D'" -D
}

# cured: `TOOL OPTION` a line, as the table has them
cured() {
	perl -0777 -ne 's/"\s+"//g; while (/\{ "(pp-\w+)", "([^"]+)"/g) { print "$1 $_\n" for split " ", $2 }' "$CURES"
}

@test "what has a cure is no option of the tool, and cures name options and tools that there are" {
	local tool option text
	cured >rows
	[ "$(wc -l <rows)" -gt 100 ]
	[ -z "$(sort rows | uniq -d)" ]
	for tool in $(tools); do
		listed "$tool" | cut -f1,2 | tr '\t' '\n' | grep -e - | sed "s/^/$tool /"
	done >options
	sed -E 's/ (..)/ --\1/; s/ (.)$/ -\1/' rows >refused
	run -1 grep -xFf options refused
	while read -r tool option; do
		echo "$tool $option"
		# an abbreviation of ours is not taken either
		! "$tool" "$option" </dev/null >out 2>err
		read -r text <err
		[[ $text == "$tool: unknown option '$option'; "* ]]
		echo "$tool ${text#*\'; }" >>texts
	done <refused
	# options after the name of a tool are that tool's, the others the one's that refuses
	perl -ne '
		my ($now, @words) = split " ";
		for (@words) {
			$now = $_ =~ /^pp-/ ? $_ : "" if /^(?:\||perf,?$|pp-\w+$)/;
			print "$now $1\n" if $now && /^(--?\w[\w-]*)/;
		}' texts | sort -u >named
	[ "$(wc -l <named)" -gt 20 ]
	run -1 grep -vxFf options named
	refute_output
}
