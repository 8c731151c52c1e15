# ldadc: the analyser, where there is clang to build it with. It links no MPI.
LDADC_SOURCES = \
	src/ldadc/report/agree.cc src/ldadc/report/agree.h \
	src/ldadc/report/analyse.cc src/ldadc/report/analyse.h \
	src/ldadc/report/analysis.h \
	src/ldadc/poly/assume.cc src/ldadc/poly/assume.h \
	src/ldadc/poly/atom.cc \
	src/ldadc/describe/bind.cc src/ldadc/describe/bind.h \
	src/ldadc/interp/call.cc \
	src/ldadc/check.cc src/ldadc/check.h \
	src/ldadc/describe/classify.cc \
	src/ldadc/interp/comm.cc \
	src/ldadc/command_analyse.c \
	src/ldadc/command_build.c \
	src/ldadc/command_check.c \
	src/ldadc/command_plan.c \
	src/ldadc/command_rewrite.c \
	src/ldadc/commands.h \
	src/ldadc/interp/condition.cc \
	src/ldadc/interp/cplus.cc \
	src/ldadc/ctext.cc src/ldadc/ctext.h \
	src/ldadc/interp/datatype.cc \
	src/ldadc/report/decide.cc \
	src/ldadc/describe/describe.cc src/ldadc/describe/describe.h \
	src/ldadc/report/dot.cc src/ldadc/report/dot.h \
	src/ldadc/interp/expr.cc \
	src/ldadc/difference.cc src/ldadc/difference.h \
	src/ldadc/flags.c \
	src/ldadc/report/flow.cc src/ldadc/report/flow.h \
	src/ldadc/report/graph.cc \
	src/ldadc/interp/found.h \
	src/ldadc/interp/grid.cc \
	src/ldadc/handles.cc src/ldadc/handles.h \
	src/ldadc/interp/interp.h \
	src/ldadc/interp/loop.cc \
	src/ldadc/main.c \
	src/ldadc/interp/memory.cc \
	src/ldadc/interp/merge.cc \
	src/ldadc/interp/mpi.cc \
	src/ldadc/interp/names.cc \
	src/ldadc/plain.cc \
	src/ldadc/plan.cc src/ldadc/plan.h \
	src/ldadc/poly/poly.cc src/ldadc/poly/poly.h \
	src/ldadc/interp/program.cc src/ldadc/interp/program.h \
	src/ldadc/poly/prove.cc src/ldadc/poly/prove.h \
	src/ldadc/report/report.cc src/ldadc/report/report.h \
	src/ldadc/report/report_json.cc \
	src/ldadc/report/report_text.cc \
	src/ldadc/rewrite.cc src/ldadc/rewrite.h \
	src/ldadc/interp/run.cc \
	src/ldadc/describe/shell.cc src/ldadc/describe/shell.h \
	src/ldadc/report/skeleton.cc \
	src/ldadc/source.c src/ldadc/source.h \
	src/ldadc/interp/stmt.cc \
	src/ldadc/interp/target.cc \
	src/ldadc/report/template.cc src/ldadc/report/template.h \
	src/ldadc/report/trace.cc src/ldadc/report/trace.h \
	src/ldadc/describe/variables.cc \
	src/ldadc/poly/value.cc src/ldadc/poly/value.h \
	src/ldadc/describe/help.cc \
	src/ldadc/describe/weigh.cc src/ldadc/describe/weigh.h
if HAVE_CLANG
bin_PROGRAMS += ldadc
ldadc_SOURCES = $(LDADC_SOURCES)
ldadc_CPPFLAGS = $(AM_CPPFLAGS) $(CLANG_CPPFLAGS) -DLDADC_MPICC='"$(MPI_CC)"' \
	-DLDADC_INCLUDEDIR='"$(includedir)"' -DLDADC_LIBDIR='"$(libdir)"' \
	-DLDADC_RESOURCE_DIR='"$(CLANG_RESOURCE_DIR)"'
ldadc_CXXFLAGS = $(CLANG_CXXFLAGS) $(HARDEN_CFLAGS)
ldadc_LDADD = src/algebra/libalgebra.a src/base/libbase.a $(CLANG_LIBS) -lm
else
EXTRA_DIST += $(LDADC_SOURCES)
endif
