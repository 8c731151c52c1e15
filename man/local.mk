# By hand; tests/lint holds each against its program's --help.
dist_man_MANS += \
	man/blocktransfer.1 \
	man/iotrace.1 \
	man/leadline.1 \
	man/madbench.1
