# packaging.bash - what the scripts that build and try the packages share.

# shellcheck disable=SC2034 # for those who load this
passed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/pp-packages.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# ends [REASON]: prints the line of a test run, for those who add these up, and exits: 1 if there is a reason
ends() {
	[ $# -eq 0 ] || echo "${0##*/}: $*" >&2
	echo "$passed passed, $(($# > 0)) failed"
	exit $(($# > 0))
}

# quietly COMMAND...: what it says is shown if it fails
quietly() { "$@" >"$work/log" 2>&1 </dev/null || { tail -n 60 "$work/log"; return 1; }; }

# apt ARGUMENTS...: asks nothing.  A file that debian.sh has copied from apt here may be a package's, too, and
# stays as it is.
apt() {
	quietly env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends \
		-o Dpkg::Options::=--force-confold "$@"
}
