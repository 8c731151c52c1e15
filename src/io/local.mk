noinst_LTLIBRARIES += src/io/libio.la
src_io_libio_la_SOURCES = \
	src/io/part/bytes.h \
	src/io/part/container.c \
	src/io/part/container.h \
	src/io/part/container_recover.c \
	src/io/part/container_rm.c \
	src/io/engine.h \
	src/io/engines/engine_mmap.c \
	src/io/engines/engine_aio.c \
	src/io/engines/engine_mpiio.c \
	src/io/engines/engine_mpiio_nb.c \
	src/io/engines/engine_null.c \
	src/io/part/engine_part.c \
	src/io/engines/engine_posix.c \
	src/io/engines/engine_stdio.c \
	src/io/engines/engine_threads.c \
	src/io/engines.c \
	src/io/engines_list.c \
	src/io/part/extents.c \
	src/io/part/extents.h \
	src/io/fs/cache.c \
	src/io/fs/fs.c \
	src/io/fs/sync.c \
	src/io/fs/input.c \
	src/io/guard.c \
	src/io/guard.h \
	src/io/io.c \
	src/io/io.h \
	src/io/lock.c \
	src/io/lock.h \
	src/io/queue.c \
	src/io/whole.c \
	src/io/whole.h \
	src/io/whole_inside.h \
	src/io/whole_names.c \
	src/io/whole_read.c \
	src/io/whole_ring.h \
	src/io/whole_write.c \
	src/io/fs/lov.c \
	src/io/fs/lov.h \
	src/io/fs/mounts.c \
	src/io/fs/mounts.h \
	src/io/engines/mpiio.c \
	src/io/engines/mpiio.h \
	src/io/part/part.h \
	src/io/part/part_back.c \
	src/io/part/part_back.h \
	src/io/part/part_file.c \
	src/io/part/part_file.h \
	src/io/part/part_read.c \
	src/io/part/part_save.c \
	src/io/part/part_swap.c \
	src/io/part/sums.c \
	src/io/part/sums.h \
	src/io/part/view.c \
	src/io/part/view.h \
	src/io/engines/pieces.c \
	src/io/engines/pieces.h \
	src/io/slabs.c \
	src/io/slabs.h \
	src/io/fs/stack.c \
	src/io/fs/stack.h \
	src/io/fs/stripe.c \
	src/io/fs/stripe.h
src_io_libio_la_CPPFLAGS = $(AM_CPPFLAGS)
src_io_libio_la_LIBADD =

if HAVE_LIBURING_DIRECT
src_io_libio_la_SOURCES += src/io/whole_ring.c
else
src_io_libio_la_SOURCES += src/io/whole_ring_absent.c
endif

if HAVE_LIBURING
src_io_libio_la_SOURCES += src/io/engines/engine_uring.c
src_io_libio_la_CPPFLAGS += $(LIBURING_CFLAGS)
src_io_libio_la_LIBADD += $(LIBURING_LIBS)
else
src_io_libio_la_SOURCES += src/io/engines/engine_uring_absent.c
endif

if HAVE_LIBAIO
src_io_libio_la_SOURCES += src/io/engines/engine_libaio.c
src_io_libio_la_LIBADD += $(LIBAIO_LIBS)
else
src_io_libio_la_SOURCES += src/io/engines/engine_libaio_absent.c
endif

if HAVE_HDF5
src_io_libio_la_SOURCES += src/io/engines/engine_hdf5.c
src_io_libio_la_CPPFLAGS += $(HDF5_CFLAGS)
src_io_libio_la_LIBADD += $(HDF5_LIBS)
else
src_io_libio_la_SOURCES += src/io/engines/engine_hdf5_absent.c
endif
