# hosts.bats - several machines: pieces that GNU parallel works on, here and over ssh, and streams
# that come together.  The machines are network namespaces of this file's own, each with an sshd.

# refuse REASON: every test is skipped, saying so
refuse() {
	echo "$*" >"$HOSTS/refused"
	exit 0
}

# The namespaces: one for us, one for each machine.  All interfaces are made inside of them.
make_network() {
	local host number=0
	ip netns add "$NET-us" || return
	for host in a b; do
		ip netns add "$NET-$host" &&
			ip -n "$NET-us" link add "to-$host" type veth peer name eth0 netns "$NET-$host" &&
			ip -n "$NET-us" addr add "192.0.2.$((number * 4 + 1))/30" dev "to-$host" &&
			ip -n "$NET-$host" addr add "192.0.2.$((number * 4 + 2))/30" dev eth0 &&
			ip -n "$NET-$host" link set lo up &&
			ip -n "$NET-$host" link set eth0 up &&
			ip -n "$NET-us" link set "to-$host" up || return
		number=$((number + 1))
	done
}

# Keys, and configurations of both ends, all in the scratch folder.
make_keys() {
	local host number=0
	ssh-keygen -q -t ed25519 -N '' -f "$HOSTS/key" || return
	for host in a b; do
		ssh-keygen -q -t ed25519 -N '' -f "$HOSTS/$host.key" || return
		printf '192.0.2.%d %s\n' $((number * 4 + 2)) "$(cut -d' ' -f1,2 "$HOSTS/$host.key.pub")" \
			>>"$HOSTS/known"
		cat >"$HOSTS/$host.config" <<-END
			ListenAddress 192.0.2.$((number * 4 + 2))
			HostKey $HOSTS/$host.key
			PidFile $HOSTS/$host.pid
			AuthorizedKeysFile $HOSTS/key.pub
			AuthenticationMethods publickey
			PermitRootLogin prohibit-password
			StrictModes no
			UsePAM no
			PrintMotd no
			MaxStartups 100
			SetEnv PATH=$BIN:$PATH
		END
		cat >>"$HOSTS/ssh.config" <<-END
			Host $host
			HostName 192.0.2.$((number * 4 + 2))
		END
		number=$((number + 1))
	done
	cat >>"$HOSTS/ssh.config" <<-END
		Host *
		User root
		IdentityFile $HOSTS/key
		IdentitiesOnly yes
		IdentityAgent none
		UserKnownHostsFile $HOSTS/known
		GlobalKnownHostsFile /dev/null
		StrictHostKeyChecking yes
		BatchMode yes
		ConnectTimeout 30
		ControlMaster no
		LogLevel ERROR
	END
	printf '#!/bin/sh\nexec ip netns exec %s %s -F %s "$@"\n' \
		"$NET-us" "$(command -v ssh)" "$HOSTS/ssh.config" >"$HOSTS/bin/ssh"
	chmod +x "$HOSTS/bin/ssh"
}

# start_host NAME: its sshd, under a host name of its own; what it mounts, only it sees
start_host() {
	ip netns exec "$NET-$1" unshare --uts --mount sh -c '
		echo "host-$1" >/proc/sys/kernel/hostname &&
		{ [ -d /run/sshd ] || { mount -t tmpfs none /run && mkdir -m 755 /run/sshd; }; } &&
		exec "$2" -D -E "$3.log" -f "$3.config"' \
		- "$1" "$(command -v sshd)" "$HOSTS/$1" >"$HOSTS/$1.out" 2>&1 </dev/null 3>&- &
}

# answers NAME: waits until the host lets us in
answers() {
	local try
	for ((try = 0; try < 100; try++)); do
		timeout 60 "$HOSTS/bin/ssh" "$1" true 2>"$HOSTS/$1.err" </dev/null && return
		[ ! -s "$HOSTS/$1.pid" ] || ! grep -q 'Permission denied' "$HOSTS/$1.err" || return
		sleep 0.1
	done
	return 1
}

setup_file() {
	local program
	export HOSTS=$BATS_FILE_TMPDIR NET=pp-test-$$
	export PATH=$PATH:/usr/sbin:/sbin
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export BIN=${BIN:-$ROOT/build/plain}
	mkdir -p "$HOSTS/bin"
	(
		[ "$(id -u)" -eq 0 ] || refuse "needs root"
		for program in ip ssh sshd ssh-keygen unshare; do
			command -v "$program" >/dev/null || refuse "$program is not installed"
		done
		make_network 2>"$HOSTS/network.err" ||
			refuse "network namespaces are not permitted here: $(tail -n 1 "$HOSTS/network.err")"
		make_keys || refuse "ssh-keygen makes no keys here"
		for host in a b; do
			start_host $host
		done
		for host in a b; do
			answers $host ||
				refuse "sshd does not let us in here: $(tail -qn 1 "$HOSTS/$host.err" "$HOSTS/$host.out" | tr '\n' ' ')"
		done
	)
}

teardown_file() {
	local name pid
	export PATH=$PATH:/usr/sbin:/sbin
	for name in a b us; do
		[ ! -s "$HOSTS/$name.pid" ] || kill "$(cat "$HOSTS/$name.pid")" 2>/dev/null || true
		# what is still there in a namespace of ours is ours
		for pid in $(ip netns pids "$NET-$name" 2>/dev/null); do
			kill -KILL "$pid" 2>/dev/null || true
		done
		ip netns del "$NET-$name" 2>/dev/null || true
	done
}

setup() { load ../helper; }

# need_hosts: two hosts that answer
need_hosts() {
	[ ! -s "$HOSTS/refused" ] || skip "$(cat "$HOSTS/refused")"
	PATH=$HOSTS/bin:$PATH
}

# need_parallel: GNU's, not that of moreutils
need_parallel() {
	need parallel
	once parallel sh -c 'parallel --will-cite --version | grep -q GNU' || skip "parallel is not GNU parallel"
}

# bounded COMMAND: a script that has to end
bounded() { timeout 400 bash -c "set -o pipefail; $1" </dev/null; }

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
