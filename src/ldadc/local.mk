# ldadc: the analyser, where there is clang to build it with. It links no MPI.
LDADC_SOURCES = \
	src/ldadc/analyse.cc src/ldadc/analyse.h \
	src/ldadc/atom.cc \
	src/ldadc/call.cc \
	src/ldadc/classify.cc \
	src/ldadc/comm.cc \
	src/ldadc/command_analyse.c src/ldadc/commands.h \
	src/ldadc/condition.cc \
	src/ldadc/datatype.cc \
	src/ldadc/decide.cc \
	src/ldadc/describe.cc src/ldadc/describe.h \
	src/ldadc/dot.cc \
	src/ldadc/expr.cc \
	src/ldadc/flags.c \
	src/ldadc/interp.h \
	src/ldadc/loop.cc \
	src/ldadc/main.c \
	src/ldadc/memory.cc \
	src/ldadc/merge.cc \
	src/ldadc/mpi.cc \
	src/ldadc/poly.cc src/ldadc/poly.h \
	src/ldadc/program.cc src/ldadc/program.h \
	src/ldadc/prove.cc src/ldadc/prove.h \
	src/ldadc/report.cc src/ldadc/report.h \
	src/ldadc/report_json.cc \
	src/ldadc/report_text.cc \
	src/ldadc/run.cc \
	src/ldadc/stmt.cc \
	src/ldadc/target.cc \
	src/ldadc/value.cc src/ldadc/value.h \
	src/ldadc/weigh.cc src/ldadc/weigh.h
if HAVE_CLANG
bin_PROGRAMS += ldadc
ldadc_SOURCES = $(LDADC_SOURCES)
ldadc_CPPFLAGS = $(AM_CPPFLAGS) $(CLANG_CPPFLAGS) -DLDADC_MPICC='"$(CC)"' \
	-DLDADC_RESOURCE_DIR='"$(CLANG_RESOURCE_DIR)"'
ldadc_CXXFLAGS = $(CLANG_CXXFLAGS)
ldadc_LDADD = src/base/libbase.la $(CLANG_LIBS) -lm
else
EXTRA_DIST += $(LDADC_SOURCES)
endif
