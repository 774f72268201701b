# merge.bash - what the tests of pp-merge share: streams of given times, and what is in a stream.

# order FILE: a word for each record behind the head: its time; R for a round; else its type's name
order() {
	records "$1" | awk '$2 == "HEADER_ATTR" { next }
		$2 == "FINISHED_ROUND" { $5 = "R" }
		$5 == "-" || $5 == 0 { $5 = $2 }
		{ printf "%s%s", blank, $5; blank = " " }'
}

# times FILE WORD...: a stream with a sample for each number, a round for each R
times() {
	local file=$1 word
	shift
	{
		echo header
		echo attr id=1
		for word; do
			[ "$word" = R ] && echo round || echo "sample time=$word"
		done
	} | build >"$file"
}

# said FILE: of each sample event, id, ip, pid, time
said() {
	json "$1" | jq -r 'select(.type == "SAMPLE") | [.event, (.fields.identifier // .fields.id),
		.fields.ip, .fields.pid, .fields.time] | map(tostring) | join(" ")'
}
