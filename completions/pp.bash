# pp.bash - completes the options of every pp-* tool in bash, as each tool lists them.
#
# Installed under each tool's name, where bash-completion finds it; without bash-completion,
# `. pp.bash` in ~/.bashrc does the same for all tools on PATH.

# _pp_fields: the last name of an expression, as the tool lists what it may be
_pp_fields() {
	local last=${cur##*[!A-Za-z0-9_.]} before

	before=${cur%"$last"}
	compopt -o nospace 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -P "${before#[\'\"]}" -W "$("$tool" --list-fields 2>/dev/null)" -- "$last")
}

# _pp_recording: the file that the tool is to read, as far as the line says it
_pp_recording() {
	local i word before

	for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do
		word=${COMP_WORDS[i]/#\~/$HOME} before=${COMP_WORDS[i - 1]}
		[[ $before != = ]] || before=${COMP_WORDS[i - 2]}
		[[ $i -eq $COMP_CWORD || $before == @(-o|--output) || ! -f $word ]] || echo "$word"
	done | tail -n 1
}

# _pp_list ARG: the last of a list of values, as the tool lists them
_pp_list() {
	local last=${cur##*[,\{]} i
	[[ $1 != FIELD* ]] || last=${last##*[-+:]}

	mapfile -t COMPREPLY < <(compgen -P "${cur%"$last"}" -W "$("$tool" --values-of="$(_pp_recording)" --list-values="$1" 2>/dev/null | cut -f1)" -- "$last")
	[[ $1 != EVENT && $cur != *,* ]] || compopt -o nospace 2>/dev/null
	# Readline takes what stands before a colon for a word of its own.
	[[ $cur != *:* || $COMP_WORDBREAKS != *:* ]] || for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"${cur%:*}:"}
	done
}

# _pp_value ARG: what may stand for ARG
_pp_value() {
	case $1 in
	METRIC*) _pp_list "$1" ;;
	*EXPRESSION*FILE*)
		_pp_fields
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
		;;
	*FILE*)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	*COMMAND*)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
		;;
	*EXPRESSION* | FIELDS) _pp_fields ;;
	\[*\|*\]) mapfile -t COMPREPLY < <(compgen -W "$(tr '|[]' '   ' <<<"$1")" -- "$cur") ;;
	*\|*) mapfile -t COMPREPLY < <(compgen -W "${1//|/ }" -- "$cur") ;;
	?*) _pp_list "$1" ;;
	esac
}

_pp() {
	local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local tool=${1/#\~/$HOME} option='' letter name arg operands='' word ended= at=$COMP_CWORD
	local -a options=()

	COMPREPLY=()
	# Bash makes several words of sched:sched_switch and of --name=value.
	while [[ $at -gt 1 && ($cur == :* || $before == *:) ]]; do
		cur=$before$cur at=$((at - 1)) before=${COMP_WORDS[at - 1]}
	done
	if [[ $cur == = ]]; then
		option=$before cur=
	elif [[ $before == = ]]; then
		option=${COMP_WORDS[at - 2]}
	fi
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ $word != -- ]] || ended=1
	done
	# A tab is white space to `read`, which would run empty columns together.
	while IFS=$'\x1f' read -r letter name arg _; do
		if [[ -z $letter$name ]]; then
			operands=$arg
			continue
		fi
		if [[ $option == "$name" || -z $option && $arg && $arg != \[* && -z $ended ]] &&
			[[ $option || $before == -* && ($before == "$name" || $before == "$letter") ]]; then
			_pp_value "$arg"
			return
		fi
		[[ $letter != -? ]] || options+=("$letter")
		[[ $arg && $arg != \[* ]] && options+=("$name=") || options+=("$name")
	done < <("$tool" --list-options 2>/dev/null | tr '\t' '\037')
	if [[ $cur == -* && -z $option && -z $ended ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$cur")
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
	elif [[ -z $option ]]; then
		_pp_value "$operands"
	fi
}

case ${BASH_SOURCE[0]##*/} in
pp-*) complete -F _pp "${BASH_SOURCE[0]##*/}" ;;
*)
	# Others have programs named pp-something; ours stand in one folder.
	if REPLY=$(type -P pp-dump); then
		for REPLY in "${REPLY%/*}"/pp-*; do
			complete -F _pp "${REPLY##*/}"
		done
	fi
	;;
esac
