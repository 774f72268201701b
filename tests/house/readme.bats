# readme.bats - README.md and perfpipe-guide(7): short, complete, and each command in them runs.

setup() {
	load ../helper
	load examples
	GUIDE=$ROOT/man/perfpipe-guide.7
}

# readme_commands: the commands of README: in lines that are further in, and pipelines between backticks
readme_commands() {
	{
		grep -oE '`[^`]*\bpp-[a-z]+ [^`]*`' "$ROOT/README.md" | sed 's/`//g; s/\\|/|/g' | grep '|'
		grep -E '^    [^ ]*.*\bpp-[a-z]+' "$ROOT/README.md" | sed 's/^ *//'
	} | grep -v -e '\.\.\.' -e '^sudo'
}

# guide_commands SECTION: the commands of a section of the guide, each on a line that begins with $
guide_commands() {
	page_text "$GUIDE" | awk -v name="$1" '/^[A-Z]/ { on = $0 == name; next } on' | sed -n 's/^ *\$ //p'
}

# bats test_tags=T3-E1
@test "README is read in five minutes" {
	[ "$(wc -w <"$ROOT/README.md")" -le 1200 ]
}

@test "README names every tool, with its page" {
	for tool in $(tools); do
		echo "$tool"
		grep -qF "[$tool](tools/$tool.1)" "$ROOT/README.md"
	done
}

@test "the files that README names are there, and every page of man/ is named" {
	grep -oE '\]\([A-Za-z0-9_./-]+\)' "$ROOT/README.md" | tr -d '])(' | sort -u >named
	[ "$(wc -l <named)" -gt 30 ]
	while IFS= read -r file; do
		echo "$file"
		[ -f "$ROOT/$file" ]
	done <named
	for page in "$ROOT"/man/*.[57]; do
		echo "$page"
		grep -qxF "man/${page##*/}" named
	done
}

# bats test_tags=T3-E5
@test "README names the libraries that are linked, for three distributions" {
	for package in libelf-dev libdw-dev libzstd-dev libxxhash-dev libiberty-dev liblzma-dev zlib1g-dev libncurses-dev \
		libtraceevent-dev libpfm4-dev; do
		echo "$package"
		grep -q "want $package " "$TESTS/packages.sh"
		grep -qw -- "$package" "$ROOT/README.md"
	done
	[ "$(grep -cE '^\| (Debian|Fedora|Arch)' "$ROOT/README.md")" -eq 3 ]
}

# bats test_tags=T3-E1
@test "the picture of README is of the page that make picture makes, and no larger than 150 KB" {
	# its width and height
	dimensions() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'; }
	grep -qF '](docs/page.png)' "$ROOT/README.md"
	[ "$(stat -c %s "$ROOT/docs/page.png")" -le 150000 ]
	make -C "$ROOT" --no-print-directory -n -o "$BIN/pp-flame" B="$BIN" V=1 picture |
		sed -e "s|-o [^ ]*|-o page.html|; s|tests/|$ROOT/tests/|g" -e "s|docs/|$PWD/|; s|[^ ]*picture.html|page.html|" >commands
	grep -q '^[^ ]*pp-flame' commands
	need chromium-headless-shell
	once pp_browser chromium-headless-shell --no-sandbox --dump-dom about:blank || skip "the browser does not run here"
	bash -e commands
	grep -q '<h1>a program that writes invoices</h1>' page.html
	[ "$(dimensions page.png)" = "1000 700" ]
	[ "$(dimensions "$ROOT/docs/page.png")" = "1000 700" ]
}

@test "each recipe of README is a section of the guide, with two commands at least" {
	need mandoc
	mandoc -T lint -W warning "$GUIDE" "$ROOT/man/perfpipe-faults.7"
	sed -n '/^## Recipes/,/^## The tools/s/^| \([^|]*[A-Za-z]\) |.*/\1/p' "$ROOT/README.md" >recipes
	[ "$(wc -l <recipes)" -ge 15 ]
	while IFS= read -r recipe; do
		echo "$recipe"
		page_text "$GUIDE" | awk -v name="   $recipe" '/^ ? ? ?[^ ]/ { on = $0 == name; next } on' >section
		[ "$(grep -c '^ *\$ ' section)" -ge 2 ]
	done <recipes
}

@test "options in README and the guide are options of the tools" {
	need mandoc
	for tool in $(tools); do
		"$tool" --list-options | cut -f2 | sed '/^$/d'
	done >options
	# what a pipeline gives to others than our tools stands after their own names
	{
		sed 's/\\|/|/g' "$ROOT/README.md"
		page_text "$GUIDE"
	} | tr '|`‘’' '\n' | sed 's/ -- .*//' | grep -oE '(^|[^-])\bpp-[a-z]+\b.*' | grep -oE -- ' --[a-z][a-z-]+' |
		tr -d ' ' | sort -u >used
	[ "$(wc -l <used)" -gt 30 ]
	run grep -vxFf options used
	echo "$output"
	[ -z "$output" ]
}

@test "the commands of README run" {
	need_kernel
	stand_ins
	stream >stream.in
	readme_commands >commands
	[ "$(wc -l <commands)" -ge 6 ]
	all_run commands
}

@test "the recipes of the guide run" {
	need mandoc
	need_kernel
	stand_ins
	stream >stream.in
	guide_commands RECIPES >commands
	[ "$(wc -l <commands)" -ge 30 ]
	all_run commands
}

# They make what the next ones read.
@test "the commands of the guide's tour run" {
	need mandoc
	need_kernel
	stand_ins
	stream >stream.in
	guide_commands 'A TOUR' >commands
	[ "$(wc -l <commands)" -ge 50 ]
	all_run commands
}
