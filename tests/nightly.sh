#!/bin/bash
# nightly.sh [STEP...] - everything there is to check (`make nightly`), or the named steps of it: tests clang
# pages sanitize faults memcheck laws fuzz bookworm trixie.  Ends like a test run.  If all steps passed on
# a commit, its name goes into .ci/nightly: from then on .ci/run tries whole only what has changed since.
set -u
cd "$(dirname "$0")/.." || exit 4
. tests/steps.bash
all=(tests clang pages sanitize faults memcheck laws fuzz bookworm trixie)
[ $# -gt 0 ] || set -- "${all[@]}"

clean=$(git status --porcelain 2>/dev/null)
commit=$(git rev-parse HEAD 2>/dev/null)
tests/packages.sh build test newer memcheck fuzz debian || exit
for name; do
	case $name in
	tests) step "all tests" make -j"$cores" check TIER=all DEVELOPER=1 ;;
	clang) step "build with clang -Werror" make -j"$cores" clang DEVELOPER=1 ;;
	pages) step "manual pages" make man DEVELOPER=1 ;;
	sanitize)
		look_for_leaks
		step "most tests under sanitizers" make -j"$cores" sanitize TIER=all
		;;
	faults) step "the whole fault matrix" make -j"$cores" faults DEVELOPER=1 ;;
	memcheck) step "the whole memory check" make -j"$cores" memcheck DEVELOPER=1 ;;
	laws) step "laws of a thousand streams" make -j"$cores" check T=tests/pipeline/property.bats SEEDS=1000 DEVELOPER=1 ;;
	fuzz) step "a minute of each fuzz target" make -j"$cores" fuzz FUZZ_SECONDS=60 ;;
	bookworm | trixie) step "Debian: $name" tests/debian.sh "$name" sh -c 'make test && make clang DEVELOPER=1' ;;
	*)
		echo "nightly.sh: no step is called $name: ${all[*]}" >&2
		exit 2
		;;
	esac
done
closing || exit 1
[ "$*" = "${all[*]}" ] && [ -z "$clean" ] && [ -n "$commit" ] && echo "$commit" >.ci/nightly
exit 0
