noinst_LIBRARIES += src/report/libreport.a
src_report_libreport_a_SOURCES = \
	src/report/comparison.c \
	src/report/latency.c \
	src/report/model.c \
	src/report/output.c \
	src/report/phase.c src/report/phase.h \
	src/report/reduce.c \
	src/report/report.c src/report/report.h \
	src/report/samples.c \
	src/report/sink.h \
	src/report/sink_csv.c \
	src/report/sink_json.c \
	src/report/sink_text.c
