# sides.bash - loaded by tests of pp-diff: sides of recordings, from what stacks cost.

K=0xffffffff81000000
FUNCTIONS=(main lex old new part whole other one two hub lex2)

# recording FILE STACK MS ...: functions of FUNCTIONS, the outermost first, with ; between them; most of it in
# samples of 10 ms
recording() {
	local file=$1 i chain name
	shift
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,ksymbol
		for i in "${!FUNCTIONS[@]}"; do
			echo "ksymbol addr=$((K + 256 * i)) len=256 ksym_type=1 name=${FUNCTIONS[i]} time=1"
		done
		echo comm pid=7 comm=seven time=5
		for (( ; $#; )); do
			chain=
			for name in ${1//;/ }; do
				for i in "${!FUNCTIONS[@]}"; do
					[ "${FUNCTIONS[i]}" != "$name" ] || chain=$((K + 256 * i + 16)),$chain
				done
			done
			chain="callchain=-128,${chain%,}"
			[ "$2" -eq 0 ] || printf '%s\n' "repeat $(($2 / 10)) {" \
				"sample id=1 pid=7 tid=7 time=\$(i*20000000+1000) period=10000000 $chain" '}' \
				"sample id=1 pid=7 tid=7 time=2000 period=$(($2 % 10))000000 $chain"
			shift 2
		done
		echo round
	} | build >"$file"
}

# sides BEFORE... -- AFTER...: a folder for each side, of five recordings, from stacks and what each costs in
# the mean
sides() {
	local side=a i n args
	local -A of=([a]= [b]=)
	for n in "$@"; do
		[ "$n" != -- ] && of[$side]+=" $n" || side=b
	done
	rm -rf a b
	mkdir a b
	for side in a b; do
		for i in 0 1 2 3 4; do
			args=()
			for n in ${of[$side]}; do
				[[ $n == *[a-z]* ]] && args+=("$n") || args+=($((n + (i * 3 + ${#args[@]}) % 5 - 2)))
			done
			recording "$side/$i" "${args[@]}"
		done
	done
}

# verdicts ARG...: "VERDICT NAME" for each line of the table, and what is said of it
verdicts() {
	pp-diff --json --all "$@" | jq -r 'select(.verdict) | "\(.verdict) \(.name // .kind)" +
		if .note then " (\(.note))" else "" end'
}
