noinst_LIBRARIES += src/pfmload/libpfmload.a
src_pfmload_libpfmload_a_SOURCES = \
	src/pfmload/area/area_pass.c src/pfmload/area/area_pass.h \
	src/pfmload/store/batch.c src/pfmload/store/batch.h \
	src/pfmload/input/beams.c src/pfmload/input/beams.h \
	src/pfmload/input/deal.c src/pfmload/input/deal.h \
	src/pfmload/input/feed.c src/pfmload/input/feed.h \
	src/pfmload/input/list.c src/pfmload/input/list.h \
	src/pfmload/input/scan.c src/pfmload/input/scan.h

bin_PROGRAMS += pfmload gsfgen gsfinfo pfminfo
pfmload_SOURCES = src/pfmload/area_step.c \
	src/pfmload/input/dest.c src/pfmload/input/dest.h \
	src/pfmload/schemes/exchange.c src/pfmload/schemes/exchange.h \
	src/pfmload/schemes/grouper.c \
	src/pfmload/schemes/heap.c src/pfmload/schemes/heap.h \
	src/pfmload/input/load.c src/pfmload/input/load.h \
	src/pfmload/schemes/packet.h \
	src/pfmload/store/pages.c src/pfmload/store/pages.h \
	src/pfmload/passes.c \
	src/pfmload/pfmload.c \
	src/pfmload/schemes/roles.c src/pfmload/schemes/roles.h \
	src/pfmload/schemes/scheme_c.c \
	src/pfmload/schemes/scheme_d.c \
	src/pfmload/schemes/scheme_e.c \
	src/pfmload/schemes/scheme_f.c \
	src/pfmload/schemes/scheme_g.c \
	src/pfmload/schemes/scheme_serial.c \
	src/pfmload/steps.c src/pfmload/steps.h \
	src/pfmload/steps_load.c \
	src/pfmload/steps_report.c \
	src/pfmload/steps_scan.c \
	src/pfmload/store/writer.c src/pfmload/store/writer.h
pfmload_LDADD = src/pfmload/libpfmload.a src/extsort/libextsort.a \
	src/sort/libsort.a src/hydro/libhydro.a $(blocktransfer_LDADD)
gsfgen_SOURCES = src/pfmload/tools/gsfgen.c \
	src/pfmload/tools/survey.c src/pfmload/tools/survey.h
gsfgen_LDADD = src/hydro/libhydro.a src/world/libworld.a src/base/libbase.a \
	-lm -lpthread
gsfinfo_SOURCES = src/pfmload/tools/gsfinfo.c
gsfinfo_LDADD = src/hydro/libhydro.a src/base/libbase.a -lm
# The MPI that mpicc adds is not used, and need not be where files are looked at.
gsfinfo_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
pfminfo_SOURCES = src/pfmload/tools/pfminfo.c \
	src/pfmload/tools/grid.c src/pfmload/tools/grid.h \
	src/pfmload/tools/info.c src/pfmload/tools/info.h
pfminfo_LDADD = $(gsfinfo_LDADD)
pfminfo_LDFLAGS = $(gsfinfo_LDFLAGS)
