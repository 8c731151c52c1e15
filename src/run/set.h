/* File sets: the files of one lane in a directory of its own, opened, written and
 * removed without other lanes or ranks. The number of files is not known to others: the
 * scratch table has the directory (base/scratch.h). Ranks agree on the verdict at the
 * end of the phase, as for transfers.
 *
 * Files are moved whole (io/whole.h), or opened as any other file. */
#ifndef RUN_SET_H
#define RUN_SET_H

#include "io/whole.h"
#include "run/run.h"

struct run_set {
    struct run *run;
    struct io_folder *folder; /* NULL while closed, and if nothing is stored */
    const char *role;         /* NULL: an input */
    int place;                /* the worker that owns the files */
    bool made;                /* this lane's directory exists */
    bool uncached;            /* cached pages of its files are neither dropped
                               * nor counted */
    char path[4096];
};

enum { RUN_SET_NAME = 24, RUN_SET_PATH = 4096 + 256 };

/* Local, of a lane, as all below: `r` is the lane's run. Names the set of this lane's
 * files of `role`. */
void run_set_name(struct run_set *s, struct run *r, const char *role);

/* Local, while the set is closed. Chooses another worker's set to be opened next,
 * for reading. */
void run_set_of(struct run_set *s, int worker);

/* Local. Names a directory that is known to others: one with files that the run did not
 * make, which are read, and never changed; or one that the run has made
 * (io_folder_open), whose files all lanes may write, and which its maker removes. */
void run_set_input(struct run_set *s, struct run *r, const char *path);

/* Local. Opens the directory `name`, which holds files of `worker`, within one that
 * is already open, perhaps by others, too. Timed, but not counted as a call in the
 * report, as it only leads to files. run_set_leave closes it. A failure is kept,
 * and returned. */
int run_set_enter(struct run_set *s, struct run *r, const struct io_folder *in,
                  const char *name, int worker);
void run_set_leave(struct run_set *s);

/* Local. Opens the set (IO_READ, IO_WRITE); IO_CREATE makes it, or makes it again after
 * an earlier repetition has removed it. Timed. A failure is kept, and returned. */
int run_set_open(struct run_set *s, int flags);

/* Local. Closes the set. If it was `written` and the policy says so, syncs it before
 * (io_sync_dir, timed as a sync). */
int run_set_close(struct run_set *s, bool written);

/* Local. Closes the set, and removes it with all its files, unless --keep; never
 * an input. */
int run_set_remove(struct run_set *s);

/* Local. The name of file i of the set, "000000042", and the path of a file;
 * return `out`. */
const char *run_set_member(int64_t i, char out[RUN_SET_NAME]);
const char *run_set_path(const struct run_set *s, const char *name,
                         char out[RUN_SET_PATH]);

/* Local. Names file i of the set for run_file_open, run_file_close and run_file_remove,
 * all without other ranks (run_file_local). */
void run_set_file(struct run_set *s, struct run_file *f, int64_t i, int64_t bytes,
                  int64_t max_request, int depth);

/* Local. Read, write or remove one whole file; opening and closing, transfer and sync
 * are timed apart, as activities and as operations. Before reading, cached pages are
 * counted, and with --cache=flush dropped. Do nothing after a failure, or if nothing is
 * stored. A failure is kept, and returned. */
int run_whole_read(struct run_set *s, struct io_whole *w);
int run_whole_write(struct run_set *s, struct io_whole *w, enum io_replace how,
                    bool sync);
int run_whole_remove(struct run_set *s, struct io_whole *w);

/* Local. As run_whole_read, for a file read in parts (io_whole_open, io_whole_head),
 * whose cached pages the caller manages. A failure is kept, and returned; that a
 * `fleeting` file is gone is returned, but is no failure. */
int run_whole_open(struct run_set *s, struct io_whole *w);
int run_whole_head(struct run_set *s, struct io_whole *w);
int run_whole_part(struct run_set *s, struct io_whole *w);
int run_whole_again(struct run_set *s, struct io_whole *w);
int run_whole_close(struct run_set *s, struct io_whole *w);

/* Local. As run_whole_read, for files that the kernel reads concurrently
 * (io_whole_start): start begins one; reap returns one that is done. Waiting counts
 * as time of reading, and each part as an operation. NULL: all are done, or the run
 * has failed. */
int run_whole_start(struct run_set *s, struct io_whole *w);
struct io_whole *run_whole_reap(struct run_set *s);

/* Local. Work on one name: open and close it, stat it, rename it, link to it, change
 * its properties, and make and remove directories; each is a call in the report (enum
 * phase_op). */
int run_whole_touch(struct run_set *s, struct io_whole *w);
int run_whole_stat(struct run_set *s, struct io_whole *w);
int run_whole_rename(struct run_set *s, struct io_whole *w, const char *to);
int run_whole_link(struct run_set *s, struct io_whole *w, const char *to);
int run_whole_symlink(struct run_set *s, struct io_whole *w, const char *to);
int run_whole_readlink(struct run_set *s, struct io_whole *w);
int run_whole_chmod(struct run_set *s, struct io_whole *w);
int run_whole_setxattr(struct run_set *s, struct io_whole *w);
int run_whole_getxattr(struct run_set *s, struct io_whole *w);
int run_folder_make(struct run_set *s, struct io_whole *w);
int run_folder_remove(struct run_set *s, struct io_whole *w);

/* Local. Tests whether w->name exists, without a call in the report: this is care
 * (ACT_CHECK). Returns 1, 0, or -errno with a sentence, which is kept. */
int run_whole_is_there(struct run_set *s, struct io_whole *w);

/* Local. Reads the next names in the directory, at most `most`, of RUN_SET_LISTED bytes
 * each. Returns their number; less than `most`: the directory has ended, or the run has
 * failed. Adds the time to *ns: a listing is one call, which its caller reports
 * (phase_op) when it has ended. */
enum { RUN_SET_LISTED = 256 };
int run_set_list(struct run_set *s, char (*name)[RUN_SET_LISTED], int most,
                 int64_t *ns);

/* Local. Counts a wrong answer as checked and bad, and as the run's failure, with the
 * path and `fmt`, which says what was found and what was expected. Does nothing after a
 * failure. run_set_right counts a right answer. */
void run_set_wrong(struct run_set *s, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void run_set_right(struct run_set *s);

/* Local. Checks what was read: all `bytes` that were written, with the stamp (mat,
 * version) of their worker (run_stamp). */
void run_whole_check(struct run_set *s, const struct io_whole *w, int64_t bytes,
                     int mat, int version);

#endif
