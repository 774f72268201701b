# What the tests of pp-count share.

need_counts() { once pp_counts pp-count -e task-clock -o probe -- true || skip "perf_event_open is refused here"; }
need_all_counts() {
	need_counts
	once pp_all_counts pp-count -a -e task-clock -o probe -- true || skip "counting all CPUs is refused here"
}

# note KEY FILE: the values of such notes, a line each
note() {
	json "$2" | KEY=$1 perl -ne '
		next unless /"type":"FINISHED_ROUND".*"payload":"50504e4f54453100([0-9a-f]+)"/;
		my ($count, $flags, $key, $value) = unpack "L4", (my $note = pack "H*", $1);
		print substr($note, 16 + $key, $value), "\n" if substr($note, 16, $key) eq $ENV{KEY}'
}

# last EVENT FILE: its last count, added up over places
last() {
	json "$2" | jq -rn --arg name "$1" '
		reduce inputs as $r ({ids: [], of: {}};
			if $r.type == "HEADER_ATTR" then .ids += [$r.fields.id // []]
			elif $r.type == "EVENT_UPDATE" and $r.fields.type == 2 and $r.fields.name == $name then
				.want = (.ids | map(select(index($r.fields.id)))[0])
			elif $r.type == "STAT" and (.want // [] | index($r.fields.id)) then
				.of["\($r.fields.cpu) \($r.fields.thread)"] = $r.fields.val
			else . end) | .of | add'
}
