# bash completion for leadline; install as .../bash-completion/completions/leadline

_leadline()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        words="compare sweep --help --version"
    elif [ "$before" = --format ]; then
        words="text markdown csv json"
    elif [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    elif [ "${COMP_WORDS[1]}" = compare ]; then
        words="--baseline --against --figure --format --output --help"
    else
        words="--out --rounds --dry-run --fresh --quiet --help"
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _leadline leadline
