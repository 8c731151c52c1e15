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
LEADLINE_RUNS=$(absolute "${LEADLINE_RUNS:-strong-scaling-$(date -u +%Y%m%dT%H%M%SZ)}")
export LEADLINE_RUNS

npix=${NPIX:-25000}
whole NPIX "$npix"
chain=()
read -ra counts <<<"${RANKS:-4 8 16 32 64}"
for ranks in "${counts[@]}"; do
    whole RANKS "$ranks"
    chain+=("$ranks:$npix")
done
all "${chain[@]}"
