# The outcore command. The folder of a workload has a local.mk of its own.
bin_PROGRAMS += outcore
outcore_SOURCES = src/outcore/main.c src/outcore/commands.h \
	src/outcore/data/consume.c src/outcore/data/consume.h \
	src/outcore/data/documents.c src/outcore/data/documents.h \
	src/outcore/data/folder.c src/outcore/data/folder.h \
	src/outcore/data/gen.c \
	src/outcore/data/make.c src/outcore/data/make.h \
	src/outcore/data/output.c src/outcore/data/output.h \
	src/outcore/data/records.c src/outcore/data/records.h
outcore_LDADD = src/extsort/libextsort.a src/sort/libsort.a $(blocktransfer_LDADD)
