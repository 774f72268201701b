# values.bats - bash, fish and zsh complete what options take: keys, fields, metrics, words, users, control
# groups; and of a recording that the line names only what it has.

setup() {
	load ../../helper
	load cli
	pp-gen --samples 20 --events 2 >plain.pipe
	pp-gen --samples 20 --branches 3 >branches.pipe
	build >stat.pipe <<-'END'
		header
		attr id=1 name=page-faults
		attr id=2 name=duration_time
		stat id=1 cpu=0 thread=0 val=40 ena=400 run=400
		stat_round type=1 time=400
		round
	END
	# what the shells are asked at the end of each line, and what they have to offer
	cat >lines <<-'END'
		pp-report -s comm,symbol_f|symbol_from
		pp-report branches.pipe -s symbol_f|symbol_from
		pp-report plain.pipe -s symbol_f|
		pp-report -i plain.pipe --sort comm,symbol_f|
		pp-top -F overhead_c|overhead_children
		pp-script -F comm,srcl|srcline
		pp-script -F +srcl|srcline
		pp-script branches.pipe -F comm,brstacko|brstackoff
		pp-script plain.pipe -F comm,brstacko|
		pp-stat -M page_faults_per_s|page_faults_per_second
		pp-stat stat.pipe -M page_faults_per_s|page_faults_per_second
		pp-stat stat.pipe -M insn_per_cy|
		pp-count -M insn_per_cy|insn_per_cycle
		pp-fold --weight cou|count
		pp-flame --weight per|period
		pp-symbol --demangle sho|short
		pp-report --percentage rel|relative
		pp-report -g graph,folde|folded
		pp-record -u roo|root
		pp-record -j any_call,u|u
		pp-filter plain.pipe -e cycl|cycles
	END
}

# wanted: what is offered for each line
wanted() { cut -d'|' -f2 lines; }

# bats test_tags=T3-E5
@test "bash completes keys, fields, metrics and words, those of a recording that is named" {
	cut -d'|' -f1 lines >asked
	bash --norc -c '
		. "$1"
		while read -ra COMP_WORDS; do
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
			_pp "${COMP_WORDS[0]}"
			(IFS=" "; echo "${COMPREPLY[*]##*[,+]}")
		done <asked' - "$ROOT/completions/pp.bash" >got
	diff <(wanted) got
}

# bats test_tags=T3-E5
@test "bash completes a recording's keys where it is named after them, or by its option" {
	bash --norc -c '
		. "$1"
		at() { local at=$1; shift; COMP_WORDS=("$@") COMP_CWORD=$at; _pp "$1"; (IFS=,; echo "${COMPREPLY[*]}"); }
		at 2 pp-report -s symbol_f plain.pipe
		at 2 pp-report -s symbol_f branches.pipe
		at 2 pp-report -s symbol_f --input = plain.pipe
		at 2 pp-report -s symbol_f branches.pipe -o plain.pipe' - "$ROOT/completions/pp.bash" >got
	diff got <(printf '%s\n' '' symbol_from '' symbol_from)
}

# bats test_tags=T3-E5
@test "fish completes keys, fields, metrics and words, those of a recording that is named" {
	need fish
	cut -d'|' -f1 lines >asked
	fish -N -c '
		source $argv[1]
		while read -l line
			echo (complete -C $line | string split -f1 \t | string replace -r "^.*[,+]" "")
		end <asked' "$ROOT/completions/pp.fish" >got
	diff <(wanted) got
}

@test "the values of what is no recording, or would have to be waited for, are those without one" {
	mkfifo fifo
	echo nonsense >nonsense
	pp-report --list-values=KEY,... >all
	for file in fifo nonsense missing . ''; do
		echo "$file"
		timeout 60 pp-report --values-of="$file" --list-values=KEY,... >got
		diff all got
	done
	head -c -5 plain.pipe >cut
	pp-report --values-of=cut --list-values=KEY,... >got
	run -1 grep -x symbol_from got
}

@test "what a tool lists, it takes" {
	local value
	for list in 'pp-report -g TYPE,...' 'pp-record -j FILTERS' 'pp-record -u USERS' 'pp-count -M METRIC,GROUP|DIR'; do
		read -r tool option arg <<<"$list"
		"$tool" --list-values="$arg" | cut -f1 >values
		[ -s values ]
		while IFS= read -r value; do
			echo "$tool $option $value"
			"$tool" "$option" "$value" --help >out || return
		done < <(head -n 30 values)
	done
	for value in $(pp-script --list-values=FIELD,...); do
		echo "$value"
		pp-script -F "$value" --help >out || return
	done
	for value in $(pp-report --values-of=plain.pipe --list-values=KEY,...); do
		echo "$value"
		[[ $value == @(trace|parallelism|latency*) ]] || pp-report -s "$value" plain.pipe >out || return
	done
}

@test "control groups are listed by their paths" {
	pp-record --list-values=GROUPS >groups
	grep -q cgroup /proc/self/mounts || skip "no control groups are mounted here"
	grep -x / groups
}
