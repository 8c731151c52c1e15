noinst_LIBRARIES += src/extsort/libextsort.a
src_extsort_libextsort_a_SOURCES = \
	src/extsort/divide.c \
	src/extsort/extsort.c \
	src/extsort/extsort.h \
	src/extsort/files.c \
	src/extsort/groups.c \
	src/extsort/inside.h \
	src/extsort/merge.c \
	src/extsort/sections.c \
	src/extsort/split.c
