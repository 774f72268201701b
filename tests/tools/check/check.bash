# check.bash - what tests of pp-check load: small streams, and what it finds in them.

# with [LINE...]: a small sound stream, and these lines at its end
with() {
	{
		cat <<-'END'
			header
			attr id=1,2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN flags=sample_id_all,comm
			attr id=3 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW type=2 config=4
			comm pid=7 comm=work synthesized
			sample pid=7 cpu=0 time=1000 ip=0x1000 callchain=0x1000,0x2000
			sample attr=1 pid=7 cpu=0 time=1100 ip=0x1000 raw=01020304
			round
		END
		printf '%s\n' "$@"
	} | build
}

# few: one of every kind of framing, in few bytes
few() {
	build <<-'END'
		header
		attr id=1 size=64
		comm pid=7 comm=a time=10
		sample pid=7 time=1000
		round
		auxtrace bytes=24
		sample pid=7 time=2000
		round
	END
}

# finds LEVEL STATUS KIND TEXT...: pp-check of ./in ends with this status and has one finding, of
# this level and kind, with these in its line; with `--strict` the status is 3 in any case
finds() {
	run "-$2" --separate-stderr pp-check in
	echo "$output"
	for text in "${@:4}"; do
		[[ $output == *"$1: "*"$text"* ]]
	done
	pp-check --json in >lines 2>messages || [ "$?" -eq "$2" ]
	[ "$(jq -r 'select(.level) | .level + " " + .kind' lines)" = "$1 $3" ]
	run -3 pp-check -q --strict in
}
remarks() { finds remark 0 "$@"; }
faults() { finds fault 3 "$@"; }
