# packaging.bats - the Debian packages, as far as they can be checked without being built.

setup() {
	load ../helper
	DEBIAN=$ROOT/debian
	version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
}

# field PACKAGE NAME: prints the entries of that field in debian/control, one a line; PACKAGE may be source
field() {
	perl -00 -ne '
		BEGIN { ($package, $name) = splice @ARGV, 0, 2 }
		next unless $package eq "source" ? /^Source:/ : /^Package: \Q$package\E$/m;
		next unless /^\Q$name\E:((?:.*\n)(?:[ \t].*\n)*)/m;
		print map { s/^\s+|\s+$//gr . "\n" } grep /\S/, split /,/, $1
	' "$1" "$2" "$DEBIAN/control"
}

@test "each file that is installed is in exactly one package" {
	need make
	sed -n '/dh_auto_install/,/^$/p' "$DEBIAN/rules" | grep -oE '[a-z]+=[^ ]+' |
		sed 's/\$(DEB_HOST_MULTIARCH)/any-linux/' >places
	grep -q '^libdir=' places
	mapfile -t places <places
	make -C "$ROOT" --no-print-directory V=0 B="$BIN" DESTDIR="$PWD/root" "${places[@]}" \
		install >log 2>&1 </dev/null || { cat log; false; }
	(cd root && find . -type f -o -type l) | cut -c3- >files
	[ "$(wc -l <files)" -gt 100 ]
	perl -e '
		my %packages;
		for my $list (glob "$ARGV[0]/*.install") {
			open my $in, "<", $list or die;
			while (my $pattern = <$in>) {
				chomp $pattern;
				$pattern = join "[^/]*", map quotemeta, split /\*/, $pattern;
				push @patterns, [qr{^$pattern(?:/|$)}, $list =~ s{.*/}{}r];
			}
		}
		open my $files, "<", "files" or die;
		while (my $file = <$files>) {
			chomp $file;
			my @in = grep $file =~ $_->[0], @patterns;
			$used{$_->[0]} = 1 for @in;
			print "$file: @{[map $_->[1], @in]}\n" if @in != 1;
		}
		print "no file matches $_->[0] of $_->[1]\n" for grep !$used{$_->[0]}, @patterns;
	' "$DEBIAN" >wrong
	cat wrong
	[ ! -s wrong ]
}

@test "the packages are built with what packages.sh installs for a build" {
	sed -n '/^\tbuild)/,/;;/s/^\t\t\(want\|like\) \([^ ]*\).*/\2/p' "$TESTS/packages.sh" |
		grep -vxE 'gcc|libc6-dev' | sort >expected # these are build-essential
	field source Build-Depends | grep -vE '<!nocheck>$|^(debhelper-compat|po-debconf)' | sort >got
	[ -s got ]
	diff expected got
}

@test "the library's packages depend on what pkg-config names, and recommend what is loaded by name" {
	sed -n 's/^PKGS *:= //p' "$ROOT/Makefile" | tr ' ' '\n' | sed 's/^zlib$/zlib1g/; $a libiberty' |
		sed 's/$/-dev/' | sort >expected
	field libperfpipe-dev Depends | grep -- '-dev$' | sort >got
	diff expected got
	grep -rhoE '(dlopen|pp_library_load)\("[a-z]+\.so\.[0-9]+"' "$ROOT/libpipe" |
		sed 's/.*"\(.*\)\.so\.\(.*\)"/\1\2/' | sort >expected
	[ "$(wc -l <expected)" -ge 4 ]
	# that of the headers
	! grep -q '"libcapstone\.so\." #major' "$ROOT/libpipe/annotate/disassemble.c" ||
		echo 'libcapstone5 | libcapstone4' >>expected
	sort -o expected expected
	{ field libperfpipe0 Recommends; field libperfpipe0 Suggests; } | sort >got
	diff expected got
}

@test "the list of symbols has every stable symbol of the library, and no other" {
	symbols=$DEBIAN/libperfpipe0.symbols
	awk '/^LIBPERFPIPE_0 /, /^}/' "$BIN/symbols.map" | sed -n 's/^\t\(pp_.*\);$/\1/p' | sort >expected
	[ "$(wc -l <expected)" -gt 100 ]
	sed -n 's/^ \(pp_.*\)@LIBPERFPIPE_0 0\.[0-9.]*$/\1/p' "$symbols" | sort >got
	diff expected got
	# a program that uses others depends on this minor version
	next=${version%%.*}.$((${version#*.} + 1))
	grep -qxF "| libperfpipe0 (>= $version), libperfpipe0 (<< $next~)" "$symbols"
	grep -qxF " (symver)LIBPERFPIPE_0_UNSTABLE $version 1" "$symbols"
}

@test "the newest entry of the changelog is of this version" {
	grep -qE "^perfpipe \($version-[0-9]+\) " <(head -n 1 "$DEBIAN/changelog")
}

@test "maintainer scripts and the packages' tests are well-formed" {
	for script in "$DEBIAN"/*.{config,postinst,prerm,postrm}; do
		[ -f "$script" ] || continue
		sh -n "$script"
		grep -q '^set -e$' "$script"
	done
	for name in $(sed -n 's/^Tests: //p' "$DEBIAN/tests/control"); do
		[ -x "$DEBIAN/tests/$name" ]
		bash -n "$DEBIAN/tests/$name"
	done
}

# service_is_sound FILE: it uses options that exist, and systemd takes it
service_is_sound() {
	sed -n "/^ExecStart=/,/[^\\\\]$/p" "$1" | tr "|" "\n" | grep -oE "pp-[a-z]+ -.*" >commands
	[ "$(wc -l <commands)" -ge 2 ]
	while read -r tool words; do
		"$tool" --list-options | cut -f1,2 | tr '\t' '\n' >options
		for word in $words; do
			[[ $word == -* ]] || continue
			echo "$tool $word"
			grep -qxF -e "${word%%=*}" options || return
		done
	done <commands
	if command -v systemd-analyze; then # which would miss the pages, since they are not installed here
		sed '/^Documentation=/d' "$1" >"${1##*/}"
		run -0 systemd-analyze verify "./${1##*/}"
		assert_output ''
	fi
}

@test "the examples of services use options that exist, and are installed" {
	for service in "$DEBIAN"/examples/*.service; do
		service_is_sound "$service"
		grep -qxF "debian/examples/${service##*/}" "$DEBIAN/perfpipe.examples"
	done
	# nothing enables one
	run ! grep -rn 'dh_installsystemd\|systemctl' "$DEBIAN"/rules "$DEBIAN"/perfpipe.*
	run ! ls "$DEBIAN"/*.service
}

# ---- the script that runs after the installation, without root

# configured ANSWER: runs it, with its calls in the file calls; FAIL=1: setcap fails; MISSING=1: there is none;
# OVERRIDE=1: the administrator has decided about pp-count
configured() {
	cat >stubs <<-END
		call() { echo "\$*" >>calls; }
		db_get() { RET=$1; }
		db_stop() { :; }
		getent() { false; }
		command() { [ "\$2" = setcap ] && [ -z "${MISSING:-}" ]; }
		addgroup() { call addgroup "\$@"; }
		chown() { call chown "\$@"; }
		chmod() { call chmod "\$@"; }
		setcap() { call setcap "\$@"; [ -z "${FAIL:-}" ]; }
		dpkg-statoverride() { [ -n "${OVERRIDE:-}" ] && [ "\$2" = /usr/bin/pp-count ]; }
	END
	sed 's|^\. /usr/share/debconf/confmodule|. ./stubs|' "$DEBIAN/perfpipe.postinst" >postinst
	grep -q stubs postinst
	: >calls
	bash postinst configure 2>messages
}

@test "only pp-record and pp-count get capabilities, for the group alone, if the answer is yes" {
	configured true
	diff calls - <<-'END'
		addgroup --quiet --system perfpipe
		chown root:perfpipe /usr/bin/pp-record
		chmod 0750 /usr/bin/pp-record
		setcap cap_perfmon,cap_syslog=ep /usr/bin/pp-record
		chown root:perfpipe /usr/bin/pp-count
		chmod 0750 /usr/bin/pp-count
		setcap cap_perfmon,cap_syslog=ep /usr/bin/pp-count
	END
	[ ! -s messages ]
	configured false
	diff calls - <<-'END'
		chown root:root /usr/bin/pp-record
		chmod 0755 /usr/bin/pp-record
		chown root:root /usr/bin/pp-count
		chmod 0755 /usr/bin/pp-count
	END
	# by default it is not
	grep -A 2 '^Template: perfpipe/record-as-group' "$DEBIAN/perfpipe.templates" >question
	grep -qx 'Default: false' question
}

@test "where files cannot have capabilities, a message says so, and the programs stay everybody's" {
	for why in FAIL MISSING; do
		echo "$why"
		(export $why=1 && configured true)
		grep -q 'perfpipe: /usr/bin/pp-record gets no capabilities' messages
		[ "$(grep -c 'chmod 0755' calls)" -eq 2 ]
		[ "$(tail -n 1 calls)" = 'chmod 0755 /usr/bin/pp-count' ]
	done
}

@test "an administrator's own decision about a recorder stays" {
	OVERRIDE=1 configured true
	grep -q pp-record calls
	run ! grep pp-count calls
}
