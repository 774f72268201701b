# hosts.bash - hosts of a test file's own: network namespaces, each with an sshd, a host name and mounts that
# only it sees.

# refuse REASON: every test is skipped, saying so
refuse() {
	echo "$*" >"$HOSTS/refused"
	exit 0
}

# The namespaces: one for us, one for each machine.  All interfaces are made inside of them.
make_network() {
	local host number=0
	ip netns add "$NET-us" || return
	for host in $NAMES; do
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
	for host in $NAMES; do
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
			Subsystem sftp internal-sftp
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

# start_hosts NAME...: called by setup_file; where they cannot be had, need_hosts() says why
start_hosts() {
	local program
	export HOSTS=$BATS_FILE_TMPDIR NET=pp-test-$$ NAMES=$*
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
		for host in $NAMES; do
			start_host "$host"
		done
		for host in $NAMES; do
			answers "$host" ||
				refuse "sshd does not let us in here:" \
					"$(tail -qn 1 "$HOSTS/$host.err" "$HOSTS/$host.out" | tr '\n' ' ')"
		done
	)
}

# end_hosts: called by teardown_file, which bats does however the tests end
end_hosts() {
	local name pid
	export PATH=$PATH:/usr/sbin:/sbin
	for name in $NAMES us; do
		[ ! -s "$HOSTS/$name.pid" ] || kill "$(cat "$HOSTS/$name.pid")" 2>/dev/null || true
		# what is still there in a namespace of ours is ours
		for pid in $(ip netns pids "$NET-$name" 2>/dev/null); do
			kill -KILL "$pid" 2>/dev/null || true
		done
		ip netns del "$NET-$name" 2>/dev/null || true
	done
}

# need_hosts: hosts that answer
need_hosts() {
	[ ! -s "$HOSTS/refused" ] || skip "$(cat "$HOSTS/refused")"
	PATH=$HOSTS/bin:$PATH
}

# bounded COMMAND: a script that has to end
bounded() { timeout 400 bash -c "set -o pipefail; $1" </dev/null; }
