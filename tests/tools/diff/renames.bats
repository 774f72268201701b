# renames.bats - pp-diff: what has other names on two sides is compared by --map and --no-comm.

setup() {
	load ../../helper
	load ../names
}

# recording FILE COMM PATH MS: a program below a folder, whose code takes so long
recording() {
	{
		head_with CPU
		cat <<-END
			comm pid=7 comm=$2 time=6
			mmap pid=7 tid=7 start=0x400000 len=0x1000 pgoff=0 file=$3 time=7
			repeat $4 {
			sample id=1 pid=7 tid=7 time=\$(i*2000000+1000) period=1000000 misc=2 callchain=-512,0x400010
			}
			round
		END
	} | build >"$1"
}

verdicts() { pp-diff -q --root / --csv --all "$@" | tr -d '\r' | awk -F, 'NR > 2 { print $3, $2 }'; }

@test "diff: files and programs of two builds are compared by --map, or whatever their folders and names" {
	local i
	for i in 1 2 3; do
		recording "a$i" app /src/target/old/app $((400 + i))
		recording "b$i" app-v2 /src/target/new/app $((440 + i))
	done
	run -0 verdicts --by dso a* -- b*
	assert_output 'worse /src/target/old/app -> /src/target/new/app'
	run -0 verdicts --by dso --map target/old/app=target/new/app a* -- b*
	assert_output 'worse /src/target/new/app'
	run -0 verdicts --by dso --map arget/old/app=x a* -- b*
	assert_output 'worse /src/target/old/app -> /src/target/new/app'
	run -0 verdicts --by dso --no-comm a* -- b*
	assert_output 'worse app'
	run -0 verdicts --by comm a* -- b*
	assert_output 'worse app -> app-v2'
	run -0 verdicts --by comm --map app=app-v2 a* -- b*
	assert_output 'worse app-v2'
	run -0 verdicts --by comm --no-comm a* -- b*
	assert_output 'worse any program'
}

@test "diff: --map and --no-comm are refused where they say nothing" {
	recording a app /src/app 20
	run -2 --separate-stderr pp-diff --no-comm a -- a
	assert_equal "${stderr_lines[0]}" 'pp-diff: --no-comm is for --by comm and --by dso: functions are compared whatever their program'
	run -2 --separate-stderr pp-diff --by comm --no-comm --map a=b a -- a
	assert_equal "${stderr_lines[0]}" 'pp-diff: --no-comm leaves nothing for --map to compare'
	run -2 --separate-stderr pp-diff --map a a -- a
	assert_equal "${stderr_lines[0]}" "pp-diff: --map: 'a' is not OLD=NEW"
}
