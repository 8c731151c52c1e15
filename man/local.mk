# By hand; tests/lint holds each against its program's --help.
dist_man_MANS += \
	man/blocktransfer.1 \
	man/gsfgen.1 \
	man/gsfinfo.1 \
	man/leadline.1 \
	man/madbench.1 \
	man/pfminfo.1
