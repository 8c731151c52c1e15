noinst_LTLIBRARIES += src/sort/libsort.la
src_sort_libsort_la_SOURCES = src/sort/order.c src/sort/order.h src/sort/radix.h
