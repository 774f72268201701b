#!/bin/sh
# link.sh PROGRAM TREES OBJECT... - links all tools into one static program, position-independent if the archives
# of this machine are: with TREES, an object, where they lack what it has.  $CC, $LIBS and LDFLAGS as in make.
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
