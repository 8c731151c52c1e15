# Tests speak TAP. tests/run starts each under its rank counts; tests/env is made
# by configure and tells it which launcher, programs and directories to use.
#
# To add a unit test: tests/unit/NAME.c and one line here.
check_PROGRAMS += \
	tests/unit/aio \
	tests/unit/area \
	tests/unit/area_pass \
	tests/unit/batch \
	tests/unit/block_figures \
	tests/unit/block_order \
	tests/unit/blocks \
	tests/unit/busy \
	tests/unit/cache \
	tests/unit/container \
	tests/unit/deal \
	tests/unit/dest \
	tests/unit/documents \
	tests/unit/engine \
	tests/unit/engine_faults \
	tests/unit/err \
	tests/unit/extents \
	tests/unit/extsort \
	tests/unit/feed \
	tests/unit/fft \
	tests/unit/geodesy \
	tests/unit/graph_format \
	tests/unit/graph_made \
	tests/unit/graph_text \
	tests/unit/grid \
	tests/unit/gsf \
	tests/unit/hdf5 \
	tests/unit/json \
	tests/unit/json_read \
	tests/unit/kept \
	tests/unit/knn_kernel \
	tests/unit/knn_parts \
	tests/unit/ngram \
	tests/unit/nodes \
	tests/unit/lanes \
	tests/unit/launcher \
	tests/unit/layout \
	tests/unit/list \
	tests/unit/local \
	tests/unit/ldad \
	tests/unit/ldad_types \
	tests/unit/mapped \
	tests/unit/measure \
	tests/unit/mem \
	tests/unit/metabench_names \
	tests/unit/nearest \
	tests/unit/resample \
	tests/unit/opt \
	tests/unit/order \
	tests/unit/pfm \
	tests/unit/outfile \
	tests/unit/paired \
	tests/unit/passes \
	tests/unit/phase \
	tests/unit/pieces \
	tests/unit/pixels \
	tests/unit/queue \
	tests/unit/records \
	tests/unit/report \
	tests/unit/rng \
	tests/unit/scan \
	tests/unit/scratch \
	tests/unit/search_index \
	tests/unit/sequence \
	tests/unit/series \
	tests/unit/sets \
	tests/unit/shuffle \
	tests/unit/slabs \
	tests/unit/sorted \
	tests/unit/soundings \
	tests/unit/splitters \
	tests/unit/stamp \
	tests/unit/stats \
	tests/unit/storage \
	tests/unit/stream \
	tests/unit/stream_parts \
	tests/unit/swath \
	tests/unit/teps \
	tests/unit/text_torn \
	tests/unit/sums \
	tests/unit/symbols \
	tests/unit/text_parts \
	tests/unit/threads_late \
	tests/unit/tree \
	tests/unit/units \
	tests/unit/vectors \
	tests/unit/whole \
	tests/unit/world
tests_unit_block_order_SOURCES = tests/unit/block_order.c \
	src/block/order.c src/block/order.h
tests_unit_block_figures_SOURCES = tests/unit/block_figures.c \
	src/block/block.h src/block/figures.c
tests_unit_deal_SOURCES = tests/unit/deal.c src/block/order.c src/block/order.h
tests_unit_metabench_names_SOURCES = tests/unit/metabench_names.c \
	src/metabench/names.c src/metabench/metabench.h
tests_unit_ldad_types_LDADD = src/ldad/libldadfile.a $(LDADD)
tests_unit_kept_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)
tests_unit_splitters_SOURCES = tests/unit/splitters.c \
	src/outcore/sort/splitters.c src/outcore/sort/sections.h
tests_unit_records_SOURCES = tests/unit/records.c \
	src/outcore/data/records.c src/outcore/data/records.h
tests_unit_documents_SOURCES = tests/unit/documents.c \
	src/outcore/data/documents.c src/outcore/data/documents.h
tests_unit_stream_parts_SOURCES = tests/unit/stream_parts.c \
	src/outcore/data/consume.c src/outcore/data/consume.h \
	src/outcore/stream/names.c src/outcore/stream/passing.h src/outcore/stream/ring.c \
	src/outcore/stream/sink.c src/outcore/stream/sink.h
tests_unit_text_parts_SOURCES = tests/unit/text_parts.c $(text_made)
tests_unit_search_index_SOURCES = tests/unit/search_index.c \
	src/outcore/search/index.c src/outcore/search/index.h
tests_unit_sets_SOURCES = tests/unit/sets.c src/outcore/data/consume.c src/outcore/data/consume.h \
	src/outcore/aio/flow.c src/outcore/aio/flow.h
tests_unit_sets_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)
tests_unit_fft_SOURCES = tests/unit/fft.c \
	src/ldad/measure/fft_answer.c src/ldad/measure/fft_math.c src/ldad/measure/fft_math.h \
	src/ldad/measure/fft_real.h
tests_unit_knn_kernel_SOURCES = tests/unit/knn_kernel.c src/outcore/data/records.c \
	src/outcore/data/records.h $(knn_kernel)
tests_unit_knn_parts_SOURCES = tests/unit/knn_parts.c \
	src/outcore/knn/format.c src/outcore/knn/format.h
tests_unit_ngram_SOURCES = tests/unit/ngram.c $(ngram_parts)
tests_unit_nearest_SOURCES = tests/unit/nearest.c $(knn_kernel)
tests_unit_resample_SOURCES = tests/unit/resample.c $(resample_parts)
tests_unit_graph_format_SOURCES = tests/unit/graph_format.c \
	src/outcore/graph/format.c src/outcore/graph/store.h
tests_unit_graph_made_SOURCES = tests/unit/graph_made.c \
	src/outcore/data/records.c src/outcore/data/records.h
tests_unit_graph_text_SOURCES = tests/unit/graph_text.c \
	src/outcore/graph/text.c src/outcore/graph/edges.h
tests_unit_teps_SOURCES = tests/unit/teps.c src/outcore/graph/teps.c src/outcore/graph/graph500.h
tests_unit_tree_SOURCES = tests/unit/tree.c \
	src/outcore/graph/tree.c src/outcore/graph/graph500.h src/outcore/graph/search.h
tests_unit_tree_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)
tests_unit_text_torn_LDADD = $(textmodules_LIBS) $(LDADD)
tests_unit_vectors_SOURCES = tests/unit/vectors.c src/outcore/data/records.c \
	src/outcore/data/records.h
tests_unit_extents_SOURCES = tests/unit/extents.c src/iotrace/findings/extents.c \
	src/iotrace/findings/inside.h
tests_unit_symbols_SOURCES = tests/unit/symbols.c src/iotrace/preload/symbols.c
tests_unit_symbols_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_unit_local_SOURCES = tests/unit/local.c tests/unit/pmpi.c tests/unit/pmpi.h
tests_unit_nodes_SOURCES = tests/unit/nodes.c tests/unit/pmpi.c tests/unit/pmpi.h
tests_unit_whole_SOURCES = tests/unit/whole.c tests/unit/pmpi.c tests/unit/pmpi.h
tests_unit_lanes_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)
tests_unit_passes_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)
tests_unit_queue_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)
tests_unit_blocks_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)
tests_unit_dest_SOURCES = tests/unit/dest.c src/pfmload/input/dest.c \
	src/pfmload/input/dest.h
tests_unit_feed_SOURCES = tests/unit/feed.c tests/unit/local_run.h
tests_unit_scan_SOURCES = tests/unit/scan.c tests/unit/local_run.h
tests_unit_extsort_SOURCES = tests/unit/extsort.c tests/unit/local_run.h
tests_unit_sorted_SOURCES = tests/unit/sorted.c tests/unit/local_run.h
tests_unit_stream_LDADD = src/run/librun.a src/doctor/libdoctor.a $(LDADD)

if HAVE_SCALAPACK
check_PROGRAMS += \
	tests/unit/remap \
	tests/unit/spectrum
tests_unit_remap_LDADD = $(LDADD) $(SCALAPACK_LIBS)
tests_unit_spectrum_LDADD = $(LDADD) $(SCALAPACK_LIBS)
endif

# To add a script (TAP on stdout, helps): the file and one line.
SCRIPT_TESTS += \
	tests/e2e/accounts.py \
	tests/e2e/accounts_disks.py \
	tests/e2e/alike.py \
	tests/e2e/bad_input.py \
	tests/e2e/block_options.py \
	tests/e2e/blocktransfer.py \
	tests/e2e/coherence.py \
	tests/e2e/commands.py \
	tests/e2e/compare_arms.py \
	tests/e2e/shown.py \
	tests/e2e/debian_packages.py \
	tests/e2e/dry_run.py \
	tests/e2e/doctor.py \
	tests/e2e/ended.py \
	tests/e2e/ended_slow_disk.py \
	tests/e2e/fault.py \
	tests/e2e/frozen.py \
	tests/e2e/gsf_files.py \
	tests/e2e/hdf5_file.py \
	tests/e2e/hosts.py \
	tests/e2e/io500.py \
	tests/e2e/iotrace_complete.py \
	tests/e2e/iotrace_findings.py \
	tests/e2e/iotrace_reader.py \
	tests/e2e/iotrace_matrix.py \
	tests/e2e/iotrace_mpi.py \
	tests/e2e/iotrace_recorder.py \
	tests/e2e/iotrace_report.py \
	tests/e2e/iotrace_skeleton.py \
	tests/e2e/iotrace_strace.py \
	tests/e2e/kept.py \
	tests/e2e/large.py \
	tests/e2e/leadline.py \
	tests/e2e/leadline_pages.py \
	tests/e2e/lanes.py \
	tests/e2e/ldad_container.py \
	tests/e2e/ldad_hdf5.py \
	tests/e2e/ldad_library.py \
	tests/e2e/ldad_mpi_tests.py \
	tests/e2e/ldad_random.py \
	tests/e2e/ldad_survives.py \
	tests/e2e/ldad_view.py \
	tests/e2e/ldad_workloads.py \
	tests/e2e/ldadc_corpus.py \
	tests/e2e/ldadc_analyse.py \
	tests/e2e/ldadc_pointers.py \
	tests/e2e/ldadc_rewrite.py \
	tests/e2e/ldadc_skeleton.py \
	tests/e2e/live.py \
	tests/e2e/man_examples.py \
	tests/e2e/madbench_answers.py \
	tests/e2e/madbench_async.py \
	tests/e2e/madbench_iomode.py \
	tests/e2e/many_files.py \
	tests/e2e/no_memory.py \
	tests/e2e/outcore_gen.py \
	tests/e2e/output.py \
	tests/e2e/pfm_files.py \
	tests/e2e/pfminfo.py \
	tests/e2e/pfmload.py \
	tests/e2e/pfmload_64.py \
	tests/e2e/pfmload_bad.py \
	tests/e2e/pfmload_d.py \
	tests/e2e/pfmload_ef.py \
	tests/e2e/pfmload_ended.py \
	tests/e2e/pfmload_schemes.py \
	tests/e2e/rank_shift.py \
	tests/e2e/reframe.py \
	tests/e2e/relocated.py \
	tests/e2e/rig_disks.py \
	tests/e2e/rig_slurm.py \
	tests/e2e/sanitizers.py \
	tests/e2e/scale64.py \
	tests/e2e/scaling.py \
	tests/e2e/security.py \
	tests/e2e/slurm.py \
	tests/e2e/slurm_sweep.py \
	tests/e2e/stall.py \
	tests/e2e/storage.py \
	tests/e2e/takes.py \
	tests/e2e/threads.py \
	tests/e2e/verification.py \
	tests/lint/hardening.py \
	tests/lint/house.py \
	tests/lint/includes.py \
	tests/lint/letters.py \
	tests/lint/links.py \
	tests/lint/man.py \
	tests/lint/needed.py \
	tests/lint/packaging.py \
	tests/lint/text.py \
	tests/unit/python_across.py \
	tests/unit/python_bad_input.py \
	tests/unit/json_python.py \
	tests/unit/mutants_made.py \
	tests/unit/python_compare.py \
	tests/unit/python_comparison.py \
	tests/unit/python_export.py \
	tests/unit/python_factors.py \
	tests/unit/python_figure.py \
	tests/unit/python_io500.py \
	tests/unit/python_gate.py \
	tests/unit/python_climb.py \
	tests/unit/python_history.py \
	tests/unit/python_import.py tests/unit/python_import_folder.py \
	tests/unit/python_matrix.py \
	tests/unit/python_mutants.py \
	tests/unit/python_options.py \
	tests/unit/python_output.py \
	tests/unit/python_page.py \
	tests/unit/python_pictures.py \
	tests/unit/python_relief.py \
	tests/unit/python_report.py \
	tests/unit/python_schema.py \
	tests/unit/python_series.py \
	tests/unit/python_skeleton.py \
	tests/unit/python_skeleton_fit.py \
	tests/unit/python_stats.py \
	tests/unit/python_steps.py \
	tests/unit/python_sweep.py \
	tests/unit/python_sweep_ends.py \
	tests/unit/python_trend.py \
	tests/unit/python_validate.py \
	tests/unit/python_quickstart.py \
	tests/unit/python_wheel.py \
	tests/unit/text_modules.py

TESTS += $(check_PROGRAMS) $(SCRIPT_TESTS)
EXTRA_DIST += $(addprefix tests/data/pfm/r6.pfm, \
	$(addprefix .data/r6.pfm., bin.gz ctl cvg.gz lin ndx)) tests/data/pfm/r6.pfm
EXTRA_DIST += $(addprefix tests/data/import/, \
	darshan-3.0.txt darshan-3.2.txt darshan-parser.txt dlio-checkpoint.json \
	dlio-summary.json dlio.json elbencho-1.csv elbencho-2.csv elbencho-3.json elbencho.csv \
	elbencho.json fio-2.1.json fio-2.2.json fio-2jobs.json fio-clients.json fio-failed.json \
	fio-global.json fio-mixed.json fio-terse.txt fio-group.json fio-status.json \
	fio-two-stages.txt h5bench-append.csv h5bench-read.csv h5bench.csv kv-cache-3.json \
	kv-cache.json)
EXTRA_DIST += $(addprefix tests/data/import/, \
	io500-2018-log.txt io500-2018-summary.txt io500-2021-result.txt io500-result.txt \
	io500-result_summary.txt ior-3.0.txt ior-3.2.txt ior-bad-verify.json \
	ior-bad-verify.txt ior-io500-3.4.txt ior-ranks.csv ior-script.txt \
	ior-stonewall-nowear.txt ior-stonewall.txt ior.csv ior.json ior.txt mdtest-1.9.txt \
	mdtest-3.3.txt mdtest-3.4-bad.txt mdtest-3.4.txt mdtest-files-data.txt \
	mdtest-ranks.csv mdtest-stonewall.txt mdtest-v2.txt mdtest.txt)
EXTRA_DIST += tests/data/README tests/data/gsf-made.tar.gz tests/data/make-gsf.py \
	tests/data/make-text.py $(addprefix tests/data/text/, crf story story.crf)
EXTRA_DIST += $(addprefix tests/data/gsf/, truth.json \
	6_184_1440.mb121 GSF3_08_test_file.gsf GSF3_09_test_file.gsf \
	TN136HS.309.snipped.mb121 comment.gsf history.gsf)
EXTRA_DIST += $(SCRIPT_TESTS) tests/run tests/skips tests/slowest tests/installed tests/coverage tests/env.in \
	$(addprefix tests/mutants/, list made.py run survivors) tests/lint/lint.py tests/lint/prose.py tests/lint/static tests/lint/cppcheck.supp \
	tests/lint/exceptions \
	$(addprefix tests/rig/, disks gluster hosts rig.py slurm) \
	$(addprefix tests/fault/, campaign.py cases.py disks.py judge.py \
	    passthrough.py) \
	tests/yield_shim.c tests/alloc_shim.c tests/fault_shim.c \
	$(addprefix tests/e2e/, browser.py e2e.py fake_log.py graph_reference.py in_rig.py \
	loads.py pfm_made.py pfm_reader.py resample_reference.py slurm_jobs.py) \
	$(addprefix tests/unit/, fake_findings.py fake_pages.py fake_report.py fake_sweep.py \
	    files.py full_report.py leadline_case.py simulated.py tap.py text_reference.py) \
	$(addprefix tests/fuzz/, README run fuzz.h stub/mpi.h stub/world.c) \
	$(foreach t, $(FUZZ_TARGETS), tests/fuzz/$(t).c tests/fuzz/$(t)-corpus.tar.gz)
FUZZ_TARGETS = container engine gsf kept list log opt pfm plan plan_file side skeleton stripes text

# Writes the documents of json_python.py; not a test itself.
EXTRA_PROGRAMS += tests/unit/json_echo

# Parses documents for text_modules.py; not a test itself.
EXTRA_PROGRAMS += tests/unit/text_lex
tests_unit_text_lex_LDADD = $(textmodules_LIBS)

# A program like those of the suite that counts its MPI calls, for many_files.py.
EXTRA_PROGRAMS += tests/e2e/manyfiles
tests_e2e_manyfiles_SOURCES = tests/e2e/manyfiles.c tests/unit/pmpi.c tests/unit/pmpi.h
tests_e2e_manyfiles_LDADD = $(blocktransfer_LDADD)

# Libraries that every unit test links; the linker takes the members that it needs.
check_LIBRARIES += tests/unit/libtap.a
tests_unit_libtap_a_SOURCES = tests/unit/one_run.h tests/unit/seccomp.h tests/unit/tap.c tests/unit/tap.h
LDADD = tests/unit/libtap.a src/pfmload/libpfmload.a src/extsort/libextsort.a src/sort/libsort.a \
	src/run/librun.a src/doctor/libdoctor.a \
	src/hydro/libhydro.a src/madbench/libmadmath.a \
	$(io_LIBS) src/layout/liblayout.a src/report/libreport.a src/world/libworld.a \
	src/algebra/libalgebra.a src/base/libbase.a -lm -lpthread

# Lists the slowest tests, after all of them have passed.
check-local: check-TESTS
	@$(PYTHON) $(srcdir)/tests/slowest $(TEST_LOGS)

# Runs the whole fault campaign: minutes. make check has a part (tests/e2e/fault.py).
check-faults: all $(check_DATA)
	$(TAP_RUN) $(srcdir)/tests/fault/campaign.py

# Runs every tier of the tests, all faults, many mutants: hours.
check-full:
	LEADLINE_TIER=full $(MAKE) $(AM_MAKEFLAGS) check
	$(MAKE) $(AM_MAKEFLAGS) check-faults
	tests/env $(srcdir)/tests/mutants/run --made=100 --sample '$(MPI_CC)'

# Tries all mutants of tests/mutants/list and of tests/mutants/made.py: many hours; when
# stopped, it continues at the same place. MUTANTS=N tries N of each, SEED=TEXT others.
check-mutants:
	tests/env $(srcdir)/tests/mutants/run $(addprefix --listed=,$(MUTANTS)) \
	  $(addprefix --made=,$(MUTANTS)) $(addprefix --seed=,$(SEED)) '$(MPI_CC)'
.PHONY: check-faults check-full check-mutants

TEST_EXTENSIONS = .sh .py
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TAP_RUN = tests/env $(PYTHON) $(srcdir)/tests/run
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
PY_LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = $(TAP_RUN)
SH_LOG_COMPILER = $(TAP_RUN)
PY_LOG_COMPILER = $(TAP_RUN)
# tests/run reports a bad exit status as a failed point
AM_LOG_DRIVER_FLAGS = --ignore-exit
AM_SH_LOG_DRIVER_FLAGS = --ignore-exit
AM_PY_LOG_DRIVER_FLAGS = --ignore-exit

# Programs without MPI that test the recorder. The compiler must not replace their
# calls, except in the second form of calls.c.
TRACED_BY_TESTS = tests/iotrace/calls tests/iotrace/calls_fortified \
	tests/iotrace/direct_async \
	tests/iotrace/ends tests/iotrace/marks tests/iotrace/marks_no_pie \
	tests/iotrace/small tests/iotrace/streams tests/iotrace/uring_calls
TRACED_CC = $(AM_V_CC)$(MKDIR_P) tests/iotrace && $(PLAIN_CC) $(WARN_CFLAGS) \
	$(RECORDER_SANITIZE) -fno-builtin -g -pthread -o $@
tests/iotrace/calls: tests/iotrace/calls.c
	$(TRACED_CC) -U_FORTIFY_SOURCE $(srcdir)/tests/iotrace/calls.c
tests/iotrace/calls_fortified: tests/iotrace/calls.c
	$(TRACED_CC) -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	  -D_FILE_OFFSET_BITS=64 $(srcdir)/tests/iotrace/calls.c
tests/iotrace/ends: tests/iotrace/ends.c
	$(TRACED_CC) $(srcdir)/tests/iotrace/ends.c
tests/iotrace/small: tests/iotrace/small.c
	$(TRACED_CC) $(srcdir)/tests/iotrace/small.c
# The C library's macros exist only with builtin functions and -O2.
tests/iotrace/streams: tests/iotrace/streams.c
	$(TRACED_CC) -O2 -fbuiltin -Wno-unused-result $(srcdir)/tests/iotrace/streams.c
tests/iotrace/marks: tests/iotrace/marks.c include/iotrace.h
	$(TRACED_CC) -I$(srcdir)/include $(srcdir)/tests/iotrace/marks.c
tests/iotrace/marks_no_pie: tests/iotrace/marks.c include/iotrace.h
	$(TRACED_CC) -no-pie -fno-pie -I$(srcdir)/include $(srcdir)/tests/iotrace/marks.c
tests/iotrace/uring_calls: tests/iotrace/uring_calls.c
	$(TRACED_CC) $(srcdir)/tests/iotrace/uring_calls.c
DIRECT_ASYNC_FLAGS =
DIRECT_ASYNC_LIBS =
if HAVE_LIBAIO
DIRECT_ASYNC_FLAGS += -DWITH_LIBAIO
DIRECT_ASYNC_LIBS += $(LIBAIO_LIBS)
endif
if HAVE_LIBURING
DIRECT_ASYNC_FLAGS += -DWITH_LIBURING $(LIBURING_CFLAGS)
DIRECT_ASYNC_LIBS += $(LIBURING_LIBS)
endif
tests/iotrace/direct_async: tests/iotrace/direct_async.c
	$(TRACED_CC) $(DIRECT_ASYNC_FLAGS) $(srcdir)/tests/iotrace/direct_async.c \
	  $(DIRECT_ASYNC_LIBS)
if HAVE_LIBURING
TRACED_BY_TESTS += tests/iotrace/uring_library tests/iotrace/async_threads
tests/iotrace/uring_library: tests/iotrace/uring_library.c
	$(TRACED_CC) $(LIBURING_CFLAGS) $(srcdir)/tests/iotrace/uring_library.c \
	  $(LIBURING_LIBS)
tests/iotrace/async_threads: tests/iotrace/async_threads.c
	$(TRACED_CC) $(DIRECT_ASYNC_FLAGS) $(srcdir)/tests/iotrace/async_threads.c \
	  $(DIRECT_ASYNC_LIBS)
endif
CLEANFILES += $(TRACED_BY_TESTS) tests/turn tests/gate
EXTRA_DIST += tests/iotrace/async_threads.c tests/iotrace/calls.c \
	tests/iotrace/direct_async.c tests/iotrace/ends.c tests/iotrace/marks.c \
	tests/iotrace/small.c tests/iotrace/streams.c tests/iotrace/tracelog.py \
	tests/iotrace/uring_calls.c tests/iotrace/uring_library.c

# Programs with MPI that test the recorder, tools of the profiling interface, and
# Fortran's entry points if MPI has a library of them.
MPI_TRACED_BY_TESTS = tests/iotrace/diseases tests/iotrace/mpi_forms tests/iotrace/mpi_edges \
	tests/iotrace/mpi_edges.so tests/iotrace/mpi_fortran \
	tests/iotrace/pmpi_count.so tests/iotrace/pmpi_count_next.so \
	tests/iotrace/unmarked tests/iotrace/views
MPI_TRACED_CC = $(AM_V_CC)$(MKDIR_P) tests/iotrace && $(MPI_CC) $(CFLAGS) -o $@
tests/iotrace/diseases: tests/iotrace/diseases.c
	$(MPI_TRACED_CC) $(srcdir)/tests/iotrace/diseases.c
tests/iotrace/mpi_forms: tests/iotrace/mpi_forms.c
	$(MPI_TRACED_CC) $(srcdir)/tests/iotrace/mpi_forms.c
tests/iotrace/mpi_edges: tests/iotrace/mpi_edges.c
	$(MPI_TRACED_CC) $(srcdir)/tests/iotrace/mpi_edges.c
tests/iotrace/mpi_edges.so: tests/iotrace/mpi_edges.c
	$(MPI_TRACED_CC) -shared -fPIC -Dmain=edges_main \
	  $(srcdir)/tests/iotrace/mpi_edges.c
tests/iotrace/mpi_fortran: tests/iotrace/mpi_fortran.c
	$(MPI_TRACED_CC) $(srcdir)/tests/iotrace/mpi_fortran.c \
	  `test $(MPI_FLAVOUR) = mpich && echo -lmpichfort || echo -lmpi_mpifh` \
	  2>/dev/null || echo "  no library of MPI's Fortran entry points"
tests/iotrace/pmpi_count.so: tests/iotrace/pmpi_count.c
	$(MPI_TRACED_CC) -shared -fPIC $(srcdir)/tests/iotrace/pmpi_count.c
tests/iotrace/pmpi_count_next.so: tests/iotrace/pmpi_count.c
	$(MPI_TRACED_CC) -shared -fPIC -DNEXT $(srcdir)/tests/iotrace/pmpi_count.c -ldl
tests/iotrace/unmarked: tests/iotrace/unmarked.c
	$(MPI_TRACED_CC) $(srcdir)/tests/iotrace/unmarked.c
tests/iotrace/views: tests/iotrace/views.c
	$(MPI_TRACED_CC) $(srcdir)/tests/iotrace/views.c
if HAVE_HDF5
MPI_TRACED_BY_TESTS += tests/iotrace/hdf5_levels tests/iotrace/diseases_hdf5 \
	tests/iotrace/hdf5_later.so
tests/iotrace/diseases_hdf5: tests/iotrace/diseases_hdf5.c
	$(MPI_TRACED_CC) $(HDF5_CFLAGS) $(srcdir)/tests/iotrace/diseases_hdf5.c $(HDF5_LIBS)
tests/iotrace/hdf5_later.so: tests/iotrace/hdf5_later.c
	$(MPI_TRACED_CC) -shared -fPIC $(HDF5_CFLAGS) \
	  $(srcdir)/tests/iotrace/hdf5_later.c $(HDF5_LIBS)
tests/iotrace/hdf5_levels: tests/iotrace/hdf5_levels.c
	$(MPI_TRACED_CC) $(HDF5_CFLAGS) $(srcdir)/tests/iotrace/hdf5_levels.c $(HDF5_LIBS)
endif
if HAVE_PNETCDF
MPI_TRACED_BY_TESTS += tests/iotrace/pnetcdf_levels tests/iotrace/pnetcdf_levels.so
tests/iotrace/pnetcdf_levels: tests/iotrace/pnetcdf_levels.c
	$(MPI_TRACED_CC) $(srcdir)/tests/iotrace/pnetcdf_levels.c $(PNETCDF_LIBS)
tests/iotrace/pnetcdf_levels.so: tests/iotrace/pnetcdf_levels.c
	$(MPI_TRACED_CC) -shared -fPIC -Dmain=levels_main \
	  $(srcdir)/tests/iotrace/pnetcdf_levels.c $(PNETCDF_LIBS)
endif
CLEANFILES += $(MPI_TRACED_BY_TESTS)
EXTRA_DIST += tests/iotrace/diseases.c tests/iotrace/diseases_hdf5.c \
	tests/iotrace/hdf5_later.c \
	tests/iotrace/hdf5_levels.c tests/iotrace/mpi_edges.c tests/iotrace/mpi_forms.c \
	tests/iotrace/mpi_fortran.c tests/iotrace/pmpi_count.c \
	tests/iotrace/pnetcdf_levels.c tests/iotrace/unmarked.c \
	tests/iotrace/views.c

# The workloads' sources as plain MPI-IO, and with their calls renamed to libldad's.
LDAD_BY_TESTS = tests/ldad/plain tests/ldad/renamed tests/ldad/views \
	tests/ldad/views_renamed tests/ldad/rules tests/ldad/rules_renamed \
	tests/ldad/arrays tests/ldad/arrays_renamed tests/ldad/drawn tests/ldad/fit \
	tests/ldad/killed tests/ldad/opens tests/ldad/random_renamed \
	tests/ldad/blocks tests/ldad/blocks_renamed
LDAD_PLAIN_C = tests/ldad/plain.c src/ldad/workloads/fft.c \
	src/ldad/workloads/jacobi.c src/ldad/workloads/mandelbrot.c \
	src/ldad/workloads/perf.c
LDAD_CC = $(AM_V_CC)$(MKDIR_P) tests/ldad && $(MPI_CC) $(CFLAGS) $(WARN_CFLAGS) \
	$(SANITIZE_CFLAGS) -I$(srcdir)/src -I$(srcdir)/include -o $@
LDAD_RENAMED = -include $(srcdir)/include/ldad_rename.h
LDAD_LINK = -L. -lldad -Wl,-rpath,$(abs_builddir)
tests/ldad/plain: $(LDAD_PLAIN_C)
	$(LDAD_CC) $(addprefix $(srcdir)/, $(LDAD_PLAIN_C))
tests/ldad/renamed: $(LDAD_PLAIN_C) libldad.so
	$(LDAD_CC) $(LDAD_RENAMED) $(addprefix $(srcdir)/, $(LDAD_PLAIN_C)) $(LDAD_LINK)
tests/ldad/views: tests/ldad/views.c
	$(LDAD_CC) $(srcdir)/tests/ldad/views.c
tests/ldad/views_renamed: tests/ldad/views.c libldad.so
	$(LDAD_CC) $(LDAD_RENAMED) $(srcdir)/tests/ldad/views.c $(LDAD_LINK)
tests/ldad/blocks: examples/blocks.c
	$(LDAD_CC) $(srcdir)/examples/blocks.c
tests/ldad/blocks_renamed: examples/blocks.c libldad.so
	$(LDAD_CC) $(LDAD_RENAMED) $(srcdir)/examples/blocks.c $(LDAD_LINK)
tests/ldad/arrays: tests/ldad/arrays.c
	$(LDAD_CC) $(srcdir)/tests/ldad/arrays.c
tests/ldad/arrays_renamed: tests/ldad/arrays.c libldad.so
	$(LDAD_CC) $(LDAD_RENAMED) $(srcdir)/tests/ldad/arrays.c $(LDAD_LINK)
tests/ldad/drawn: tests/ldad/drawn.c libldad.so
	$(LDAD_CC) $(srcdir)/tests/ldad/drawn.c $(LDAD_LINK)
tests/ldad/fit: tests/ldad/fit.c libldad.so
	$(LDAD_CC) $(srcdir)/tests/ldad/fit.c $(LDAD_LINK)
tests/ldad/opens: tests/ldad/opens.c tests/unit/pmpi.c libldad.so
	$(LDAD_CC) $(srcdir)/tests/ldad/opens.c $(srcdir)/tests/unit/pmpi.c $(LDAD_LINK)
tests/ldad/random_renamed: tests/ldad/random.c libldad.so
	$(LDAD_CC) $(LDAD_RENAMED) $(srcdir)/tests/ldad/random.c $(LDAD_LINK)
tests/ldad/killed: tests/ldad/killed.c libldad.so
	$(LDAD_CC) $(LDAD_RENAMED) $(srcdir)/tests/ldad/killed.c $(LDAD_LINK)
tests/ldad/rules: tests/ldad/rules.c
	$(LDAD_CC) $(srcdir)/tests/ldad/rules.c
tests/ldad/rules_renamed: tests/ldad/rules.c libldad.so
	$(LDAD_CC) $(LDAD_RENAMED) $(srcdir)/tests/ldad/rules.c $(LDAD_LINK)
CLEANFILES += $(LDAD_BY_TESTS)
EXTRA_DIST += tests/ldadc/fig2_bytes.c tests/ldadc/fig2_double.c tests/ldadc/steps.c
EXTRA_DIST += tests/ldad/plain.c tests/ldad/rules.c \
	tests/ldad/arrays.c tests/ldad/drawn.c tests/ldad/fit.c tests/ldad/hdf5.c \
	tests/ldad/killed.c tests/ldad/opens.c tests/ldad/random.c tests/ldad/views.c \
	tests/ldad/fortran.f90 tests/ldad/hints.h

# An object that is linked into each program of ldadc's corpus; its test compiles them.
tests/ldadc/truth.o: tests/ldadc/truth.c
	$(AM_V_CC)$(MKDIR_P) tests/ldadc && $(MPI_CC) -O0 -g $(WARN_CFLAGS) -c -o $@ \
	  $(srcdir)/tests/ldadc/truth.c
EXTRA_DIST += tests/ldadc/corpus tests/ldadc/judge.py tests/ldadc/truth.c \
	tests/ldadc/truth.py tests/ldadc/unfold.py tests/ldadc/which.py

# A program with faults that the sanitizers must find.
if SANITIZE
FAULTS_BY_TESTS = tests/sanitizers/faults
tests/sanitizers/faults: tests/sanitizers/faults.c
	$(AM_V_CC)$(MKDIR_P) tests/sanitizers && $(MPI_CC) $(CFLAGS) -O0 -g $(WARN_CFLAGS) \
	  $(SANITIZE_CFLAGS) -o $@ $(srcdir)/tests/sanitizers/faults.c -lpthread
endif
EXTRA_DIST += $(addprefix tests/sanitizers/, faults.c lsan.supp tsan.supp \
	valgrind.supp memcheck run)

# They are preloaded, never linked.
check_DATA = $(FAULTS_BY_TESTS) bench/scaling_shim.so tests/alloc_shim.so tests/fault_shim.so tests/yield_shim.so \
	$(TRACED_BY_TESTS) $(MPI_TRACED_BY_TESTS) $(LDAD_BY_TESTS) \
	tests/ldadc/truth.o tests/unit/json_echo tests/e2e/manyfiles \
	tests/unit/text_lex tests/bytecode
SHIM_CC = $(AM_V_CC)$(MKDIR_P) tests && $(MPI_CC) $(CFLAGS) -shared -fPIC -o $@
tests/alloc_shim.so: tests/alloc_shim.c
	$(SHIM_CC) $(srcdir)/tests/alloc_shim.c -ldl
tests/fault_shim.so: tests/fault_shim.c
	$(SHIM_CC) $(srcdir)/tests/fault_shim.c -ldl
tests/yield_shim.so: tests/yield_shim.c
	$(SHIM_CC) $(srcdir)/tests/yield_shim.c -ldl
CLEANFILES += $(check_DATA)

# Keeps Python's bytecode beside the source, with which leadline starts in half the time.
# There is no such file, so make always runs this; it fails where the source is read-only.
tests/bytecode:
	-@$(PYTHON) -m compileall -qq $(srcdir)/python/leadline $(srcdir)/tests/e2e \
	  $(srcdir)/tests/unit

# Tests the files that "make install" has installed.
installcheck-local:
	tests/env env PATH="$(DESTDIR)$(bindir):$$PATH" $(srcdir)/tests/installed \
	  '$(MPIEXEC)'
.PHONY: installcheck-local
