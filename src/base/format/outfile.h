/* A file under a name that the user gave: the one rule that all programs keep
 * (doc/report-schema.md, "Files that the user names").
 *
 * - A regular file is replaced as a whole: the new one is written beside it under a
 *   name that nobody else has, and is renamed when it is complete. A signal removes it.
 * - A symbolic link is followed: what it leads to is replaced, and the link stays. A
 *   link that leads to nothing is refused.
 * - A pipe and a character device are written to, by those programs that write from
 *   front to end; the others refuse them.
 * - Anything else that is there is refused. */
#ifndef BASE_FORMAT_OUTFILE_H
#define BASE_FORMAT_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* The sum of these says how a file is written. */
enum outfile_how {
    OUTFILE_WHOLE = 0,  /* at any offset, or more than once: regular files only */
    OUTFILE_STREAM = 1, /* from front to end: a pipe or a device will do */
    OUTFILE_NEW = 2     /* no regular file may be there */
};

struct outfile_place {
    char path[PATH_MAX]; /* where the file is, or will be: not through a link */
    bool there;          /* something is */
    bool direct;         /* it is a pipe or a device, which is opened and kept */
    int standard;    /* this open descriptor (1 or 2) leads to the same file; or -1 */
    const char *why; /* it is refused: what is the matter */
};

/* Local. Says of `path` what the rule says. 0, or -errno with at->why and without a
 * sentence. */
int outfile_find(struct outfile_place *at, const char *path, enum outfile_how how);

/* Local. Gives the complete file `from` the name `to`, which must be free unless
 * `replace`, where the file system can tell. 0, or -errno without a sentence. */
int outfile_rename(const char *from, const char *to, bool replace);

struct outfile {
    FILE *file; /* NULL: it is not open */
    struct outfile_place at;
    char beside[PATH_MAX]; /* the temporary name; "": there is none */
    bool replace;
};

/* Local. Opens `path`, which stays the caller's; "-" is standard output, whatever
 * `how`. 0, or -errno with a sentence; outfile_close may be called all the same. */
int outfile_open(struct outfile *o, const char *path, enum outfile_how how);

/* Local. Ends it: if `rc` is 0, the file gets its name; if not, it is removed, and what
 * was there before stays. Returns `rc`, or -errno with a sentence. What standard output
 * did not take is told where the program ends. Closes none that is not open. */
int outfile_close(struct outfile *o, int rc);

#endif
