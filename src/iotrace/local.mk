# iotrace: reads logs, starts programs under the recorder. No MPI in it.
bin_PROGRAMS += iotrace
iotrace_SOURCES = \
	src/iotrace/bins.c \
	src/iotrace/read/binary.c \
	src/iotrace/commands.h \
	src/iotrace/compare.c \
	src/iotrace/darshan.c src/iotrace/darshan.h \
	src/iotrace/dump.c \
	src/iotrace/format/escape.c src/iotrace/format/escape.h \
	src/iotrace/export.c \
	src/iotrace/read/access.c src/iotrace/read/access.h \
	src/iotrace/read/header.c src/iotrace/read/header.h \
	src/iotrace/launch.c src/iotrace/launch.h \
	src/iotrace/ldad.c \
	src/iotrace/read/log.h \
	src/iotrace/main.c \
	src/iotrace/read/names.c src/iotrace/read/names.h \
	src/iotrace/read/op.c src/iotrace/read/op.h src/iotrace/format/ops.h \
	src/iotrace/read/pairs.c src/iotrace/read/pairs.h \
	src/iotrace/plot.c \
	src/iotrace/python.c src/iotrace/python.h \
	src/iotrace/report.c \
	src/iotrace/read/reader.c src/iotrace/read/reader.h \
	src/iotrace/recover.c src/iotrace/recover.h \
	src/iotrace/read/runs.c src/iotrace/read/runs.h \
	src/iotrace/skeleton/make.c src/iotrace/skeleton/put.c \
	src/iotrace/skeleton/skeleton.h \
	src/iotrace/summary.c src/iotrace/summary.h \
	src/iotrace/summary_json.c \
	src/iotrace/summary_text.c \
	src/iotrace/read/table.c src/iotrace/read/table.h \
	src/iotrace/format/trace.h
iotrace_CPPFLAGS = $(AM_CPPFLAGS) -DIOTRACE_LIBDIR='"$(libiotracedir)"' \
	-DIOTRACE_PYTHON='"$(PYTHON)"' -DIOTRACE_BUILD='"$(abs_top_builddir)"' \
	-DIOTRACE_PYTHON_SOURCE='"$(abs_top_srcdir)/python"' \
	-DIOTRACE_PYTHON_INSTALLED='"$(pkgdatadir)/python"'
# The MPI compiler adds its libraries, of which nothing is used.
iotrace_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
iotrace_LDADD = src/algebra/libalgebra.la src/base/libbase.la -lm
