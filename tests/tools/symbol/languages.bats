# languages.bats - names of OCaml, and those of Java in files that were made of jitdumps, as perf has them.

setup() { load ../../helper; }

# bats test_tags=T3-C3
@test "script, fold, report, symbol: names of OCaml and Java are those of perf" {
	need "${CC:-cc}"
	local name n=0 names=(
		camlStdlib__List__map_1 'camlFoo__bar$2b$2b_12' camlFoo__Bar '__camlFoo__x' caml_main2 camlfoo 'camlA$zz$2' camlA___b
		'Ljava/lang/String;indexOf(I)I' 'Lorg/Foo;call(I[JLorg/Bar;Z)Ljava/lang/Object;' 'Lorg/Foo;<init>()V'
		'Lorg/Foo;lambda$main$0([Ljava/lang/String;[I)V' 'Lcom/example/Foo;run(BCDFIJSZ)V' 'Lfoo' 'Lfoo;bar' 'Lfoo(I)V' 'L;x([[I)V'
		'Interpreter' 'Lorg/Foo;a[b()V' 'Lorg/Foo;odd(V)I'
	)
	{
		echo .text
		for name in "${names[@]}"; do
			printf '.globl "%s"\n.type "%s", @function\n"%s":\n.rept 16\nnop\n.endr\n.size "%s", 16\n' "$name" "$name" "$name" "$name"
		done
		printf '.section .note.GNU-stack,"",@progbits\n'
	} >names.s
	"${CC:-cc}" -shared -nostdlib -Wl,--build-id=none -o names.so names.s || skip "this assembler has no such names"
	objdump -h names.so | awk '$2 == ".text" { print $4, $6 }' >text
	read -r address offset <text
	{
		echo header
		echo 'attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock'
		echo 'comm pid=7 comm=seven time=1'
		echo "mmap pid=7 tid=7 start=0x10000 len=0x10000 pgoff=0 file=$PWD/names.so time=2"
		for name in "${names[@]}"; do
			echo "sample misc=2 id=1 pid=7 ip=$((0x10000 + 0x$offset + 16 * n + 4)) time=$((n + 10))"
			n=$((n + 1))
		done
		echo round
	} | build >in
	pp-script -F ip,sym in | sed 's|^ *[0-9a-f]* *||' >got
	head -n 8 got | diff - <(printf '%s\n' Stdlib.List.map_1 'Foo.bar++_12' Foo.Bar __camlFoo__x caml_main2 camlfoo 'A$zz$2' A._b)
	sed -n 9,13p got | diff - <(printf '%s\n' 'java.lang.String.indexOf(int)' 'org.Foo.call(int, long[], org.Bar, boolean)' \
		'org.Foo<init>()' 'org.Foo.lambda$main$0(java.lang.String, int[][])' 'com.example.Foo.run(byte, char, double, float, int, long, short, boolean)')
	sed -n 14,16p got | diff - <(printf '%s\n' Lfoo 'Lfoo;bar' 'Lfoo(I)V')
	pp-report -s sym --no-children in | grep -q '\[\.\] Stdlib.List.map_1'
	pp-fold -q in | grep -qx 'seven;java.lang.String.indexOf 1'
	pp-symbol in | pp-script --root "$PWD/nowhere" -F ip,sym | sed 's|^ *[0-9a-f]* *||' | diff got -
	pp-symbol -q --demangle=no in | pp-script --root "$PWD/nowhere" -F ip,sym | sed 's|^ *[0-9a-f]* *||' | diff - <(printf '%s\n' "${names[@]}")
	need_perf
	while read -r perf; do
		echo "$perf"
		"$perf" script -F ip,sym -i in 2>err </dev/null | sed 's/^ *[0-9a-f]* *//' | diff - got
	done < <(perfs)
}
