#!/bin/bash
# The same matrices on more and more ranks: does the file system keep up, and from how
# many ranks on does it not? Submits a chain of jobs (madbench.sbatch, to be adapted
# first) that ends in a report, after a look at whether all of them fit.
#
#     NPIX=25000 RANKS="4 8 16 32 64" strong-scaling.sh [options of sbatch]
#
# See submit.sh and common.sh for TASKS_PER_NODE, NBIN, NODE_MEMORY (MiB), LEADLINE_DIR,
# LEADLINE_RUNS.
set -euo pipefail
options=("$@")
# shellcheck source=scripts/slurm/submit.sh
. "$(dirname "$0")/submit.sh"
export LEADLINE_RUNS=${LEADLINE_RUNS:-$PWD/strong-scaling-$(date -u +%Y%m%dT%H%M%SZ)}

chain=()
for ranks in ${RANKS:-4 8 16 32 64}; do
    chain+=("$ranks:${NPIX:-25000}")
done
all "${chain[@]}"
