# fleet.bats - three hosts that record and export to one folder: what DuckDB answers of all of it, beside what
# the tools say of their streams, merged.

setup_file() {
	load hosts
	start_hosts a b c
}

teardown_file() {
	load hosts
	end_hosts
}

setup() {
	load ../helper
	load hosts
	load ../tools/export/export
	SQL=$ROOT/docs/fleet.sql
}

# need_fleet: hosts that may record, and DuckDB
need_fleet() {
	need_hosts
	need node
	need "${CC:-cc}"
	need_perf_events
	timeout 60 ssh a pp-record -q -e cpu-clock -o "$PWD/once.pipe" -- true 2>once.err </dev/null ||
		skip "no host may record: $(tail -n 1 once.err)"
	node_modules @duckdb/node-api
	ln -s "$NODE_PATH" node_modules
	cp "$TESTS/unit/parquet.mjs" .
}

# on_all COMMAND: on all hosts at once, in this folder; each has its name in $h
on_all() {
	local host started=()
	for host in $NAMES; do
		timeout 300 ssh "$host" "set -e; cd '$PWD'; h=$host; $1" </dev/null 3>&- &
		started+=($!)
	done
	for host in "${started[@]}"; do wait "$host" || return; done
}

# library NAME SONAME FUNCTION [OPTION...]: NAME.so, whose FUNCTION counts in a loop of a name of its own
library() {
	cat >library.c <<-END
		static __attribute__((noinline)) int ${1}_loop(int n)
		{
			volatile int i;
			for (i = 0; i < n; i++);
			return i;
		}
		int $3(int n) { return ${1}_loop(n) + 1; }
	END
	"${CC:-cc}" -shared -fPIC -O1 -fno-omit-frame-pointer -Wl,-soname,"$PWD/$2" "${@:4}" \
		-o "$1.so" library.c
}

# program: ./work, which counts in known.so and bare.so; of these b has others than a and c, of the same size
program() {
	library alpha known.so count -Wl,--build-id=0x"$(sha1sum <<<alpha | cut -c1-40)"
	library gamma known.so count -Wl,--build-id=0x"$(sha1sum <<<gamma | cut -c1-40)"
	library delta bare.so turn -Wl,--build-id=none
	library sigma bare.so turn -Wl,--build-id=none
	echo 'int count(int), turn(int); int main(void) { int i, r = 0;
		for (i = 0; i < 100; i++) r += count(1000000) + turn(500000); return r == 1; }' |
		"${CC:-cc}" -x c -O1 -fno-omit-frame-pointer -o work - -x none alpha.so delta.so
	: >known.so >bare.so
	on_all 'set -- alpha delta; [ $h != b ] || set -- gamma sigma
		mount --bind $1.so known.so && mount --bind $2.so bare.so'
}

# fleet: pieces of what each host recorded, which it exports itself, all hosts at once; and all of them
# merged.  What is inlined is left out, since of pp-report that is the function's own.
fleet() {
	program
	on_all 'commit=1f3; [ $h != c ] || commit=2e4
		pp-record -q -g -e cpu-clock -F 2000 -- ./work | pp-symbol -q |
			pp-inject --note commit=$commit -o $h.pipe
		pp-split --samples 100 -o $h-%u.pipe -i $h.pipe
		for piece in $h-*.pipe; do pp-export -q --no-inline --to parquet -o fleet $piece; done'
	pp-merge -q --hosts ?-*.pipe -o merged.pipe
	pp-split --by host -o 'of-{}.pipe' -i merged.pipe
	for host in $NAMES; do mv of-host-$host.pipe of-$host.pipe; done
	pp-merge -q --hosts [ab]-*.pipe -o of-1f3.pipe
	pp-merge -q --hosts c-*.pipe -o of-2e4.pipe
}

# ask QUERY...: the rows of DuckDB's answers, which knows fleet.sql
ask() { node parquet.mjs sql "$(cat "$SQL")" "$@" | tr -d '"'; }
# report FILE: function, file, what its samples weigh, how many there are, percent, of pp-report.  Addresses
# without a name are one function of their file, as in answers.
report() {
	pp-report -q --json --no-children --no-inline -g none -s dso,sym -n --show-total-period "$1" |
		jq -r 'select(.period) |
			[(.symbol // "[\(.dso // "unknown")]"), .dso // "~", .period, .sample] | join("\t")' |
		perl -F'\t' -lane '$of = "$F[0]\t$F[1]"; $w{$of} += $F[2]; $n{$of} += $F[3]; $all += $F[2];
			END { printf "%s\t%d\t%d\t%.2f\n", $_, $w{$_}, $n{$_}, 100 * $w{$_} / $all
				for sort keys %w }'
}
# near DUE: standard input is the same lines but for the last column, a number that was rounded
near() {
	sort | perl -e 'my ($due, $got) = map { open my $in, "<", $_ or die; [<$in>] } @ARGV;
		@$due && @$due == @$got or die "@$due@$got";
		for (0 .. $#$due) {
			my ($x, $y) = map { /^(.*)\t(\S+)$/ ? [$1, $2] : die $_ } $due->[$_], $got->[$_];
			$x->[0] eq $y->[0] && abs($x->[1] - $y->[1]) < 0.011 or die $due->[$_], $got->[$_];
		}' "$1" /dev/stdin
}

# bats test_tags=nightly
@test "three hosts record and export to one folder, and the answers are those of their streams merged" {
	need_fleet
	need jq
	[ "$(on_all 'cat /proc/sys/kernel/hostname' | sort | xargs)" = 'host-a host-b host-c' ]
	fleet
	[ "$(find fleet/samples -name '*.parquet' | wc -l)" -eq "$(ls ?-*.pipe | wc -l)" ]
	[ "$(ask 'select count(*) from samples')" -eq "$(records -s merged.pipe | wc -l)" ]
	report merged.pipe >due
	cat due
	columns='name, dso, weight, samples, percent'
	ask "select $columns from top_functions('samples')" | near due
	for host in $NAMES; do
		report of-$host.pipe >due
		ask "select $columns from per_host('samples') where host = 'host-$host'" | near due
	done
	for commit in 1f3 2e4; do
		report of-$commit.pipe >due
		ask "select $columns from per_note('samples', 'commit') where note = '$commit'" | near due
		cut -f1,2,5 due >$commit
	done
	for of in '1f3 before' '2e4 after'; do
		read -r commit side <<<"$of"
		ask "create view old as from noted('samples', 'commit') where note = '1f3'" \
			"create view new as from noted('samples', 'commit') where note = '2e4'" \
			"select name, dso, percent_$side as percent from difference('old', 'new')
				where percent > 0" | near $commit
	done
	# those that called, too
	pp-report -q --json --children --no-inline -g none -s dso,sym merged.pipe |
		jq -r 'select(.symbol) | [.symbol, .dso, .overhead_children] | join("\t")' | sort >due
	ask "select name, dso, percent from inclusive('samples') where name not like '[%'" | near due
	pp-fold -q --no-inline merged.pipe | sort >due
	ask "from folded('samples', 'cpu-clock')" | sort | diff due -
	[ -z "$(ask 'from collisions')" ]
}

# bats test_tags=nightly
@test "libraries that differ between hosts at one path are kept apart, and the same one is the same" {
	need_fleet
	fleet
	ask "select host, name from per_host('samples') where name like '%\_loop' escape '\' order by all" |
		diff - <(printf 'host-%s\t%s_loop\n' a alpha a delta b gamma b sigma c alpha c delta)
	# at one path and offset: is the frame of two hosts the same?
	cat >query <<-'END'
		select x.file, x.host, y.host, bool_or(x.frame = y.frame), bool_and(x.frame = y.frame)
		from places as x join places as y
			on x.file = y.file and x."offset" = y."offset" and x.host < y.host
		group by all order by all
	END
	ask "create view places as
		select distinct s.host, f.frame, parse_filename(f.dso) as file, f.\"offset\"
		from (select host, unnest(frames) as frame from samples join stacks using (stack)) as s
		join frames as f using (frame)
		where f.dso like '%/known.so' or f.dso like '%/bare.so'" "$(cat query)" |
		sed 's/host-//g' >got
	printf '%s\t%s\t%s\t%s\t%s\n' bare.so a b false false bare.so a c false false \
		bare.so b c false false known.so a b false false known.so a c true true \
		known.so b c false false | diff - got
}
