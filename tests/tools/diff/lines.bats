#!/usr/bin/env bats
# lines.bats - pp-diff: lines of sources as units.

setup() {
	load ../../helper
	load sides
}

@test "diff: lines of sources are units, and are called as pp-report calls them" {
	local i at n
	need "${CC:-cc}"
	need nm
	need readelf
	cat >prog.c <<-'END'
		volatile unsigned x;
		int main(void)
		{
			x += 3;
			x *= 7;
			return (int)x;
		}
	END
	"${CC:-cc}" -O1 -g -fno-pie -no-pie -Wl,--build-id -o prog prog.c
	at=$((0x$(nm prog | sed -n 's/ T main$//p')))
	n=$((0x$(nm -S prog | sed -n 's/.* \(.*\) T main$/\1/p')))
	for i in 1 2 3; do
		{
			echo header
			echo attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,mmap2
			echo "mmap2 pid=7 start=0x400000 len=0x100000 file=\"$PWD/prog\" build_id=$(readelf -n prog |
				sed -n 's/.*Build ID: //p') time=1"
			printf '%s\n' "repeat $((n * 30)) {" \
				"sample id=1 pid=7 tid=7 time=\$(i*1000+1000) period=$((10000 + i)) ip=\$($at+i%$n) misc=2" '}' round
		} | build >a$i
	done
	pp-report -q -s srcline --csv --fields srcline a1 | tr -d '\r' | cut -d, -f2 | tail -n +2 | sort >expected
	grep -qx 'prog.c:4' expected
	run -0 verdicts --by line a? -- a?
	assert_line 'same prog.c:4'
	diff <(grep -v ' total$' <<<"$output" | sed 's/^same //' | sort) expected
	pp-diff --by line --markdown --all a? -- a? | grep -q '| after | line |$'
	# without debug information: how far into a function
	strip -g prog
	run -0 verdicts --by line a? -- a?
	assert_line 'same main+4'
	pp-report -q -s srcline --csv --fields srcline a1 | tr -d '\r' | cut -d, -f2 | tail -n +2 | sort >expected
	diff <(grep -v ' total$' <<<"$output" | sed 's/^same //' | sort) expected
}
