# Measurements, never run by "make check" and not installed: make bench/legendre
EXTRA_PROGRAMS =
EXTRA_DIST += bench/aa bench/bfs_mmap.c bench/debian_sources.py bench/filters.py bench/fio.py \
	bench/graph.py bench/gsf_decode.py bench/gsf_reference.c bench/interfaces.py bench/ior bench/knn.py bench/ldad-disks bench/ldad-paper \
	bench/ldad-paper.json bench/ldad-ratios bench/matrix bench/paper_runs.py bench/ldadc-real bench/replay \
	bench/memory_group.py bench/metabench-mdtest bench/metabench-smallfile bench/mount.py \
	bench/outcore-2008 \
	bench/outcore-2008.json bench/outcore-graph.json bench/outcore-resample.json bench/overlap.py bench/patterns.py \
	bench/pfm_reference.c bench/pfm_runs.py bench/pfmload-collapse bench/pfmload-paper bench/pfmload-paper.json bench/pfmload-ranks bench/pfmload-reference bench/RESULTS.md bench/resample.py bench/search.py \
	bench/open_read_close.c bench/slow_open.c bench/sort_gnu.py bench/stream.py \
	bench/text.py bench/trend

EXTRA_PROGRAMS += bench/legendre
bench_legendre_SOURCES = bench/legendre.c
bench_legendre_LDADD = src/madbench/libmadmath.a src/base/libbase.a \
	-lm -lpthread
EXTRA_PROGRAMS += bench/series
bench_series_SOURCES = bench/series.c
bench_series_LDADD = src/report/libreport.a src/base/libbase.a

EXTRA_PROGRAMS += bench/sorter
bench_sorter_LDADD = src/pfmload/libpfmload.a src/extsort/libextsort.a \
	src/sort/libsort.a $(blocktransfer_LDADD)
# make bench/segments, then bench/ior
EXTRA_PROGRAMS += bench/segments
bench_segments_SOURCES = bench/segments.c
CLEANFILES += $(EXTRA_PROGRAMS)

# make bench/iotrace_calls, then bench/iotrace-overhead
EXTRA_DIST += bench/iotrace-overhead bench/iotrace_calls.c
CLEANFILES += bench/iotrace_calls
bench/iotrace_calls: bench/iotrace_calls.c
	$(AM_V_CC)$(MKDIR_P) bench && $(PLAIN_CC) $(WARN_CFLAGS) -O2 -pthread -o $@ \
	  $(srcdir)/bench/iotrace_calls.c

# make bench/name_calls, then bench/metabench-mdtest --mdtest=bench/name_calls --np=1
EXTRA_DIST += bench/name_calls.c
CLEANFILES += bench/name_calls
bench/name_calls: bench/name_calls.c
	$(AM_V_CC)$(MKDIR_P) bench && $(PLAIN_CC) $(WARN_CFLAGS) -O2 -o $@ \
	  $(srcdir)/bench/name_calls.c

# make bench/scaling_shim.so tests/yield_shim.so, then bench/scaling
EXTRA_DIST += bench/scaling bench/scaling_shim.c
CLEANFILES += bench/scaling_shim.so
bench/scaling_shim.so: bench/scaling_shim.c
	$(AM_V_CC)$(MKDIR_P) bench && $(MPI_CC) $(CFLAGS) -shared -fPIC -o $@ \
	  $(srcdir)/bench/scaling_shim.c

# make bench/text_modules, then bench/text_modules.py
EXTRA_DIST += bench/text_modules.py
EXTRA_PROGRAMS += bench/text_modules
bench_text_modules_SOURCES = bench/text_modules.c
bench_text_modules_LDADD = $(textmodules_LIBS)

# make bench/ngram outcore, then bench/ngram.py
EXTRA_DIST += bench/ngram.py bench/ngram_cld2.cc
EXTRA_PROGRAMS += bench/ngram
bench_ngram_SOURCES = bench/ngram.c $(ngram_parts)
bench_ngram_LDADD = src/base/libbase.a -lm -lpthread

# make bench/paired, then bench/paired > its tables
EXTRA_PROGRAMS += bench/paired
bench_paired_SOURCES = bench/paired.c
bench_paired_LDADD = src/base/libbase.a -lm
