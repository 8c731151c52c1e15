bin_PROGRAMS += replay
replay_SOURCES = src/replay/content.c src/replay/extents.c src/replay/flight.c \
	src/replay/phases.c src/replay/plan.c src/replay/read.c src/replay/replay.c \
	src/replay/replay.h src/replay/skeleton.h src/replay/store.c
replay_LDADD = $(blocktransfer_LDADD)
SCRIPT_TESTS += tests/e2e/replay.py
