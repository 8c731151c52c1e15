ngram_parts = src/outcore/ngram/classifier.c src/outcore/ngram/classifier.h \
	src/outcore/ngram/grams.c \
	src/outcore/ngram/letters_table.c \
	src/outcore/ngram/languages.c
outcore_SOURCES += $(ngram_parts) \
	src/outcore/ngram/classify.c src/outcore/ngram/classify.h \
	src/outcore/ngram/ngram.c \
	src/outcore/ngram/train.c
SCRIPT_TESTS += tests/e2e/outcore_ngram.py
