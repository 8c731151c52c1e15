"""The lowest package: errors, texts, tables, statistics, files that are written
whole."""
