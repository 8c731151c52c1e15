noinst_LTLIBRARIES += src/algebra/libalgebra.la
src_algebra_libalgebra_la_SOURCES = \
	src/algebra/descriptor.c src/algebra/descriptor.h \
	src/algebra/find.c \
	src/algebra/map.c \
	src/algebra/plan.c \
	src/algebra/sequence.c src/algebra/sequence.h \
	src/algebra/set.c src/algebra/set.h \
	src/algebra/text.c
