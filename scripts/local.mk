# To be adapted and submitted; see the comments in them.
examplesdir = $(pkgdatadir)/examples
dist_examples_DATA = scripts/slurm/madbench.sbatch
