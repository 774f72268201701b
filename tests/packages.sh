#!/bin/bash
# packages.sh - installs what is missing for each of its groups (build, demo, test ...); says what, and why.
# Looks for the thing itself, not for the package, so nothing is installed where all is there.
set -u

usage() { echo "usage: tests/packages.sh [build] [demo] [test] [newer] [fuzz] [memcheck] [debian] [bench] [browsers] [exports]" >&2; exit 2; }

missing=()
extra=() # what only some tests need, which are skipped without
reasons=()

# want PACKAGE REASON COMMAND...: the package is missing if the command fails
want() {
	local package=$1 reason=$2
	shift 2
	"$@" >/dev/null 2>&1 && return
	missing+=("$package")
	reasons+=("  $package: $reason")
}

# like PACKAGE REASON COMMAND...: the same of an extra
like() {
	local package=$1 reason=$2
	shift 2
	"$@" >/dev/null 2>&1 && return
	extra+=("$package")
	reasons+=("  $package: $reason")
}

compiler=${CC:-cc}
compiler=${compiler%% *} # CC may carry flags
# shellcheck disable=SC2317 # called by want
has_header() { printf '#include <%s>\n' "$1" | "$compiler" -E -x c -o /dev/null -; }
# shellcheck disable=SC2317 # Fedora has it at the top
has_demangler() { has_header libiberty/demangle.h || has_header demangle.h; }
# shellcheck disable=SC2317
can_fuzz() { echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -fsanitize=fuzzer -x c -o /dev/null -; }
# shellcheck disable=SC2317
can_check_memory() { echo 'int main(void) { return 0; }' | clang -fsanitize=memory -x c -o /dev/null -; }
# shellcheck disable=SC2317
gnu_parallel() { parallel --will-cite --version | grep -q '^GNU parallel'; }
# shellcheck disable=SC2317 # not every user has /usr/sbin on the path
have_program() { PATH=$PATH:/usr/sbin:/sbin command -v "$1"; }

[ $# -gt 0 ] || usage
for group; do
	case $group in
	build)
		want gcc "the C compiler" command -v "$compiler"
		want libc6-dev "the C library's headers" has_header stdio.h
		want pkgconf "tells the flags of the libraries" command -v pkg-config
		want libzstd-dev "COMPRESSED records" pkg-config --exists libzstd
		want libxxhash-dev "seals, and the tables of ids and names" pkg-config --exists libxxhash
		want libelf-dev "build-ids of programs and libraries" pkg-config --exists libelf
		want libdw-dev "names, lines and unwinding" pkg-config --exists libdw
		want libiberty-dev "demangles names" has_demangler
		want liblzma-dev "tables of symbols that are compressed" pkg-config --exists liblzma
		want zlib1g-dev "modules of the kernel that gzip compressed" pkg-config --exists zlib
		want libncurses-dev "the screen of pp-top" pkg-config --exists ncursesw
		want libtraceevent-dev "tracepoints in the kernel's own words" has_header traceevent/event-parse.h
		want libpfm4-dev "names of the processor's own events" has_header perfmon/pfmlib.h
		like libcapstone-dev "the instructions that pp-annotate shows" has_header capstone/capstone.h
		like nettle-dev "pseudonyms, for pp-scrub" has_header nettle/hmac.h
		like libisal-dev "pages and .gz files that are written faster" has_header isa-l/igzip_lib.h
		;;
	demo)
		want perl "the workload that is recorded" perl -e 1
		;;
	test)
		like seccomp "which system calls other architectures have" have_program scmp_sys_resolver
		want bats "runs the tests" command -v bats
		want bats-support "assertions" test -d /usr/lib/bats/bats-support -o -d /usr/share/bats/bats-support
		want bats-assert "assertions" test -d /usr/lib/bats/bats-assert -o -d /usr/share/bats/bats-assert
		want jq "reads the JSON that the tools write" command -v jq
		want linux-perf "perf, which the tests compare with" command -v perf
		want clang "the second compiler" command -v clang
		want g++ "headers and programs as C++" command -v g++
		want libbz2-dev "static programs with libdw" has_header bzlib.h
		want strace "what a tool opens" command -v strace
		want abigail-tools "abidiff, which compares the library with abi/" command -v abidiff
		want mandoc "checks the manual pages" command -v mandoc
		want zsh "completion tests" command -v zsh
		want fish "completion tests" command -v fish
		want zstd "compressed test streams" command -v zstd
		like llvm "names that ours are compared with" command -v llvm-symbolizer
		like elfutils "names that ours are compared with" command -v eu-addr2line
		like dwz "debug information that files share" command -v dwz
		like lld "programs that it links, for pp-unwind" command -v ld.lld
		like parallel "works on pieces, here and on other hosts" gnu_parallel
		like rsync "by which parallel sends pieces to other hosts" command -v rsync
		like prometheus "promtool, which checks pp-stat --prometheus" command -v promtool
		like python3-prometheus-client "reads what pp-stat --openmetrics writes" /usr/bin/python3 -c 'import prometheus_client.openmetrics.parser'
		like nodejs "code that a JIT compiler made" command -v node
		like iproute2 "hosts as network namespaces" have_program ip
		like chromium-headless-shell "pages, in a browser" command -v chromium-headless-shell
		like tmux "pp-top, in a terminal" command -v tmux
		like libxml2-utils "whether pictures are XML" command -v xmllint
		like openssh-client "other hosts" command -v ssh
		# Installing the server starts it where systemd runs; there its tests are skipped.
		[ -d /run/systemd/system ] || like openssh-server "other hosts" have_program sshd
		want perl "builds and reads test streams" perl -MFindBin -MIO::Poll -MPOSIX -Mthreads -e 1
		;;
	newer)
		"${0%/*}/oracle/newer-perf.sh" ||
			echo "packages.sh: the tests that need a newer perf are skipped" >&2
		;;
	fuzz)
		want clang "builds the fuzz targets" command -v clang
		want libclang-rt-dev "the fuzzer, and the sanitizers of clang" can_fuzz
		;;
	memcheck)
		want clang "MemorySanitizer, and stacks filled with a pattern" command -v clang
		want libclang-rt-dev "the sanitizers of clang" can_check_memory
		want zstd "compressed inputs" command -v zstd
		;;
	debian)
		want debootstrap "other releases of Debian" have_program debootstrap
		;;
	bench)
		want linux-perf "perf, which the bench compares with" command -v perf
		want zstd "what pp-compress is compared with" command -v zstd
		want perl "measures time and memory" perl -MPOSIX -MTime::HiRes -e 1
		;;
	exports)
		like golang-go "pprof, which reads what pp-export writes" command -v go
		like protobuf-compiler "protoc, likewise" command -v protoc
		like bolt-19 "llvm-bolt, likewise" command -v llvm-bolt-19
		like python3-scipy "the arithmetic of pp-diff, compared" /usr/bin/python3 -c "import scipy"
		;;
	browsers)
		like firefox-esr "pages, in another browser" command -v firefox-esr
		;;
	*)
		usage
		;;
	esac
done

[ $((${#missing[@]} + ${#extra[@]})) -gt 0 ] || exit 0

echo "missing, and what for:"
printf '%s\n' "${reasons[@]}" | sort -u

# give_up REASON: fails, unless only extras are missing
give_up() {
	echo "packages.sh: $*" >&2
	[ ${#missing[@]} -eq 0 ] || exit 4
	echo "packages.sh: the tests that need ${extra[*]} are skipped" >&2
	exit 0
}

mapfile -t all < <(printf '%s\n' "${missing[@]}" "${extra[@]}" | sed '/^$/d' | sort -u)
command -v apt-get >/dev/null || give_up "no apt-get here: install these by hand; README.md has the names for Fedora and Arch"
root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null ||
		give_up "neither root nor sudo: run as root: apt-get install ${all[*]}"
	root=(sudo)
fi

install() {
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
		--no-install-recommends "$@" </dev/null
}

echo "installing: ${all[*]}"
# The package lists may be old: only where a first try fails are they fetched anew.  What apt-get says is shown
# only if it fails.
log=$(mktemp) || exit 4
trap 'rm -f "$log"' EXIT
install "${all[@]}" >/dev/null 2>&1 && exit 0
"${root[@]}" apt-get update -q </dev/null >"$log" 2>&1
install "${all[@]}" >>"$log" 2>&1 && exit 0
[ ${#missing[@]} -eq 0 ] || { install "${missing[@]}" >>"$log" 2>&1 && missing=(); }
cat "$log" >&2
give_up "cannot install: ${all[*]}"
