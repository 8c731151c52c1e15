# Measurements, never run by "make check" and not installed: make bench/legendre
EXTRA_PROGRAMS =
EXTRA_DIST += bench/aa bench/debian_sources.py bench/filters.py bench/fio.py \
	bench/gsf_decode.py bench/interfaces.py bench/ior bench/ldad-disks bench/ldad-paper \
	bench/ldad-paper.json bench/ldad_runs.py bench/ldadc-real bench/overlap.py \
	bench/pfmload-paper bench/pfmload-paper.json bench/RESULTS.md

EXTRA_PROGRAMS += bench/legendre
bench_legendre_SOURCES = bench/legendre.c
bench_legendre_LDADD = src/madbench/libmadmath.la src/base/libbase.la \
	-lm -lpthread
EXTRA_PROGRAMS += bench/series
bench_series_SOURCES = bench/series.c
bench_series_LDADD = src/report/libreport.la src/base/libbase.la

EXTRA_PROGRAMS += bench/sorter
bench_sorter_LDADD = src/pfmload/libpfmload.la $(blocktransfer_LDADD)
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

# make bench/scaling_shim.so tests/yield_shim.so, then bench/scaling
EXTRA_DIST += bench/scaling bench/scaling_shim.c
CLEANFILES += bench/scaling_shim.so
bench/scaling_shim.so: bench/scaling_shim.c
	$(AM_V_CC)$(MKDIR_P) bench && $(CC) $(CFLAGS) -shared -fPIC -o $@ \
	  $(srcdir)/bench/scaling_shim.c
