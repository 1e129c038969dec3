#compdef dendro
# Completes dendro's command lines in zsh: dendro itself says which words fit.

_dendro() {
	local -a found described
	local line text

	found=("${(@f)$("${words[1]}" completion words "${(@)words[1,CURRENT]}" 2>/dev/null)}")
	case ${found[1]} in
	:files) _files ;;
	:folders) _files -/ ;;
	:command\ *)
		shift "${found[1]#:command }" words
		((CURRENT -= ${found[1]#:command }))
		_normal ;;
	*)
		for line in "${found[@]}"; do
			text=${line%%$'\t'*}
			[[ -n $text ]] || continue
			described+=("${text//:/\\:}:${line#*$'\t'}")
		done
		_describe -V 'dendro' described ;;
	esac
}

if [[ $funcstack[1] == _dendro ]]; then
	_dendro "$@"
else
	compdef _dendro dendro
fi
