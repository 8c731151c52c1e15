# The numerics stand in a library of their own so that unit tests can link them.
noinst_LTLIBRARIES += src/madbench/libmadmath.la
src_madbench_libmadmath_la_SOURCES = \
	src/madbench/busy.c src/madbench/busy.h \
	src/madbench/grid.c src/madbench/grid.h \
	src/madbench/pixels.c src/madbench/pixels.h \
	src/madbench/tick.h
src_madbench_libmadmath_la_CFLAGS = $(AM_CFLAGS) -O3

bin_PROGRAMS += madbench
madbench_SOURCES = \
	src/madbench/main.c
madbench_LDADD = src/madbench/libmadmath.la src/io/libio.la src/layout/liblayout.la \
	src/report/libreport.la src/world/libworld.la src/base/libbase.la

if HAVE_SCALAPACK
src_madbench_libmadmath_la_SOURCES += \
	src/madbench/linalg.c src/madbench/linalg.h \
	src/madbench/remap.c src/madbench/remap.h \
	src/madbench/scalapack.h
madbench_LDADD += $(SCALAPACK_LIBS)
endif
madbench_LDADD += -lm -lpthread
