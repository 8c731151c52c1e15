bin_PROGRAMS += blocktransfer
blocktransfer_SOURCES = src/block/blocktransfer.c src/block/block.h src/block/arrivals.c \
	src/block/figures.c src/block/input.c src/block/keep.c \
	src/block/order.c src/block/sizes.c src/block/order.h \
	src/block/transfers.c
blocktransfer_LDADD = src/run/librun.a src/doctor/libdoctor.a $(io_LIBS) src/layout/liblayout.a \
	src/report/libreport.a src/world/libworld.a src/algebra/libalgebra.a \
	src/base/libbase.a -lm -lpthread
