#!/bin/bash
# build.sh FOLDER - builds the Debian packages of HEAD, with their sources, into a folder: twice, in places as
# different as possible, with the same bytes each time.  Errors and warnings of lintian fail it.
#
# Installs what the build needs, with the release's debhelper and lintian.  Needs root for that, and to build
# as another user the second time.  ONCE=1: builds once, with the tests of the build, and does nothing else.
set -u
out=$(realpath "${1:?usage: build.sh FOLDER}") || exit 2
cd "$(dirname "$0")/../.." || exit 4
. tests/packaging/packaging.bash

apt update
apt install build-essential debhelper fakeroot git lintian || ends "cannot install debhelper and lintian"
apt build-dep ./ || ends "cannot install the Build-Depends of debian/control"

version=$(sed -n '1s/^perfpipe (\(.*\)-[^-]*) .*/\1/p' debian/changelog)
name=perfpipe-$version

# The files that make dist packs, in two parts: lintian takes debian/ within the sources for upstream's.
git archive --prefix="$name/" HEAD ':(exclude)debian' | xz -1 >"$work/orig.tar.xz"
git archive --prefix="$name/" HEAD debian >"$work/debian.tar"

# unpacked PLACE: puts the sources there, beside their archive
unpacked() {
	mkdir -p "$1" && tar -C "$1" -xJf "$work/orig.tar.xz" && tar -C "$1" -xf "$work/debian.tar" &&
		cp "$work/orig.tar.xz" "$1/perfpipe_$version.orig.tar.xz"
}

cores=$(nproc 2>/dev/null || echo 2)
unpacked "$work/here" && cd "$work/here/$name" || ends "cannot unpack"
quietly env DEB_BUILD_OPTIONS="parallel=$cores" dpkg-buildpackage -us -uc ||
	ends "the packages cannot be built"
tests=$(sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' "$work/log" | tail -n 1)
[ "${tests:-0}" -gt 0 ] || ends "the build ran no test"
echo "built, with $tests tests: $(cd .. && echo ./*.deb)"
passed=$((passed + 1))
cp ../*.deb ../*.{dsc,changes,buildinfo,tar.xz} "$out" || ends "cannot write to $out"
[ "${ONCE:-0}" = 0 ] || ends

lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ../*.changes ||
	ends "lintian found faults"
passed=$((passed + 1))

# another path, user, home, time zone, language, mask and number of jobs
there=$work/another/place/which-has-a-longer-name
unpacked "$there" && chown -R nobody "$there" && cd "$there/$name" || ends "cannot unpack"
quietly setpriv --reuid nobody --regid nogroup --clear-groups \
	env -i PATH="$PATH" HOME=/nonexistent USER=other TZ=Asia/Tokyo LC_ALL=C.UTF-8 \
	DEB_BUILD_OPTIONS="parallel=$((cores + 1)) nocheck" \
	sh -c 'umask 002 && dpkg-buildpackage -b -us -uc' ||
	ends "the packages cannot be built by another user"
for package in ../*.deb; do
	cmp "$package" "$work/here/${package##*/}" || ends "two builds differ"
done
passed=$((passed + 1))
ends
