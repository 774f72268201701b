#!/usr/bin/env bats
# fleet.bats - fleet.sql: what DuckDB answers about a folder of recordings, beside what pp-fold says of them.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load export
	SQL=$ROOT/docs/fleet.sql
}

# recording HOST COMMIT PERIOD: a stream of two events, of functions that call themselves, or have strange names
recording() {
	build <<-END | pp-inject --note "commit=$2"
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER,CGROUP flags=sample_id_all,comm,mmap,ksymbol,cgroup type=1 config=0 name=cpu-clock
		attr id=2 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all type=1 config=2 name=page-faults
		feature HOSTNAME string "$1"
		cgroup id=5 path=/web
		cgroup id=6 path=/batch
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=outer time=1
		ksymbol addr=0xffffffff81000100 len=256 ksym_type=1 name="in;ner" time=1
		comm pid=7 comm="seven; up" time=5
		mmap2 pid=7 start=0x400000 len=0x3000 pgoff=0x1000 file=/lib/x.so prot=5 build_id=0123456789abcdef0123456789abcdef01234567 time=6
		mmap2 pid=7 start=0x500000 len=0x1000 pgoff=0x2000 file=/bin/own prot=5 maj=8 min=1 ino=5 time=6
		sample id=1 pid=7 tid=7 cpu=0 time=10 period=1000 cgroup=5 callchain=-128,0xffffffff81000110,0xffffffff81000010,0xffffffff81000020,-512,0x400010
		sample id=1 pid=7 tid=7 cpu=1 time=11 period=$3 cgroup=6 callchain=-512,0x400010,0x500020
		sample id=1 pid=9 tid=9 cpu=1 time=12 period=70 callchain=-512,0x10
		sample id=2 pid=7 tid=7 cpu=1 time=13 period=3 callchain=-512,0x400030
		round
	END
}

# fleet: three recordings of two hosts and two commits, 1 to 3, and the folder of all
fleet() {
	need zstd node
	node_modules @duckdb/node-api
	ln -s "$NODE_PATH" node_modules
	cp "$TESTS/unit/parquet.mjs" .
	recording web7 1f3 2000 >1
	recording web8 1f3 500 >2
	recording web7 2e4 9000 >3
	for file in 1 2 3; do pp-export -q --root none --to parquet -o fleet $file; done
}

# ask QUERY...: the rows of DuckDB's answers, which knows fleet.sql
ask() { node parquet.mjs sql "$(cat "$SQL")" "$@" | tr -d '"'; }
# folds FILE...: the stacks of an event in all of them
folds() { for file; do pp-fold -q --root none -e "${EVENT:-cpu-clock}" "$file"; done | added_up; }
added_up() { perl -ne '/^(.*) (\d+)$/ and $w{$1} += $2; END { print map "$_ $w{$_}\n", sort keys %w }'; }
# inner, all: what functions of such stacks weigh where they ran, and where they or what they called did
inner() { perl -pe 's/^.*;//; s/ (?=\d+$)/\t/' | sums; }
all() { perl -ne '/^[^;]*;(.*) (\d+)$/ or next; my %of = map { $_ => 1 } split /;/, $1; print "$_\t$2\n" for keys %of' | sums; }
sums() { perl -ne '/^(.*)\t(\d+)$/ and $w{$1} += $2; END { print map "$_\t$w{$_}\n", sort keys %w }'; }
# percents: of the sum of such lines
percents() { perl -ne 'push @l, [/^(.*)\t(\d+)$/]; $sum += $2; END { printf "%s\t%.2f\n", $_->[0], 100 * $_->[1] / $sum for @l }'; }
# columns of such answers: pp-fold has : for ; in names
shown() { tr ';' ':' | LC_ALL=C sort; }

@test "fleet.sql: each table has the columns that pp-export writes, and no query names another" {
	run -0 perl "$TESTS/tools/export/fleet_columns.pl" "$ROOT/libpipe/fleet/fleet.c" "$SQL"
	assert_output ''
	# and one that is not there is found
	sed 's/w\.weight/w.wait/' "$SQL" >wrong.sql
	run -1 perl "$TESTS/tools/export/fleet_columns.pl" "$ROOT/libpipe/fleet/fleet.c" wrong.sql
	assert_output --partial wait
	sed 's/"cpu"/"core"/' "$ROOT/libpipe/fleet/fleet.c" >wrong.c
	run -1 perl "$TESTS/tools/export/fleet_columns.pl" wrong.c "$SQL"
	assert_line 'samples: cgroup comm core count event pid recording stack tid time weight day host, not those of fleet.sql'
}

# bats test_tags=nightly
@test "fleet.sql: DuckDB's answers are the sums of pp-fold, of all, by host, by note, by control group" {
	fleet
	for event in cpu-clock page-faults; do
		EVENT=$event folds 1 2 3 >due
		[ -s due ]
		ask "from folded('samples', '$event')" | diff due -
		inner <due | diff - <(ask "select name, sum(weight) from top_functions('samples') where event = '$event' group by all" | shown)
		all <due | diff - <(ask "select name, sum(weight) from inclusive('samples') where event = '$event' group by all" | shown)
	done
	ask "from folded('samples', 'cpu-clock')" | pp-flame -o fleet.svg --svg
	grep -q 'in:ner' fleet.svg
	for of in 'web7 1 3' 'web8 2'; do
		read -r host files <<<"$of"
		# shellcheck disable=SC2086
		folds $files | inner | diff - <(ask "select name, weight from per_host('samples') \
			where event = 'cpu-clock' and host = '$host'" | shown)
	done
	for of in '1f3 1 2' '2e4 3'; do
		read -r commit files <<<"$of"
		# shellcheck disable=SC2086
		folds $files | inner | diff - <(ask "select name, weight from per_note('samples', 'commit') \
			where event = 'cpu-clock' and note = '$commit'" | shown)
	done
	for group in /web /batch; do
		for file in 1 2 3; do pp-filter "cgroup_path == \"$group\"" $file >$file.part; done
		folds {1,2,3}.part | inner >due
		[ -s due ]
		diff due <(ask "select name, weight from per_cgroup('samples') \
			where event = 'cpu-clock' and cgroup = '$group'" | shown)
	done
}

# bats test_tags=nightly
@test "fleet.sql: DuckDB tells two groups apart, counts samples, finds numbers that mean two things" {
	fleet
	group="select * from noted('samples', 'commit') where event = 'cpu-clock' and note ="
	ask "create view old as $group '1f3'" "create view new as $group '2e4'" \
		"select name, printf('%.2f', percent_before), printf('%.2f', percent_after) from difference('old', 'new')" |
		shown >got
	join -t $'\t' <(folds 1 2 | inner | percents) <(folds 3 | inner | percents) | diff - got
	[ "$(wc -l <got)" -eq 3 ]
	[ "$(ask "select sum(samples) from top_functions('samples')")" = 12 ]
	ask "select sum(percent) from per_host('samples') where event = 'cpu-clock' group by host" >got
	awk '$1 < 99.9 || $1 > 100.1 { exit 1 }' got
	[ -z "$(ask 'from collisions')" ]
	ask "copy (select stack, frames[2:] as frames from stacks limit 1) to 'fleet/stacks/wrong.parquet'" \
		"select kind, meanings from collisions" | grep -qx $'stack\t2'
}

# statements: what perfpipe-fleet(7) has for DuckDB
statements() { awk '/^(FROM|SELECT|CREATE|COPY|SET) / { on = 1 } on; /;$/ { on = 0 }' "$ROOT/man/perfpipe-fleet.7"; }

@test "fleet.sql: each of its questions is in perfpipe-fleet(7)" {
	statements >all
	sed -En 's/^CREATE OR REPLACE (VIEW|MACRO) (\w+)\(?.*/\2/p' "$SQL" >names
	[ "$(wc -l <names)" -ge 14 ]
	while read -r name; do
		case $name in
		stored | innermost | notes) continue ;; # what others are made of
		calls | running) grep -q "Ic $name" "$ROOT/man/perfpipe-fleet.7" ;;
		*) grep -qw "$name" all ;;
		esac
	done <names
}

# bats test_tags=nightly
@test "fleet.sql: the statements of perfpipe-fleet(7) run, and the smaller folder answers alike" {
	fleet
	mkdir small
	ask "$(statements)"
	[ "$(find small -name '*.parquet' | wc -l)" -eq 5 ]
	for query in "folded('samples', 'cpu-clock')" "per_host('samples')" "per_note('samples', 'commit')"; do
		ask "from $query" >before
		[ -s before ]
		ask "set variable fleet = 'small'" "from $query" | diff before -
	done
}

# bats test_tags=nightly
@test "fleet.sql: the recipe of perfpipe-guide(7) runs with DuckDB, and draws what the hosts did" {
	need_system_wide
	need zstd node
	node_modules @duckdb/node-api
	load ../../house/examples
	ln -s "$NODE_PATH" node_modules
	cp "$TESTS/unit/parquet.mjs" .
	sed -n '/^\.Ss A fleet/,/^\.Ss/s/^\$ //p' "$ROOT/man/perfpipe-guide.7" >recipe
	[ "$(wc -l <recipe)" -eq 5 ]
	sed -i "s|/usr/local/share/perfpipe/fleet.sql|$SQL|" recipe
	node=$(command -v node)
	stand_ins
	# duckdb -init FILE [OPTION]... -c QUERY: without its frame of a table
	printf '#!/bin/bash\n%s parquet.mjs sql "$(cat "$2")" "${@: -1}" | tr -d \\"\n' "$node" >bin/duckdb
	run -0 bash -e -o pipefail recipe
	assert_line --regexp $'^cpu-clock\t1f3\t'
	assert_line --regexp $'^cpu-clock\t2e4\t'
	grep -q 'perl' fleet.html
}

# clickhouse QUERY...: the rows of ClickHouse's answers, which knows fleet-clickhouse.sql
clickhouse() { node parquet.mjs clickhouse "$(cat "$ROOT/docs/fleet-clickhouse.sql")" "$@"; }
# alike DUCKDB CLICKHOUSE: both have the same rows, and some
alike() {
	ask "$1" | LC_ALL=C sort >of_duckdb
	clickhouse "${@:2}" | LC_ALL=C sort >of_clickhouse
	[ -s of_duckdb ]
	diff of_duckdb of_clickhouse
}

# bats test_tags=nightly
@test "fleet-clickhouse.sql: ClickHouse's answers are DuckDB's" {
	node_modules chdb
	fleet
	for table in samples stacks frames recordings; do
		alike "from (describe $table) select column_name order by 1" "select name from system.columns where table = '$table'"
	done
	alike "select * from samples" "select * from samples"
	alike "select * exclude (name), name from frames" "select * from frames"
	for view in top_functions inclusive per_host per_cgroup; do
		echo "$view"
		alike "from $view('samples')" "select * from $view"
	done
	alike "from per_note('samples', 'commit')" "select * from per_note(note_key = 'commit')"
	alike "from folded('samples', 'cpu-clock')" "select * from folded(event_name = 'cpu-clock')"
	alike "select * from noted('samples', 'commit')" "select * from noted(note_key = 'commit')"
	ask "create view old as from noted('samples', 'commit') where note = '1f3'" \
		"create view new as from noted('samples', 'commit') where note = '2e4'" \
		"from difference('old', 'new')" | LC_ALL=C sort >due
	clickhouse "create or replace view chosen_before as select * from noted(note_key = 'commit') where note = '1f3'" \
		"create or replace view chosen_after as select * from noted(note_key = 'commit') where note = '2e4'" \
		"select * from difference" | LC_ALL=C sort | diff due -
	[ -z "$(clickhouse 'select * from collisions')" ]
}

# bats test_tags=nightly
@test "fleet-clickhouse.sql: the statements of perfpipe-fleet(7) run, and have each of its questions" {
	node_modules chdb
	fleet
	perl -0777 -ne 'print "$1\0" while /clickhouse local -q "\$\(cat [^)]*\)\n(.*?)"/sg' "$ROOT/man/perfpipe-fleet.7" >all
	sed -En 's/^CREATE OR REPLACE VIEW (\w+) .*/\1/p' "$ROOT/docs/fleet-clickhouse.sql" >names
	[ "$(wc -l <names)" -ge 19 ]
	while read -r name; do
		case $name in
		samples | stacks | frames | recordings | calls | innermost | notes | running) continue ;;
		esac
		grep -qawF "$name" all
	done <names
	while read -rd '' statements; do
		echo "$statements"
		clickhouse "$statements" >out
		[ -s out ]
	done <all
}
