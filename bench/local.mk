# Measurements, never run by "make check".
EXTRA_DIST +=
