# labels.bats - what stands in boxes, of a page and of a picture: the names of labels.txt, and no more than fits.

setup() {
	load ../../helper
	load ../../browser/browser
	# a row: a name and its five forms, all written out
	awk -F'\t' -v OFS='\t' '/^#/ { next } { for (i = 2; i <= NF; i++) if ($i == "=") $i = $(i - 1); print }' \
		"$TESTS/tools/flame/labels.txt" >rows
	[ "$(wc -l <rows)" -ge 40 ]
	run -1 awk -F'\t' 'NF != 6 { n++; print } END { exit !n }' rows
	cut -f 1 rows | sed 's/$/ 1/' >in
}

@test "labels: a page shortens names as the table says" {
	pp-flame --unit things -o page.html in
	drive page.html <<-'END'
		again const { measureText } = CanvasRenderingContext2D.prototype; window.measured = []; CanvasRenderingContext2D.prototype.measureText = function (text) { measured.push(text); return measureText.call(this, text); };
		size 4000 700
		eval new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(measured.join('\t')))))
	END
	# the forms of a name are measured one after the other
	sed -n 1p did | jq -r . >measured
	local row rows=0
	while read -r row; do
		echo "$row"
		grep -qF "$row" measured
		rows=$((rows + 1))
	done < <(cut -f 2- rows)
	[ "$rows" -ge 40 ]
}

@test "labels: a picture shortens names as the table says, to what fits" {
	local width
	for width in 100 140 180 250 400; do
		pp-flame --svg --width "$((width * $(wc -l <rows)))" -o out.svg in
		perl -CSD -Mutf8 - rows out.svg "$width" <<-'END'
			my ($rows, $svg, $width) = @ARGV;
			my $room = int(($width - 4) / 6.7);
			my (%forms, $seen);
			open my $f, '<', $rows or die;
			while (<$f>) { chomp; my ($name, @all) = split /\t/; $forms{$name} = \@all }
			open $f, '<', $svg or die;
			while (<$f>) {
				s/&lt;/</g, s/&gt;/>/g, s/&amp;/&/g for $_;
				my ($name) = m{^<g><title>(.*?): 1 } or next;
				my $all = $forms{$name} or next;
				my ($label) = m{<text[^>]*>(.*)</text></svg></g>$};
				my @fits = grep { letters($_) <= $room } @$all;
				$seen++;
				if (@fits) { $label eq $fits[0] or die "$width: $name: $label, not $fits[0]\n" }
				elsif (defined $label) { letters($label) <= $room && $label =~ /^[^…]+…[^…]+$/ or die "$width: $name: $label\n" }
			}
			$seen == keys %forms or die "$seen of " . keys(%forms) . "\n";
			sub letters { my ($t) = @_; return length($t) + (() = $t =~ /[\x{3000}-\x{9fff}]/g) }
		END
	done
}

@test "labels: in any font none is wider than its box" {
	pp-flame --unit things -o page.html in
	local font seen=0
	for font in monospace serif 'bold 15px sans-serif'; do
		[[ $font == *px* ]] || font="12px $font"
		drive page.html <<-END
			again { const p = CanvasRenderingContext2D.prototype, d = Object.getOwnPropertyDescriptor(p, 'font'), { fillRect, fillText } = p; let box; window.labels = 0; window.wide = []; Object.defineProperty(p, 'font', { set() { d.set.call(this, '$font'); }, get() { return d.get.call(this); } }); p.fillRect = function (x, y, w, h) { if (this.canvas.id === 'graph' && h === 17) box = [x, w]; fillRect.call(this, x, y, w, h); }; p.fillText = function (text, x, y) { if (this.canvas.id === 'graph') { labels++; if (x < box[0] || x + this.measureText(text).width > box[0] + box[1]) wide.push(text); } fillText.call(this, text, x, y); }; }
			size 3000 700
			eval new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(labels > 10))))
			size 1400 700
			eval new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(wide))))
		END
		is true '[]'
		seen=$((seen + 1))
	done
	[ "$seen" -eq 3 ]
}
