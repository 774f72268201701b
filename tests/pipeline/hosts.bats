# hosts.bats - several machines: pieces that GNU parallel works on, here and over ssh, and streams
# that come together.

setup_file() {
	load hosts
	start_hosts a b
}

teardown_file() {
	load hosts
	end_hosts
}

setup() {
	load ../helper
	load ../static
	load hosts
}

# need_parallel: GNU's, not that of moreutils
need_parallel() {
	need parallel
	once parallel sh -c 'parallel --will-cite --version | grep -q GNU' || skip "parallel is not GNU parallel"
}

# samples FILE: how often there is which sample, whatever its order and id
samples() { perf_quiet script -i "$1" -F comm,tid,cpu,time,ip,sym,dso | sort; }

# made FILE: a stream with threads, names, forks and two events
made() {
	pp-gen --samples 2000 --pids 8 --threads 2 --cpus 4 --events 2 --forks 3 --exits 2 \
		--disorder 2ms --rounds 40 -o "$1"
}

@test "pieces that parallel works on are together what the whole gives" {
	need_parallel
	made big.pipe
	pp-split --bytes 64k -o p-%05u.pipe -i big.pipe
	[ "$(ls p-*.pipe | wc -l)" -gt 1 ]
	bounded "parallel --will-cite -j 2 'pp-filter \"cpu == 1\" -i {} -o {.}.one' ::: p-*.pipe"
	[ "$(ls p-*.one | wc -l)" -eq "$(ls p-*.pipe | wc -l)" ]
	pp-merge p-*.one -o merged.pipe
	pp-filter 'cpu == 1' -i big.pipe -o expected.pipe
	pp-check -q -i merged.pipe
	[ "$(records -s expected.pipe | wc -l)" -gt 0 ]
	[ "$(records -s merged.pipe | wc -l)" -eq "$(records -s expected.pipe | wc -l)" ]
	need_perf
	samples expected.pipe >expected
	samples merged.pipe >got
	cmp expected got
}

@test "parallel takes the pieces as they are split, one at a time" {
	need_parallel
	made big.pipe
	bounded "pp-split --samples 250 --exec 'cat >p-{}.pipe; echo p-{}.pipe' -i big.pipe |
		parallel --will-cite -j 2 -k 'pp-check {}'" >said
	[ "$(grep -c 'sound: ' said)" -eq 8 ]
}

@test "hosts of the test have names of their own, and our tools" {
	need_hosts
	[ "$(timeout 60 ssh a cat /proc/sys/kernel/hostname)" = host-a ]
	[ "$(timeout 60 ssh b cat /proc/sys/kernel/hostname)" = host-b ]
	[ "$(timeout 60 ssh b pp-split --version)" = "$(pp-split --version)" ]
}

# bats test_tags=nightly
@test "parallel sends pieces to two hosts, and what comes back is one stream again" {
	need_hosts
	need_parallel
	need rsync
	made big.pipe
	pp-split --bytes 64k -o p-%05u.pipe -i big.pipe
	printf '2/a\n2/b\n' >hosts
	mkdir there
	bounded "parallel --will-cite --ssh ssh --sshloginfile hosts --workdir '$PWD/there' \
		--transferfile {} --return {.}.noted --cleanup \
		'pp-inject --note worker=\$(cat /proc/sys/kernel/hostname) -i {} -o {.}.noted' ::: p-*.pipe"
	[ ! -e there ] || [ -z "$(ls there)" ]
	[ "$(ls p-*.noted | wc -l)" -eq "$(ls p-*.pipe | wc -l)" ]
	for file in p-*.noted; do
		pp-check -q -i "$file"
		pp-dump --headers -i "$file" | grep '^# note : worker' >>workers
	done
	[ "$(grep -c 'host-[ab]$' workers)" -eq "$(ls p-*.noted | wc -l)" ]
	pp-merge p-*.noted -o merged.pipe
	pp-check -q -i merged.pipe
	[ "$(records -s merged.pipe | wc -l)" -eq 2000 ]
	need_perf
	samples big.pipe >expected
	samples merged.pipe >got
	cmp expected got
}

# bats test_tags=nightly
@test "the recipe of perfpipe-guide(7) gives what the whole gives" {
	need_hosts
	need_parallel
	need rsync
	build >big.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		comm pid=7 comm=nginx exec time=1000
		comm pid=8 comm=other exec time=1001
		repeat 1000 {
		sample pid=$(i%2+7) cpu=$(i%2) time=$(i*10000+2000) ip=0x1000
		sample pid=$(i%3+7) cpu=$(i%2) time=$(i*10000+7000) ip=0x2000
		round
		}
	END
	pp-filter --comm nginx -i big.pipe -o expected.pipe
	sed -n '/^\.Ss Work on one recording with many machines/,/^\.Ed/s/^\$ //p' "$ROOT/man/perfpipe-guide.7" >recipe
	[ "$(wc -l <recipe)" -eq 3 ]
	sed -i 's/64M/40k/' recipe
	printf '2/a\n2/b\n' >hosts
	mkdir there
	export PARALLEL="--will-cite --workdir $PWD/there"
	bounded ". ./recipe"
	[ "$(ls part-*.pipe | wc -l)" -gt 1 ]
	[ "$(ls part-*.found | wc -l)" -eq "$(ls part-*.pipe | wc -l)" ]
	pp-check -q -i nginx.pipe
	records -s expected.pipe | cut -d' ' -f5 >expected
	records -s nginx.pipe | cut -d' ' -f5 >got
	[ -s expected ]
	cmp expected got
}

# home_of_web7: ssh and scp reach host a by that name, in a home of the test's own
home_of_web7() {
	mkdir home bin
	cat >bin/ssh <<-END
		#!/bin/sh
		[ "\$1" = web7 ] && shift && exec "$HOSTS/bin/ssh" a "cd '$PWD/home' && \$*"
	END
	cat >bin/scp <<-END
		#!/bin/sh
		exec "$(command -v scp)" -q -S "$HOSTS/bin/ssh" "\$1" "a:$PWD/home/\${2#web7:}"
	END
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
}

# bats test_tags=nightly
@test "the recipe of perfpipe-guide(7) for a host without perfpipe: one program is copied there, and records" {
	need_hosts
	need scp
	need_system_wide
	need_one
	sed -n '/^\.Ss Another machine/,/^\.Ss Several/s/^\$ \(.*\.\/perfpipe\)/\1/p' "$ROOT/man/perfpipe-guide.7" >recipe
	[ "$(wc -l <recipe)" -eq 2 ]
	[[ $(head -n 1 recipe) == 'scp perfpipe web7: && ssh web7 ./perfpipe record -a | pp-top' ]]
	# of cpu-clock, which every machine has, and until a table was shown
	sed -i 's/record -a/record -e cpu-clock -a/; s/pp-top$/pp-top --once --interval 0.5 >>tables/' recipe
	home_of_web7
	cp "$ONE" perfpipe
	perl -e '$until = time + 60; $i++ while time < $until' &
	while IFS= read -r line; do
		rm -f tables
		timeout 60 bash -c "$line" </dev/null || [ $? -eq 141 ]
		grep -q ' samples of cpu-clock' tables
	done <recipe
	kill $! && wait $! || true
	cmp perfpipe home/perfpipe
	grep -q 'perl' tables
}

@test "a stream that is filtered on the other host arrives whole" {
	need_hosts
	made big.pipe
	pp-filter 'cpu == 1' -i big.pipe -o expected.pipe
	timeout 120 ssh a "pp-filter 'cpu == 1' | pp-compress" <big.pipe | pp-decompress -o got.pipe
	same_bytes expected.pipe got.pipe
}

# bats test_tags=nightly
@test "recordings of two hosts come together while they run" {
	need_hosts
	need_system_wide
	timeout 60 ssh a pp-record -a -e cpu-clock -- true >once 2>once.err </dev/null || skip "no host may record: $(tail -n 1 once.err)"
	bounded 'pp-merge -q --hosts \
		<(ssh a "pp-record -q -a -e cpu-clock -F 500 -- perl -e \"\\\$i++ while \\\$i < 3e6\"" | tee a.pipe) \
		<(ssh b "pp-record -q -a -e cpu-clock -F 500 -- perl -e \"\\\$i++ while \\\$i < 3e6\"" | tee b.pipe) -o merged.pipe'
	[ "$(records -s a.pipe | wc -l)" -gt 0 ]
	[ "$(records -s b.pipe | wc -l)" -gt 0 ]
	pp-check -q -i merged.pipe
	[ "$(records -s merged.pipe | wc -l)" -eq $(($(records -s a.pipe | wc -l) + $(records -s b.pipe | wc -l))) ]
	# and apart again: each has what it gave, its own processes on its own CPUs
	pp-split --by host -o '{}.pipe' -i merged.pipe
	for host in a b; do
		pp-check -q -i host-$host.pipe
		perf_quiet script -i $host.pipe -F tid,cpu,ip | sort >expected
		perf_quiet script -i host-$host.pipe -F tid,cpu,ip | sort >got
		[ -s expected ]
		cmp expected got
	done
}

@test "a host that breaks off in the middle is said, and the other's samples arrive" {
	need_hosts
	made big.pipe
	size=$(stat -c %s big.pipe)
	status=0
	bounded "pp-merge <(ssh a 'head -c $((size / 2)) $PWD/big.pipe') <(ssh b cat $PWD/big.pipe) -o merged.pipe" 2>said || status=$?
	[ "$status" -eq 3 ]
	grep -q '/dev/fd/' said
	[ "$(records -s merged.pipe | wc -l)" -gt 2000 ]
}
