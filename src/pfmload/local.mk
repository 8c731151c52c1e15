noinst_LTLIBRARIES += src/pfmload/libpfmload.la
src_pfmload_libpfmload_la_SOURCES = \
	src/pfmload/area_pass.c src/pfmload/area_pass.h \
	src/pfmload/batch.c src/pfmload/batch.h \
	src/pfmload/beams.c src/pfmload/beams.h \
	src/pfmload/deal.c src/pfmload/deal.h \
	src/pfmload/feed.c src/pfmload/feed.h \
	src/pfmload/list.c src/pfmload/list.h \
	src/pfmload/scan.c src/pfmload/scan.h \
	src/pfmload/packet_sorter.c src/pfmload/packet_sorter.h \
	src/pfmload/sorter.c src/pfmload/sorter.h \
	src/pfmload/spill.c src/pfmload/spill.h

bin_PROGRAMS += pfmload gsfgen gsfinfo pfminfo
pfmload_SOURCES = src/pfmload/area_step.c \
	src/pfmload/dest.c src/pfmload/dest.h \
	src/pfmload/exchange.c src/pfmload/exchange.h \
	src/pfmload/grouper.c src/pfmload/grouper.h \
	src/pfmload/heap.c src/pfmload/heap.h \
	src/pfmload/load.c src/pfmload/load.h \
	src/pfmload/packet.h \
	src/pfmload/packets.c src/pfmload/packets.h \
	src/pfmload/pages.c src/pfmload/pages.h \
	src/pfmload/passes.c src/pfmload/passes.h \
	src/pfmload/pfmload.c \
	src/pfmload/roles.c src/pfmload/roles.h \
	src/pfmload/scheme_c.c \
	src/pfmload/scheme_d.c \
	src/pfmload/scheme_d_threaded.c \
	src/pfmload/scheme_e.c \
	src/pfmload/scheme_f.c \
	src/pfmload/scheme_g.c \
	src/pfmload/scheme_serial.c \
	src/pfmload/settings.c src/pfmload/settings.h \
	src/pfmload/steps.c src/pfmload/steps.h \
	src/pfmload/steps_load.c \
	src/pfmload/steps_report.c \
	src/pfmload/steps_scan.c \
	src/pfmload/stream.c src/pfmload/stream.h \
	src/pfmload/writer.c src/pfmload/writer.h
pfmload_LDADD = src/pfmload/libpfmload.la src/hydro/libhydro.la \
	$(blocktransfer_LDADD)
gsfgen_SOURCES = src/pfmload/gsfgen.c src/pfmload/seafloor.c src/pfmload/seafloor.h \
	src/pfmload/survey.c src/pfmload/survey.h
gsfgen_LDADD = src/hydro/libhydro.la src/world/libworld.la src/base/libbase.la \
	-lm -lpthread
gsfinfo_SOURCES = src/pfmload/gsfinfo.c
gsfinfo_LDADD = src/hydro/libhydro.la src/base/libbase.la -lm
# The MPI that mpicc adds is not used, and need not be where files are looked at.
gsfinfo_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
pfminfo_SOURCES = src/pfmload/pfminfo.c \
	src/pfmload/info.c src/pfmload/info.h \
	src/pfmload/info_check.c src/pfmload/info_check.h \
	src/pfmload/info_lines.c src/pfmload/info_lines.h \
	src/pfmload/legend.c src/pfmload/legend.h \
	src/pfmload/relief.c src/pfmload/relief.h
pfminfo_LDADD = src/base/libpicture.la $(gsfinfo_LDADD)
pfminfo_LDFLAGS = $(gsfinfo_LDFLAGS)
