#!/bin/bash
# nightly.sh [STEP...] - everything there is to check (`make nightly`), or the named steps of it: tests clang
# pages sanitize faults memcheck laws fuzz bookworm trixie packages-bookworm packages-trixie.  Ends like a
# test run.  A step that passes on a commit keeps its name in build/nightly.  Once each step has, be it in
# several runs, the last commit that all of them stand on goes into .ci/nightly: from then on .ci/run tries
# whole only what has changed since.
set -u
cd "$(dirname "$0")/.." || exit 4
. tests/steps.bash
all=(tests clang pages sanitize faults memcheck laws fuzz bookworm trixie packages-bookworm packages-trixie)
[ $# -gt 0 ] || set -- "${all[@]}"

kept=build/nightly
mkdir -p $kept

# commit: that of the checkout, if nothing in it differs
commit() { [ -z "$(git status --porcelain 2>&1)" ] && git rev-parse HEAD; }

tests/packages.sh build test newer memcheck fuzz debian browsers exports || exit
for name; do
	before=$(commit)
	rm -f "$kept/$name"
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
	packages-bookworm | packages-trixie) step "Debian: $name" tests/packaging/release.sh "${name#*-}" ;;
	*)
		echo "nightly.sh: no step is called $name: ${all[*]}" >&2
		exit 2
		;;
	esac && [ -n "$before" ] && [ "$before" = "$(commit)" ] && echo "$before" >"$kept/$name"
done
if passed_on=$(cd $kept && cat "${all[@]}" 2>/dev/null); then
	# shellcheck disable=SC2086 # words
	last=$(git merge-base --octopus $passed_on) && echo "$last" >.ci/nightly
fi
closing
