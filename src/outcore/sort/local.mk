outcore_SOURCES += \
	src/outcore/sort/check.c \
	src/outcore/sort/exchange.c \
	src/outcore/sort/sections.c src/outcore/sort/sections.h \
	src/outcore/sort/sort.c \
	src/outcore/sort/sorting.c src/outcore/sort/sorting.h \
	src/outcore/sort/splitters.c
SCRIPT_TESTS += tests/e2e/outcore_sort.py
