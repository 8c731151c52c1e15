noinst_LTLIBRARIES += src/report/libreport.la
src_report_libreport_la_SOURCES = \
	src/report/phase.c src/report/phase.h \
	src/report/report.c src/report/report.h \
	src/report/sink.h \
	src/report/sink_csv.c \
	src/report/sink_json.c \
	src/report/sink_text.c
