# To be adapted and submitted; see the comments in them.
slurmdir = $(pkgdatadir)/slurm
dist_slurm_DATA = scripts/slurm/common.sh scripts/slurm/submit.sh
dist_slurm_SCRIPTS = \
	scripts/slurm/compare-unique-shared.sbatch \
	scripts/slurm/iotrace.sbatch \
	scripts/slurm/ldad.sbatch \
	scripts/slurm/madbench-array.sbatch \
	scripts/slurm/madbench.sbatch \
	scripts/slurm/pfmload.sbatch \
	scripts/slurm/pfmload-paper.sbatch \
	scripts/slurm/report.sbatch \
	scripts/slurm/strong-scaling.sh \
	scripts/slurm/weak-scaling.sh

reframedir = $(pkgdatadir)/reframe
dist_reframe_DATA = scripts/reframe/leadline_checks.py scripts/reframe/settings.py

githubdir = $(pkgdatadir)/github
dist_github_DATA = scripts/github/nightly-io.yml

# What codes of some kinds ask of their files, for replay and leadline whatif.
skeletonsdir = $(pkgdatadir)/skeletons
dist_skeletons_DATA = $(addprefix scripts/skeletons/, README ldad-fft.json \
	ldad-jacobi.json ldad-mandelbrot.json ldad-perf.json \
	madbench-shared-collective.json madbench-shared-mpiio.json madbench-unique.json \
	pfmload-g.json)

EXTRA_DIST += scripts/site packaging/debian packaging/debian-test \
	packaging/spack/package.py \
	packaging/container/Containerfile packaging/easybuild/leadline-0.2-gompi-2023a.eb

# What doc/cookbook.md uses.
examplesdir = $(docdir)/examples
dist_examples_DATA = $(addprefix examples/, README.md acceptance.json alignment.json blocks.c \
	metadata.json nightly.json node-local.json striping.json \
	queue-depth.json small-writes.py two-file-systems.json unique-shared.json)
