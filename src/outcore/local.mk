# The outcore command: its sub-commands are a table in main.c.
bin_PROGRAMS += outcore
outcore_SOURCES = src/outcore/main.c src/outcore/commands.h \
	src/outcore/aio/aio.c \
	src/outcore/aio/engines.c src/outcore/aio/engines.h \
	src/outcore/aio/flow.c src/outcore/aio/flow.h \
	src/outcore/aio/sets.c src/outcore/aio/sets.h \
	src/outcore/data/consume.c src/outcore/data/consume.h \
	src/outcore/data/documents.c src/outcore/data/documents.h \
	src/outcore/data/folder.c src/outcore/data/folder.h \
	src/outcore/data/gen.c \
	src/outcore/data/graphs.c src/outcore/data/graphs.h \
	src/outcore/data/make.c src/outcore/data/make.h \
	src/outcore/data/plant.c src/outcore/data/plant.h \
	src/outcore/data/output.c src/outcore/data/output.h \
	src/outcore/data/records.c src/outcore/data/records.h \
	src/outcore/data/written.c src/outcore/data/written.h \
	src/outcore/data/taggers.c src/outcore/data/taggers.h \
	src/outcore/data/vectors.c src/outcore/data/vectors.h
outcore_LDADD = src/extsort/libextsort.la src/sort/libsort.la $(blocktransfer_LDADD)
outcore_SOURCES += \
	src/outcore/sort/check.c src/outcore/sort/check.h \
	src/outcore/sort/exchange.c src/outcore/sort/exchange.h \
	src/outcore/sort/reading.c src/outcore/sort/reading.h \
	src/outcore/sort/sections.c src/outcore/sort/sections.h \
	src/outcore/sort/sort.c \
	src/outcore/sort/sorting.c src/outcore/sort/sorting.h \
	src/outcore/sort/splitters.c src/outcore/sort/splitters.h \
	src/outcore/sort/writing.c src/outcore/sort/writing.h
outcore_SOURCES += \
	src/outcore/data/form.c src/outcore/data/form.h \
	src/outcore/search/build.c src/outcore/search/build.h \
	src/outcore/search/fetch.c src/outcore/search/fetch.h \
	src/outcore/search/finding.c src/outcore/search/finding.h \
	src/outcore/search/index.c src/outcore/search/index.h \
	src/outcore/search/keys.c src/outcore/search/keys.h \
	src/outcore/search/lookups.c src/outcore/search/lookups.h \
	src/outcore/search/phases.c \
	src/outcore/search/search.c src/outcore/search/search.h \
	src/outcore/search/share.c src/outcore/search/share.h \
	src/outcore/search/verify.c src/outcore/search/verify.h
outcore_SOURCES += \
	src/outcore/graph/chains.c src/outcore/graph/chains.h \
	src/outcore/graph/check.c src/outcore/graph/check.h \
	src/outcore/graph/csr.c src/outcore/graph/csr.h \
	src/outcore/graph/deal.c src/outcore/graph/deal.h \
	src/outcore/graph/edges.c src/outcore/graph/edges.h \
	src/outcore/graph/format.c src/outcore/graph/format.h \
	src/outcore/graph/graph.c \
	src/outcore/graph/graph500.c src/outcore/graph/graph500.h \
	src/outcore/graph/pairs.c src/outcore/graph/pairs.h \
	src/outcore/graph/search.c src/outcore/graph/search.h \
	src/outcore/graph/slots.h src/outcore/graph/spans.h \
	src/outcore/graph/store.c src/outcore/graph/store.h \
	src/outcore/graph/stored.c src/outcore/graph/stored.h \
	src/outcore/graph/teps.c src/outcore/graph/teps.h \
	src/outcore/graph/text.c src/outcore/graph/text.h \
	src/outcore/graph/tree.c src/outcore/graph/tree.h
knn_kernel = src/outcore/knn/kernel.c src/outcore/knn/kernel.h \
	src/outcore/knn/kernel_avx2.c src/outcore/knn/kernel_avx512.c \
	src/outcore/knn/kernel_plain.c src/outcore/knn/kernel_scan.h \
	src/outcore/knn/kernel_x86.h \
	src/outcore/knn/nearest.c src/outcore/knn/nearest.h
outcore_SOURCES += $(knn_kernel) \
	src/outcore/knn/check.c src/outcore/knn/check.h \
	src/outcore/knn/classify.c src/outcore/knn/classify.h \
	src/outcore/knn/entries.c src/outcore/knn/entries.h \
	src/outcore/knn/format.c src/outcore/knn/format.h \
	src/outcore/knn/knn.c \
	src/outcore/knn/labels.c src/outcore/knn/labels.h \
	src/outcore/knn/scan.c src/outcore/knn/scan.h \
	src/outcore/knn/sweep.c src/outcore/knn/sweep.h
outcore_SOURCES += \
	src/outcore/stream/compress.h \
	src/outcore/stream/figures.c \
	src/outcore/stream/large.c src/outcore/stream/large.h \
	src/outcore/stream/many.c src/outcore/stream/many.h \
	src/outcore/stream/names.c src/outcore/stream/names.h \
	src/outcore/stream/passing.c src/outcore/stream/passing.h \
	src/outcore/stream/phases.c \
	src/outcore/stream/ring.c src/outcore/stream/ring.h \
	src/outcore/stream/sink.c src/outcore/stream/sink.h \
	src/outcore/stream/stream.c src/outcore/stream/stream.h
if HAVE_ZLIB
outcore_SOURCES += src/outcore/stream/compress.c
outcore_LDADD += $(ZLIB_LIBS)
else
outcore_SOURCES += src/outcore/stream/compress_absent.c
endif
resample_parts = src/outcore/resample/bands.c src/outcore/resample/bands.h \
	src/outcore/data/image.c src/outcore/data/image.h \
	src/outcore/data/stars.c src/outcore/data/stars.h \
	src/outcore/resample/kernel.c src/outcore/resample/kernel.h \
	src/outcore/resample/pixels.c src/outcore/resample/pixels.h \
	src/outcore/resample/weights.c src/outcore/resample/weights.h
outcore_SOURCES += $(resample_parts) \
	src/outcore/resample/basic.c \
	src/outcore/resample/block.c \
	src/outcore/resample/fits.h \
	src/outcore/resample/heads.c src/outcore/resample/heads.h \
	src/outcore/resample/job.c src/outcore/resample/job.h \
	src/outcore/resample/mmap.c \
	src/outcore/resample/phases.c src/outcore/resample/phases.h \
	src/outcore/resample/resample.c \
	src/outcore/resample/settings.c src/outcore/resample/settings.h \
	src/outcore/resample/strip.c \
	src/outcore/resample/verify.c src/outcore/resample/verify.h
if HAVE_CFITSIO
noinst_LTLIBRARIES += src/outcore/resample/libfits.la
src_outcore_resample_libfits_la_SOURCES = src/outcore/resample/fits.c
src_outcore_resample_libfits_la_CPPFLAGS = $(AM_CPPFLAGS) $(CFITSIO_CFLAGS)
src_outcore_resample_libfits_la_LIBADD = $(CFITSIO_LIBS)
outcore_LDADD += src/outcore/resample/libfits.la
else
outcore_SOURCES += src/outcore/resample/fits_absent.c
endif

# The modules of text: apart, so that their tests and measurements link no MPI.
noinst_LTLIBRARIES += src/outcore/text/libtextmodules.la
text_modules = src/outcore/text/modules
src_outcore_text_libtextmodules_la_SOURCES = \
	src/outcore/text/module.c src/outcore/text/module.h \
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
	$(text_modules)/tokens.c $(text_modules)/tokens.h \
	$(text_modules)/unify.c \
	$(text_modules)/xml.h
src_outcore_text_libtextmodules_la_CPPFLAGS = $(AM_CPPFLAGS)
src_outcore_text_libtextmodules_la_LIBADD = src/base/libbase.la -lm
if HAVE_EXPAT
src_outcore_text_libtextmodules_la_SOURCES += $(text_modules)/xml.c
src_outcore_text_libtextmodules_la_CPPFLAGS += $(EXPAT_CFLAGS)
src_outcore_text_libtextmodules_la_LIBADD += $(EXPAT_LIBS)
else
src_outcore_text_libtextmodules_la_SOURCES += $(text_modules)/xml_absent.c
endif
outcore_LDADD += src/outcore/text/libtextmodules.la
text_made = src/outcore/text/made.c src/outcore/text/made.h \
	src/outcore/text/walk.c src/outcore/text/walk.h
outcore_SOURCES += $(text_made) \
	src/outcore/text/check.c \
	src/outcore/text/container.c src/outcore/text/container.h \
	src/outcore/text/deal.c src/outcore/text/deal.h \
	src/outcore/text/figures.c \
	src/outcore/text/grow.h \
	src/outcore/text/models.c src/outcore/text/models.h \
	src/outcore/text/phases.c \
	src/outcore/text/pipeline.c src/outcore/text/pipeline.h \
	src/outcore/text/text.c src/outcore/text/text.h \
	src/outcore/text/verify.c \
	src/outcore/text/work.c src/outcore/text/work.h
ngram_parts = src/outcore/ngram/classifier.c src/outcore/ngram/classifier.h \
	src/outcore/ngram/grams.c src/outcore/ngram/grams.h \
	src/outcore/ngram/letters.c src/outcore/ngram/letters.h \
	src/outcore/ngram/letters_table.c \
	src/outcore/ngram/languages.c src/outcore/ngram/languages.h \
	src/outcore/ngram/profile.c src/outcore/ngram/profile.h \
	src/outcore/ngram/rank.c src/outcore/ngram/rank.h \
	src/outcore/ngram/tally.c src/outcore/ngram/tally.h
outcore_SOURCES += $(ngram_parts) \
	src/outcore/ngram/answers.c src/outcore/ngram/answers.h \
	src/outcore/ngram/classify.c src/outcore/ngram/classify.h \
	src/outcore/ngram/figures.c \
	src/outcore/ngram/load.c src/outcore/ngram/load.h \
	src/outcore/ngram/ngram.c \
	src/outcore/ngram/train.c src/outcore/ngram/train.h
