# opens.bats - every file of the corpus opens, or is refused with its reason in recordings.bash.

setup() {
	load ../../helper
	load recordings
}

@test "every file of the corpus opens, or is refused with a reason" {
	corpus MANIFEST.tsv
	table >table
	while IFS='|' read -r file want container order dialect samples words; do
		echo "$file"
		status=0
		timeout 60 pp-info --json "$CORPUS/$file" >last 2>err || status=$?
		[ "$status" -eq "$want" ]
		[[ "$(<err)" == *"$words"* ]]
		[ "$container" = - ] || cat last >>infos
		# the others say the same
		status=0
		timeout 60 pp-cat -o out "$CORPUS/$file" 2>err || status=$?
		[ "$status" -eq "$want" ]
		[[ "$(<err)" == *"$words"* ]]
		[ "$container" = - ] || pp-info --json out >>outs 2>err || [ $? -eq 3 ]
		[ "$container" != - ] || [ ! -e out ]
		rm -f out
	done <table
	jq -r '[.container, .byte_order, .dialect // "-", .records.SAMPLE.count // 0] | join("|")' infos >got
	awk -F'|' '$3 != "-" { print $3 "|" $4 "|" $5 "|" $6 }' table | diff - got
	# what came out is one plain stream, of as many samples, in the byte order of this machine
	jq -r '[.container, .byte_order, .dialect // "-", .records.SAMPLE.count // 0] | join("|")' outs >got
	awk -F'|' '$3 != "-" { print "stream|little|-|" $6 }' table | diff - got
}

@test "no file of the corpus is missing in the table" {
	corpus MANIFEST.tsv
	table | cut -d'|' -f1 | sort >known
	(cd "$CORPUS" && find . -type f) | sed 's,^\./,,' |
		grep -vE '\.(txt|json|md|tsv|buildids|pb_text|gz)$' | sort >files
	run comm -13 known files
	[ -z "$output" ]
}

# ---- found by this suite

@test "a file made of hiperf's has one command line, however often it is saved" {
	corpus hiperf/report_test.data
	cp "$CORPUS/hiperf/report_test.data" file
	chmod u+w file
	for times in 1 2 3; do
		pp-cat file | pp-save -o next
		mv next file
		pp-info --json file | jq -e '.header.features.CMDLINE.cmdline == [{"text":"hiperf record -d 1 -o /data/local/tmp/dlh.data","size":47}]' >said
	done
}

@test "events are named by an EVENT_DESC that comes before them" {
	build >in <<-'END'
		header
		attr id=11,12 type=8 config=5 sample_type=IP,TID,TIME,IDENTIFIER name=here//
		attr id=21 type=8 config=6 sample_type=IP,TID,TIME,IDENTIFIER name=there//
		feature EVENT_DESC
		sample pid=7 time=1000 ip=0x1000 id=12
		sample pid=7 time=1001 ip=0x1000 id=21
	END
	# as perf 4.14 wrote streams
	pp-dump --json -i in | jq -c 'select(.type == "HEADER_FEATURE" or .offset == null)' >first
	pp-dump --json -i in | jq -c 'select(.offset != null and .type != "HEADER_FEATURE")' >then
	cat first then | pp-undump >early
	pp-dump --json -i early | jq -r 'select(.type == "SAMPLE").event' >events
	[ "$(xargs <events)" = "here// there//" ]
	pp-save -i early -o saved
	[ "$(pp-info --json saved | jq -c '[.events[].name]')" = '["here//","there//"]' ]
}

@test "a thread that met nothing does no harm to its folder" {
	corpus perf-6.1/dirfmt.data
	cp -r "$CORPUS/perf-6.1/dirfmt.data" folder
	chmod -R u+w folder
	: >folder/data.7
	pp-cat folder >out
	pp-cat "$CORPUS/perf-6.1/dirfmt.data" >expected
	same_bytes expected out
}
