noinst_LTLIBRARIES += src/io/libio.la
src_io_libio_la_SOURCES = \
	src/io/container.c \
	src/io/container.h \
	src/io/container_rm.c \
	src/io/engine.h \
	src/io/engine_mpiio.c \
	src/io/engine_mpiio_nb.c \
	src/io/engine_null.c \
	src/io/engine_part.c \
	src/io/engine_posix.c \
	src/io/engine_threads.c \
	src/io/engines.c \
	src/io/extents.c \
	src/io/extents.h \
	src/io/cache.c \
	src/io/fs.c \
	src/io/io.c \
	src/io/io.h \
	src/io/lov.c \
	src/io/lov.h \
	src/io/mounts.c \
	src/io/mounts.h \
	src/io/mpiio.c \
	src/io/mpiio.h \
	src/io/part.h \
	src/io/part_read.c \
	src/io/part_swap.c \
	src/io/pieces.c \
	src/io/pieces.h \
	src/io/slabs.c \
	src/io/slabs.h \
	src/io/stack.c \
	src/io/stack.h \
	src/io/stripe.c \
	src/io/stripe.h
src_io_libio_la_CPPFLAGS = $(AM_CPPFLAGS)
src_io_libio_la_LIBADD =

if HAVE_LIBURING
src_io_libio_la_SOURCES += src/io/engine_uring.c
src_io_libio_la_CPPFLAGS += $(LIBURING_CFLAGS)
src_io_libio_la_LIBADD += $(LIBURING_LIBS)
else
src_io_libio_la_SOURCES += src/io/engine_uring_absent.c
endif

if HAVE_LIBAIO
src_io_libio_la_SOURCES += src/io/engine_libaio.c
src_io_libio_la_LIBADD += $(LIBAIO_LIBS)
else
src_io_libio_la_SOURCES += src/io/engine_libaio_absent.c
endif

if HAVE_HDF5
src_io_libio_la_SOURCES += src/io/engine_hdf5.c
src_io_libio_la_CPPFLAGS += $(HDF5_CFLAGS)
src_io_libio_la_LIBADD += $(HDF5_LIBS)
else
src_io_libio_la_SOURCES += src/io/engine_hdf5_absent.c
endif
