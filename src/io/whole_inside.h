/* Inside of io/whole*.c: what an open folder is, and how a call on
 * a file in it begins, is timed and fails. */
#ifndef IO_WHOLE_INSIDE_H
#define IO_WHOLE_INSIDE_H

#include "io/whole.h"
#include <dirent.h>
#include <sys/stat.h>

#define NOT_MADE "the directory is not one that this run made, and is left as it is"

#define NO_NAME "this is not the name of a file in the directory"

struct io_folder {
    int fd;
    char *path;
    bool made; /* by the run: things in it may be changed, and are no links */
    int how;   /* of each open: O_DIRECT or 0 */
    DIR *listing;
    uint64_t inode;          /* of the name that was last in it */
    unsigned char type;      /* and what it says that this is: DT_ of <dirent.h> */
    struct whole_ring *ring; /* NULL: there is none, or it was not asked for yet */
    bool tried;              /* whether there is one */
    int under_way;
    struct io_whole *ready[IO_WHOLE_DEPTH]; /* read without a ring, not reaped yet */
    int ready_count;
};

/* Local. Whether nothing is wrong with the call so far: a name is that of a file in the
 * folder and nowhere else, and what `changes` needs a folder that the run made. */
bool whole_begin(const struct io_folder *d, struct io_whole *w, bool changes);

/* Local. The first failure stays; what comes after it is its consequence. */
void whole_fail(const struct io_folder *d, struct io_whole *w, int code,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void whole_fail_open(const struct io_folder *d, struct io_whole *w, int code,
                     const char *what);

/* Local. Fails unless that is a plain file. */
void whole_plain(const struct io_folder *d, struct io_whole *w, const struct stat *st);

/* Local. Nanoseconds since *at, which goes on. */
int64_t whole_part(int64_t *at);

/* Local. Closes it where it is open, and says where that failed. */
void whole_close(const struct io_folder *d, struct io_whole *w, int fd);

#endif
