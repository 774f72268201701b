# kernel.bats - one rule, in all tools, for when the running kernel's names are those of a recording: its build-id,
# or, where a stream has none, its release and the place where a boot put it.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load symbols
	mkdir nowhere
}

# this_boot: a list of the running kernel's symbols, in which those of one CPU's data come before the code
this_boot() {
	printf '%s\n' '0000000000000000 A fixed_percpu_data' '0000000000001000 A cpu_hw_events' "$text T _stext" \
		"$text T _text" "$text T startup_64" "$address T vfs_read" "ffffffff92000080 T vfs_write" >kallsyms
	private true 2>/dev/null || skip "no mounts of one's own here"
}

text=ffffffff92000000 address=ffffffff92000040 name=vfs_read

# recorded MAP [RELEASE]: a sample in vfs_read(), of a kernel with that map and release
recorded() {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,PERIOD flags=sample_id_all
		[ -z "${2:-}" ] || echo "feature OSRELEASE string \"$2\""
		echo "$1 misc=1 synthesized"
		echo comm pid=7 comm=work time=10
		echo "sample pid=7 ip=0x$address misc=1 time=11"
		echo round
	} | build
}

# named STREAM: what each tool calls the function, a line each
named() {
	private pp-script -F time,ip,sym "$1" | awk 'NF { print "script", $NF }'
	private pp-fold "$1" | sed 's/.*;\(.*\) 1/fold \1/'
	private pp-report -s sym "$1" | awk '/%/ { print "report", $NF }'
	private pp-symbol "$1" -o symbols
	echo "symbol $(frames symbols)"
	echo "script of symbol $(pp-script --root nowhere -F time,ip,sym symbols 2>/dev/null | awk 'NF { print $NF }')"
}

# bats test_tags=T3-C4
@test "kernel: without a build-id it is the running one by release and place, in all tools" {
	this_boot
	recorded "mmap pid=-1 tid=0 start=0x$text len=0x4000000 pgoff=0x$text file=\"[kernel.kallsyms]_text\"" "$(uname -r)" >in
	[ "$(named in 2>said)" = "$(printf "%s $name\n" script fold report symbol 'script of symbol')" ]
	[ ! -s said ]
}

# bats test_tags=T3-C4
@test "kernel: another release, another boot, or none that is known, have no names of this one, which is said" {
	this_boot
	local other map release
	other=$(printf '0x%x' $((0x$text + 0x200000)))
	while IFS='|' read -r map release; do
		recorded "mmap pid=-1 tid=0 $map" "$release" >in
		for tool in pp-script pp-fold pp-report pp-symbol; do
			run -0 --separate-stderr private "$tool" in
			[[ $stderr == "$tool: the stream has no build-id of its kernel, which is not known to be this one: names "* ]] ||
				{ echo "$tool, $map, $release: $stderr"; return 1; }
			[[ $output != *"$name"* ]]
		done
	done <<-END
		start=0x$text len=0x4000000 pgoff=0x$text file="[kernel.kallsyms]_text"|2.6.32-1-other
		start=0x$text len=0x4000000 pgoff=0x$text file="[kernel.kallsyms]_text"|
		start=0x$text len=0x4000000 pgoff=$other file="[kernel.kallsyms]_text"|$(uname -r)
		start=0x$text len=0x4000000 pgoff=0x$text file="[kernel.kallsyms]"|$(uname -r)
	END
}

# bats test_tags=T3-C4
@test "kernel: where this boot hides its addresses there are no names, and that is why" {
	this_boot
	sed -i 's/^[^ ]*/0000000000000000/' kallsyms
	recorded "mmap pid=-1 tid=0 start=0x$text len=0x4000000 pgoff=0x$text file=\"[kernel.kallsyms]_text\"" "$(uname -r)" >in
	for tool in pp-script pp-fold pp-report pp-symbol pp-top; do
		run -0 --separate-stderr private "$tool" in
		[[ $stderr == "$tool: the addresses in /proc/kallsyms are hidden: no names of the kernel (as root: s"* ]]
		[[ $output != *"$name"* ]]
	done
}

# bats test_tags=T3-C4
@test "kernel: functions of a pipe from perf have perf's names in every tool" {
	need_system_wide # the kernel, too
	grep -q '^0*[1-9a-f].* _text$' /proc/kallsyms || skip "the kernel's addresses are hidden"
	perf_quiet record -o - -e cpu-clock -g -- "${CALLS[@]}" >in
	perf script -F ip,sym -i - <in 2>/dev/null | awk '$1 ~ /^ffffffff/ && $2 !~ /unknown/ { print $2 }' | sort -u >wanted
	[ -s wanted ]
	pp-script -F ip,sym in 2>/dev/null | awk '$1 ~ /^ffffffff/ && $2 !~ /unknown/ { print $2 }' | sort -u | diff wanted -
	pp-fold --kernel in 2>/dev/null | tr ';' '\n' | sed -n 's/_\[k\].*//p' | sort -u >folded
	[ -z "$(comm -13 folded wanted)" ]
}
