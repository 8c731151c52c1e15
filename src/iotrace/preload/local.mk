# libiotrace.so, which any program may preload: without MPI, and
# needing the C library only. Its sources are compiled together: it is small.
RECORDER_C = \
	src/base/format/lustre.c \
	src/base/plain.c \
	src/iotrace/format/escape.c \
	src/iotrace/format/lustre.c \
	src/iotrace/format/program.c \
	src/iotrace/preload/calls/calls_posix.c \
	src/iotrace/preload/calls/calls_fd.c \
	src/iotrace/preload/calls/calls_stdio.c \
	src/iotrace/preload/calls/calls_map.c \
	src/iotrace/preload/calls/calls_aio.c \
	src/iotrace/preload/calls/calls_attributes.c \
	src/iotrace/preload/calls/calls_meta.c \
	src/iotrace/preload/calls/calls_walk.c \
	src/iotrace/preload/calls/calls_process.c \
	src/iotrace/preload/calls/calls_hdf5.c \
	src/iotrace/preload/calls/calls_libaio.c \
	src/iotrace/preload/calls/calls_load.c \
	src/iotrace/preload/calls/calls_mark.c \
	src/iotrace/preload/calls/calls_pnetcdf.c \
	src/iotrace/preload/mpi/calls_mpi.c \
	src/iotrace/preload/mpi/calls_mpi_wait.c \
	src/iotrace/preload/calls/calls_syscall.c \
	src/iotrace/preload/calls/calls_uring.c \
	src/iotrace/preload/clock.c \
	src/iotrace/preload/facts.c \
	src/iotrace/preload/fds.c \
	src/iotrace/preload/late.c \
	src/iotrace/preload/log.c \
	src/iotrace/preload/mpi/mpi_clock.c \
	src/iotrace/preload/mpi/mpi_facts.c \
	src/iotrace/preload/names.c \
	src/iotrace/preload/places.c \
	src/iotrace/preload/process/environment.c \
	src/iotrace/preload/process/idle.c \
	src/iotrace/preload/profile.c \
	src/iotrace/preload/ring.c \
	src/iotrace/preload/start.c \
	src/iotrace/preload/streams.c \
	src/iotrace/preload/summary.c \
	src/iotrace/preload/symbols.c \
	src/iotrace/preload/sys.c \
	src/iotrace/preload/tsv.c \
	src/iotrace/preload/uring.c
RECORDER_H = \
	src/base/format/lustre.h \
	src/base/plain.h \
	src/iotrace/format/escape.h \
	src/iotrace/format/lustre.h \
	src/iotrace/format/ops.h \
	src/iotrace/format/kernel.h src/iotrace/format/program.h \
	src/iotrace/format/trace.h \
	src/iotrace/preload/late.h \
	src/iotrace/preload/metadata.h \
	src/iotrace/preload/mpi/mpi.h \
	src/iotrace/preload/recorder.h \
	src/iotrace/preload/streams.h \
	src/iotrace/preload/sys.h \
	src/iotrace/preload/transfer.h \
	src/iotrace/preload/uring.h
RECORDER_MAP = src/iotrace/preload/exports.map
EXTRA_DIST += $(RECORDER_C) $(RECORDER_H) $(RECORDER_MAP)
include_HEADERS = include/iotrace.h

# No wrapper may be compiled into what it wraps: no builtins, nothing fortified. The
# thread's place is found without a call (initial-exec).
RECORDER_CFLAGS = $(WARN_CFLAGS) $(HARDEN_CFLAGS) $(RECORDER_SANITIZE) \
	-std=gnu11 -fPIC -fvisibility=hidden \
	-ftls-model=initial-exec -fno-builtin -U_FORTIFY_SOURCE -D_GNU_SOURCE
RECORDER_LINK = $(AM_V_CCLD)$(PLAIN_CC) $(CPPFLAGS) $(CFLAGS) $(RECORDER_CFLAGS) \
	-DIOTRACE_VERSION='"$(VERSION)"' -I$(srcdir)/src -shared $(LDFLAGS) \
	-Wl,-z,now $(HARDEN_LDFLAGS) \
	-Wl,--version-script=$(srcdir)/$(RECORDER_MAP) -Wl,-soname,libiotrace.so

libiotracedir = $(libdir)
libiotrace_DATA = libiotrace.so
iotracepkgconfigdir = $(libiotracedir)/pkgconfig
iotracepkgconfig_DATA = src/iotrace/preload/libiotrace.pc
EXTRA_DIST += src/iotrace/preload/libiotrace.pc.in
noinst_DATA += iotrace.so
CLEANFILES += libiotrace.so iotrace.so $(iotracepkgconfig_DATA)

libiotrace.so: $(RECORDER_C) $(RECORDER_H) $(RECORDER_MAP)
	$(RECORDER_LINK) -o $@ `for f in $(RECORDER_C); do \
		test -f $$f && echo $$f || echo $(srcdir)/$$f; done`

src/iotrace/preload/libiotrace.pc: src/iotrace/preload/libiotrace.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@VERSION[@]|$(PACKAGE_VERSION)|' \
	  -e "s|@to_includedir[@]|`realpath -ms --relative-to=$(iotracepkgconfigdir) \
	    $(includedir)`|" $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@

# The name in the paper.
iotrace.so: libiotrace.so
	$(AM_V_GEN)$(LN_S) -f libiotrace.so $@

install-data-hook: install-iotrace-link
install-iotrace-link:
	cd $(DESTDIR)$(libiotracedir) && rm -f iotrace.so && $(LN_S) libiotrace.so iotrace.so
uninstall-hook: uninstall-iotrace-link
uninstall-iotrace-link:
	rm -f $(DESTDIR)$(libiotracedir)/iotrace.so
.PHONY: install-iotrace-link uninstall-iotrace-link
