# passes.bats - what every stage passes as it is: all records, seals and notes, also out of order
# or in the other byte order.

setup() {
	load ../../helper
	load stages
}

# plain NAME: a stream of tests/streams, in order and plain
plain() {
	if [ -f "$TESTS/streams/$1.txt" ]; then
		build <"$TESTS/streams/$1.txt" | pp-sort -q
	else
		pp-sort -q -i "$TESTS/streams/$1.pipe"
	fi
}

@test "every stage passes a plain stream in order as it is" {
	sorted_stream 5 >in
	for name in "${STAGES[@]}"; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
}

@test "every stage passes every record, field and feature that perf knows as it is" {
	for stream in every newer; do
		plain "$stream" >in
		for name in filter judge sort decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <in >out
			same_bytes in out
		done
	done
}

@test "every stage passes recorded streams as they are" {
	for stream in plain dwarf group stat tracepoint switch demo zstd; do
		plain "$stream" >in
		for name in filter judge sort decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <in >out
			same_bytes in out
		done
	done
}

@test "stages that do not sort pass a stream that is out of order as it is" {
	for stream in tracepoint switch demo; do
		for name in filter judge decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <"$TESTS/streams/$stream.pipe" >out
			same_bytes "$TESTS/streams/$stream.pipe" out
		done
	done
}

@test "unknown records, features and attribute bits pass every stage" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		attr id=2 type=77 flags=0xf000000000000001 sample_type=0x8000000000010047 branch_sample_type=0x8000000000000000 unknown
		feature 200 hex 0102030405
		feature 35
		record 40 0 000102030405060708090a0b0c0d0e0f
		record 113 65535 01
		sample time=1000 id=1
		record 100000 1 ffffffffffffffff
		record 68 0 5858585858585858
		sample time=1001 id=1
		round
	END
	for name in "${STAGES[@]}"; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
}

@test "a sealed stream passes every stage as it is" {
	sorted_stream 5 | pp-filter --seal >in
	[ "$(records in | grep -c FINISHED_ROUND)" -eq 7 ]
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
}

@test "every stage seals with --seal, and takes the seals off with --no-seal" {
	sorted_stream 5 >in
	pp-filter --seal <in >sealed
	for name in filter judge sort inject decompress squeeze; do
		echo "$name"
		stage "$name" --seal <in >out
		[ "$(records out | sed -n 1p)" = "$(records sealed | sed -n 1p)" ]
		pp-sort --check -i out
		stage "$name" --no-seal <out >again
		same_bytes in again
	done
}

@test "notes pass every stage, sealed or not" {
	sorted_stream 3 | pp-inject --note commit=1234 >in
	[ "$(grep -c commit in)" -eq 1 ]
	for name in filter judge sort inject decompress squeeze; do
		echo "$name"
		stage "$name" <in >out
		same_bytes in out
	done
	pp-filter --seal <in >sealed
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <sealed >out
		same_bytes sealed out
	done
}

@test "every stage applied to its own output changes nothing more" {
	for stream in every newer zstd tracepoint; do
		if [ -f "$TESTS/streams/$stream.txt" ]; then
			build <"$TESTS/streams/$stream.txt" >in
		else
			cp "$TESTS/streams/$stream.pipe" in
		fi
		for name in filter judge sort inject decompress squeeze; do
			echo "$stream: $name"
			stage "$name" <in >once
			stage "$name" <once >twice
			same_bytes once twice
		done
	done
}

@test "a stream of the other byte order leaves every stage as its twin in ours does" {
	{ head_lines | grep -v event_update; body 1 3 | grep -v 'record 4000'; } >text
	build <text >in
	sed 's/^header$/header big/' text | build >big
	run -1 cmp -s in big
	for name in "${STAGES[@]}"; do
		echo "$name"
		stage "$name" <big >out
		same_bytes in out
	done
}

@test "what cannot be converted from the other byte order is dropped, counted, and exit 3" {
	{ head_lines; body 1 3; } | sed 's/^header$/header big/' | build >big
	{ head_lines; body 1 3 | grep -v 'record 4000'; } | build >want
	for name in filter judge sort inject decompress; do
		echo "$name"
		stage "$name" <big >out 2>err && status=0 || status=$?
		[ "$status" -eq 3 ]
		grep -q "3 records dropped: cannot be converted from the other byte order" err
		head -c "$(wc -c <want)" out >front
		same_bytes want front
	done
}
