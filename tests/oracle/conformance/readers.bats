# readers.bats - what other readers find in a recording is what is read.

setup() {
	load ../../helper
	load recordings
}

# bats test_tags=nightly
@test "quipper's decoded records, attributes, header, names and build-ids are ours" {
	corpus quipper
	for text in "$CORPUS"/quipper/*.pb_text "$CORPUS"/quipper/*.pb_text.gz; do
		file=${text%.gz}
		file=${file%.pb_text}
		file=${file%.pr.out}
		echo "$text"
		pp-cat --no-seal "$file" | pp-dump --json >lines.json
		run -0 perl "$TESTS/oracle/conformance.pl" quipper "$text" lines.json
		# every text has events and attributes
		[[ "$output" == *"events: "[1-9]* ]]
		[[ "$output" == *"attributes: "[1-9]* ]]
	done
}

@test "of every type of record there are as many as the corpus says" {
	corpus MANIFEST.tsv
	for file in $(recordings 0); do
		pp-cat --no-seal "$CORPUS/$file" | pp-info --json | jq -r --arg file "$file" \
			'[$file] + [.records | to_entries[] | "\(.key)=\(.value.count)"] | join(" ")' >>infos
	done
	run -0 perl "$TESTS/oracle/conformance.pl" counts "$CORPUS/MANIFEST.tsv" infos
	[[ "$output" == *"recordings: "[1-9]* ]]
}

@test "quipper's lists of build-ids are ours" {
	corpus quipper
	for list in "$CORPUS"/quipper/*.buildids; do
		echo "$list"
		pp-cat "${list%.buildids}" | pp-dump --json >lines.json
		perl "$TESTS/oracle/conformance.pl" buildids "$list" lines.json
	done
}

@test "the decoder of linux-tracepoints finds the same records in the same order, and the same names in their raw data" {
	corpus linux-tracepoints/pipe.data.json
	pp-cat --no-seal "$CORPUS/linux-tracepoints/pipe.data" | pp-dump --json >lines.json
	run -0 perl "$TESTS/oracle/conformance.pl" tracepoints "$CORPUS/linux-tracepoints/pipe.data.json" lines.json
	[[ "$output" == *"1058 compared, 0 differences" ]]
}

@test "a reader that does not know the tables finds the same in records of every type" {
	local name
	for name in every newer; do
		echo "$name"
		build <"$TESTS/streams/$name.txt" >in
		pp-dump --json --raw in >lines
		run -0 records -c lines in
		[[ "${lines[-1]}" == *": 0 differences" ]]
	done
}
