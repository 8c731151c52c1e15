dist_doc_DATA = \
	COPYING NEWS README.md \
	doc/adding-a-program.md \
	doc/adding-an-engine.md \
	doc/analysis.md \
	doc/architecture.md \
	doc/clusters.md \
	doc/container.md \
	doc/cookbook.md \
	doc/doctor.md \
	doc/faults.md \
	doc/findings.md \
	doc/gallery.md \
	doc/ldad.md \
	doc/metabench.md \
	doc/method.md \
	doc/outcore.md \
	doc/output.md \
	doc/pfmload.md \
	doc/report-schema.md \
	doc/scaling.md \
	doc/skeleton.md \
	doc/statistics.md \
	doc/style.md \
	doc/yardstick.md
# Made by "leadline schema"; a test compares.
dist_pkgdata_DATA = doc/leadline-report-1.schema.json \
	doc/leadline-skeleton-1.schema.json doc/leadline-skeleton-polynomials-1.schema.json
EXTRA_DIST += doc/pictures/heat.png doc/pictures/make doc/pictures/make-outcore \
	doc/pictures/make-stars doc/pictures/outcore-stars.png \
	doc/pictures/outcore-graph-fig34-disk.svg \
	doc/pictures/outcore-graph-fig34-flash.svg \
	doc/pictures/outcore-graph-fig35.svg \
	doc/pictures/outcore-graph-table31-ingest.svg \
	doc/pictures/outcore-graph-table31-search.svg \
	doc/pictures/outcore-resample-fig51.svg doc/pictures/outcore-resample-fig52.svg \
	doc/pictures/lextrac-bytes.svg doc/pictures/lextrac-time.svg \
	doc/pictures/outcore-2008-fig3a.svg doc/pictures/outcore-2008-fig4a.svg \
	doc/pictures/outcore-2008-fig4b.svg doc/pictures/outcore-2008-fig5a.svg \
	doc/pictures/outcore-2008-fig5b.svg \
	doc/pictures/outcore-2008-fig8a.svg doc/pictures/outcore-2008-fig8b.svg \
	doc/pictures/outcore-2008-fig8c.svg doc/pictures/outcore-2008-fig8d.svg \
	doc/pictures/outcore-fig2a.svg doc/pictures/outcore-fig2b.svg \
	doc/pictures/outcore-fig2w.svg doc/pictures/outcore-fig6.svg \
	doc/pictures/outcore-fig6-aio.svg doc/pictures/outcore-fig6-uring.svg \
	doc/pictures/outcore-threads.svg \
	doc/pictures/ldadc-graph.svg doc/pictures/report.png
EXTRA_DIST += doc/pictures/make-gallery doc/pictures/gallery-runs.tar.xz \
	$(addprefix doc/pictures/gallery-, alpha.svg bandwidth.svg \
	calibrate.svg calibrate-flight.svg curves.svg effects.svg \
	figure.svg filetype.svg heat.svg \
	iotrace-places.svg iotrace-ranks.svg latency.svg ldad.svg pfmload.svg ranks.svg \
	relief.svg scaling.svg series.svg text.svg time.svg trend.svg)
