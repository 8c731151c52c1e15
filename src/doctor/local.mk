# The doctor: a library that runs use (--doctor), and the program behind "leadline
# doctor", which nobody else starts.
noinst_LIBRARIES += src/doctor/libdoctor.a
src_doctor_libdoctor_a_SOURCES = \
	src/doctor/answers.c \
	src/doctor/doctor.h \
	src/doctor/examine.c \
	src/doctor/inside.h \
	src/doctor/other.c \
	src/doctor/probe_coherence.c \
	src/doctor/probe_device.c \
	src/doctor/probe_direct.c \
	src/doctor/probe_names.c \
	src/doctor/probe_shared.c \
	src/doctor/probe_space.c

pkglibexec_PROGRAMS = leadline-doctor
leadline_doctor_SOURCES = src/doctor/main.c
leadline_doctor_LDADD = src/doctor/libdoctor.a $(io_LIBS) src/world/libworld.a \
	src/algebra/libalgebra.a src/base/libbase.a -lm -lpthread
