outcore_SOURCES += \
	src/outcore/stream/many.c src/outcore/stream/many.h \
	src/outcore/stream/names.c \
	src/outcore/stream/passing.c src/outcore/stream/passing.h \
	src/outcore/stream/phases.c \
	src/outcore/stream/ring.c \
	src/outcore/stream/sink.c src/outcore/stream/sink.h \
	src/outcore/stream/stream.c src/outcore/stream/stream.h
# Apart, for its own flags.
noinst_LIBRARIES += src/outcore/stream/libcompress.a
src_outcore_stream_libcompress_a_SOURCES = src/outcore/stream/compress.c
src_outcore_stream_libcompress_a_CPPFLAGS = $(AM_CPPFLAGS)
outcore_LDADD += src/outcore/stream/libcompress.a
if HAVE_ZLIB
src_outcore_stream_libcompress_a_CPPFLAGS += -DHAVE_ZLIB
outcore_LDADD += $(ZLIB_LIBS)
endif
SCRIPT_TESTS += tests/e2e/outcore_stream.py
