# runs.bash - streams of a command that was run again and again, for what is made of repeats.

# hex: of standard input, without spaces
hex() { od -An -v -tx1 | tr -d ' \n'; }

# runs N|SIDE:N...: for each a run of 1 ms and N counts
runs() {
	cat <<-'END'
		header
		attr id=1 type=1 config=2 sample_type=0 read_format=3 flags=disabled
		attr id=2 type=1 config=1 sample_type=0 read_format=3 flags=disabled
		event_update id=2 unit=msec
		event_update id=2 scale=1e-6
		stat_config entries=0:1,1:0,2:1
	END
	local value=0 time=0 note side
	for n; do
		side=0
		[[ $n != *:* ]] || side=${n%:*} n=${n#*:}
		value=$((value + n)) time=$((time + 1000000))
		echo "stat id=1 cpu=-1 thread=0 val=$value ena=$time run=$time"
		echo "stat id=2 cpu=-1 thread=0 val=$time ena=$time run=$time"
		echo "stat_round type=0 time=$time"
		note="{\"rounds\":[0,0],\"elapsed\":$((n * 100000)),\"user\":500000,\"sys\":100000,\"status\":0,\"side\":$side}"
		printf 'round hex=%s%s%s%s%s%s\n' 50504e4f54453100 0100000000000000 09000000 \
			"$(printf '%02x000000' ${#note})" "$(printf count.run | hex)" "$(printf %s "$note" | hex)"
	done
}
