# Completes dendro's command lines in bash: dendro itself says which words fit.

_dendro()
{
	local line=${COMP_LINE:0:COMP_POINT} word directive text cut
	local -a words

	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	word=${words[-1]}
	# What readline replaces begins after the last of its own separators of words.
	cut=${word%"${word##*[=:]}"}
	[[ ${COMP_WORDBREAKS} == *[=:]* ]] || cut=
	COMPREPLY=()
	while IFS=$'\t' read -r directive text; do
		case $directive in
		:files) mapfile -t COMPREPLY < <(compgen -f -- "${word#"$cut"}")
			compopt -o filenames ;;
		:folders) mapfile -t COMPREPLY < <(compgen -d -- "${word#"$cut"}")
			compopt -o filenames ;;
		:command\ *)
			if ((${#words[@]} - 1 > ${directive#:command })) &&
				declare -F _command_offset >/dev/null; then
				_command_offset "${directive#:command }"
			elif ((${#words[@]} - 1 > ${directive#:command })); then
				mapfile -t COMPREPLY < <(compgen -f -- "$word")
				compopt -o filenames
			else
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			fi ;;
		*) COMPREPLY+=("${directive#"$cut"}") ;;
		esac
	done < <("${words[0]}" completion words "${words[@]}" 2>/dev/null)
	# A list of values may go on.
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	return 0
}

complete -F _dendro dendro
