outcore_SOURCES += \
	src/outcore/aio/aio.c \
	src/outcore/aio/flow.c src/outcore/aio/flow.h
SCRIPT_TESTS += tests/e2e/outcore_aio.py
