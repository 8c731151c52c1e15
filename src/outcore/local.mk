# The outcore command: its sub-commands are a table in main.c.
bin_PROGRAMS += outcore
outcore_SOURCES = src/outcore/main.c src/outcore/commands.h \
	src/outcore/aio/aio.c \
	src/outcore/aio/flow.c src/outcore/aio/flow.h \
	src/outcore/data/consume.c src/outcore/data/consume.h \
	src/outcore/data/documents.c src/outcore/data/documents.h \
	src/outcore/data/folder.c src/outcore/data/folder.h \
	src/outcore/data/gen.c \
	src/outcore/data/make.c src/outcore/data/make.h \
	src/outcore/data/output.c src/outcore/data/output.h \
	src/outcore/data/records.c src/outcore/data/records.h
outcore_LDADD = src/extsort/libextsort.a src/sort/libsort.a $(blocktransfer_LDADD)
outcore_SOURCES += \
	src/outcore/sort/check.c \
	src/outcore/sort/exchange.c \
	src/outcore/sort/sections.c src/outcore/sort/sections.h \
	src/outcore/sort/sort.c \
	src/outcore/sort/sorting.c src/outcore/sort/sorting.h \
	src/outcore/sort/splitters.c
outcore_SOURCES += \
	src/outcore/search/build.c \
	src/outcore/search/index.c src/outcore/search/index.h \
	src/outcore/search/lookups.c \
	src/outcore/search/phases.c \
	src/outcore/search/search.c src/outcore/search/search.h
outcore_SOURCES += \
	src/outcore/graph/chains.c \
	src/outcore/graph/csr.c \
	src/outcore/graph/edges.c src/outcore/graph/edges.h \
	src/outcore/graph/format.c \
	src/outcore/graph/graph.c \
	src/outcore/graph/graph500.c src/outcore/graph/graph500.h \
	src/outcore/graph/search.c src/outcore/graph/search.h \
	src/outcore/graph/store.c src/outcore/graph/store.h \
	src/outcore/graph/stored.c \
	src/outcore/graph/teps.c \
	src/outcore/graph/text.c \
	src/outcore/graph/tree.c
knn_kernel = src/outcore/knn/kernel.c src/outcore/knn/kernel.h \
	src/outcore/knn/kernel_avx2.c src/outcore/knn/kernel_avx512.c \
	src/outcore/knn/kernel_scan.h \
	src/outcore/knn/kernel_x86.h
outcore_SOURCES += $(knn_kernel) \
	src/outcore/knn/classify.c \
	src/outcore/knn/format.c src/outcore/knn/format.h \
	src/outcore/knn/knn.c \
	src/outcore/knn/scan.c src/outcore/knn/scan.h
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
resample_parts = \
	src/outcore/data/image.c src/outcore/data/image.h \
	src/outcore/resample/kernel.c src/outcore/resample/kernel.h \
	src/outcore/resample/pixels.c
outcore_SOURCES += $(resample_parts) \
	src/outcore/resample/job.c src/outcore/resample/job.h \
	src/outcore/resample/phases.c \
	src/outcore/resample/resample.c
noinst_LIBRARIES += src/outcore/resample/libfits.a
src_outcore_resample_libfits_a_SOURCES = src/outcore/resample/fits.c
src_outcore_resample_libfits_a_CPPFLAGS = $(AM_CPPFLAGS)
outcore_LDADD += src/outcore/resample/libfits.a
if HAVE_CFITSIO
src_outcore_resample_libfits_a_CPPFLAGS += -DHAVE_CFITSIO $(CFITSIO_CFLAGS)
outcore_LDADD += $(CFITSIO_LIBS)
endif

# The modules of text: apart, so that their tests and measurements link no MPI.
noinst_LIBRARIES += src/outcore/text/libtextmodules.a
text_modules = src/outcore/text/modules
src_outcore_text_libtextmodules_a_SOURCES = \
	$(text_modules)/crf.c \
	$(text_modules)/decide.c \
	$(text_modules)/job.c $(text_modules)/job.h \
	$(text_modules)/keywords.c \
	$(text_modules)/lex.c $(text_modules)/lex.h \
	$(text_modules)/lexicon.c $(text_modules)/lexicon.h \
	$(text_modules)/maxent.c \
	$(text_modules)/model.c $(text_modules)/model.h \
	$(text_modules)/modules.h \
	$(text_modules)/proximity.c \
	$(text_modules)/sentences.c $(text_modules)/sentences.h \
	$(text_modules)/table.c \
	$(text_modules)/unify.c \
	$(text_modules)/xml.c
src_outcore_text_libtextmodules_a_CPPFLAGS = $(AM_CPPFLAGS)
textmodules_LIBS = src/outcore/text/libtextmodules.a src/base/libbase.a -lm
if HAVE_EXPAT
src_outcore_text_libtextmodules_a_CPPFLAGS += -DHAVE_EXPAT $(EXPAT_CFLAGS)
textmodules_LIBS += $(EXPAT_LIBS)
endif
outcore_LDADD += $(textmodules_LIBS)
text_made = src/outcore/text/made.c src/outcore/text/made.h
outcore_SOURCES += $(text_made) \
	src/outcore/text/container.c \
	src/outcore/text/deal.c \
	src/outcore/text/phases.c \
	src/outcore/text/pipeline.c \
	src/outcore/text/text.c src/outcore/text/text.h
ngram_parts = src/outcore/ngram/classifier.c src/outcore/ngram/classifier.h \
	src/outcore/ngram/grams.c \
	src/outcore/ngram/letters_table.c \
	src/outcore/ngram/languages.c
outcore_SOURCES += $(ngram_parts) \
	src/outcore/ngram/classify.c src/outcore/ngram/classify.h \
	src/outcore/ngram/ngram.c \
	src/outcore/ngram/train.c
