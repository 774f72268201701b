# export.pl - what pp-export writes for other tools: beside pp-fold, which reads and names the same; beside
# what perf has to offer; and a folder of very many recordings, which DuckDB is asked about.
use strict;
use warnings;
use File::Path qw(remove_tree);
use Inputs;
use Measure;
use Rows;

# ---- beside pp-fold, of 300 MB

repeat(listed(), 'calls.pipe', 3 * $MB);
my @calls = (in => 'calls.pipe', bytes => size('calls.pipe'), shows => 'cpu', runs => 3);
my $clear = sub { remove_tree(qw(out.pb.gz out.json.gz out.speedscope.json fleet)) };

# format, output, what part of pp-fold's speed is wanted
my @formats = (
	['pprof', 'out.pb.gz', '0.80'],
	['firefox', 'out.json.gz', '0.80'],
	['speedscope', 'out.speedscope.json', '0.80'],
	['parquet', 'fleet', '0.60'],
);
for (@formats) {
	my ($format, $out, $part) = @$_;
	row "pp-export --to $format", ours => "pp-export -q --no-inline --to $format -o $out",
		theirs => 'pp-fold -q --no-inline', called => "pp-fold, beside $format",
		before => $clear, @calls,
		figures => [least($part, faster('cpu', "of pp-fold's speed"))];
}

# ---- beside perf 7: it gets a small part of the stream, and rates are compared

my ($perf) = glob "'" . ($ENV{PERF_NEWER} || "$ENV{HOME}/.cache/perfpipe/newer-perf") . "/perf-7'.*";
my %roads = (
	'perf data convert' => [100000, 'PERF data convert --force -i part.data --to-json perf.json'],
	# where it was unpacked, its Python finds nothing by itself
	'perf script gecko' => [20000, 'env PYTHONHOME=ROOT/usr PERF script -i part.data -s ' .
		'ROOT/usr/lib/perf-core/scripts/python/gecko.py -- --save-only=perf.json'],
);
for (sort keys %roads) {
	my $name = 'pp-export --to pprof, beside ' . s/^perf //r;
	my ($samples, $command) = @{$roads{$_}};
	if ($BASE || !$perf) {
		not_measured($name, $BASE ? 'perf, not ours' :
			'no perf 7: tests/oracle/newer-perf.sh fetches it');
		next;
	}
	my $root = $perf =~ s{/perf-([^/]*)$}{/root-$1}r;
	shell("pp-filter -q -n $samples -i @{[listed()]} -o part.pipe && pp-save -q -o part.data part.pipe");
	my $part = size('part.pipe');
	row $name, ours => 'pp-export -q --to pprof -o out.pb.gz',
		theirs => $command =~ s/ROOT/$root/gr =~ s/PERF/$perf/r,
		called => sprintf('%s, %.0f MB', $_, $part / 1e6), their_bytes => $part, @calls,
		before => sub { $clear->(); unlink 'perf.json' },
		figures => [least(15, figure("times perf's speed",
			sub { size('calls.pipe') / $_[0]{ours}{cpu} / ($part / $_[0]{theirs}{cpu}) }))];
}
unlink qw(calls.pipe part.pipe part.data perf.json);
$clear->();

# ---- a fleet of 1,000 pieces, 2.5 million samples; where builds are compared, a tenth of them

my $pieces = $BASE ? 100 : 1000;
my $samples = 2500 * $pieces;
mkdir 'pieces';
shell("pp-gen --samples $samples --callchain 12 --duration 3600 |
	pp-split -q --samples 2500 -o pieces/%04u.pipe");
my $bytes = 0;
$bytes += size($_) for glob 'pieces/*.pipe';
row "pp-export --to parquet of $pieces pieces", bytes => $bytes, shows => 'cpu', runs => 1, before => $clear,
	ours => q(for i in pieces/*.pipe; do
		pp-export -q --no-inline --root /nowhere -o fleet/ $i || exit; done),
	figures => [taken('wall', 's until all are there')];

# What ran, by perf: a sample is a line without an indent, and then its frames, the innermost first.
write_file('count.awk', <<'END');
/^[^\t ]|^ *[^\t ].*: *$/ { weight = $(NF - 1); first = 1; next }
first && NF { sub(/[+]0x.*/, "", $2); sum[$2] += weight; first = 0 }
END { for (name in sum) print sum[name], name }
END
my $modules = "$HERE/../../build/npm/node_modules";
my $share = 40;
if ($BASE || !have('node') || !-d "$modules/\@duckdb/node-api") {
	not_measured('a question to 2.5 million samples', $BASE ? 'DuckDB, not ours' :
		'no DuckDB: `make check T=tests/tools/export/fleet.bats` fetches it by npm');
} else {
	symlink $modules, 'node_modules';
	shell("cp $HERE/../unit/parquet.mjs $HERE/../../docs/fleet.sql .");
	my ($part) = map { "pieces/00[0-" . ($share / 10 - 1) . "]?.pipe" } 1;
	row 'DuckDB: which functions ran, of 1,000 pieces', shows => 'user', runs => 3, bytes => $bytes,
		ours => q(node parquet.mjs sql "$(cat fleet.sql)" "from top_functions('samples')"),
		theirs => "for i in $part; do perf script -i \$i; done | awk -f count.awk",
		called => "perf script | awk, of $share pieces", their_bytes => $bytes * $share / $pieces,
		figures => [least(15, figure("times the speed of perf script | awk, in user time",
			sub { $_[0]{theirs}{user} * $pieces / $share / $_[0]{ours}{user} }))];
}
remove_tree(qw(pieces fleet));
unlink qw(node_modules parquet.mjs fleet.sql count.awk);
