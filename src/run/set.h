/* File sets: the files of one lane in a folder of its own, opened, written and removed
 * without a word to other lanes or ranks. How many there are is nobody's business: the
 * scratch table has the folder (base/scratch.h). The verdict is agreed upon at the end
 * of the phase, as that of transfers.
 *
 * Files are whole ones (io/whole.h), moved in one go, or opened as any other. */
#ifndef RUN_SET_H
#define RUN_SET_H

#include "io/whole.h"
#include "run/run.h"

struct run_set {
    struct run *run;
    struct io_folder *folder; /* NULL while closed, and where nothing is stored */
    const char *role;         /* NULL: it is an input */
    int place;                /* the worker whose files they are */
    bool made;                /* this lane's folder is there */
    char path[4096];
};

enum { RUN_SET_NAME = 24, RUN_SET_PATH = 4096 + 256 };

/* Local, of a lane, as all below: `r` is its own run. Names the set that this lane's
 * files of `role` are in. */
void run_set_name(struct run_set *s, struct run *r, const char *role);

/* Local. While it is closed: that of another worker is opened next, to be read. */
void run_set_of(struct run_set *s, int worker);

/* Local. A folder with files that the run did not make: they are read, and never
 * changed. */
void run_set_input(struct run_set *s, struct run *r, const char *path);

/* Local. Opens it (IO_READ, IO_WRITE); IO_CREATE makes it, or another one in the place
 * of what an earlier repetition has removed. Timed. A failure is kept, and returned. */
int run_set_open(struct run_set *s, int flags);

/* Local. Closes it. What was `written` is synced before (syncfs(2), timed as a sync)
 * where the policy says so. */
int run_set_close(struct run_set *s, bool written);

/* Local. Closes it, and removes it with all that is in it, unless --keep; never an
 * input. */
int run_set_remove(struct run_set *s);

/* Local. The name of its file i, "000000042", and the path of a file; return `out`. */
const char *run_set_member(int64_t i, char out[RUN_SET_NAME]);
const char *run_set_path(const struct run_set *s, const char *name,
                         char out[RUN_SET_PATH]);

/* Local. Names its file i for run_file_open, run_file_close and run_file_remove, which
 * tell nobody of it (run_file_local). */
void run_set_file(struct run_set *s, struct run_file *f, int64_t i, int64_t bytes,
                  int64_t max_request, int depth);

/* Local. One whole file, read, written or removed: its opening and closing, its
 * transfer and its sync timed apart, as activities and as operations. To read, its
 * cached pages are dropped before (--cache=flush), and in any case counted. Does
 * nothing after a failure, or where nothing is stored. A failure is kept, and
 * returned. */
int run_whole_read(struct run_set *s, struct io_whole *w);
int run_whole_write(struct run_set *s, struct io_whole *w, enum io_replace how,
                    bool sync);
int run_whole_remove(struct run_set *s, struct io_whole *w);

/* Local. Checks what was read: as many bytes as were written, with the stamp (mat,
 * version) of its worker (run_stamp). */
void run_whole_check(struct run_set *s, const struct io_whole *w, int64_t bytes,
                     int mat, int version);

#endif
