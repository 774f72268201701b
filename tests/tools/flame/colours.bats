# colours.bats - the colours of frames: far enough apart for all eyes, and those of the legend.

setup() {
	load ../../helper
	load ../../browser/browser
	load stacks
}

@test "colours: kinds differ for every kind of sight, and text on them can be read" {
	need perl
	run -0 perl "$TESTS/tools/flame/colours.pl" "$ROOT/libpipe/export/frame_colour.c"
	assert_output 'change light: 3 kinds, 18.5 apart, text 6.6
change dark: 3 kinds, 10.3 apart, text 5.5
flame light: 7 kinds, 8.5 apart, text 6.9
flame dark: 7 kinds, 8.9 apart, text 4.6'
}

@test "colours: a page and a picture draw frames in the colours of their legends" {
	printf '%s\n' 'a_[k] 30' 'b_[j] 30' 'c_[i] 30' 'd 30' '[unknown] 30' >in
	pp-flame --svg -o out.svg in
	pp-flame -o page.html in
	drive page.html <<-'END'
		eval [...document.querySelectorAll('#legend .swatch')].map(s => s.style.backgroundColor.match(/\d+/g).map(Number))
		eval (() => { const g = document.getElementById('graph'), row = g.getContext('2d').getImageData(0, 27, g.width, 1).data, w = g.width / 5; return [0, 1, 2, 3, 4].map(k => Math.round(w * k + w / 2 + 60) * 4).map(at => [row[at], row[at + 1], row[at + 2]]); })()
		eval document.getElementById('legend').innerText.replace(/\s+/g, ' ').trim()
	END
	perl -MJSON::PP -e '
		my ($legend, $boxes) = map { decode_json($_) } (<>)[0, 1];
		@$legend == 5 && @$boxes == 5 or die "not five\n";
		my %near;
		for my $box (@$boxes) {
			my ($best) = sort { $a->[0] <=> $b->[0] } map { my $k = $_; [abs($box->[0] - $legend->[$k][0]) + abs($box->[1] - $legend->[$k][1]) + abs($box->[2] - $legend->[$k][2]), $k] } 0 .. 4;
			$best->[0] <= 40 or die "a box has no colour of the legend: @$box\n";
			$near{$best->[1]}++;
		}
		keys %near == 5 or die "two kinds have one colour\n"' did
	assert_equal "$(sed -n 3p did)" '"Self weight by kind: program 20.0 % inlined 20.0 % kernel 20.0 % JIT 20.0 % unknown 20.0 %"'
}
