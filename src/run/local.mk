noinst_LIBRARIES += src/run/librun.a
src_run_librun_a_SOURCES = \
	src/run/arms.c \
	src/run/compare.h \
	src/run/rounds.c \
	src/run/stream/blocks.c \
	src/run/stream/blocks.h \
	src/run/file.c \
	src/run/lanes.c \
	src/run/lanes.h \
	src/run/kept.c \
	src/run/kept.h \
	src/run/leftovers.c \
	src/run/live.c \
	src/run/measure.c \
	src/run/need.c \
	src/run/data.c \
	src/run/queue.c \
	src/run/run.c \
	src/run/run.h \
	src/run/set.c \
	src/run/set.h \
	src/run/storage.c \
	src/run/inside.h \
	src/run/stream/stream.c \
	src/run/stream/stream.h \
	src/run/transfer.c \
	src/run/workload.c \
	src/run/workload.h
