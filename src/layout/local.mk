noinst_LTLIBRARIES += src/layout/liblayout.la
src_layout_liblayout_la_SOURCES = src/layout/layout.c src/layout/layout.h
