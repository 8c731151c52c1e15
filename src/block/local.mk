bin_PROGRAMS += blocktransfer
blocktransfer_SOURCES = src/block/blocktransfer.c src/block/shuffle.c src/block/shuffle.h
blocktransfer_LDADD = src/run/librun.la src/io/libio.la src/layout/liblayout.la \
	src/report/libreport.la src/world/libworld.la src/algebra/libalgebra.la \
	src/base/libbase.la -lm -lpthread
