#!/bin/bash
# As many matrix elements on each rank, on more and more ranks: pixels double as ranks
# quadruple. Submits a chain of jobs (madbench.sbatch, to be adapted first) that ends in
# a report, after a look at whether all of them fit.
#
#     NPIX=12500 RANKS="1 4 16 64" weak-scaling.sh [options of sbatch]
#
# NPIX is that of the first number of ranks, of which each further one is four times
# the last one's. See submit.sh and common.sh for TASKS_PER_NODE, NBIN, NODE_MEMORY
# (MiB), LEADLINE_DIR, LEADLINE_RUNS.
set -euo pipefail
options=("$@")
# shellcheck source=scripts/slurm/submit.sh
. "$(dirname "$0")/submit.sh"
LEADLINE_RUNS=$(absolute "${LEADLINE_RUNS:-weak-scaling-$(date -u +%Y%m%dT%H%M%SZ)}")
export LEADLINE_RUNS

npix=${NPIX:-12500}
whole NPIX "$npix"
last=
chain=()
read -ra counts <<<"${RANKS:-1 4 16 64}"
for ranks in "${counts[@]}"; do
    whole RANKS "$ranks"
    if [ -n "$last" ]; then
        [ "$ranks" = $((4 * last)) ] ||
            fail "RANKS: after $last comes $((4 * last)), not $ranks"
        npix=$((2 * npix))
    fi
    last=$ranks
    chain+=("$ranks:$npix")
done
all "${chain[@]}"
