# debuginfod.bats - files from servers: only where that is asked for, each asked for once, within one
# deadline, and none that is another file.  The server is made here, and runs as long as a test.

setup() {
	load ../../helper
	load symbols
	load ../../api/api
	command -v readelf >/dev/null || skip "binutils is not installed"
	printf '#include <dlfcn.h>\nint main(void) { return !dlopen("libdebuginfod.so.1", RTLD_NOW); }' >there.c
	"${CC:-cc}" -o there there.c -ldl
	./there || skip "libdebuginfod.so.1 is not installed"
	source_of_prog
	mkdir served
	serve
}

teardown() { [ -z "${server-}" ] || kill "$server" 2>/dev/null || true; }

# serve: files of the folder served, by what follows /buildid/ with a dot for the slash: ID.debuginfo; a file of
# the name `waits` is never answered.  asked has the paths.
serve() {
	perl -MIO::Socket::INET -e '
		alarm 120;
		my $s = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1", LocalPort => 0) or exit 1;
		open my $port, ">", "port.new"; print $port $s->sockport, "\n"; close $port;
		rename "port.new", "port";
		my @held;
		while (my $c = $s->accept) {
			my $first = <$c> // next;
			while (defined(my $line = <$c>)) { last if $line =~ /^\r?$/ }
			my ($path) = $first =~ m{^GET /(?:buildid/)?(\S+)} or next;
			open my $log, ">>", "asked"; print $log "$path\n"; close $log;
			(my $file = $path) =~ tr{/}{.};
			if (-e "served/$file.waits") { push @held, $c; next }
			my $body = "";
			my $there = open my $f, "<:raw", "served/$file";
			if ($there) { local $/; $body = <$f> }
			print $c "HTTP/1.1 ", $there ? "200 OK" : "404 Not Found", "\r\nContent-Length: ", length $body,
				"\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n\r\n", $body;
			close $c;
		}' 3>&- &
	server=$!
	until [ -s port ]; do
		kill -0 "$server" || skip "no server can be had here"
		sleep 0.05
	done
	: >asked
	export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_PROGRESS=
	unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
}

# bats test_tags=T3-B6
@test "debuginfod: what it gives is not put into another user's folder: then it is not asked" {
	need_root
	program full
	hit /gone "$(id_of full)" "$(at full work 12)" >in
	mkdir theirs
	chown 65534 theirs
	for place in DEBUGINFOD_CACHE_PATH=$PWD/theirs DEBUGINFOD_CACHE_PATH=$PWD/theirs/new \
		XDG_CACHE_HOME=$PWD/theirs HOME=$PWD/theirs; do
		echo "$place"
		run -0 --separate-stderr env -u DEBUGINFOD_CACHE_PATH "$place" pp-symbol --debuginfod in -o out
		[ "$stderr" = "pp-symbol: debuginfod is not asked: what it gives would be kept in another user's folder (see DEBUGINFOD_CACHE_PATH)" ]
		[ ! -s asked ]
		[ -z "$(ls -A theirs)" ]
	done
}

@test "debuginfod: programs and their debug information, and nothing where it is not asked for" {
	program full
	id=$(id_of full)
	objcopy --only-keep-debug full "served/$id.debuginfo"
	strip -o "served/$id.executable" full
	hit /gone "$id" "$(at full work 12)" "$(at full main)" >in
	[ -z "$(pp-symbol -q in | frames -)" ]
	[ ! -s asked ]
	cp full prog
	hit "$PWD/prog" "$id" "$(at full work 12)" "$(at full main)" | pp-symbol --lines | frames - >wanted
	[ "$(wc -l <wanted)" -eq 2 ]
	pp-symbol --lines --debuginfod in | frames - >found
	diff wanted found
	sort asked >paths
	printf '%s\n' "$id/debuginfo" "$id/executable" | diff - paths
	# from now on they are in the cache
	: >asked
	pp-symbol --lines --debuginfod in | frames - >found
	diff wanted found
	[ ! -s asked ]
}

@test "debuginfod: what no server has is asked for once, however many parts of the stream ask for it" {
	id=$(printf '%040d' 4711)
	# the library would remember it as well, as long as this says
	mkdir cache
	echo 0 >cache/cache_miss_s
	{
		printf 'header\nattr id=1 sample_type=IP,TID,TIME flags=sample_id_all\n'
		for n in $(seq 20); do
			echo "mmap2 pid=$n start=0x10000 len=0x10000 file=/gone$n build_id=$id time=$n"
			echo "sample pid=$n ip=0x1$(printf '%04x' $((n * 64))) misc=2 time=$n"
			echo round
		done
	} | build >in
	run -0 --separate-stderr pp-symbol --debuginfod in -o out
	[ "$(sort asked | uniq -d)" = "" ]
	[ "$(grep -c executable asked)" -eq 1 ]
}

@test "debuginfod: a file with another build-id is not used, which is said" {
	program full
	program other -O1
	id=$(id_of full)
	cp other "served/$id.executable"
	hit /gone "$id" "$(at full work)" >in
	run -0 --separate-stderr pp-symbol --debuginfod in -o out
	[[ $stderr == *"debuginfod's file: its build-id is not the one that was recorded" ]]
	[ -z "$(frames out)" ]
}

@test "debuginfod: without servers that is said, and the rest is done" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" >in
	hit /gone "$(printf '%040d' 5)" 64 >other
	unset DEBUGINFOD_URLS
	run -0 --separate-stderr pp-symbol --debuginfod other -o out
	[ "$stderr" = "pp-symbol: debuginfod is not asked: DEBUGINFOD_URLS names no server" ]
	[ "$(pp-symbol -q --debuginfod in | frames -)" = work ]
}

# bats test_tags=nightly
@test "debuginfod: a server that never answers costs one deadline, for all questions together" {
	installed
	"$ROOT/tests/api/program.sh" "$INCLUDE/symbol.h" | sed '
		s/pp_symbols_new(NULL,/pp_symbols_new(\&how,/
		s/struct pp_budget budget/struct pp_symbols_options how = { .size = sizeof(how), .debuginfod = true, .deadline = 1 };\n&/' >program.c
	grep -q 'deadline = 1' program.c
	links program.c program
	program prog
	{
		printf 'header\nattr id=1 sample_type=IP,TID,TIME flags=sample_id_all\n'
		for n in $(seq 20); do
			id=$(printf '%040d' "$n")
			: >"served/$id.executable.waits"
			echo "mmap2 pid=7 start=0x$n""0000 len=0x10000 file=/gone$n build_id=$id time=$n"
			echo "sample pid=7 ip=0x$n""0040 misc=2 time=$((n + 100))"
		done
		echo "mmap2 pid=7 start=0x90000000 len=0x10000 file=\"$PWD/prog\" build_id=$(id_of prog) time=200"
		echo "sample pid=7 ip=$((0x90000000 + $(at prog work))) misc=2 time=201"
		echo round
	} | build >in
	# 20 deadlines of the server's would be half an hour
	run -0 timeout 60 ./program in
	[ "$output" = work ]
	# or none, if to connect takes all of it
	[ "$(wc -l <asked)" -le 1 ]
}
