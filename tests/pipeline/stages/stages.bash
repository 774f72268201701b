# stages.bash - the filters as stages that have nothing to do, and streams for them: loaded by the
# tests of what every stage owes its neighbours.

# The filters, each as a stage that has nothing to do: `stage NAME [OPTION...]` reads standard
# input.  judge is pp-filter with a question that has to be asked in the order of times.
STAGES=(filter judge sort inject unwind decompress squeeze)
LETS_THROUGH='comm == "x" || pid >= 0 || pid < 0'
stage() {
	local name=$1
	shift
	case $name in
	filter) pp-filter "$@" ;;
	judge) pp-filter "$@" "$LETS_THROUGH" ;;
	sort) pp-sort "$@" ;;
	inject) pp-inject -q -b "$@" ;;
	unwind) pp-unwind -q "$@" ;;
	decompress) pp-decompress "$@" ;;
	squeeze) pp-compress "$@" | pp-decompress "$@" ;;
	esac
}

# start NAME: the same as the process that it is, with signals as a terminal would have them
start() {
	case $1 in
	filter) set -- pp-filter ;;
	judge) set -- pp-filter "$LETS_THROUGH" ;;
	sort) set -- pp-sort ;;
	inject) set -- pp-inject -q -b ;;
	unwind) set -- pp-unwind -q ;;
	decompress) set -- pp-decompress ;;
	compress) set -- pp-compress ;;
	esac
	exec perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV; die' "$@"
}

# body FROM ROUNDS: the lines of so many rounds in order, with all kinds of records
body() {
	cat <<-END
		repeat $2 {
		sample pid=7 cpu=0 time=\$(($1+i)*1000+100) ip=0x1000
		comm pid=7 comm=work time=\$(($1+i)*1000+200)
		lost id=1 lost=3 time=\$(($1+i)*1000+210)
		record 4000 0 \$(10+i)
		sample pid=8 cpu=1 time=\$(($1+i)*1000+300) ip=0x2000
		auxtrace idx=1 bytes=\$(8+i*24)
		round
		}
	END
}

head_lines() {
	cat <<-'END'
		header
		attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=3 sample_type=TID,TIME,IDENTIFIER,RAW flags=sample_id_all config=3
		feature HOSTNAME string "a-host"
		event_update id=1 name=cpu-clock
		comm pid=7 comm=first synthesized
		init
	END
}

# sorted_stream ROUNDS: a small one, in order and plain
sorted_stream() { { head_lines; body 1 "$1"; } | build; }
