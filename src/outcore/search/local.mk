outcore_SOURCES += \
	src/outcore/search/build.c \
	src/outcore/search/index.c src/outcore/search/index.h \
	src/outcore/search/lookups.c \
	src/outcore/search/phases.c \
	src/outcore/search/search.c src/outcore/search/search.h
SCRIPT_TESTS += tests/e2e/outcore_search.py
