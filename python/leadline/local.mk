# leadline: compare and sweep. Pure Python, installed beside the programs.
leadlinedir = $(pkgdatadir)/python/leadline
