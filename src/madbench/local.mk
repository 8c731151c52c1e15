# The numerics stand in a library of their own so that unit tests can link them.
noinst_LIBRARIES += src/madbench/libmadmath.a
src_madbench_libmadmath_a_SOURCES = \
	src/madbench/busy.c src/madbench/busy.h \
	src/madbench/grid.c src/madbench/grid.h
# No fused multiply-add: matrices, and dC to its 13th digit, are then the same on every
# processor, and so is the number of operations of the busy work.
src_madbench_libmadmath_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off

bin_PROGRAMS += madbench
madbench_SOURCES = \
	src/madbench/bench.c src/madbench/bench.h \
	src/madbench/full.h \
	src/madbench/iomode.c \
	src/madbench/main.c \
	src/madbench/settings.c src/madbench/settings.h
EXTRA_madbench_SOURCES = src/madbench/full.c src/madbench/full_absent.c
madbench_LDADD = src/madbench/libmadmath.a src/run/librun.a src/doctor/libdoctor.a $(io_LIBS) src/layout/liblayout.a \
	src/report/libreport.a src/world/libworld.a src/algebra/libalgebra.a src/base/libbase.a

if HAVE_SCALAPACK
src_madbench_libmadmath_a_SOURCES += \
	src/madbench/linalg.c src/madbench/linalg.h \
	src/madbench/remap.c
madbench_SOURCES += src/madbench/full.c
madbench_LDADD += $(SCALAPACK_LIBS)
else
madbench_SOURCES += src/madbench/full_absent.c
endif
madbench_LDADD += -lm -lpthread
