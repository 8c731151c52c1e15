# The outcore command: its sub-commands are a table in main.c.
bin_PROGRAMS += outcore
outcore_SOURCES = src/outcore/main.c src/outcore/commands.h \
	src/outcore/aio.c \
	src/outcore/consume.c src/outcore/consume.h \
	src/outcore/engines.c src/outcore/engines.h \
	src/outcore/flow.c src/outcore/flow.h \
	src/outcore/sets.c src/outcore/sets.h
outcore_LDADD = $(blocktransfer_LDADD)
