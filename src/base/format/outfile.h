/* A file under a name that the user gave: the one rule that all programs follow
 * (doc/report-schema.md, "Files that the user names").
 *
 * - A regular file is replaced as a whole: the new one is written beside it under a
 *   unique name, and renamed when it is complete. A signal removes it.
 * - A symbolic link is followed: its target is replaced, and the link stays. A dangling
 *   link is refused.
 * - A pipe and a character device are written to by programs that write from front to
 *   end; other programs refuse them.
 * - Anything else at the path is refused. */
#ifndef BASE_FORMAT_OUTFILE_H
#define BASE_FORMAT_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* The way a file is written: a sum of these. */
enum outfile_how {
    OUTFILE_WHOLE = 0,  /* at any offset, or repeatedly: regular files only */
    OUTFILE_STREAM = 1, /* from front to end: pipes and devices, too */
    OUTFILE_NEW = 2     /* a regular file must not exist yet */
};

struct outfile_place {
    char path[PATH_MAX]; /* path of the file, not through a link */
    bool there;          /* something exists at the path */
    bool direct;         /* a pipe or a device, which is opened and kept */
    int standard;        /* an open descriptor (1 or 2) of the same file; or -1 */
    const char *why;     /* reason if it is refused */
};

/* Local. Applies the rule to `path`. Returns 0, or -errno with at->why and without
 * a sentence. */
int outfile_find(struct outfile_place *at, const char *path, enum outfile_how how);

/* Local. Renames the complete file `from` to `to`, which must be free unless `replace`,
 * if the file system can check it. Returns 0, or -errno without a sentence. */
int outfile_rename(const char *from, const char *to, bool replace);

struct outfile {
    FILE *file; /* NULL: not open */
    struct outfile_place at;
    char beside[PATH_MAX]; /* the temporary name; "": none */
    bool replace;
};

/* Local. Opens `path`, which stays the caller's; "-" is standard output,
 * whatever `how`. Returns 0, or -errno with a sentence; outfile_close may be
 * called in any case. */
int outfile_open(struct outfile *o, const char *path, enum outfile_how how);

/* Local. Ends the file: if `rc` is 0 it gets its name; if not, it is removed, and an
 * older file stays. Returns `rc`, or -errno with a sentence. Errors of standard output
 * are reported at the end of the program. Does nothing if the file is not open. */
int outfile_close(struct outfile *o, int rc);

#endif
