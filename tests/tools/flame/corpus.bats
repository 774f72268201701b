# corpus.bats - pages of pp-flame of every recording that is here: a browser opens each without a word.

setup() {
	load ../../helper
	load ../../browser/browser
}

# every PAGE: goes through its views by keys
every() {
	drive "$1" <<-'END'
		eval document.documentElement.dataset.ready
		key 2
		key 3
		key 4
		key 1
		key i
		key ?
		key Escape
		eval document.getElementById('shown').textContent.length > 0
	END
	# without samples there is nothing to go through
	[ "$(cat did)" = $'"empty"\nfalse' ] || is '"yes"' true
}

@test "page: recordings of this repository open in a browser, and all their views" {
	local file pages=0
	for file in plain dwarf group callchain switch tracepoint picture; do
		[ -e "$TESTS/streams/$file.pipe" ] || continue
		echo "$file"
		pp-flame -q -o page.html "$TESTS/streams/$file.pipe"
		every page.html
		pages=$((pages + 1))
	done
	[ "$pages" -ge 4 ]
}

# bats test_tags=nightly
@test "page: recordings of the corpus open in a browser, and all their views" {
	corpus
	local file pages=0
	while IFS= read -r file; do
		rm -f page.html
		timeout 30 pp-flame -q -o page.html "$file" >/dev/null 2>&1 || true
		[ -s page.html ] || continue
		echo "$file"
		every page.html
		pages=$((pages + 1))
	done < <(find "$CORPUS" -type f -size -20M | sort)
	[ "$pages" -ge 50 ]
}
