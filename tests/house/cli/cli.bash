# cli.bash - what tests of the shared command line load: the tools by what their option tables
# say, the arguments that they need, and a small stream.

# listed TOOL: its table, -x, --name, ARG and help a line, and at the end its operands; with what is hidden
listed() { once_said "listed-$1" options_of "$1"; }
options_of() { "$1" --list-hidden && shown "$1"; }
# shown TOOL: the same of what --help and the completions show
shown() { "$1" --list-options; }

# rows TOOL: the same for `IFS=$US read`, to which tabs would be white space
US=$'\037'
rows() { listed "$1" | tr '\t' "$US"; }

# has TOOL OPTION
has() { listed "$1" | grep -q -- $'\t'"$2"$'\t'; }

# Those that read a stream, those that also write one, those that make one.
# (pp-save makes a file, pp-split and pp-ring make several, which have to have names: their own tests ask this.)
readers() { once_said readers those_with --no-verify | grep -vxE 'pp-(ring|save|split)'; }
filters() { once_said filters those_with --no-verify --seal | grep -vxE 'pp-(ring|save|split)'; }
sources() { grep -vxFf <(once_said readers those_with --no-verify) <(tools); }

# those_with OPTION...: the tools that have all of them
those_with() {
	local tool option
	for tool in $(tools); do
		for option; do has "$tool" "$option" || continue 2; done
		echo "$tool"
	done
}

# once_said NAME COMMAND...: what the command says, asked once in a run
once_said() {
	local kept=$SHARED/said-$1 new=$SHARED/new-$BASHPID
	[ -f "$kept" ] || { "${@:2}" >"$new" && mv "$new" "$kept"; } || return
	cat "$kept"
}

export SCRUB_KEY=$BATS_RUN_TMPDIR/scrub.key
[ -e "$SCRUB_KEY" ] || (umask 077 && printf '%064d' 7 >"$SCRUB_KEY")

# Without these the tool would have nothing to do, or not the same twice.
arguments() {
	case $1 in
	pp-export) printf '%s\n' '--to pprof' ;;
	pp-inject) printf '%s\n' '-b' ;;
	pp-scrub) echo "--key $SCRUB_KEY" ;; # or each run has one of its own
	pp-span) echo off-cpu ;;
	pp-thin) printf '%s\n' '--every 2' ;;
	pp-record|pp-count) printf '%s\n' '-e cpu-clock:u -- true' ;;
	esac
}

# reads TOOL FILE ARGUMENT...: the tool reads it; pp-diff, which compares recordings, takes it as each of four.
# BY=exec: in the place of the shell, whose process id the tool then has
reads() {
	local tool=$1 file=$2
	shift 2
	case $tool in
	pp-diff) ${BY:-} pp-diff "$@" "$file" "$file" -- "$file" "$file" ;;
	*) ${BY:-} "$tool" $(arguments "$tool") "$@" -i "$file" ;;
	esac
}
export -f arguments reads # for bash -c

# stream: a small one with all that a pipeline needs
stream() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		comm pid=7 comm=work exec time=1000
		repeat 40 {
		sample pid=7 cpu=0 time=$(i*10+2000) ip=0x1000
		}
		stat id=1 cpu=0 thread=0 val=40 ena=400 run=400
		stat_round type=1 time=400
		round
	END
}

# misused TOOL TEXT ARGUMENTS...
misused() {
	local tool=$1 text=$2
	shift 2
	echo "$tool $*"
	run -2 --separate-stderr "$tool" "$@" </dev/null
	[ -z "$output" ] || return 1
	[ "${stderr_lines[0]}" = "$tool: $text" ] || { echo "$stderr"; return 1; }
	[ "${stderr_lines[1]}" = "Try '$tool --help'." ] || return 1
	[ "${#stderr_lines[@]}" -eq 2 ]
}
