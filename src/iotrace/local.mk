# iotrace: reads logs, starts programs under the recorder. No MPI in it.
bin_PROGRAMS += iotrace
iotrace_SOURCES = \
	src/iotrace/bins.c \
	src/iotrace/binary.c \
	src/iotrace/commands.h \
	src/iotrace/compare.c \
	src/iotrace/dump.c \
	src/iotrace/escape.c src/iotrace/escape.h \
	src/iotrace/export.c \
	src/iotrace/access.c src/iotrace/access.h \
	src/iotrace/header.c src/iotrace/header.h \
	src/iotrace/launch.c src/iotrace/launch.h \
	src/iotrace/ldad.c \
	src/iotrace/log.h \
	src/iotrace/main.c \
	src/iotrace/names.c src/iotrace/names.h \
	src/iotrace/op.c src/iotrace/op.h src/iotrace/ops.h \
	src/iotrace/plot.c \
	src/iotrace/reader.c src/iotrace/reader.h \
	src/iotrace/recover.c src/iotrace/recover.h \
	src/iotrace/runs.c src/iotrace/runs.h \
	src/iotrace/summary.c src/iotrace/summary.h \
	src/iotrace/summary_json.c \
	src/iotrace/summary_text.c \
	src/iotrace/table.c src/iotrace/table.h \
	src/iotrace/trace.h
iotrace_CPPFLAGS = $(AM_CPPFLAGS) -DIOTRACE_LIBDIR='"$(libiotracedir)"' \
	-DIOTRACE_PYTHON='"$(PYTHON)"' -DIOTRACE_BUILD='"$(abs_top_builddir)"' \
	-DIOTRACE_PYTHON_SOURCE='"$(abs_top_srcdir)/python"' \
	-DIOTRACE_PYTHON_INSTALLED='"$(pkgdatadir)/python"'
# The MPI compiler adds its libraries, of which nothing is used.
iotrace_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
iotrace_LDADD = src/base/libbase.la -lm
