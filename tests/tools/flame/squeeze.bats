# squeeze.bats - the page of pp-flame holds its scripts and styles without what a browser does not read.

setup() {
	load ../../helper
	squeeze="$ROOT/libpipe/export/page/squeeze.awk"
}

@test "page: comments, blanks and ends of lines are left out of its scripts, but not of what is text" {
	awk -f "$squeeze" >out <<-'END'
		// a comment
		const a = 'it  // is', b = "  \" // ", c = `${ a ? `in  ${ b }  ` : '}' }  // text`; // a comment
		const r = /[/ ]  \/ "/g, s = a / b / c;

		function f(x) {
			if (x) return / +/.test(x);
			let y = a + +b - -c;
			y++
			;[y] = [x];
			return typeof y in x ?? (y) ;
		}
		const g = {}
		f(3 .toFixed(), {
			a: b,
		});
	END
	diff - out <<-'END'
		const a='it  // is',b="  \" // ",c=`${a?`in  ${b}  `:'}'}  // text`;const r=/[/ ]  \/ "/g,s=a/b/c;function f(x){if(x)return/ +/.test(x);let y=a+ +b- -c;y++
		;[y]=[x];return typeof y in x?? (y)}const g={}
		f(3 .toFixed(),{a:b,});
	END
}

@test "page: a string, a template or a regular expression that does not end stops the build" {
	local text texts=0
	for text in "a = 'b;" 'a = `b;' 'a = `${b`;' 'a = /b;'; do
		run ! awk -f "$squeeze" <<<"$text"
		[[ "$output" == *':1: a '*' does not end' ]]
		texts=$((texts + 1))
	done
	[ "$texts" -eq 4 ]
}

@test "page: that of one stack has at most 84,000 bytes" {
	echo 'main 1' | pp-flame -o page
	[ "$(wc -c <page)" -le 84000 ]
}
