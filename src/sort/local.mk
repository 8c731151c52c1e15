noinst_LIBRARIES += src/sort/libsort.a
src_sort_libsort_a_SOURCES = src/sort/order.c src/sort/order.h src/sort/radix.h
