# ldad: containers. Its commands are a table in main.c.
bin_PROGRAMS += ldad
ldad_SOURCES = \
	src/ldad/commands.h \
	src/ldad/flatten.c \
	src/ldad/info.c \
	src/ldad/main.c \
	src/ldad/parts.c \
	src/ldad/rm.c \
	src/ldad/verify.c
ldad_LDADD = src/io/libio.la src/world/libworld.la src/base/libbase.la -lm -lpthread
