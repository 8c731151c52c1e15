noinst_LIBRARIES += src/base/libbase.a
src_base_libbase_a_SOURCES = \
	src/base/buf.c src/base/buf.h \
	src/base/clock.c src/base/clock.h \
	src/base/draw.c src/base/draw.h \
	src/base/format/crc.c src/base/format/crc.h \
	src/base/err.c src/base/err.h \
	src/base/format/json.c src/base/format/json.h \
	src/base/format/lustre.c src/base/format/lustre.h \
	src/base/format/json_read.c src/base/format/json_read.h \
	src/base/format/outfile.c src/base/format/outfile.h \
	src/base/format/progress.c src/base/format/progress.h \
	src/base/mem.c src/base/mem.h \
	src/base/opt.c src/base/opt.h src/base/opt_manual.c \
	src/base/paired.c src/base/paired.h \
	src/base/plain.c src/base/plain.h \
	src/base/program.c src/base/program.h \
	src/base/empty.c \
	src/base/rng.h \
	src/base/scratch.c src/base/scratch.h \
	src/base/stamp.c src/base/stamp.h \
	src/base/stats.c src/base/stats.h \
	src/base/units.c src/base/units.h \
	src/base/thread.c src/base/thread.h \
	src/base/wide.h
src_base_libbase_a_CFLAGS = $(SHARED_CFLAGS)
nodist_src_base_libbase_a_SOURCES = src/base/version.c

# Rewritten only when the version changes, so a commit does not rebuild the world.
src/base/version.c: src/base/version.stamp
src/base/version.stamp: FORCE
	$(AM_V_at)$(MKDIR_P) src/base
	$(AM_V_at)v=$$($(srcdir)/build-aux/git-version $(srcdir) $(PACKAGE_VERSION)); \
	if test "$$v" != "$$(cat $@ 2>/dev/null)"; then \
	  echo '#include "base/program.h"' > src/base/version.c; \
	  echo "const char leadline_version[] = \"$$v\";" >> src/base/version.c; \
	  echo "$$v" > $@; fi
FORCE:
.PHONY: FORCE
CLEANFILES += src/base/version.c src/base/version.stamp

# Pictures: apart, so that only programs that draw need libpng.
noinst_LIBRARIES += src/base/libpicture.a
src_base_libpicture_a_SOURCES = src/base/format/png.c src/base/format/png.h
src_base_libpicture_a_CPPFLAGS = $(AM_CPPFLAGS)
picture_LIBS = src/base/libpicture.a
if HAVE_LIBPNG
src_base_libpicture_a_CPPFLAGS += -DHAVE_LIBPNG $(LIBPNG_CFLAGS)
picture_LIBS += $(LIBPNG_LIBS)
endif
