noinst_LTLIBRARIES += src/pfmload/libpfmload.la
src_pfmload_libpfmload_la_SOURCES = \
	src/pfmload/beams.c src/pfmload/beams.h \
	src/pfmload/feed.c src/pfmload/feed.h \
	src/pfmload/list.c src/pfmload/list.h \
	src/pfmload/scan.c src/pfmload/scan.h

bin_PROGRAMS += gsfgen gsfinfo pfminfo
gsfgen_SOURCES = src/pfmload/gsfgen.c src/pfmload/seafloor.c src/pfmload/seafloor.h \
	src/pfmload/survey.c src/pfmload/survey.h
gsfgen_LDADD = src/hydro/libhydro.la src/world/libworld.la src/base/libbase.la \
	-lm -lpthread
gsfinfo_SOURCES = src/pfmload/gsfinfo.c
gsfinfo_LDADD = src/hydro/libhydro.la src/base/libbase.la -lm
# The MPI that mpicc adds is not used, and need not be where files are looked at.
gsfinfo_LDFLAGS = -Wl,--as-needed
pfminfo_SOURCES = src/pfmload/pfminfo.c
pfminfo_LDADD = $(gsfinfo_LDADD)
pfminfo_LDFLAGS = $(gsfinfo_LDFLAGS)
