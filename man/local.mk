# By hand; tests/lint holds each against its program's --help. Those of programs are in programs.mk.
dist_man_MANS += \
	man/iotrace-bin.5 \
	man/iotrace-tsv.5 \
	man/ldad-fft.1 \
	man/ldad-jacobi.1 \
	man/ldad-mandelbrot.1 \
	man/ldad.3 \
	man/libiotrace.3 \
	man/libldad.3
