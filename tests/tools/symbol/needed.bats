# needed.bats - which names go where a part of the samples goes: pieces and pruned streams have those that their
# samples need, and no others.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

# shown FILE: samples, with what the stream alone names
shown() { pp-script -F ip,sym,dso --root /proc/self/fdinfo "$1"; }
# named FILE: how many addresses have names; hit_by FILE: how many its samples hit
named() { pp-dump --headers --json "$1" | jq -s '[.[].names // empty | .[].addresses[]] | length'; }
hit_by() { records -v -s "$1" | grep -oE 'ip=[^ ]+' | sort -u | wc -l; }

@test "each piece of a split stream has the names that its samples need, and no others" {
	local how piece
	rounds
	pp-symbol in -o out
	shown out >whole
	run -1 grep unknown whole
	for how in '--samples 7' '--bytes 2k' '--seconds 0.000000010'; do
		rm -f piece-*
		# shellcheck disable=SC2086 # options
		pp-split $how -i out -o 'piece-%03u'
		[ "$(find . -name 'piece-*' | wc -l)" -gt 3 ]
		: >all
		for piece in piece-*; do
			pp-check "$piece"
			shown "$piece" >>all
			[ "$(named "$piece")" -eq "$(hit_by "$piece")" ]
			[[ $how != --bytes* ]] || [ "$(stat -c %s "$piece")" -le 2048 ]
		done
		cmp whole all
	done
	# by a key, and what was sealed is so afterwards
	rm piece-*
	pp-cat --seal out | pp-split --by pid -o 'piece-{}'
	pp-check piece-7
	shown piece-7 | cmp whole -
}

@test "a pruned stream has the names that its samples need, also with --context" {
	rounds
	pp-symbol in -o out
	shown out >whole
	pp-filter --prune out >all
	shown all | cmp whole -
	[ "$(named all)" -eq "$(hit_by out)" ]
	pp-filter --prune 'time < 30' out >some
	pp-check some
	shown some | cmp - <(head -n "$(records -s some | wc -l)" whole)
	[ "$(named some)" -eq "$(hit_by some)" ]
	[ "$(named some)" -lt "$(named out)" ]
	pp-filter --prune --context 5ns 'time == 60' out >near
	pp-check near
	[ "$(shown near | sort -u | grep -c unknown)" -eq 0 ]
	[ "$(named near)" -eq "$(hit_by near)" ]
	# what is pruned already stays as it is
	pp-filter --prune some | cmp some -
	# a filter that keeps all side-band keeps all names
	[ "$(named <(pp-filter 'time < 30' out))" -eq "$(named out)" ]
}

@test "names that come after the samples go with those that need them" {
	local n
	rounds
	pp-symbol in -o out
	# as a stage that learns all of them last writes them
	perl -e '
		local $/; my $all = <>; my ($at, $head, $names, $rest) = (16, substr($all, 0, 16), "", "");
		while ($at < length $all) {
			my ($type, $misc, $size) = unpack("LSS", substr($all, $at, 8));
			my $record = substr($all, $at, $size);
			$at += $size;
			if ($type == 68 && substr($record, 8, 7) eq "PPNAMES") { $names .= $record } else { $rest .= $record }
		}
		print $head, $rest, $names' out >late
	[ "$(named late)" -eq "$(named out)" ]
	# which places were hit before there were names is not known: the last piece has what is left, whole
	pp-split --samples 100 -i late -o 'piece-%u'
	pp-check piece-0 && pp-check piece-1
	[ "$(named piece-1)" -eq "$(named out)" ]
	pp-filter --prune 'time < 30' late >some
	[ "$(named some)" -eq "$(named out)" ]
	run -0 pp-fold --root /proc/self/fdinfo some
	[[ $output == *';work '* && $output != *';['* ]]
}
