/* Functions of the C library that walk through directories. Their inner calls are not
 * seen: each is one event, with all its time. */
#include "iotrace/preload/metadata.h"
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>

typedef int walk_filter(const struct dirent *);
typedef int walk_order(const struct dirent **, const struct dirent **);

WRAP(int, scandir,
     (const char *path, struct dirent ***list, walk_filter *filter, walk_order *order))
{
    struct event e = event_now();
    return (int)metadata_done(&e, OP_SCANDIR, AT_FDCWD, path, 0,
                              REAL(scandir)(path, list, filter, order));
}
ALIAS(scandir64, scandir);

WRAP(int, scandirat,
     (int dir, const char *path, struct dirent ***list, walk_filter *filter,
      walk_order *order))
{
    struct event e = event_now();
    return (int)metadata_done(&e, OP_SCANDIRAT, dir, path, 0,
                              REAL(scandirat)(dir, path, list, filter, order));
}
ALIAS(scandirat64, scandirat);

WRAP(int, glob,
     (const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *g))
{
    struct event e = event_now();
    int rc = REAL(glob)(pattern, flags, on_error, g);
    event_over(&e);
    int error = errno;
    e.file = name_of_path(pattern, -1);
    event_put(&e, OP_GLOB, -1, flags,
              rc == GLOB_NOMATCH ? -ENOENT
              : rc               ? -EIO
                                 : (int64_t)g->gl_pathc);
    errno = error;
    return rc;
}
ALIAS(glob64, glob);

/* ---- a tree. The program's calls for each file have events of their own, whose time
 * is not the walk's. ---- */

static __thread struct walk {
    int (*each)(const char *, const struct stat *, int);
    int (*each_more)(const char *, const struct stat *, int, struct FTW *);
    uint64_t ticks;
} walk;

static int walk_each(const char *path, const struct stat *s, int type)
{
    uint64_t from = clock_ticks();
    int rc = walk.each(path, s, type);
    walk.ticks += clock_ticks() - from;
    return rc;
}

static int walk_each_more(const char *path, const struct stat *s, int type,
                          struct FTW *place)
{
    uint64_t from = clock_ticks();
    int rc = walk.each_more(path, s, type, place);
    walk.ticks += clock_ticks() - from;
    return rc;
}

static int walked(struct event *e, enum trace_op op, const char *path, int flags,
                  int rc, const struct walk *outer)
{
    event_over(e);
    uint64_t own = e->end - e->start;
    e->end -= walk.ticks < own ? walk.ticks : own;
    walk = *outer;
    walk.ticks += own;
    int error = errno;
    e->file = name_of_path(path, -1);
    event_put(e, op, -1, flags, rc < 0 ? -error : 0);
    errno = error;
    return rc;
}

WRAP(int, ftw,
     (const char *path, int (*each)(const char *, const struct stat *, int),
      int fds_at_once))
{
    struct walk outer = walk;
    struct event e = event_now();
    walk = (struct walk){.each = each};
    return walked(&e, OP_FTW, path, 0, REAL(ftw)(path, walk_each, fds_at_once), &outer);
}
ALIAS(ftw64, ftw);

WRAP(int, nftw,
     (const char *path,
      int (*each)(const char *, const struct stat *, int, struct FTW *),
      int fds_at_once, int flags))
{
    struct walk outer = walk;
    struct event e = event_now();
    walk = (struct walk){.each_more = each};
    int rc = REAL(nftw)(path, walk_each_more, fds_at_once, flags);
    return walked(&e, OP_NFTW, path, flags, rc, &outer);
}
ALIAS(nftw64, nftw);

/* ---- a tree, file by file ---- */

typedef int fts_order(const FTSENT **, const FTSENT **);

WRAP(FTS *, fts_open, (char *const *paths, int flags, fts_order *order))
{
    struct event e = event_now();
    FTS *f = REAL(fts_open)(paths, flags, order);
    event_over(&e);
    int error = errno;
    if (f && paths[0])
        e.file = name_of_path(paths[0], -1);
    event_put(&e, OP_FTS_OPEN, -1, flags, f ? 0 : -error);
    errno = error;
    return f;
}
ALIAS(fts64_open, fts_open);

/* fts_read returns NULL at the end, with errno 0. */
WRAP(FTSENT *, fts_read, (FTS * f))
{
    struct event e = event_now();
    FTSENT *entry = REAL(fts_read)(f);
    event_over(&e);
    int error = errno;
    if (entry)
        e.file = name_of_path(entry->fts_path, -1);
    event_put(&e, OP_FTS_READ, -1, 0, entry ? 0 : -error);
    errno = error;
    return entry;
}
ALIAS(fts64_read, fts_read);

WRAP(FTSENT *, fts_children, (FTS * f, int options))
{
    struct event e = event_now();
    FTSENT *entry = REAL(fts_children)(f, options);
    event_put(&e, OP_FTS_CHILDREN, -1, options, entry ? 0 : -errno);
    return entry;
}
ALIAS(fts64_children, fts_children);

WRAP(int, fts_close, (FTS * f))
{
    struct event e = event_now();
    return (int)event_moved(&e, OP_FTS_CLOSE, -1, 0, REAL(fts_close)(f));
}
ALIAS(fts64_close, fts_close);
