#!/bin/sh
# link.sh PROGRAM TREES OBJECT... - links all tools into one static program, which is position-independent if this
# machine's archives are.  TREES is an object with functions that some archives lack: it is linked only where
# they do.  $CC, $LIBS and $LDFLAGS are those of make.
set -u
program=$1 trees=$2
shift 2
new=$program.new log=$program.log
trap 'rm -f "$new" "$log" "$log.first"' EXIT

# link OPTION...: what glibc says of getpwnam and its kin is known: names of users are those of /etc/passwd alone
link() {
	# shellcheck disable=SC2086 # words
	$CC ${LDFLAGS:-} -Wl,--wrap=dlopen,--wrap=dlsym,--wrap=dlclose -Wl,-z,pack-relative-relocs \
		"$@" -s -o "$new" $LIBS >"$log" 2>&1 || return
	grep -v -e "Using '[gse][a-z]*pw[a-z]*' in statically linked applications" -e ': in function ' "$log" >&2
	mv "$new" "$program"
}

link -static-pie "$@" && exit
mv "$log" "$log.first"
link -static-pie "$@" "$trees" && exit
link -static "$@" && exit
link -static "$@" "$trees" && exit
cat "$log.first" >&2
echo 'make static: the static libraries are not installed, or not whole' >&2
exit 4
