noinst_LIBRARIES += src/hydro/libhydro.a
src_hydro_libhydro_a_SOURCES = \
	src/hydro/area.c src/hydro/area.h \
	src/hydro/geodesy.c src/hydro/geodesy.h \
	src/hydro/gsf.c src/hydro/gsf.h \
	src/hydro/gsf_format.h \
	src/hydro/gsf_out.c src/hydro/gsf_out.h \
	src/hydro/gsf_ping.c \
	src/hydro/gsf_write.c src/hydro/gsf_write.h \
	src/hydro/pfm.c src/hydro/pfm.h \
	src/hydro/pfm_make.c src/hydro/pfm_make.h \
	src/hydro/pfm_pack.c src/hydro/pfm_pack.h \
	src/hydro/pfm_side.c src/hydro/pfm_side.h \
	src/hydro/swath.c src/hydro/swath.h
# A sounding must get the same place on every processor, to the last bit.
src_hydro_libhydro_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
