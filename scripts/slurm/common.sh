# shellcheck shell=bash
# What the jobs here have in common; they source it. It does as these variables say,
# which may be set in a job, or beforehand (sbatch hands on its environment):
#
#   LEADLINE_DIR       the directory to be measured, on the parallel file system. Files
#                      are made in a folder of the job's own there, which is removed at
#                      its end, also at that by the time limit. Default: $SCRATCH, or
#                      where the job was submitted.
#   LEADLINE_RUNS      where reports go. Default: a folder named after the job, where it
#                      was submitted.
#   LEADLINE_LOCAL     a directory that is another one on each node, such as that of a
#                      local disk. Default: none.
#   LEADLINE_MPIEXEC   what starts MPI programs, as in "srun --mpi=cray_shasta"; it is
#                      given -n RANKS PROGRAM. Default: what "leadline launcher" says,
#                      which looks at the MPI library of the program.

fail() {
    echo "${SLURM_JOB_NAME:-leadline}: $*" >&2
    exit 1
}

# absolute PATH: seen from where the job was submitted, as the job goes elsewhere.
absolute() {
    case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s' "$SLURM_SUBMIT_DIR/$1" ;;
    esac
}

# json TEXT: as a string of a specification.
json() {
    local text=$1
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    text=${text//$'\n'/\\n}
    text=${text//$'\t'/\\t}
    printf '"%s"' "$text"
}

# begin PROGRAM: what a job does first; PROGRAM is one of those that it will run. From
# then on it is in $scratch, so that this is where the programs' --dir is, by default.
begin() {
    local id=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}
    local name=${SLURM_JOB_NAME//[^A-Za-z0-9._+-]/_} # parts of names of folders
    command -v "$1" >/dev/null || fail "$1 is not on PATH: load its module first"
    LEADLINE_MPIEXEC=$(leadline launcher "$1") || fail "there is no launcher for $1"
    export LEADLINE_MPIEXEC
    ranks=${SLURM_NTASKS:-$((SLURM_JOB_NUM_NODES * ${SLURM_NTASKS_PER_NODE:-1}))}
    runs=$(absolute "${LEADLINE_RUNS:-$name-$id}")
    job=$name-$id${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
    scratch=$(absolute "${LEADLINE_DIR:-${SCRATCH:-$SLURM_SUBMIT_DIR}}")/$job.scratch
    local_scratch=${LEADLINE_LOCAL:+$(absolute "$LEADLINE_LOCAL")/$job.scratch}
    child=
    trap clean EXIT
    trap stop TERM
    mkdir -p "$runs"
    clean # a job that is queued again finds what its node left behind
    mkdir "$scratch"
    [ -z "$local_scratch" ] || on_each_node mkdir -p "$local_scratch"
    cd "$scratch" || exit
}

on_each_node() {
    srun --overlap --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" \
        --ntasks-per-node=1 "$@"
}

clean() {
    cd "$SLURM_SUBMIT_DIR" || true
    rm -rf "$scratch"
    [ -z "$local_scratch" ] || on_each_node rm -rf "$local_scratch"
}

# run COMMAND...: in the background, as a shell hears no signal while it waits for what
# is in front.
run() {
    "$@" &
    child=$!
    wait "$child"
}

# Seconds that Slurm leaves a job after scancel, before it kills all of it.
kill_wait() {
    local wait
    wait=$(timeout 5 scontrol show config |
        awk '$1 == "KillWait" && $3 ~ /^[0-9]+$/ { print $3 }') || true
    echo "${wait:-30}"
}

# Slurm sends the signal of --signal some time before it would kill all of the job. A
# child that has only just begun may miss its own, so it is told again. One that waits
# for a node that cannot be reached does not end: half of the time is for it, and the
# rest for removing files.
stop() {
    local quarters=$((2 * $(kill_wait))) i
    echo "$SLURM_JOB_NAME: told to end, by the time limit or by scancel" >&2
    for ((i = 0; i < quarters; i++)); do
        [ -n "$child" ] && kill -0 "$child" 2>/dev/null || exit 1
        ((i % 20)) || kill -TERM "$child" 2>/dev/null || true
        sleep 0.25
    done
    echo "$SLURM_JOB_NAME: what it runs does not end, and is killed" >&2
    kill -KILL "$child" 2>/dev/null || true
    exit 1
}

# report_of ARGS...: the path in --json=PATH.
report_of() {
    local arg
    for arg in "$@"; do
        case $arg in
        --json=*) printf '%s' "${arg#--json=}" ;;
        esac
    done
}

# launch PROGRAM ARGS...: on all ranks of the job. A start that crashes before there is
# a report is tried again, as some launchers lose one in many.
launch() {
    local mpiexec report status
    read -ra mpiexec <<<"$LEADLINE_MPIEXEC"
    report=$(report_of "$@")
    for LEADLINE_STARTS in 1 2 3; do
        export LEADLINE_STARTS
        status=0
        run "${mpiexec[@]}" -n "$ranks" "$@" || status=$?
        if ((status <= 128)) || [ -z "$report" ] || [ -e "$report" ]; then
            break
        fi
        echo "$SLURM_JOB_NAME: start $LEADLINE_STARTS of 3 ended with status $status" \
            "before there was a report" >&2
    done
    unset LEADLINE_STARTS
    return "$status"
}

# sweep NAME <SPECIFICATION: its runs, with their reports in $runs/NAME. They are
# steps of this job, one after another, so what drifts drifts for all of them.
sweep() {
    cat >"$runs/$1.json"
    run leadline sweep "$runs/$1.json" --out="$runs/$1"
}
