/* Inputs of outcore's programs: rows of one size in one file that all lanes of all
 * ranks read, which either is made, by all of them, or was given (--input). What is
 * made is the same for any number of ranks and lanes. */
#ifndef OUTCORE_DATA_MAKE_H
#define OUTCORE_DATA_MAKE_H

#include "outcore/data/written.h"
#include "run/run.h"

/* Rows of a file, each computed from its number alone. */
struct data_rows {
    int64_t bytes; /* of a row, at most DATA_ROW_MAX */
    int64_t n;
    /* Rows first .. first + n - 1, packed, n > 0; any thread. */
    void (*make)(const void *context, int64_t first, int64_t n, void *to);
    const void *context;
};

#define DATA_ROW_MAX (1 << 20)

/* What making takes of a lane's memory, while it is done. */
#define DATA_MAKE_MEMORY (5 << 20)

struct data_file {
    char path[4096];
    bool given;          /* with --input: it is never changed or removed */
    bool may_be_empty;   /* where it is given */
    struct io_input is;  /* where it is given: size and time */
    int64_t bytes;       /* of all rows */
    struct run_file *of; /* of each lane of the rank; the plan makes it */
    struct written sums; /* where it is made: of all that all ranks wrote, and of what
                            this one reads, */
    int64_t from, to;    /* which are bytes from .. to - 1 */
};

/* **Collective**, in `plan`. The input is `path`, of whole rows of row_bytes. `alone`:
 * the run makes no other files, and --dir is not looked at (r->input). Returns the
 * agreed verdict: what io_input_of says, or -EINVAL where a row is cut short. */
int data_given(struct run *r, struct data_file *d, const char *path, int64_t row_bytes,
               bool alone);

/* Local. 0, or -EINVAL with a sentence where the last row is cut short. */
int data_whole_rows(const struct data_file *d, int64_t row_bytes);

/* Local, in `plan`. The input will be made: n rows. -EINVAL with a sentence where a
 * file cannot have so many bytes, -ENOMEM. */
int data_planned(const struct run *r, struct data_file *d,
                 const struct data_rows *rows);

/* **Collective**, in `open`, of an input that was given: says what it is. Returns the
 * agreed verdict. */
int data_say(struct run *r, const struct data_file *d);

/* Local, in each repetition, before data_make: the file of --dir, where it is not
 * given; and the requests that it will be read with. */
void data_name(struct run *r, struct data_file *d, const char *role,
               int64_t max_request, int depth);

/* *Collective**, outside of phases: phase `make`, which is none of the work. Makes the
 * file, durable where the policy flushes; nothing where it was given. Returns the
 * agreed verdict. */
int data_make(struct run *r, struct data_file *d, const struct data_rows *rows);

/* **Collective**, in a phase. For all lanes: d->of[i] is lane i's. Opening drops what
 * the page cache has of it, as the policy says. Return r->failed. */
int data_open(struct run *r, struct data_file *d);
int data_close(struct run *r, struct data_file *d);

/* A pass in which all ranks together read each byte once may be held against what was
 * written, where the file was made; of one that was given nothing is known. */

/* Local, before the pass, in which this rank reads bytes from .. to - 1. */
void data_sums_begin(struct data_file *d, int64_t from, int64_t to);

/* Local, by a lane, in the pass. It has read n bytes at offset `at`. */
void data_sums_add(const struct data_file *d, int64_t at, const void *from, int64_t n);

/* **Collective**, in the phase, after the pass. A failure is kept: -EIO with the block
 * in which bytes were read that were not written. */
void data_sums_check(struct run *r, const struct data_file *d);

/* **Collective**, at the end of a repetition, also of one that failed. Removes what was
 * made, unless --keep. Returns the agreed verdict. */
int data_remove(struct run *r, struct data_file *d);

/* Local, in `results`: warns where a given input was changed meanwhile. */
void data_again(struct run *r, const struct data_file *d);

/* Local, in `close`. */
void data_free(struct data_file *d);

/* ---- for outcore gen and data_make ----------------------------------------------- */

/* Requests of files that data_write writes: DATA_SLOTS of DATA_SLOT_BYTES. */
enum { DATA_SLOT_BYTES = 1 << 20, DATA_SLOTS = 2 };

/* Local, on the rank's thread, in a phase. Writes this rank's rows to a file that all
 * lanes have open; of[i] is lane i's. Adds what it writes to sums->written; NULL: to
 * none. A failure is kept. */
void data_write(struct run *r, struct run_file of[], const struct data_rows *rows,
                const struct written *sums);

/* Local, after the phase that wrote a file of so many bytes so: 0, or -EIO with a
 * sentence where other bytes were counted. */
int data_written(const struct run *r, const char *phase, const char *path,
                 int64_t bytes);

/* Local. The first row of worker w of n, which has those up to the next one's first: in
 * whole blocks of a device, so that no two write to one. */
int64_t data_share(const struct data_rows *rows, int w, int n);

#endif
