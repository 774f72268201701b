# space.bash - runs tools in an address space that is limited, beside what they take for nothing.

# nothing TOOL: KiB of address space that the program takes for nothing, with its libraries
nothing() {
	local kib=2048
	until prlimit --as=$((kib * 1024)) "$1" --help >/dev/null 2>&1; do
		kib=$((kib + 256))
		[ $kib -lt 65536 ] || return
	done
	echo $kib
}

# in_space MB TOOL ARGUMENTS...: in so many MB beside that
in_space() {
	local mb=$1 tool=$2
	shift
	prlimit --as=$((($(nothing "$tool") + mb * 1024) * 1024)) "$@"
}
