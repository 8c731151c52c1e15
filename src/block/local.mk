bin_PROGRAMS += blocktransfer
blocktransfer_SOURCES = src/block/blocktransfer.c src/block/block.h \
	src/block/figures.c src/block/input.c src/block/keep.c \
	src/block/order.c src/block/order.h \
	src/block/transfers.c
blocktransfer_LDADD = src/run/librun.la src/io/libio.la src/layout/liblayout.la \
	src/report/libreport.la src/world/libworld.la src/algebra/libalgebra.la \
	src/base/libbase.la -lm -lpthread
