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
    bool uncached;            /* what of its files is in memory is nobody's question */
    char path[4096];
};

enum { RUN_SET_NAME = 24, RUN_SET_PATH = 4096 + 256 };

/* Local, of a lane, as all below: `r` is its own run. Names the set that this lane's
 * files of `role` are in. */
void run_set_name(struct run_set *s, struct run *r, const char *role);

/* Local. While it is closed: that of another worker is opened next, to be read. */
void run_set_of(struct run_set *s, int worker);

/* Local. A folder of which others know: of files that the run did not make, which are
 * read, and never changed; or one that it has made (io_folder_open), whose files all
 * lanes may write, and which goes with who made it. */
void run_set_input(struct run_set *s, struct run *r, const char *path);

/* Local. Opens the folder `name` within one that is open already, which others may have
 * open, too; what is in it is `worker`'s. Timed, and no call of the report's: it is on
 * the way to files. run_set_leave closes it. A failure is kept, and returned. */
int run_set_enter(struct run_set *s, struct run *r, const struct io_folder *in,
                  const char *name, int worker);
void run_set_leave(struct run_set *s);

/* Local. Opens it (IO_READ, IO_WRITE); IO_CREATE makes it, or another one in the place
 * of what an earlier repetition has removed. Timed. A failure is kept, and returned. */
int run_set_open(struct run_set *s, int flags);

/* Local. Closes it. What was `written` is synced before (io_sync_dir, timed as a sync)
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

/* Local. The same of one that is read in parts (io_whole_open, io_whole_head), of whose
 * cached pages somebody else sees. A failure is kept, and returned; that one that is
 * `fleeting` is gone is returned, and no failure. */
int run_whole_open(struct run_set *s, struct io_whole *w);
int run_whole_head(struct run_set *s, struct io_whole *w);
int run_whole_part(struct run_set *s, struct io_whole *w);
int run_whole_again(struct run_set *s, struct io_whole *w);
int run_whole_close(struct run_set *s, struct io_whole *w);

/* Local. The same of whole files that the kernel reads, several at once
 * (io_whole_start): begins with one; takes one that is done. What is waited for is time
 * of reading, and each part an operation. NULL: all is done, or the run has failed. */
int run_whole_start(struct run_set *s, struct io_whole *w);
struct io_whole *run_whole_reap(struct run_set *s);

/* Local. One name: opened and closed again, looked at, renamed, and folders made and
 * removed, in the same way; each a call of the report's (enum phase_op). */
int run_whole_touch(struct run_set *s, struct io_whole *w);
int run_whole_stat(struct run_set *s, struct io_whole *w);
int run_whole_rename(struct run_set *s, struct io_whole *w, const char *to);
int run_folder_make(struct run_set *s, struct io_whole *w);
int run_folder_remove(struct run_set *s, struct io_whole *w);

/* Local. What is to be called w->name: whether it is there, without a call of the
 * report's: it is care (ACT_CHECK). 1, 0, or -errno with a sentence, which is kept. */
int run_whole_is_there(struct run_set *s, struct io_whole *w);

/* Local. The next names in the folder, `most` at most, of RUN_SET_LISTED bytes each;
 * returns how many; fewer than `most`: the folder has ended, or the run has failed.
 * *ns grows by the time of it: a listing is one call, which its caller tells (phase_op)
 * when it has ended. */
enum { RUN_SET_LISTED = 256 };
int run_set_list(struct run_set *s, char (*name)[RUN_SET_LISTED], int most,
                 int64_t *ns);

/* Local. An answer that is wrong: it counts as checked and bad, and is the run's
 * failure, with the path and `fmt`: what was found, and what was expected. Does nothing
 * after a failure. run_set_right counts one that is right. */
void run_set_wrong(struct run_set *s, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void run_set_right(struct run_set *s);

/* Local. Checks what was read: as many bytes as were written, with the stamp (mat,
 * version) of its worker (run_stamp). */
void run_whole_check(struct run_set *s, const struct io_whole *w, int64_t bytes,
                     int mat, int version);

#endif
