# iotrace: reads logs, starts programs under the recorder. No MPI in it.
bin_PROGRAMS += iotrace
iotrace_SOURCES = \
	src/iotrace/bins.c \
	src/iotrace/read/binary.c \
	src/iotrace/read/complete.c \
	src/iotrace/commands.h \
	src/iotrace/compare.c \
	src/iotrace/darshan.c \
	src/iotrace/dump.c \
	src/iotrace/format/escape.c src/iotrace/format/escape.h \
	src/iotrace/format/kernel.h \
	src/iotrace/format/program.c src/iotrace/format/program.h \
	src/iotrace/export.c \
	src/iotrace/findings/cells.c src/iotrace/findings/command.c \
	src/iotrace/findings/extents.c \
	src/iotrace/findings/files.c \
	src/iotrace/findings/gather.c src/iotrace/findings/make.c \
	src/iotrace/findings/moments.c \
	src/iotrace/findings/risks.c src/iotrace/findings/table.c \
	src/iotrace/findings/transfer.c \
	src/iotrace/findings/findings.h src/iotrace/findings/inside.h \
	src/iotrace/findings/table.def \
	src/iotrace/findings/judge/calls.c \
	src/iotrace/findings/judge/judge.c src/iotrace/findings/judge/layers.c \
	src/iotrace/findings/judge/pace.c \
	src/iotrace/findings/judge/repeated.c \
	src/iotrace/findings/judge/sharing.c \
	src/iotrace/findings/judge/small.c \
	src/iotrace/findings/judge/unexplained.c \
	src/iotrace/findings/judge/whole.c \
	src/iotrace/findings/show/json.c src/iotrace/findings/show/sums.c \
	src/iotrace/findings/show/text.c \
	src/iotrace/read/access.c src/iotrace/read/access.h \
	src/iotrace/read/facts.c \
	src/iotrace/read/header.c \
	src/iotrace/launch.c \
	src/iotrace/ldad.c \
	src/iotrace/read/log.h \
	src/iotrace/main.c \
	src/iotrace/read/names.c src/iotrace/read/names.h \
	src/iotrace/read/op.c src/iotrace/read/op.h src/iotrace/format/ops.h \
	src/iotrace/read/pairs.c \
	src/iotrace/plot.c \
	src/iotrace/python.c \
	src/iotrace/report.c \
	src/iotrace/read/reader.c src/iotrace/read/reader.h \
	src/iotrace/recover.c \
	src/iotrace/read/runs.c src/iotrace/read/runs.h \
	src/iotrace/read/scope.c \
	src/iotrace/skeleton/make.c \
	src/iotrace/skeleton/phases.c src/iotrace/skeleton/put.c \
	src/iotrace/skeleton/ranks.c src/iotrace/skeleton/settle.c \
	src/iotrace/skeleton/skeleton.h \
	src/iotrace/summary.c src/iotrace/summary.h \
	src/iotrace/summary_json.c \
	src/iotrace/summary_text.c \
	src/iotrace/read/table.c src/iotrace/read/table.h \
	src/iotrace/read/unseen.c src/iotrace/read/unseen.h \
	src/iotrace/format/trace.h
iotrace_CPPFLAGS = $(AM_CPPFLAGS) -DIOTRACE_BINDIR='"$(bindir)"' \
	-DIOTRACE_LIBDIR='"$(libiotracedir)"' \
	-DIOTRACE_PYTHON='"$(PYTHON)"' -DIOTRACE_BUILD='"$(abs_top_builddir)"' \
	-DIOTRACE_PYTHON_SOURCE='"$(abs_top_srcdir)/python"' \
	-DIOTRACE_PYTHON_INSTALLED='"$(pkgdatadir)/python"'
# The MPI compiler adds its libraries, of which nothing is used.
iotrace_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
iotrace_LDADD = src/algebra/libalgebra.a src/base/libbase.a -lm

# Writes the lists of findings in doc/findings.md and iotrace(1) anew.
findings-lists: iotrace$(EXEEXT)
	$(PYTHON) $(srcdir)/build-aux/findings ./iotrace$(EXEEXT) $(srcdir)
.PHONY: findings-lists
