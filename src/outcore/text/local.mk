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
	$(text_modules)/proximity.c \
	$(text_modules)/sentences.c \
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
SCRIPT_TESTS += tests/e2e/outcore_text.py
