noinst_LIBRARIES += src/algebra/libalgebra.a
src_algebra_libalgebra_a_SOURCES = \
	src/algebra/descriptor.c src/algebra/descriptor.h \
	src/algebra/find.c \
	src/algebra/map.c \
	src/algebra/plan.c \
	src/algebra/sequence.c src/algebra/sequence.h \
	src/algebra/set.c src/algebra/set.h \
	src/algebra/text.c
src_algebra_libalgebra_a_CFLAGS = $(SHARED_CFLAGS)
