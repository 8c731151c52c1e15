# libldad as it is installed: it exports what begins with ldad_file_ or ldad_plan_from_ and nothing else.
libldaddir = $(libdir)
libldad_DATA = libldad.so.0.0.0
LIBLDAD_A = src/ldad/libldadfile.a src/io/libio.a src/world/libworld.a \
	src/algebra/libalgebra.a src/base/libbase.a
libldad.so.0.0.0: $(LIBLDAD_A)
	$(AM_V_at)echo '{ global: ldad_file_*; ldad_plan_from_*; local: *; };' >libldad.map
	$(AM_V_CCLD)$(MPI_CC) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -shared -o $@ \
	  -Wl,-soname,libldad.so.0 -Wl,--version-script=libldad.map \
	  -Wl,--whole-archive src/ldad/libldadfile.a -Wl,--no-whole-archive \
	  $(filter-out src/ldad/%,$(LIBLDAD_A)) $(io_LIBS) $(LIBS) -lm -lpthread
# By these names the linker and the loader look for it.
libldad.so.0: libldad.so.0.0.0
libldad.so: libldad.so.0
libldad.so libldad.so.0:
	$(AM_V_GEN)$(LN_S) -f libldad.so.0.0.0 $@
noinst_DATA += libldad.so
CLEANFILES += libldad.so libldad.so.0 libldad.so.0.0.0 libldad.map
install-data-hook: install-libldad-links
install-libldad-links:
	cd '$(DESTDIR)$(libdir)' && for name in libldad.so libldad.so.0; do \
	  rm -f $$name && $(LN_S) libldad.so.0.0.0 $$name || exit 1; done
uninstall-hook: uninstall-libldad-links
uninstall-libldad-links:
	-cd '$(DESTDIR)$(libdir)' && rm -f libldad.so libldad.so.0
.PHONY: install-libldad-links uninstall-libldad-links

# For programs that use it: pkg-config, and CMake (find_package(ldad), ldad::ldad).
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/ldad/libldad.pc
ldadcmakedir = $(libdir)/cmake/ldad
ldadcmake_DATA = src/ldad/ldad-config.cmake src/ldad/ldad-config-version.cmake
EXTRA_DIST += $(pkgconfig_DATA:=.in) $(ldadcmake_DATA:=.in)
CLEANFILES += $(pkgconfig_DATA) $(ldadcmake_DATA)
$(pkgconfig_DATA) $(ldadcmake_DATA): Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@VERSION[@]|$(PACKAGE_VERSION)|' \
	  -e "s|@to_includedir[@]|`realpath -ms --relative-to=$(libdir)/pkgconfig \
	    $(includedir)`|" $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
include_HEADERS += include/ldad.h include/ldad_rename.h include/ldad.f90

noinst_LIBRARIES += src/ldad/libldadfile.a src/ldad/libworkloads.a
src_ldad_libldadfile_a_SOURCES = \
	src/ldad/lib/calls.c src/ldad/lib/errors.c src/ldad/lib/file.h \
	src/ldad/lib/fortran.c src/ldad/lib/info.c src/ldad/lib/libldad.h \
	src/ldad/lib/lock.c src/ldad/lib/open.c \
	src/ldad/lib/plan_file.c src/ldad/lib/plan_types.c src/ldad/lib/query.c \
	src/ldad/lib/transfer.c src/ldad/lib/types.c src/ldad/lib/types.h \
	src/ldad/lib/unique.c src/ldad/lib/unique.h \
	src/ldad/lib/view.c

src_ldad_libldadfile_a_CFLAGS = $(SHARED_CFLAGS)

# The workloads' sources are plain MPI-IO; here their calls are renamed.
src_ldad_libworkloads_a_SOURCES = \
	src/ldad/workloads/fft.c src/ldad/workloads/workloads.h \
	src/ldad/workloads/jacobi.c \
	src/ldad/workloads/mandelbrot.c \
	src/ldad/workloads/perf.c \
	src/ldad/measure/rename.h
src_ldad_libworkloads_a_CPPFLAGS = $(AM_CPPFLAGS) \
	-include $(srcdir)/src/ldad/measure/rename.h

# The ldad command: its sub-commands are a table in main.c.
bin_PROGRAMS += ldad
ldad_SOURCES = src/ldad/main.c \
	src/ldad/commands.h \
	src/ldad/flatten.c \
	src/ldad/info.c \
	src/ldad/mount.c src/ldad/mount_fuse.c \
	src/ldad/parts.c \
	src/ldad/recover.c \
	src/ldad/relocate.c \
	src/ldad/rm.c \
	src/ldad/verify.c \
	src/ldad/measure/fft_answer.c \
	src/ldad/measure/fft_math.c src/ldad/measure/fft_math.h src/ldad/measure/fft_real.h \
	src/ldad/measure/timed.c src/ldad/measure/timed.h \
	src/ldad/measure/workload.c src/ldad/measure/workload.h \
	src/ldad/measure/workload_fft.c src/ldad/measure/workload_jacobi.c \
	src/ldad/measure/workload_mandelbrot.c src/ldad/measure/workload_perf.c
ldad_LDADD = src/ldad/libworkloads.a src/ldad/libldadfile.a \
	$(picture_LIBS) $(blocktransfer_LDADD)
ldad_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_FFTW
ldad_CPPFLAGS += -DHAVE_FFTW $(FFTW_CFLAGS)
ldad_LDADD += $(FFTW_LIBS)
endif
if HAVE_FUSE
ldad_CPPFLAGS += -DHAVE_FUSE $(FUSE_CFLAGS)
ldad_LDADD += $(FUSE_LIBS)
endif
