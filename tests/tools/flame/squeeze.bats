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
		let a='it  // is',b="  \" // ",c=`${a?`in  ${b}  `:'}'}  // text`,r=/[/ ]  \/ "/g,s=a/b/c;function f(x){if(x)return/ +/.test(x);let y=a+ +b- -c;y++
		;[y]=[x];return typeof y in x?? (y)}let g={}
		f(3 .toFixed(),{a:b,});
	END
}

@test "page: what its scripts declare one after the other is declared at once, in each part of the code by itself" {
	awk -f "$squeeze" >out <<-'END'
		const [a, b] = [1, 2];
		let c, letter = x.const;
		const f = (y) => { const d = 1; const e = { let: `${(() => { const k = 1; let m; return k; })()}` }; return d; }; // with an end
		let g = f;
		g(1);
		const h = 2;
		for (const i of [1]) { let j = i; c += j; }
		const l = 3;
		for (let n = 0; n < 2; n++) g(n);
		let o = 4
		g(o);
		const p = 5;
	END
	diff - out <<-'END'
		let[a,b]=[1,2],c,letter=x.const,f=(y)=>{let d=1,e={let:`${(()=>{let k=1,m;return k})()}`};return d},g=f;g(1);let h=2;for(let i of[1]){let j=i;c+=j}let l=3;for(let n=0;n<2;n++)g(n);let o=4
		g(o);let p=5;
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

@test "page: that of one stack has at most 80,000 bytes" {
	echo 'main 1' | pp-flame -o page
	[ "$(wc -c <page)" -le 80000 ]
}
