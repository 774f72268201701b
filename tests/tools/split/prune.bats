# prune.bats - pp-split --prune: pieces with no more names, maps and events than their samples need.

setup() { load ../../helper; }

# both HOW...: pieces of `in`, in the folder whole/ and, pruned, in pruned/, by the same names
both() {
	rm -rf whole pruned
	mkdir whole pruned
	pp-split "$@" -i in -o "whole/$pattern"
	pp-split --prune "$@" -i in -o "pruned/$pattern"
	diff <(ls whole) <(ls pruned)
	[ -n "$(ls whole)" ]
}

# pruned_alone: each piece is what pp-filter --prune makes of the one that is not
pruned_alone() {
	local piece
	for piece in whole/*; do
		pp-filter -q --prune -i "$piece" -o filtered
		same_bytes filtered "pruned/${piece#whole/}"
	done
}

# same_text: each piece is shown as the one that is not pruned
same_text() {
	local piece how
	for piece in whole/*; do
		pp-check -q -i "pruned/${piece#whole/}"
		pp-report --stdio -g none -s comm,dso,sym "$piece" >whole.txt
		pp-report --stdio -g none -s comm,dso,sym "pruned/${piece#whole/}" | diff whole.txt -
		pp-script "$piece" >whole.txt
		pp-script "pruned/${piece#whole/}" | diff whole.txt -
	done
}

# sizes FOLDER: bytes of all pieces
sizes() { cat "$1"/* | wc -c; }

@test "each piece is what pp-filter --prune makes of it, however pieces are cut" {
	pp-gen --seed 3 --samples 90 --pids 20 --mmaps 30 --forks 4 --exits 4 --comms 9 --callchain 4 --duration 3s >in
	pattern=%02u
	both --seconds 1
	pruned_alone
	both --samples 30
	pruned_alone
	same_text
	[ "$(sizes pruned)" -lt $(($(sizes whole) / 2)) ]
	pattern={}
	for how in pid cpu; do
		both --by $how
		pruned_alone
	done
}

@test "recordings of perf are shown as before, with tracepoints, groups and copies of stacks" {
	for name in tracepoint group dwarf; do
		pp-cat -o in "$ROOT/tests/streams/$name.pipe"
		pattern=%02u
		both --samples 40
		same_text
		pattern={}
		both --by event
		pruned_alone
	done
}

@test "formats of tracepoints are in pieces of tracepoints alone" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all name=cpu-clock
		attr id=2 type=2 config=300 sample_type=IP,TID,TIME,CPU,IDENTIFIER,RAW flags=sample_id_all name=a:b
		tracing bytes=5000
		comm pid=7 comm=seven
		comm pid=8 comm=eight
		init
		sample id=1 pid=7 cpu=0 time=1000 ip=0x10
		round
		sample id=2 pid=8 cpu=0 time=2000 ip=0x10 raw=01020304
		round
		sample id=1 pid=8 cpu=0 time=3000 ip=0x10
		round
	END
	pattern=%u
	both --samples 1
	pruned_alone
	for n in 0 1 2; do
		pp-dump pruned/$n | grep -c TRACING_DATA || true
		pp-dump pruned/$n | grep -c HEADER_ATTR
	done | xargs >got
	[ "$(cat got)" = "0 1 1 2 0 1" ]
	[ "$(wc -c <pruned/2)" -lt 1000 ]
}

@test "pieces have the names of functions that their samples need, and no others" {
	cp "$ROOT/tests/streams/picture.pipe" in
	pattern=%02u
	both --samples 90
	for piece in whole/*; do
		pp-script -F comm,time,ip,sym "$piece" >whole.txt
		pp-script -F comm,time,ip,sym "pruned/${piece#whole/}" | diff whole.txt -
	done
	[ "$(sizes pruned)" -le "$(sizes whole)" ]
}

@test "a stream without samples is one piece; one that is damaged ends in 3, as without --prune" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all name=cpu-clock
		feature HOSTNAME string "web7"
		comm pid=7 comm=seven
	END
	pattern=%u
	both --samples 1
	same_text
	pp-gen --seed 4 --samples 100 --pids 9 | pp-cat --seal | head -c 8000 >cut
	run -3 --separate-stderr pp-split --samples 9 -i cut -o whole/%u
	run -3 --separate-stderr pp-split --prune --samples 9 -i cut -o pruned/%u
	for piece in whole/*; do
		diff <(records -s "$piece" | cut -d" " -f2-) <(records -s "pruned/${piece#whole/}" | cut -d" " -f2-)
	done
}

@test "memory is that of one piece, and beyond --size it is said" {
	pp-gen --seed 5 --samples 400 --pids 400 --mmaps 20 --duration 4s >in
	pattern=%02u
	both --seconds 0.5 -S 6M
	for piece in pruned/*; do
		pp-script -F comm,time,dso "$piece"
	done >pruned.txt
	pp-script -F comm,time,dso in | diff pruned.txt -
	run -4 --separate-stderr pp-split --prune -S 4K --by comm -i in -o {}
	assert_regex "$stderr" 'names and maps of running tasks take [0-9]+ MiB; --size sets the limit'
}

@test "what a head takes cannot be known before, and pieces of hosts are pruned later" {
	pp-gen --samples 10 >in
	run -2 --separate-stderr pp-split --prune --bytes 1M -i in -o %u
	assert_regex "$stderr" '^pp-split: --prune cannot be combined with --bytes: '
	run -2 --separate-stderr pp-split --prune --by host -i in -o {}
	assert_regex "$stderr" '^pp-split: --prune cannot be combined with --by host: '
	run -0 --separate-stderr pp-split --prune --samples 4 -i in --exec 'head -c 100 >{}'
	[ "$(wc -c <0)" -eq 100 ]
}
