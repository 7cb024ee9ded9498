# Completion of supple for bash: the program itself knows what could come next.
_supple()
{
    local line=${COMP_LINE:0:COMP_POINT} words=() bare word fragment='' candidate typed last names i

    # Bash takes words apart at = and : as well; what stands without a blank between is one word of ours.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        bare=${line#"${line%%[![:space:]]*}"}
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=$bare
        fragment=$word
        if ((i > 0)) && [[ $bare == "$line" && -n $line ]]; then words[-1]+=$word; else words+=("$word"); fi
        line=${bare#"$word"}
    done
    for i in "${!words[@]}"; do
        word=${words[i]#[\"\']}
        [[ $i -lt $((${#words[@]} - 1)) ]] && word=${word%[\"\']}
        words[i]=${word//\\/}
    done

    # Bash replaces only the last piece of the word: what stands before it is taken off again.
    last=${words[-1]}
    fragment=${COMP_WORDS[COMP_CWORD]}
    [[ $fragment == [=:] ]] && fragment=
    fragment=${fragment#[\"\']}
    typed=${last%"${fragment//\\/}"}
    [[ $COMP_WORDBREAKS == *:* ]] || typed=
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        case $candidate in
        '') ;;
        :files)
            compopt -o filenames 2>/dev/null
            names=$(compgen -f -- "$fragment")
            [[ $names ]] && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY <<<"$names"
            ;;
        :folders)
            compopt -o filenames 2>/dev/null
            names=$(compgen -d -- "$fragment")
            [[ $names ]] && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY <<<"$names"
            ;;
        *)
            COMPREPLY+=("${candidate#"$typed"}")
            [[ $candidate == *[=.:] ]] && compopt -o nospace 2>/dev/null
            ;;
        esac
    done <<<"$("${words[0]}" complete "${words[@]:1}" 2>/dev/null)"
} &&
    complete -F _supple supple
