# speedscope.bats - pp-export --to speedscope: a profile for each thread, read back by a reader of our own, and by
# the schema of speedscope itself.

setup() {
	load ../../helper
	load export
	mkdir none
}

# scope FILE: what it holds; stacks FILE: its samples as pp-fold --tid has them
scope() { perl "$TESTS/tools/export/speedscope.pl" "$@"; }
stacks() { scope --folded "$@"; }

@test "speedscope: a profile for each thread and event, whose frames have names, files and lines" {
	threads_and_events >in
	run -0 pp-export --root none in -o out.speedscope.json
	refute_output
	scope out.speedscope.json >got
	sed "s/VERSION/$(pp-export --version | grep -o '[0-9.]*$')/" <<-'END' | diff - got
		file perfpipe VERSION /bin/work hard
		about written by: pp-export VERSION
		about command: /bin/work hard
		about host: web7
		about recorded by: 6.1
		about samples: 4 cpu-clock
		about samples: 1 page-faults
		frame outer [kernel.kallsyms]
		frame x.so+0x1010 /lib/x.so
		frame inner [kernel.kallsyms]
		frame 0x10 -
		profile new_name 7/7 cpu-clock nanoseconds 0 3001 3
		profile worker 7/9 cpu-clock nanoseconds 0 500 1
		profile worker 7/9 page-faults none 0 3 1
	END
	stacks out.speedscope.json | diff - <(printf '%s\n' '7/7;[unknown] 1' '7/7;[x.so];outer;inner 3000' '7/9;[x.so] 500')
	pp-export --to=speedscope --root none <in | cmp - out.speedscope.json
}

@test "speedscope: every stack of every thread weighs what it weighs for pp-fold, in streams of every kind" {
	for file in "$TESTS"/streams/*.pipe; do
		echo "$file"
		event=$(event_of "$file")
		pp-export -q --to speedscope --root none ${event:+-e "$event"} "$file" >out || [ $? = 3 ]
		diff <(thread_stacks "$file") <(stacks out)
	done
}

@test "speedscope: samples are in their order, however many wait in the file, and stay when stacks are dropped" {
	many_samples >in
	pp-export --to speedscope --root none in -o out
	jq -c '.profiles[] | [.name, (.weights | length), .weights[0], .weights[-1]]' out >got
	diff got - <<-'END'
		["one 7/7",1500,2,3000]
		["two 7/8",1500,1,2999]
	END
	jq -e '[.profiles[] | .weights | . == sort] | all' out
	diff <(thread_stacks in) <(stacks out)
	run -0 pp-export --to speedscope --root none --stacks 64K in -o out
	assert_output --partial 'dropped'
	run -0 jq -c '[.profiles[] | .endValue, (.samples | length)], ([.profiles[].samples[] | select(. == [])] | length > 0)' out
	assert_output $'[2251500,1500,2250000,1500]\ntrue'
}

@test "speedscope: names of a hostile stream are text, and weights numbers however large" {
	hostile >in
	pp-export -q --to speedscope --root none in -o out
	scope out >got
	grep -qxF 'about host: a\xff\x1b[31m\x0ab' got
	grep -qxF 'frame f\xc3(\x07"\ [kernel.kallsyms]' got
	grep -qxF 'profile \xe2\x80\xaeevil 7/7 nanoseconds 0 18446744073709551615 1' got
}

@test "speedscope: a stream that is cut gives what is good, status 3, and the file says so" {
	threads_and_events | pp-cat --seal >whole
	for cut in 1200 1500 1800; do
		head -c "$cut" whole >in
		run -3 pp-export -q --root none in -o out.speedscope.json
		scope out.speedscope.json >got
		grep -qx 'about damaged: the recording is damaged or cut: what could be read is shown' got
	done
	grep -q '^profile .* 7/7' got
}

@test "speedscope: without samples there are no profiles; without times there are weights all the same" {
	threads_and_events | pp-filter 'cpu == 5' >in
	run -0 pp-export --root none in -o out.speedscope.json
	assert_output 'pp-export: in: there are no samples in it'
	run -0 jq -c '[.profiles, .shared.frames]' out.speedscope.json
	assert_output '[[],[]]'
	timeless >in
	pp-export --root none in -o out.speedscope.json
	stacks out.speedscope.json | diff - <(printf '%s\n' '7/7;[unknown] 11')
	run -4 pp-export --to speedscope -q --root none in -o /dev/full
	assert_output 'pp-export: cannot write /dev/full: No space left on device'
	TMPDIR=$PWD/gone run -4 pp-export --to speedscope -q --root none <(many_samples) -o out
	assert_output --partial "cannot put samples aside in $PWD/gone"
}

# bats test_tags=nightly
@test "speedscope: its own schema holds" {
	node_modules speedscope ajv
	threads_and_events >in
	many_samples >many
	hostile >hostile
	for file in in many hostile "$TESTS"/streams/*.pipe; do
		pp-export -q --to speedscope --root none "$file" -o "${file##*/}.json" || [ $? = 3 ]
	done
	cat >valid.cjs <<-'END'
		const fs = require('fs'), root = process.env.NODE_PATH, Ajv = require('ajv').default;
		const schema = JSON.parse(fs.readFileSync(root + '/speedscope/dist/release/file-format-schema.json'));
		const valid = new Ajv({ strict: false }).compile(schema);
		for (const name of process.argv.slice(2))
			if (!valid(JSON.parse(fs.readFileSync(name)))) {
				console.log(name, valid.errors);
				process.exitCode = 1;
			}
	END
	run -0 node valid.cjs ./*.json
	refute_output
}

# bats test_tags=nightly
@test "speedscope: its page shows the threads, and the functions with what they weigh" {
	load ../../browser/browser
	node_modules speedscope
	threads_and_events >in
	pp-export -q --to speedscope --root none in -o in.json
	cp -r "$NODE_PATH/speedscope/dist/release" web
	printf 'speedscope.loadFileFromBase64("in.speedscope.json", "%s")\n' "$(base64 -w0 in.json)" >in.js
	sed "s#<body>#&<script>location.hash = 'view=sandwich\&localProfilePath=$PWD/in.js'</script>#" web/index.html >web/page.html
	# it writes to the console what it does
	cat >steps <<-'END'
		eval new Promise(r => { const t = setInterval(() => /Symbol Name/.test(document.body.innerText) && (clearInterval(t), setTimeout(r, 500)), 100) })
		eval document.body.innerText.replace(/\s+/g, ' ')
		shot page.png
	END
	drive web/page.html <steps || true
	grep -qF 'new_name 7/7 cpu-clock' did
	grep -qF 'Total Self Symbol Name 3.00µs (>99%) 3.00µs (>99%) inner' did
	grep -qF '3.00µs (>99%) 0.00ns (<0.01%) outer' did
	grep -qF '3.00µs (>99%) 0.00ns (<0.01%) x.so+0x1010' did
	refute grep '"exceptionDetails"' did
	# a picture of more than its background, which has 4,000 bytes
	[ "$(wc -c <page.png)" -gt 8000 ]
}
