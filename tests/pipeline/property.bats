# property.bats - laws that hold for streams of every shape: tried with thirty that pp-gen makes, or as
# many as SEEDS says (`make nightly`: a thousand).  property.pl has the shapes and the laws.

setup() { load ../helper; }

# hold SHARE LAW...: for one in SHARE of the seeds
hold() {
	local count=${SEEDS:-30} share=$1
	shift
	[[ $BIN != *address* ]] || share=$((share * 5)) # sanitizers start slowly
	perl "$TESTS/pipeline/property.pl" 1 $(((count + share - 1) / share)) "$@"
}

@test "pp-dump --json | pp-undump is the identity, and with --raw for streams of every kind" {
	hold 1 there_and_back
}

@test "pp-check finds what pp-gen makes sound, and pp-mend has nothing to do" {
	hold 1 sound
}

@test "stages that change nothing change nothing" {
	hold 1 unpacked passed
}

@test "what is sorted, saved, merged or split is sound and has the same samples" {
	hold 1 sorted saved merged split
}

@test "pp-check finds what was damaged, and sound what pp-mend makes of it" {
	hold 1 damaged
}

@test "perf script prints as many samples as were asked for" {
	need_perf
	hold 10 perf
}
