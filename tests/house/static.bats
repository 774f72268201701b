# static.bats - the static program that is all tools: its names, its size, and a chroot with nothing else in it.

setup() {
	load ../helper
	load ../static
	need_one
}

# same COMMAND...: prints the same as the tool alone, and ends alike
same() {
	local alone=0 together=0
	pp-"$@" >alone 2>alone.err </dev/null || alone=$?
	"$ONE" "$@" >together 2>together.err </dev/null || together=$?
	assert_equal "$together" "$alone"
	same_bytes alone together
	same_bytes alone.err together.err
}

@test "static: one program of at most 6 MB, stripped, loads no library, and has its addresses anywhere" {
	[ "$(stat -c %s "$ONE")" -le 6000000 ]
	run -0 readelf -Wld "$ONE"
	[[ $output != *NEEDED* && $output != *INTERP* && $output != *RUNPATH* ]]
	run -0 readelf -WS "$ONE"
	[[ $output != *.symtab* ]]
	run -0 readelf -Wh "$ONE"
	[[ $output == *DYN* ]] || skip "the static libraries are not position-independent"
}

@test "static: a tool is named by the first argument or by a link, with or without pp-" {
	local tool
	assert_equal "$("$ONE" --list)" "$(tools)"
	for tool in $(tools); do
		[ "$("$ONE" "$tool" --version)" = "$("$tool" --version)" ]
		[ "$("$ONE" "${tool#pp-}" --version)" = "$("$tool" --version)" ]
		ln -s "$ONE" "$tool"
		[ "$("./$tool" --version)" = "$("$tool" --version)" ]
	done
	ln -s "$ONE" sort
	[ "$(./sort --version)" = "$(pp-sort --version)" ]
	# whatever the file is called
	cp "$ONE" perfpipe-9.9
	[ "$(./perfpipe-9.9 sort --version)" = "$(pp-sort --version)" ]
	run -0 "$ONE" --help
	[[ $output == *'perfpipe [OPTIONS] [TOOL] [ARGUMENT...]'* ]]
	run -0 "$ONE" --version
	assert_output --partial 'perfpipe (perfpipe)'
}

@test "static: a name that no tool has, or none, is refused with the list" {
	local tool
	ln -s "$ONE" pp-nothing
	for words in "$ONE nothing" "$ONE pp-" "$ONE" "./pp-nothing" "./pp-nothing sort"; do
		echo "$words"
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr $words
		assert_equal "$output" ''
		for tool in $(tools); do
			grep -qx "$tool" <<<"$stderr"
		done
	done
	run -2 "$ONE" --list sort
	run -2 "$ONE" --nothing
}

@test "static: --install makes a link for each tool, relative beside the program, and replaces links alone" {
	mkdir bin 'a folder'
	cp "$ONE" bin/perfpipe
	for folder in bin 'a folder'; do
		bin/perfpipe --install "$folder"
		bin/perfpipe --install "$folder"
		[ "$(cd "$folder" && ls pp-*)" = "$(tools)" ]
		[ "$("$folder/pp-check" --version)" = "$(pp-check --version)" ]
	done
	assert_equal "$(readlink bin/pp-sort)" perfpipe
	assert_equal "$(readlink 'a folder/pp-sort')" "$PWD/bin/perfpipe"
	rm bin/pp-sort
	echo mine >bin/pp-sort
	run -4 bin/perfpipe --install bin
	assert_equal "$(cat bin/pp-sort)" mine
	run -4 bin/perfpipe --install nowhere
}

@test "static: what it prints and writes is what the tools print and write" {
	local streams=$TESTS/streams
	for stream in plain newer every group switch tracepoint zstd stat; do
		same dump "$streams/$stream.pipe"
		same check "$streams/$stream.pipe"
		same info "$streams/$stream.pipe"
		same sort -i "$streams/$stream.pipe"
	done
	same script --root / "$streams/tracepoint.pipe"
	same script --root / "$streams/dwarf.pipe"
	same fold --root / "$streams/dwarf.pipe"
	same report --root / "$streams/dwarf.pipe"
	same symbol --root / -i "$streams/dwarf.pipe"
	same flame --root / "$streams/demo.pipe"
	same stat "$streams/counts.txt"
	same compress -i "$streams/plain.pipe"
	same filter 'no-such-field == 1' -i "$streams/plain.pipe"
}

@test "static: tracepoints are shown in perf's words if libtraceevent.a is there, or what lacks is said" {
	run -0 --separate-stderr "$ONE" script -F trace "$TESTS/streams/tracepoint.pipe"
	if [ -f "$("${CC:-cc}" -print-file-name=libtraceevent.a)" ]; then
		[[ $output == *==\>* && $stderr != *libtraceevent* ]]
	else
		[[ $output != *==\>* && $stderr == *libtraceevent* ]]
	fi
}

@test "static: options that need what is not in it are refused, and --help says so" {
	for words in 'record --pfm-events=cycles -- true' 'count --pfm-events=cycles -- true' \
		'symbol --debuginfod' 'script --debuginfod' 'report --debuginfod'; do
		echo "$words"
		# shellcheck disable=SC2086 # words
		run -2 "$ONE" $words
		assert_output --partial 'built without lib'
		run -0 "$ONE" "${words%% *}" --help
		assert_output --partial 'built without lib'
	done
	run -0 pp-symbol --help
	refute_output --partial 'built without'
	# a name may be libpfm4's, of which it has none
	run -2 "$ONE" record -e no::event -- true
}

# alone ARGUMENT...: the program, where nothing else is
alone() {
	# shellcheck disable=SC2016 # for the shell there
	unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" &&
		exec chroot "$0" /perfpipe "$@"' "$PWD/root" "$@"
}

@test "static: where nothing is but the program, /proc and /sys, it records, filters, sorts and reports" {
	need_root
	need_perf_events
	need unshare chroot
	once unshare unshare --mount true || skip "mounts of one's own are not permitted here"
	mkdir -p root/proc root/sys
	cp "$ONE" root/perfpipe
	alone record -e cpu-clock -F 5000 -g -- /perfpipe gen --samples 300000 -o /made.pipe >r.pipe
	alone check -q -i /made.pipe
	alone filter 'comm == "pp-gen"' <r.pipe | alone sort >f.pipe
	alone check -q <f.pipe
	[ "$(records -s f.pipe | wc -l)" -gt 20 ]
	alone report -s comm,dso <f.pipe >report
	grep -q 'pp-gen *perfpipe' report
	alone symbol <r.pipe | alone report -s symbol >report
	grep -qF '[k]' report
	alone dump --headers <f.pipe >headers
	grep -q '^# hostname' headers
	# pp-top starts pp-record, which is itself
	alone top --once --interval 0.1 -- /perfpipe gen --samples 300000 -o /made.pipe >top
	grep -q ' samples of cpu-clock' top || grep -q ' samples of cycles' top
}
