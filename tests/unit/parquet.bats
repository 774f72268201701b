#!/usr/bin/env bats
# parquet.bats - Parquet files, read back: by a reader of our own that is no part of the library, and by others.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

# same READER...: it prints what the texts of all files have
same() {
	local -a files=(*.txt)
	"$@" "${files[@]/%.txt/.parquet}" >got
	cat "${files[@]}" | cmp - got
}

ours() { perl "$TESTS/unit/parquet.pl" "$@"; }

# readers: installs those of npm, in this folder
readers() {
	need node npm
	cp "$TESTS/unit/parquet.mjs" .
	npm install --no-audit --no-fund @duckdb/node-api hyparquet hyparquet-compressors >log 2>&1 || {
		cat log
		skip "npm cannot install DuckDB and hyparquet here"
	}
}

@test "tables of every kind of column are read back as they were, with true statistics, sizes and CRCs" {
	need zstd
	unit parquet
	[ "$(ls ./*.txt | wc -l)" -gt 40 ]
	same ours
}

@test "so are columns of many pages and row groups, and those whose dictionary ends" {
	need zstd
	unit parquet pages
	same ours
	[ "$(cut -f1 fallback.txt | sort -u | wc -l)" -gt 100000 ]
}

@test "a dictionary is where it pays, differences where values ascend; groups end at their rows and bytes" {
	need zstd
	unit parquet
	run -0 ours --pages all.parquet
	assert_output "$(for group in 1 2 3; do
		printf '%s\n' 'time: 1 delta' 'id: 1 plain' 'cpu: 1 dictionary' 'comm: 1 dictionary' 'path: 1 plain' \
			'frames: 1 dictionary' 'weight: 1 dictionary' 'line: 1 plain' 'func: 1 dictionary' \
			'lines: 1 plain' 'when: 1 delta'
	done)"
	unit parquet pages
	run -0 ours --pages fallback.parquet
	assert_output $'id: 1 plain, 2 dictionary\ncpu: 1 plain, 2 dictionary\ncomm: 1 plain, 2 dictionary'
	run -0 ours --pages heavy.parquet
	assert_output 'comm: 3 plain, 4 dictionary'
	run -0 ours --pages bytes.parquet
	assert_output $'comm: 1 dictionary\npath: 1 plain\ncomm: 1 dictionary\npath: 1 plain\ncomm: 1 dictionary\npath: 1 plain'
}

@test "the same rows make the same bytes" {
	unit parquet
	cat ./*.parquet | sha256sum >first
	unit parquet
	sha256sum --check first < <(cat ./*.parquet)
}

@test "a file that was changed is found by its CRCs" {
	need zstd
	unit parquet
	printf '\001' | dd of=extremes.parquet bs=1 seek=300 conv=notrunc status=none
	run ! ours extremes.parquet
	assert_output --partial CRC
}

# bats test_tags=nightly
@test "DuckDB and hyparquet read the same" {
	readers
	unit parquet
	unit parquet pages
	same node parquet.mjs duckdb
	same node parquet.mjs hyparquet
}

# bats test_tags=nightly
@test "DuckDB finds more rows than two row groups have, in groups of a million" {
	readers
	unit parquet 2300000
	run -0 node parquet.mjs sql "select count(*), sum(weight), sum(cpu >= 0 and cpu < 8), count(distinct comm), \
		sum(pid - 1000) = sum(sqrt(comm[8:]::int)), bool_and(time >= 0) from 'large.parquet'"
	assert_output $'2300000\t23232300000000\t2300000\t64\ttrue\ttrue'
	run -0 node parquet.mjs sql "select distinct row_group_num_rows from parquet_metadata('large.parquet') order by 1 desc"
	assert_output $'1048576\n202848'
}
