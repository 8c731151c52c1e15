noinst_LIBRARIES += src/io/libio.a
src_io_libio_a_SOURCES = \
	src/io/part/bytes.h \
	src/io/part/container.c \
	src/io/part/container.h \
	src/io/part/container_mend.c \
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
	src/io/part/extents.c \
	src/io/fs/cache.c \
	src/io/fs/fs.c \
	src/io/guard.c \
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
	src/io/whole_ring.c \
	src/io/whole_write.c \
	src/io/fs/mounts.c \
	src/io/fs/mounts.h \
	src/io/fs/nodes.c \
	src/io/engines/mpiio.c \
	src/io/engines/mpiio.h \
	src/io/part/part.h \
	src/io/part/part_back.c \
	src/io/part/part_file.c \
	src/io/part/part_file.h \
	src/io/part/part_read.c \
	src/io/part/part_save.c \
	src/io/part/part_swap.c \
	src/io/part/sums.c \
	src/io/engines/pieces.c \
	src/io/engines/pieces.h \
	src/io/fs/stack.c \
	src/io/fs/stored.c \
	src/io/fs/stripe.c
src_io_libio_a_CPPFLAGS = $(AM_CPPFLAGS)
src_io_libio_a_CFLAGS = $(SHARED_CFLAGS)
io_LIBS = src/io/libio.a

if HAVE_LIBURING_DIRECT
src_io_libio_a_CPPFLAGS += -DHAVE_LIBURING_DIRECT
endif

if HAVE_LIBURING
src_io_libio_a_SOURCES += src/io/engines/engine_uring.c
src_io_libio_a_CPPFLAGS += -DHAVE_LIBURING $(LIBURING_CFLAGS)
io_LIBS += $(LIBURING_LIBS)
endif

if HAVE_LIBAIO
src_io_libio_a_SOURCES += src/io/engines/engine_libaio.c
src_io_libio_a_CPPFLAGS += -DHAVE_LIBAIO
io_LIBS += $(LIBAIO_LIBS)
endif

if HAVE_HDF5
src_io_libio_a_SOURCES += src/io/engines/engine_hdf5.c
src_io_libio_a_CPPFLAGS += -DHAVE_HDF5 $(HDF5_CFLAGS)
io_LIBS += $(HDF5_LIBS)
endif
