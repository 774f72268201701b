# files.bats - which file a map is of: no stage, in whatever order, lets a sample have a name of another file of the
# same path; files.pl has the streams and what happens to the files.

setup() {
	load ../helper
	need readelf nm
}

# programs: old, new and chroot, each with a function of its name at $OFFSET
programs() {
	local name constant=1
	for name in old new chroot; do
		constant=$((constant + 11))
		cat >$name.c <<-END
			__attribute__((noinline)) int ${name}_work(int x)
			{
				for (int i = 0; i < x; i++)
					x += i ^ $constant;
				return x;
			}
			int main(int c, char **v) { return ${name}_work(c) + (v != 0); }
		END
		"${CC:-cc}" -O1 -Wl,--build-id=sha1 -o $name $name.c
	done
	OFFSET=$((0x$(nm old | sed -n 's/ [tT] old_work$//p') + 4))
	CHROOT_ID=$(readelf -n chroot | sed -n 's/.*Build ID: //p')
	export OFFSET CHROOT_ID
	[ $((0x$(nm new | sed -n "s/ [tT] new_work$//p") + 4)) = "$OFFSET" ]
}

# named: that there are names at all, of a run of files.pl
named() {
	[[ $output =~ ([0-9]+)\ of\ ([0-9]+)\ named ]]
	((BASH_REMATCH[1] * 5 > BASH_REMATCH[2]))
}

# bats test_tags=T3-A1
@test "files: replaced, built anew, deleted and in another root, through stages in any order, keep their names" {
	programs
	run -0 perl "$TESTS/pipeline/files.pl" {1..12}
	named
}

# bats test_tags=nightly
@test "files: the same, many times" {
	programs
	run -0 perl "$TESTS/pipeline/files.pl" {13..150}
	named
}

# one_hit FILE [MORE]: a stream in which the file is hit, whose clock is that of no other
one_hit() {
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		mmap2 pid=1 start=0x100000000 len=0x1000000 file="$PWD/$1" $(perl -e '@s = stat shift or die; $d = $s[0];
			printf "maj=%d min=%d ino=%d", $d >> 8 & 0xfff, $d & 0xff | $d >> 12 & 0xfff00, $s[1]' "$1")$2 time=1 flags=2 prot=5
		sample pid=1 ip=$((0x100000000 + OFFSET)) misc=2 time=2
		round
	END
}

# in_overlay SEED...: the same in an overlay, that only this test sees
in_overlay() {
	need_root
	need unshare mount
	mkdir lower upper work bin
	unshare -m mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work bin 2>mount.err ||
		skip "no overlay can be mounted here: $(<mount.err)"
	programs
	OVERLAY=1 run -0 unshare -m perl "$TESTS/pipeline/files.pl" "$@"
	named
}

# bats test_tags=T3-A1
@test "files: the same in an overlay" {
	in_overlay {1..12}
}

# bats test_tags=nightly
@test "files: the same in an overlay, many times" {
	in_overlay {13..150}
}

# bats test_tags=T3-A1
@test "files: a build-id that another recording gives for a path is not given to a file of a chroot" {
	found merge-buildid/a.pipe merge-buildid/b.pipe
	mkdir in
	cp "$FOUND"/merge-buildid/[ab].pipe in
	sample() { pp-script -q "$@" 2>script.err | grep -A1 887.673153 | tail -n 1; }
	[[ "$(sample in/a.pipe)" == *"[unknown] (/usr/lib/x86_64-linux-gnu/libgmp.so.10.4.1)" ]]
	pp-merge -q in/a.pipe in/b.pipe >merged
	[[ "$(sample merged)" == *"[unknown] (/usr/lib/x86_64-linux-gnu/libgmp.so.10.4.1)" ]]
	# each says of which file it is
	run -0 bash -c "pp-dump --json merged | jq -c 'select(.type == \"HEADER_BUILD_ID\" and (.fields.filename | startswith(\"/\"))) | .fields.identity.ino'"
	refute_line null
}

# bats test_tags=T3-A17
@test "files: names of a file are kept when its build-id is learnt" {
	found named.pipe
	input=$FOUND/named.pipe
	unnamed() { pp-script -q --root /nowhere "$@" 2>script.err | grep -c '\[unknown\]'; }
	[ "$(unnamed "$input")" = 1064 ]
	for how in -b --mmap2-buildid-all -B; do
		pp-inject -q $how "$input" 2>inject.err >with
		[ "$(unnamed with)" = 1064 ]
		pp-save -q -o with.data with
		[ "$(unnamed with.data)" = 1064 ]
		rm with.data
	done
}

# bats test_tags=T3-A1
@test "files: a program that is built anew after pp-record recorded it has no names of the new one" {
	need_root
	for name in old new; do
		cat >$name.c <<-END
			__attribute__((noinline)) void ${name}_work(void) { for (volatile int i = 0; i < 200000000; i++); }
			int main(int c, char **v) { ${name}_work(); return c == 3 && !v; }
		END
	done
	sed -i 's/return c/return 2 * c/' new.c
	for option in '' --buildid-mmap; do
		"${CC:-cc}" -O1 -Wl,--build-id=sha1 -o prog old.c
		pp-record -e cpu-clock $option -o in -- ./prog
		pp-fold in >before
		grep -q 'old_work' before
		pp-symbol in >named
		mv prog kept # not every file system tells how often it gave an inode away
		"${CC:-cc}" -O1 -Wl,--build-id=sha1 -o prog new.c
		for stage in 'pp-cat' 'pp-inject -b' 'pp-symbol' 'pp-unwind'; do
			run -0 --separate-stderr bash -c "$stage in | pp-fold"
			[ -n "$output" ]
			refute_line --partial new_work
		done
		pp-fold named | diff before -
	done
}

# without: what has pp-record leave build-ids out of maps
without() { pp-record --help | grep -o -m 1 -- --no-buildid || true; }

# recorded [OPTION...]: a recording of ./prog, whose code was old's; then it is overwritten by new's
recorded() {
	cat old >prog
	chmod +x prog
	pp-record -e cpu-clock "$@" -o in -- ./prog
	pp-unwind -q in | pp-script -q >before
	grep -q 'old_work' before
	sleep 0.02
	cat new >prog
}

# works: old and new, that spend their time in functions that are named for them
works() {
	local name constant=1
	for name in old new; do
		constant=$((constant + 11))
		cat >$name.c <<-END
			__attribute__((noinline)) void ${name}_work(void) { for (volatile int i = 0; i < 100000000; i++); }
			int main(int c, char **v) { ${name}_work(); return c == $constant && !v; }
		END
		"${CC:-cc}" -O1 -Wl,--build-id=sha1 -o $name $name.c
	done
}

# bats test_tags=T3-A1
@test "files: a program that is overwritten after pp-record recorded it has no names of the new one" {
	need_root
	works
	recorded $(without)
	for stage in 'pp-cat in' 'pp-inject -b in' 'pp-inject --mmap2-buildid-all in' 'pp-symbol in' 'pp-merge in' \
		'pp-unwind in'; do
		run -0 --separate-stderr bash -c "$stage 2>stage.err | pp-fold"
		[[ $output == *'[prog]'* ]]
		refute_line --partial new_work
	done
	for show in pp-fold pp-report pp-script pp-flame; do
		run -0 --separate-stderr bash -c "$show in"
		[[ $output != *new_work* ]]
		# once
		[ "$(grep -c 'prog: it was changed after it was recorded, and its build-id was not recorded' <<<"$stderr")" = 1 ]
	done
	run -0 --separate-stderr bash -c 'pp-inject -v -b in >out'
	[[ $stderr == *"$PWD/prog: it was changed after it was recorded"* ]]
	[[ $stderr == *'1 file left out: changed after what was recorded (-v names each)'* ]]
	# who knows better says so
	run -0 bash -c 'pp-fold --root=/ in'
	assert_line --partial new_work
	# names that it has stay, and a build-id tells more than a time
	recorded --buildid-mmap
	run -0 bash -c 'pp-symbol -q in | pp-fold'
	refute_line --partial new_work
	cat old >prog
	run -0 --separate-stderr bash -c 'pp-fold in'
	[ -z "$stderr" ]
	assert_line --partial old_work
}

# bats test_tags=T3-A1
@test "files: frames of a program that was overwritten are not unwound by the rules of the new one" {
	need_root
	works
	recorded $(without) --call-graph dwarf
	run -0 --separate-stderr bash -c 'pp-unwind -v in >out'
	[[ $stderr == *'prog: it was changed after it was recorded'* ]]
}

# bats test_tags=T3-A1
@test "files: a stream that does not relate its clock to the wall's is as old as its file" {
	programs
	cp old prog
	one_hit prog
	run -0 bash -c 'pp-script -q -F ip,sym in'
	assert_line --partial old_work
	sleep 0.02
	cat new >prog
	run -0 --separate-stderr bash -c 'pp-script -F ip,sym in'
	assert_line --partial '[unknown]'
	[[ $stderr == *'prog: it was changed after it was recorded'* ]]
	run -0 --separate-stderr bash -c 'pp-script -F ip,sym <in'
	assert_line --partial '[unknown]'
}

# bats test_tags=T3-A1
@test "files: a program that is built while it is recorded has its names, in a live stream, too" {
	need_root
	works
	cat >make <<-'END'
		sleep 0.2
		cat old >prog
		chmod +x prog
		./prog
	END
	run -0 --separate-stderr bash -c "pp-record -q $(without) -e cpu-clock -- sh make | pp-fold"
	assert_line --partial old_work
	pp-record -q $(without) -e cpu-clock -o in -- sh make
	for how in in '<in'; do
		run -0 --separate-stderr bash -c "pp-fold $how"
		assert_line --partial old_work
	done
}

# bats test_tags=T3-A1
@test "files: what has the inode of another one that is gone is not read, and its reader lives on" {
	programs
	generation=$(perl -e 'open F, "<", shift; $g = "\0" x 8; ioctl F, 0x80087601, $g; print unpack "L", $g' old)
	[ "$generation" -gt 0 ] || skip "this file system does not say how often it gave an inode away"
	one_hit old " gen=$((generation + 1))"
	run -0 --separate-stderr bash -c 'pp-script -F ip,sym in'
	assert_line --partial '[unknown]'
	[ "$stderr" = "pp-script: no symbols for $PWD/old: the file on disk is not the one that was recorded" ]
}
