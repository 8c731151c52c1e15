# ldadc: the analyser, where there is clang to build it with. It links no MPI.
LDADC_SOURCES = \
	src/ldadc/analyse.cc src/ldadc/analyse.h \
	src/ldadc/analysis.h \
	src/ldadc/atom.cc \
	src/ldadc/bind.cc src/ldadc/bind.h \
	src/ldadc/call.cc \
	src/ldadc/check.cc src/ldadc/check.h \
	src/ldadc/classify.cc \
	src/ldadc/comm.cc \
	src/ldadc/command_analyse.c \
	src/ldadc/command_build.c \
	src/ldadc/command_check.c \
	src/ldadc/command_plan.c \
	src/ldadc/command_rewrite.c \
	src/ldadc/commands.h \
	src/ldadc/condition.cc \
	src/ldadc/ctext.cc src/ldadc/ctext.h \
	src/ldadc/datatype.cc \
	src/ldadc/decide.cc \
	src/ldadc/describe.cc src/ldadc/describe.h \
	src/ldadc/dot.cc \
	src/ldadc/expr.cc \
	src/ldadc/flags.c \
	src/ldadc/handles.cc src/ldadc/handles.h \
	src/ldadc/interp.h \
	src/ldadc/loop.cc \
	src/ldadc/main.c \
	src/ldadc/memory.cc \
	src/ldadc/merge.cc \
	src/ldadc/mpi.cc \
	src/ldadc/names.cc \
	src/ldadc/plan.cc src/ldadc/plan.h \
	src/ldadc/poly.cc src/ldadc/poly.h \
	src/ldadc/program.cc src/ldadc/program.h \
	src/ldadc/prove.cc src/ldadc/prove.h \
	src/ldadc/report.cc src/ldadc/report.h \
	src/ldadc/report_json.cc \
	src/ldadc/report_text.cc \
	src/ldadc/rewrite.cc src/ldadc/rewrite.h \
	src/ldadc/run.cc \
	src/ldadc/source.c src/ldadc/source.h \
	src/ldadc/stmt.cc \
	src/ldadc/target.cc \
	src/ldadc/template.cc src/ldadc/template.h \
	src/ldadc/trace.cc src/ldadc/trace.h \
	src/ldadc/value.cc src/ldadc/value.h \
	src/ldadc/weigh.cc src/ldadc/weigh.h
if HAVE_CLANG
bin_PROGRAMS += ldadc
ldadc_SOURCES = $(LDADC_SOURCES)
ldadc_CPPFLAGS = $(AM_CPPFLAGS) $(CLANG_CPPFLAGS) -DLDADC_MPICC='"$(CC)"' \
	-DLDADC_INCLUDEDIR='"$(includedir)"' -DLDADC_LIBDIR='"$(libdir)"' \
	-DLDADC_RESOURCE_DIR='"$(CLANG_RESOURCE_DIR)"'
ldadc_CXXFLAGS = $(CLANG_CXXFLAGS) $(HARDEN_CFLAGS)
ldadc_LDADD = src/base/libbase.la $(CLANG_LIBS) -lm
else
EXTRA_DIST += $(LDADC_SOURCES)
endif
