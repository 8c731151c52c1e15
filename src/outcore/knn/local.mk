knn_kernel = src/outcore/knn/kernel.c src/outcore/knn/kernel.h \
	src/outcore/knn/kernel_avx2.c src/outcore/knn/kernel_avx512.c \
	src/outcore/knn/kernel_scan.h \
	src/outcore/knn/kernel_x86.h
outcore_SOURCES += $(knn_kernel) \
	src/outcore/knn/classify.c \
	src/outcore/knn/format.c src/outcore/knn/format.h \
	src/outcore/knn/knn.c \
	src/outcore/knn/scan.c src/outcore/knn/scan.h
SCRIPT_TESTS += tests/e2e/outcore_knn.py
