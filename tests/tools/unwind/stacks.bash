# stacks.bash - one sample with registers and a stack, of whatever machine: for the tests of pp-unwind.

# one_stack ARCH ORDER MAP MASK IP ABI:REGS WORD...: a stream of that machine, in which process 7 has a map and
# is at IP; the words are its stack, in that order (Q> is big-endian, of 64 bits)
one_stack() {
	local arch=$1 order=$2 map=$3 mask=$4 ip=$5 regs=$6 big='' stack
	shift 6
	[ "${order#?}" = '<' ] || big=' big'
	stack=$(perl -e '$o = shift; print unpack "H*", pack "($o)*", map { hex } @ARGV' "$order" "$@")
	build <<-END
		header$big
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER,IDENTIFIER flags=sample_id_all,exclude_callchain_user sample_regs_user=$mask sample_stack_user=64 config=0
		feature ARCH string "$arch"
		comm pid=7 comm=nginx time=500
		mmap2 pid=7 $map time=600
		sample pid=7 time=1000 ip=$ip callchain= regs_user=$regs stack_user=$stack:$((${#stack} / 2))
		round
	END
}
