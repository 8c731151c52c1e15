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
SCRIPT_TESTS += tests/e2e/outcore_resample.py \
	tests/e2e/outcore_resample_fits.py
