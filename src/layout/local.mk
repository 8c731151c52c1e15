noinst_LIBRARIES += src/layout/liblayout.a
src_layout_liblayout_a_SOURCES = src/layout/layout.c src/layout/layout.h
