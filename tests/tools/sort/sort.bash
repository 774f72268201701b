# sort.bash - what the tests of pp-sort share: streams in disorder, and the order of a stream.

# order [FILE]: a word for each record behind the attributes: its time; R for a round; the name
# of its type where it has no time
order() {
	records "$@" | awk '$2 == "HEADER_ATTR" { next }
		$2 == "FINISHED_ROUND" { $5 = "R" }
		$5 == "-" || $5 == 0 { $5 = $2 }
		{ printf "%s%s", blank, $5; blank = " " }'
}

# times WORD...: a sample for each number, a round for each R
times() {
	local word
	for word; do
		if [ "$word" = R ]; then
			echo round
		else
			echo "sample time=$word"
		fi
	done
}

# busy ROUNDS: CPUs one after the other, each round a little behind the one before, so that all
# of it is out of order but nothing is late
busy() {
	echo header
	echo attr
	echo "repeat $1 {"
	for cpu in 0 1 2; do
		for n in 0 1 2 3 4; do
			echo "sample cpu=$cpu ip=0x1000 time=\$(1000+i*100+$n*20+$cpu*7)"
		done
		# as the kernel writes them: a little behind the sample before
		echo "mmap2 pid=7 start=0x1000 len=0x1000 file=/lib/c time=\$(1000+i*100+$cpu*7+75)"
	done
	echo round
	echo "}"
}

# generated [SHAPE...]: a stream of the shape, made up, all of it out of order
generated() {
	pp-gen --samples 8000 --cpus 3 --disorder 2ms --forks 3 --exits 2 --comms 4 --lost 5 "$@"
}

# bare FILE: its records without rounds, and without their places, as JSON lines
bare() { json "$1" | grep -v '"FINISHED_ROUND"' | sed 's/"offset":[0-9]*,"index":[0-9]*,//'; }
