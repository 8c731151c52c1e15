# Measurements, never run by "make check" and not installed: make bench/legendre
EXTRA_PROGRAMS =
EXTRA_DIST += bench/fio.py bench/gsf_decode.py bench/interfaces.py \
	bench/overlap.py bench/RESULTS.md

EXTRA_PROGRAMS += bench/legendre
bench_legendre_SOURCES = bench/legendre.c
bench_legendre_LDADD = src/madbench/libmadmath.la src/base/libbase.la \
	-lm -lpthread
CLEANFILES += $(EXTRA_PROGRAMS)
