# bash completion for leadline and the programs of the suite; installed as
# .../bash-completion/completions/leadline.bash, with links for the other programs.
#
# What can be completed is asked of the program: --help is the only list of options.

# The usage text of the program on the line, or of leadline's sub-command.
_leadline_help()
{
    local command=${COMP_WORDS[1]-}
    case $command in
        [a-z]*)
            [ "${COMP_WORDS[0]##*/}" = leadline ] ||
                _leadline_commands | grep -qx -- "$command" || command=
            ;;
        *) command= ;;
    esac
    "${COMP_WORDS[0]}" ${command:+"$command"} --help 2>/dev/null
}

# Long options; "--[no-]verify" gives both. What stands further to the right explains.
_leadline_options()
{
    _leadline_help | sed -nE \
        -e 's/^ {1,8}(-[A-Za-z]( [A-Z]+)?, )?--\[no-\]([a-z-]+).*/--\3 --no-\3/p' \
        -e 's/^ {1,8}(-[A-Za-z]( [A-Z]+)?, )?(--[a-z-]+).*/\3/p'
}

# None where the usage does not begin with a command.
_leadline_commands()
{
    "${COMP_WORDS[0]}" --help 2>/dev/null |
        sed -nE -e '1{/ COMMAND /!q}' -e 's/^(  |    )([a-z][a-z0-9]*)( .*|$)/\2/p'
}

# The pictures that "leadline plot" draws: it names them if it is asked for another.
_leadline_pictures()
{
    "${COMP_WORDS[0]}" plot '?' '?' 2>&1 |
        sed -nE 's/.*choose from ([^)]*)\).*/\1/p' | tr -d "',"
}

# What --iomethod takes: "POSIX, MPI or HDF5, or an I/O engine (posix, mpiio ...) ...".
_leadline_methods()
{
    _leadline_help | tr -s ' \n' ' ' |
        sed -nE 's/.*--iomethod=METHOD (.*), or an I\/O engine \(([^)]*)\).*/\1, \2/p' |
        sed -E 's/ or |,/ /g'
}

# Choices of option $1, as in "POLICY  flush|keep; flush: ...", or in the braces of
# "--format {text,csv}".
_leadline_choices()
{
    _leadline_help | awk -v option="$1" '
        /^ +-/ {
            line = $0
            gsub(/\[no-\]/, "", line)
            here = line ~ "(^|[ ,])" option "([[= ]|$)"
        }
        here && match($0, /[A-Za-z0-9.-]+(\|[A-Za-z0-9.-]+)+/) {
            list = substr($0, RSTART, RLENGTH)
            gsub(/\|/, " ", list); print list; exit
        }
        here && match($0, /\{[^}]*\}/) {
            list = substr($0, RSTART + 1, RLENGTH - 2)
            gsub(/,/, " ", list); print list; exit
        }'
}

# What option $1 takes, as "--dir=DIR", "--output DIR" or "-o, --output=FILE" name it.
_leadline_argument()
{
    _leadline_help | awk -v option="$1" '
        match($0, /^ +-[^ ]*( [^ ]+)*/) {
            head = " " substr($0, RSTART, RLENGTH) " "
            if (head ~ "[ ,]" option "[[=, ]" && match(head, /[= ][A-Z][A-Za-z.]*/)) {
                print substr(head, RSTART + 1, RLENGTH - 1)
                exit
            }
        }'
}

_leadline()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} choices
    COMPREPLY=()
    # "--cache=k" comes as three words, as = separates words by default.
    if [ "$word" = = ]; then
        word=
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $before in
        --iomethod)
            mapfile -t COMPREPLY < <(compgen -W "$(_leadline_methods)" -- "$word")
            return
            ;;
        -*)
            [ "$before" != -p ] || before=--pattern
            [ "$before" != -s ] || before=--scheme
            choices=$(_leadline_choices "$before")
            if [ -n "$choices" ]; then
                mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
                return
            fi
            case $(_leadline_argument "$before") in
                DIR*)
                    mapfile -t COMPREPLY < <(compgen -d -- "$word")
                    return
                    ;;
                *FILE* | OUT*)
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                    return
                    ;;
            esac
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_leadline_options)" -- "$word")
    elif [[ ${COMP_WORDS[0]##*/}:${COMP_WORDS[1]-}:$COMP_CWORD == leadline:plot:2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_leadline_pictures)" -- "$word")
    else
        choices=$(_leadline_commands)
        if [ "$COMP_CWORD" = 1 ] && [ -n "$choices" ]; then
            mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
    fi
}

# Where it is installed, the links to it beside it; in the source tree, programs.def.
_leadline_programs()
{
    local here=${BASH_SOURCE[0]%/*} file
    sed -nE 's/^X\(([a-z]+),.*/\1/p' "$here/../programs.def" 2>/dev/null
    for file in "$here"/*; do
        [ ! "$file" -ef "$here/leadline.bash" ] || echo "${file##*/}"
    done
}
mapfile -t _leadline_names < <(_leadline_programs)
complete -o filenames -F _leadline leadline "${_leadline_names[@]}"
unset _leadline_names
