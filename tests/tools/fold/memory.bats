# memory.bats - what stacks cost pp-fold, pp-flame and pp-report: no more than what is new in each, under a
# limit of address space.

setup() {
	load ../../helper
	load ../../pipeline/space
	need_limits
}

grown() { perl "$TESTS/bench/grown.pl" "$@"; }

# bats test_tags=T3-B8
@test "fold, flame, report: 2,500 stacks of 127 functions, all different, take less than 32 MB" {
	grown stacks 2500 127 >in.pipe
	in_space 20 pp-fold -q --root /nowhere in.pipe >folded
	[ "$(wc -l <folded)" -eq 2500 ]
	in_space 32 pp-flame -q --root /nowhere in.pipe >page
	grep -q function_999 page
	in_space 32 pp-report -q --root /nowhere -s comm in.pipe >table
	grep -q '100.00%.*some' table
}

# bats test_tags=T3-B8
@test "fold, flame: as many addresses that have no name, and are nearly all different, take no more" {
	grown unnamed 2500 127 >in.pipe
	in_space 32 pp-fold -q --root /nowhere in.pipe >folded
	[ "$(cat folded)" = "some$(printf ';[some]%.0s' {1..127}) 625000000" ]
	in_space 32 pp-flame -q --root /nowhere in.pipe >page
	grep -q '625000000' page
}
