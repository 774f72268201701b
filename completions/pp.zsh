#compdef -P pp-*
# pp.zsh - completes the options of every pp-* tool in zsh, as each tool lists them.
#
# Installed as _pp in a folder of $fpath.

# _pp_fields: the last name of an expression, as the tool lists what it may be
_pp_fields() {
	local -aU names

	[[ $PREFIX != -* ]] || return
	names=(${(f)"$(_call_program fields ${(q)words[1]} --list-fields)"})
	compset -P '*[^A-Za-z0-9_.]'
	compadd -S '' -a names
}

# _pp_recording: the file that the tool is to read, as far as the line says it
_pp_recording() {
	local i word

	REPLY=
	for ((i = 2; i <= $#words; i++)); do
		word=${words[i]#--input=}
		word=${word/#\~/$HOME}
		[[ $i -eq $CURRENT || $words[i-1] == (-o|--output) || ! -f $word ]] || REPLY=$word
	done
}

# _pp_list ARG: the last of a list of values, as the tool lists them
_pp_list() {
	local REPLY
	local -a lines names shown

	_pp_recording
	lines=(${(f)"$(_call_program values ${(q)words[1]} --values-of=${(q)REPLY} --list-values=${(q)1})"})
	names=("${lines[@]%%$'\t'*}")
	shown=("${lines[@]/$'\t'/ -- }")
	compset -P '*[,{]'
	[[ $1 != FIELD* ]] || compset -P '*[-+:]'
	compadd -S '' -d shown -a names
}

# _pp_action ARG: what may stand for ARG, as _arguments wants it
_pp_action() {
	case $1 in
	METRIC*) REPLY=" _pp_list ${(q)1}" ;;
	*FILE*) REPLY=_files ;;
	*EXPRESSION* | FIELDS) REPLY=_pp_fields ;;
	*\|*) REPLY="(${${1//[\[\]]/}//|/ })" ;;
	*) REPLY=" _pp_list ${(q)1}" ;;
	esac
}

_pp() {
	local line letter name arg help both
	local -a columns specs

	for line in ${(f)"$(_call_program options ${(q)words[1]} --list-options)"}; do
		columns=("${(@ps:\t:)line}")
		letter=$columns[1] name=$columns[2] arg=$columns[3]
		help="[${${columns[4]//\[/\\[}//\]/\\]}]"
		if [[ -z $letter$name ]]; then
			if [[ $arg == *COMMAND* ]]; then
				specs+=('(-):command:_command_names -e' '*::argument:_normal')
			elif [[ $arg == *EXPRESSION*FILE* ]]; then
				specs+=('1:EXPRESSION:_alternative "fields\:EXPRESSION\:_pp_fields" "files\:FILE\:_files"' '2:FILE:_files')
			elif [[ -n $arg ]]; then
				_pp_action $arg
				specs+=("*:${${arg//[\[\]]/}//:/\\:}:$REPLY")
			fi
			continue
		fi
		[[ $letter == -? ]] || letter=
		_pp_action $arg
		both="($letter${letter:+ }$name)"
		[[ -z $arg || $arg == \[* ]] || both='*'
		if [[ -z $arg ]]; then
			[[ -z $letter ]] || specs+=("$both$letter$help")
			specs+=("$both$name$help")
		elif [[ $arg == \[* ]]; then
			[[ -z $letter ]] || specs+=("$both$letter-$help::${arg//[\[\]]/}:$REPLY")
			specs+=("$both$name=-$help::${arg//[\[\]]/}:$REPLY")
		else
			[[ -z $letter ]] || specs+=("$both$letter+$help:$arg:$REPLY")
			specs+=("$both$name=$help:$arg:$REPLY")
		fi
	done
	# Others have programs named pp-something, which list nothing.
	if (($#specs)); then
		_arguments -s -S $specs
	else
		_default
	fi
}

_pp "$@"
