bin_PROGRAMS += metabench
metabench_SOURCES = src/metabench/metabench.c src/metabench/metabench.h \
	src/metabench/able.c src/metabench/items.c src/metabench/listing.c \
	src/metabench/names.c src/metabench/ops.c src/metabench/walk.c
metabench_LDADD = $(blocktransfer_LDADD)
SCRIPT_TESTS += tests/e2e/metabench.py
