outcore_SOURCES += \
	src/outcore/graph/chains.c \
	src/outcore/graph/csr.c \
	src/outcore/graph/edges.c src/outcore/graph/edges.h \
	src/outcore/graph/format.c \
	src/outcore/graph/graph.c \
	src/outcore/graph/graph500.c src/outcore/graph/graph500.h \
	src/outcore/graph/search.c src/outcore/graph/search.h \
	src/outcore/graph/store.c src/outcore/graph/store.h \
	src/outcore/graph/stored.c \
	src/outcore/graph/teps.c \
	src/outcore/graph/text.c \
	src/outcore/graph/tree.c
SCRIPT_TESTS += tests/e2e/outcore_graph.py \
	tests/e2e/outcore_graph_csr.py \
	tests/e2e/outcore_graph_stored.py
