# beside.bash - loaded by the tests that hold pp-script against perf script.

# rows NAMES: compares the recordings of these names in this folder, by each perf that is there
rows() {
	local perf arguments=()
	need_perf
	[[ $(perf --version) != *' 6.1.'* ]] || arguments+=(6.1 perf)
	! perf=$(newer_perf 7.3) || arguments+=(7.3 "$perf")
	[ "${#arguments[@]}" -gt 0 ] || skip "neither perf 6.1 nor 7.3 is here"
	perl "$TESTS/tools/script/rows.pl" "$TESTS/tools/script/rows.txt" "$1" "${arguments[@]}"
}
