# options.bats - help, version and the table of options of every tool: all is there, and a letter
# means the same everywhere.

setup() {
	load ../../helper
	load cli
}

@test "every tool has a name that begins with pp- and a table of options" {
	[ "$(tools | wc -l)" -ge 7 ]
	for tool in $(tools); do
		echo "$tool"
		[[ $tool == pp-* ]]
		[ "$(listed "$tool" | wc -l)" -ge 3 ]
	done
}

@test "--help and -h say the same, on standard output, within 80 columns" {
	for tool in $(tools); do
		echo "$tool"
		run -0 --separate-stderr "$tool" --help
		help=$output
		[ -z "$stderr" ]
		[[ $help == "Usage: $tool [OPTIONS]"* ]]
		[[ $help == *"Exit status: 0 "* ]]
		[ "$(awk 'length > 80' <<<"$help")" = "" ]
		run -0 "$tool" -h
		[ "$output" = "$help" ]
	done
}

@test "--help has every option of the table, with its argument" {
	for tool in $(tools); do
		"$tool" --help >help
		while IFS=$US read -r letter name arg _; do
			[ -n "$letter$name" ] || continue
			echo "$tool $letter $name $arg"
			case $arg in
			'') grep -qE -e "^ .*$name( |\$)" help ;;
			\[*) grep -qF -e "$name[=${arg#?}" help ;;
			*) grep -qF -e "$name=$arg" help ;;
			esac
			[ -z "$letter" ] || grep -qE -e "^  $letter(,| |\$)" help
		done < <(shown "$tool" | tr '\t' "$US")
	done
}

@test "--version and -V name the tool and the version" {
	for tool in $(tools); do
		run -0 --separate-stderr "$tool" --version
		[[ $output =~ ^$tool\ \(perfpipe\)\ [0-9]+\.[0-9] ]]
		[ -z "$stderr" ]
		version=$output
		run -0 "$tool" -V
		[ "$output" = "$version" ]
	done
}

@test "a letter means the same in every tool, and so does a name" {
	for tool in $(tools); do
		listed "$tool" | awk -F'\t' -v OFS='\t' '$1 $2 { print $1, $2 }'
	done | sort -u >pairs
	# -b, -B, -i, -j and -s are of perf record and stat here, and of perf inject there; the others are those of perf stat, report, annotate and top
	cat >perfs <<-'END'
		-b	--branch-any
		-b	--bpf-prog
		-b	--branch-stack
		-i	--no-inherit
		-d	--detailed
		-T	--transaction
		-n	--null
		-I	--interval-print
		-I	--show-info
		-r	--repeat
		-S	--sync
		-x	--field-separator
		-j	--json-output
		-j	--branch-filter
		-s	--stat
		-s	--sort
		-s	--symbol
		-F	--fields
		-G	--inverted
		-G	--hide-call-graph
		-t	--field-separator
		-g	--call-graph
		-n	--show-nr-samples
		-p	--parent
		-c	--comms
		-d	--dsos
		-S	--symbols
		-B	--mmap2-buildids
		-B	--no-buildid
	END
	grep -vxF -f perfs pairs >ours
	[ "$(wc -l <pairs)" -eq $(($(wc -l <ours) + $(wc -l <perfs))) ]
	awk -F'\t' '$1 != "" && $1 in seen { print $1 ": " seen[$1] " " $2 } { seen[$1] = $2 }' \
		ours >letters
	cat letters
	[ ! -s letters ]
	# perf record has --transaction and --call-graph, perf stat -T and perf report -g for them; -F are fields of pp-top; perf's separators differ; stackcollapse-perf.pl has others as switches; what samples weigh in pp-fold is not in them; perf report's --comms names threads; pp-record's -r is a priority
	grep -vxF -e $'-T\t--transaction' -e $'-t\t--field-separator' -e $'-g\t--call-graph' -e $'-F\t--fields' -e $'\t--freq' -e $'\t--pid' -e $'\t--tid' -e $'\t--jit' -e $'\t--weight' -e $'\t--repeat' -e $'-c\t--comms' pairs | sort -t$'\t' -k2 | awk -F'\t' '$2 != "" && $2 in seen { print $2 ": " seen[$2] " " $1 }
		{ seen[$2] = $1 }' >names
	cat names
	[ ! -s names ]
}

@test "no tool has an option twice" {
	for tool in $(tools); do
		echo "$tool"
		[ "$(listed "$tool" | cut -f1 | sed '/^$/d' | sort | uniq -d)" = "" ]
		[ "$(listed "$tool" | cut -f2 | sed '/^$/d' | sort | uniq -d)" = "" ]
	done
}

@test "helps are phrases: lower case, no full stop, plain ASCII" {
	for tool in $(tools); do
		echo "$tool"
		[ "$(listed "$tool" | sed '$d' | cut -f4- | grep -E '^$|\.$|^[A-Z][a-z]' )" = "" ]
		[ "$("$tool" --help | grep -P '[^\x20-\x7e]')" = "" ]
	done
}

# bats test_tags=T3-E5
@test "operands keep their order, whatever options are between them" {
	pp-gen --samples 20 >1.pipe
	pp-filter 'cpu == 0' 1.pipe >want
	for line in '-i 1.pipe|cpu == 0' 'cpu == 0|1.pipe|-q' 'cpu == 0|-q|1.pipe' '-q|cpu == 0|-q|--|1.pipe' \
		'cpu == 0|-o|out|1.pipe|-q' 'cpu == 0|-qo|out|--|1.pipe'; do
		echo "$line"
		tr '|' '\n' <<<"$line" | sed 's/^-i /-i\n/' >words
		mapfile -t words <words
		rm -f out
		pp-filter "${words[@]}" >printed
		if [ -e out ]; then cmp out want; else cmp printed want; fi
	done
}
