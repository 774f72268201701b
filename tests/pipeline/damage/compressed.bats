# compressed.bats - compressed records that cannot be expanded, or whose contents are damaged.

setup() {
	load ../../helper
	load damage
}

@test "what cannot be expanded is told, and the rest is delivered" {
	build >in <<-'END'
		header
		attr id=1
		feature COMPRESSED
		record 81 0 0011223344556677
		record 81 0 8899aabbccddeeff
		round
		compressed {
		sample time=1000
		}
		round
	END
	refused 3 "(COMPRESSED): cannot expand: "
	[ "$(grep -c 'cannot expand' <<<"$stderr")" -eq 1 ]
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
	[ "$(records out | grep -c 'FINISHED_ROUND 0 8 ')" -eq 2 ]
}

@test "a COMPRESSED2 that claims more than it has is told, and the rest is delivered" {
	build >in <<-'END'
		header
		attr id=1
		record 83 0 110000000000000028b52ffd00000000
		sample time=1000
	END
	refused 3 "(COMPRESSED2): field has a value that cannot be: more compressed bytes than the record has"
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
}

@test "a record that lies in compressed ones and is not whole is cut" {
	build >in <<-'END'
		header
		attr id=1
		compressed {
		sample time=1000
		bytes 0900000002004000aabb
		}
		round
	END
	refused 3 "(COMPRESSED): the stream ends inside a record: its contents end too early: need 64 bytes, have 10"
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
}

@test "a record of size zero among compressed ones ends the stream" {
	build >in <<-'END'
		header
		attr id=1
		compressed {
		sample time=1000
		zeros 64
		}
		sample time=2000
	END
	refused 3 "(COMPRESSED): record is smaller than its own header: need 8 bytes, have 0"
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
}

@test "a bomb of zeros is expanded in little memory" {
	build >in <<-'END'
		header
		attr id=1
		compressed {
		repeat 40 {
		bytes 7100000000000880
		zeros 32768
		zeros 32768
		}
		}
	END
	# 113 of size 32776, then zeros: a record that is too small
	(
		limit_memory 100000
		refused 3 "record is smaller than its own header"
	)
}
