#!/bin/bash
# debian.sh SUITE [COMMAND...] - runs a command, `make test` unless one is named, in a clone of this
# repository's HEAD, or a copy of an unpacked release, in a minimal Debian of its own: bookworm, trixie, sid.
#
# What debootstrap unpacks is kept in $DEBIAN (perfpipe/debian in the user's cache) for the next run, which
# takes a copy.  The place is unfriendly on purpose: the clone lies below a folder of mode 700, no control
# groups are mounted, and there is no corpus.  The folder $SHARE, if there is one, is /mnt there.  Needs root.
set -u
suite=${1:?usage: debian.sh SUITE [COMMAND...]}
shift
[ $# -gt 0 ] || set -- make test
kept=${DEBIAN:-${XDG_CACHE_HOME:-$HOME/.cache}/perfpipe/debian}

give_up() {
	echo "debian.sh: $*" >&2
	echo "0 passed, 1 failed"
	exit 4
}

[ "$(id -u)" -eq 0 ] || give_up "needs root"
cd "$(dirname "$0")/.." || exit 4
command -v debootstrap >/dev/null || tests/packages.sh debian || exit
if [ ! -f "$kept/$suite.tar" ]; then
	mkdir -p "$kept" && root=$(mktemp -d "$kept/new.XXXXXX") || give_up "cannot write to $kept"
	mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 2>/dev/null |
		sed -n 's/^Debian|Debian|//p' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
	# what apt is told of mirrors and proxies here holds there, too
	debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$root" $mirror >"$root.log" 2>&1 ||
		give_up "cannot make a $suite: $(tail -n 1 "$root.log")"
	rm -f "$root"/var/cache/apt/archives/*.deb
	tar -C "$root" -cf "$kept/$suite.new" . && mv "$kept/$suite.new" "$kept/$suite.tar"
	rm -rf --one-file-system "$root" "$root.log"
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/pp-$suite.XXXXXX") || exit 4

# leave: takes the mounts away, and then the folder, in which nothing may be mounted: /dev is everybody's.
# (Not a mount namespace of its own: perf looks for files in that of the process, and a made-up stream's
# process 7 is one of this machine's.)
leave() {
	local tries
	for ((tries = 0; tries < 20; tries++)); do
		grep -q " $root[ /]" /proc/self/mounts || break
		umount -R "$root" 2>/dev/null || sleep 0.5
	done
	grep -q " $root[ /]" /proc/self/mounts && umount -R -l "$root"
	if grep -q " $root[ /]" /proc/self/mounts; then
		echo "debian.sh: $root is left, since something is mounted there" >&2
	else
		rm -rf --one-file-system "$root"
	fi
}
trap leave EXIT
trap 'exit 130' INT TERM
tar -C "$root" -xf "$kept/$suite.tar" && chmod 755 "$root" || give_up "cannot unpack $kept/$suite.tar"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null
copy=$root/root/perfpipe
if [ -e .git ]; then
	git clone -q --no-hardlinks . "$copy"
else # an unpacked release
	mkdir "$copy" && tar -c --exclude=./build . | tar -x -C "$copy"
fi && chmod 700 "$root/root" || give_up "cannot copy the sources"

# a root of its own, or namespaces cannot be made in it
mount --bind "$root" "$root" && mount --make-private "$root" || give_up "cannot mount"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tracefs tracefs "$root/sys/kernel/tracing" 2>/dev/null
mount -t debugfs debugfs "$root/sys/kernel/debug" 2>/dev/null
[ -z "${SHARE:-}" ] || mount --bind "$SHARE" "$root/mnt" || give_up "cannot mount $SHARE"
mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev"
chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
	AGAIN="${AGAIN:-0}" ${TIER:+TIER="$TIER"} sh -c 'cd /root/perfpipe && "$@"' sh "$@"
