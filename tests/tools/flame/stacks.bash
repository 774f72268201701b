# stacks.bash - a few folded stacks, for the tests of pp-flame.

stacks() {
	cat <<-'END'
		# from somewhere
		main;work;inner 50
		main;work;inner;deep 30
		main;idle 15
		kernel;entry 5
	END
}
