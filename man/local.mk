# By hand; tests/lint holds each against its program's --help.
dist_man_MANS += \
	man/blocktransfer.1 \
	man/gsfgen.1 \
	man/gsfinfo.1 \
	man/iotrace.1 \
	man/iotrace-bin.5 \
	man/iotrace-tsv.5 \
	man/ldad.1 \
	man/ldad.3 \
	man/ldad-perf.1 \
	man/ldadc.1 \
	man/leadline.1 \
	man/libiotrace.3 \
	man/madbench.1 \
	man/pfminfo.1 \
	man/pfmload.1
