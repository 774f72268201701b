# packaging.bash - functions of the scripts that build and try the packages.

# shellcheck disable=SC2034 # for those who load this
passed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/pp-packages.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# ends [REASON]: prints the closing line of a test run, which others add up, and exits: 1 with a reason
ends() {
	[ $# -eq 0 ] || echo "${0##*/}: $*" >&2
	echo "$passed passed, $(($# > 0)) failed"
	exit $(($# > 0))
}

# quietly COMMAND...: runs it, and shows the end of its output if it fails
quietly() { "$@" >"$work/log" 2>&1 </dev/null || { tail -n 60 "$work/log"; return 1; }; }

# apt ARGUMENTS...: runs apt-get, which asks nothing.  Files of apt that debian.sh has copied here stay as
# they are, even if a package has them, too.
apt() {
	quietly env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends \
		-o Dpkg::Options::=--force-confold "$@"
}
