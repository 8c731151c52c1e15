"""Below everything: errors, texts, tables, statistics, files that are written whole."""
