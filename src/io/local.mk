noinst_LTLIBRARIES += src/io/libio.la
src_io_libio_la_SOURCES = \
	src/io/engine.h \
	src/io/engine_mpiio.c \
	src/io/engine_null.c \
	src/io/engine_posix.c \
	src/io/engine_threads.c \
	src/io/engines.c \
	src/io/cache.c \
	src/io/fs.c \
	src/io/io.c \
	src/io/io.h
