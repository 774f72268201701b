# branches.bats - a stream that goes two ways at once, through tee: each branch is whole.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# sealed FILE...: whether each is a whole stream with seals
sealed() {
	local file
	for file; do
		pp-check -q -i "$file"
		pp-info --json -i "$file" | jq -e '.seals > 0' >/dev/null
	done
}

@test "both branches of tee have all of it, sealed: pieces, and what a filter keeps" {
	need jq
	pp-gen --seed 7 --samples 5000 --duration 5s >in
	# the branch in parentheses has the pipe of the other as its output, which therefore ends after it
	run -0 --separate-stderr bash -c 'tee -ip <in >(pp-split --seconds 1 -o piece-%u.pipe) | pp-filter --cpu 0 -o kept.pipe'
	[ -z "$stderr" ]
	sealed piece-?.pipe kept.pipe
	pp-merge piece-?.pipe -o whole.pipe
	records -s in | awk '{ print $5 }' | sort -n >wanted
	records -s whole.pipe | awk '{ print $5 }' | sort -n | diff wanted -
	pp-filter --cpu 0 in | records -s - | awk '{ print $5 }' | sort -n >wanted
	[ "$(wc -l <wanted)" -gt 1500 ]
	records -s kept.pipe | awk '{ print $5 }' | sort -n | diff wanted -
}

@test "a branch that ends early leaves the other whole, where tee is called with -p" {
	need jq
	pp-gen --seed 7 --samples 50000 --duration 5s >in
	run --separate-stderr bash -c 'tee -ip <in >(head -c 100 >few) | pp-cat -o all.pipe'
	same_bytes in all.pipe
	run --separate-stderr bash -c 'tee -ip <in >(pp-cat -o other.pipe) | head -c 100 >few'
	for ((tries = 0; tries < 600; tries++)); do
		[ ! -s other.pipe ] || break
		sleep 0.1
	done
	same_bytes in other.pipe
}

@test "^C ends the recording, and neither branch loses what it had by then, where tee is called with -i" {
	need_kernel
	need jq
	cat >work <<-'END'
		for n in $(seq 600); do
			[ ! -e minute-0.pipe ] || [ ! -e second-0.pipe ] || break
			sleep 0.1
		done
		kill -INT 0
		sleep 100
	END
	cat >all <<-'END'
		trap : INT
		pp-record -q -e cpu-clock -- sh work | tee -ip >(pp-split --seconds 60 -o minute-%u.pipe) |
			pp-split --seconds 1 -o second-%u.pipe
		echo "${PIPESTATUS[@]}" >statuses
	END
	# a group of its own, which the interrupt goes to as from a terminal
	run perl -e 'setpgrp; $SIG{INT} = "DEFAULT"; exec @ARGV' bash all
	[[ $(cat statuses) =~ ^[0-9]+' 0 0'$ ]]
	sealed minute-?.pipe second-*.pipe
	pp-merge second-*.pipe | pp-dump --json --type sample | jq -r .fields.time | sort >seconds
	pp-merge minute-?.pipe | pp-dump --json --type sample | jq -r .fields.time | sort | diff seconds -
}
