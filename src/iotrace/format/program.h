/* Tells from a program's file whether the recorder can see what it does. */
#ifndef IOTRACE_FORMAT_PROGRAM_H
#define IOTRACE_FORMAT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum program_kind {
    PROGRAM_STATIC = 1, /* it has no loader, and only loaders preload */
    PROGRAM_PRIVILEGED =
        2,               /* setuid, setgid, capabilities: the loader preloads nothing */
    PROGRAM_FOREIGN = 4, /* its architecture is not the recorder's */
    PROGRAM_GO = 8,      /* a Go runtime makes system calls by itself */
    PROGRAM_LIBC = 16,   /* it has another C library, and does not start with ours */
    PROGRAM_ALIEN = PROGRAM_FOREIGN | PROGRAM_LIBC, /* its loader does not take us */
    PROGRAM_UNSEEN = PROGRAM_STATIC | PROGRAM_PRIVILEGED | PROGRAM_ALIEN
};

enum { PROGRAM_ROOM = 8192 };

/* Local. Returns the kinds of the program that exec would start for `path`, relative to
 * the descriptor `dir` (AT_FDCWD: the working directory; with "" it is the descriptor's
 * own file). For a script it judges the interpreter. A dynamic loader that is started
 * as a command preloads: it is not static. Returns 0 if nothing is known. Uses system
 * calls only, `room` of PROGRAM_ROOM bytes, and changes errno. */
uint32_t program_kinds(int dir, const char *path, char *room);

/* Local. Finds the file that execvp starts for `name` with the variable PATH `list`
 * (NULL: it is not set): `name` itself if it has a slash. False: there is none. Changes
 * errno. */
bool program_find(const char *name, const char *list, char *out, unsigned bytes);

/* Local. Convert kinds to words with a blank between them, as a log has them, and
 * back. */
enum { PROGRAM_WORDS = 64 };
void program_words(uint32_t kinds, char words[PROGRAM_WORDS]);
uint32_t program_read_words(const char *words);

#endif
