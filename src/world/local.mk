noinst_LIBRARIES += src/world/libworld.a
src_world_libworld_a_SOURCES = \
	src/world/inside.h \
	src/world/world.h \
	src/world/agree.c \
	src/world/config.c \
	src/world/heartbeat.c \
	src/world/memory.c \
	src/world/ring.c \
	src/world/watchdog.c \
	src/world/world.c
src_world_libworld_a_CFLAGS = $(SHARED_CFLAGS)
