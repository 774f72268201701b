# fold.bash - loaded after names.bash by tests of pp-fold: the beginning of a stream with chains.

head_of() {
	head_with CALLCHAIN
	echo 'comm pid=8 comm="eight up" time=6'
}
