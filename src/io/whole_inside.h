/* Internals of io/whole*.c: an open directory, and the common beginning, timing and
 * failure of calls on its files. */
#ifndef IO_WHOLE_INSIDE_H
#define IO_WHOLE_INSIDE_H

#include "io/engine.h"
#include "io/whole.h"
#include <dirent.h>
#include <sys/stat.h>

#define NOT_MADE "the directory is not one that this run made, and is left as it is"

#define NO_NAME "this is not the name of a file in the directory"

struct io_folder {
    int fd;
    char *path;
    bool made; /* the run made it: its content may be changed, and has no links */
    int how;   /* flag of each open: O_DIRECT or 0 */
    DIR *listing;
    uint64_t inode;          /* of the last name listed */
    unsigned char type;      /* type of that name: DT_ of <dirent.h> */
    struct whole_ring *ring; /* NULL: there is none, or not yet */
    bool tried;              /* making a ring was tried */
    int under_way;
    struct io_whole *ready[IO_WHOLE_DEPTH]; /* files read without a ring, not
                                             * reaped yet */
    int ready_count;
};

/* Local. Begins a call. Returns true if it is valid so far: the name is that of a file
 * in the directory, and a call that `changes` needs a directory that the run made. */
bool whole_begin(const struct io_folder *d, struct io_whole *w, bool changes);

/* Local. Records a failure. The first one stays; later ones are its consequences. */
void whole_fail(const struct io_folder *d, struct io_whole *w, int code,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void whole_fail_open(const struct io_folder *d, struct io_whole *w, int code,
                     const char *what);

/* Local. Fails unless it is a regular file. */
void whole_plain(const struct io_folder *d, struct io_whole *w, const struct stat *st);

/* Local. Nanoseconds since *at, which is set to now. */
int64_t whole_part(int64_t *at);

/* Local. Syncs the file unless a call on it has failed. */
void whole_sync(const struct io_folder *d, struct io_whole *w, int fd);

/* Local. Closes the file if it is open, and reports a failure. */
void whole_close(const struct io_folder *d, struct io_whole *w, int fd);

/* ---- a ring of reads ------------------------------------------------------------- */

struct whole_ring;

/* Local. Opens and tests a ring for IO_WHOLE_DEPTH files. -errno without a sentence:
 * there is none here. */
int whole_ring_open(struct whole_ring **ring);
void whole_ring_close(struct whole_ring **ring);

/* Local. Adds the read of file w, in the directory with descriptor `folder`, opened
 * with `how`; there must be room. */
void whole_ring_add(struct whole_ring *ring, int folder, int how, struct io_whole *w);

/* Local. Submits the added reads. Returns 0 or -errno. */
int whole_ring_submit(struct whole_ring *ring);

/* A finished read: the results of its three steps, each -errno or bytes. */
struct whole_done {
    struct io_whole *whole;
    int opened, read, closed;
};

/* Local. Takes up to max finished reads; waits for one if `wait`, for at most limit_s
 * (0: no limit). Returns their number, or -errno. */
int whole_ring_reap(struct whole_ring *ring, struct whole_done *done, int max,
                    bool wait, double limit_s);

#endif
