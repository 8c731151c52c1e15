# shellcheck shell=bash
# What weak-scaling.sh and strong-scaling.sh have in common; they source it. A chain of
# jobs, each after the one before, as two at once would measure each other; at its end
# the report, where all of them went well. Options of theirs are sbatch's.

# absolute PATH: seen from here.
absolute() {
    case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s' "$PWD/$1" ;;
    esac
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
nbin=${NBIN:-8}
tasks_per_node=${TASKS_PER_NODE:-16}
dir=$(absolute "${LEADLINE_DIR:-${SCRATCH:-$PWD}}")
jobs=()

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# whole NAME VALUE: ends with a sentence where it is not, before bash computes with it,
# which would run what is written in brackets.
whole() {
    [[ $2 =~ ^[1-9][0-9]{0,17}$ ]] || fail "$1: \"$2\" is not a whole number above 0"
}

whole NBIN "$nbin"
whole TASKS_PER_NODE "$tasks_per_node"

# needs RANKS NPIX: bytes of memory of one rank, and of all files, by a --dry-run.
needs() {
    local told
    told=$(mktemp)
    madbench "$2" "$nbin" --io-only --dry-run --quiet --ranks="$1" --json="$told" &&
        awk -F '[:,]' '
            /"rank_memory_bytes"/ { memory = $2 }
            /"disk_bytes"/        { files = $2 }
            END { print memory, files }' "$told"
    rm -f "$told"
}

gib() { awk -v bytes="$1" 'BEGIN { printf "%.2f GiB", bytes / 1024 ^ 3 }'; }

nodes_for() { echo $((($1 + tasks_per_node - 1) / tasks_per_node)); }

# MiB of the smallest node.
node_memory() { sinfo --noheader --format=%m | sort -n | head -n 1 | tr -dc 0-9; }

# check RANKS NPIX: ends with a sentence where the problem does not fit the memory of
# the nodes or the free space of the file system.
check() {
    local memory files free node=${NODE_MEMORY:-$(node_memory)}
    local on_node=$(($1 < tasks_per_node ? $1 : tasks_per_node))
    read -r memory files <<<"$(needs "$1" "$2")"
    [ -n "$files" ] || fail "madbench takes no $2 pixels, $nbin bins, $1 ranks"
    memory=$((memory * on_node))
    free=$(df -Pk "$dir" | awk 'NR == 2 { printf "%.0f", $4 * 1024 }')
    printf '%6d ranks %8d pixels: %s of a node, %s of files\n' "$1" "$2" \
        "$(gib "$memory")" "$(gib "$files")"
    [ "$memory" -le $((node * 1048576)) ] ||
        fail "$1 ranks with $2 pixels need $(gib "$memory") of a node, which has" \
            "$node MiB: choose a smaller NPIX, or fewer TASKS_PER_NODE"
    [ "$files" -le "$free" ] ||
        fail "$1 ranks with $2 pixels need $(gib "$files") in $dir, where" \
            "$(gib "$free") are free: choose a smaller NPIX, a smaller NBIN or" \
            "another LEADLINE_DIR"
}

# submit RANKS NPIX: one more madbench at the end of the chain.
submit() {
    local after=()
    [ ${#jobs[@]} = 0 ] || after=(--dependency="afterany:${jobs[-1]}")
    export NPIX=$2 NBIN=$nbin LABEL="$1 ranks, $2 pixels"
    jobs+=("$(sbatch --parsable --ntasks="$1" --nodes="$(nodes_for "$1")" \
        --ntasks-per-node="$tasks_per_node" "${after[@]}" "${options[@]}" \
        "$here/madbench.sbatch")")
}

# all RANKS:NPIX...: checks all before it submits any, then the report.
all() {
    local each list
    [ -z "${NODE_MEMORY-}" ] || whole NODE_MEMORY "$NODE_MEMORY"
    for each; do check "${each%:*}" "${each#*:}"; done
    mkdir -p "$LEADLINE_RUNS"
    for each; do submit "${each%:*}" "${each#*:}"; done
    list=$(IFS=:; echo "${jobs[*]}")
    jobs+=("$(sbatch --parsable --dependency="afterok:$list" \
        --kill-on-invalid-dep=yes "${options[@]}" --ntasks=1 --nodes=1 \
        "$here/report.sbatch")")
    echo "submitted: ${jobs[*]}; the last one compares the reports in $LEADLINE_RUNS"
}
