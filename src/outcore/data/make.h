/* Inputs of outcore's programs: rows of equal size in one file that all lanes of all
 * ranks read. The file is either made, by all of them, or given (--input). A made file
 * is the same for any number of ranks and lanes. */
#ifndef OUTCORE_DATA_MAKE_H
#define OUTCORE_DATA_MAKE_H

#include "outcore/data/consume.h"
#include "run/run.h"

/* Rows of a file, each computed from its number alone. */
struct data_rows {
    int64_t bytes; /* of a row, at most DATA_ROW_MAX */
    int64_t n;
    /* Makes rows first .. first + n - 1, packed, n > 0; any thread. */
    void (*make)(const void *context, int64_t first, int64_t n, void *to);
    const void *context;
};

#define DATA_ROW_MAX (1 << 20)

/* Bytes of a lane's memory while a file is made. */
#define DATA_MAKE_MEMORY (5 << 20)

struct data_file {
    char path[4096];
    bool given;          /* by --input: it is never changed or removed */
    bool may_be_empty;   /* if given */
    struct io_input is;  /* if given: size and time */
    int64_t bytes;       /* of all rows */
    struct run_file *of; /* for each lane of the rank; the plan makes it */
    struct written sums; /* if made: sums of what all ranks wrote, and of what this
                          * rank reads, */
    int64_t from, to;    /* which is bytes from .. to - 1 */
};

/* **Collective**, in `plan`. Sets the input to `path`, with rows of row_bytes. `alone`:
 * the run makes no other files, and --dir is not checked (r->input). Returns the agreed
 * verdict: that of io_input_of, or -EINVAL if the last row is incomplete. */
int data_given(struct run *r, struct data_file *d, const char *path, int64_t row_bytes,
               bool alone);

/* Local. Returns 0, or -EINVAL with a sentence if the last row is incomplete. */
int data_whole_rows(const struct data_file *d, int64_t row_bytes);

/* Local, in `plan`. Plans to make the input of n rows. Returns -EINVAL with a sentence
 * if a file cannot have so many bytes, or -ENOMEM. */
int data_planned(const struct run *r, struct data_file *d,
                 const struct data_rows *rows);

/* **Collective**, in `open`, for a given input: notes its properties. Returns the
 * agreed verdict. */
int data_say(struct run *r, const struct data_file *d);

/* Local, in each repetition, before data_make. Names the file in --dir, unless it is
 * given, and sets its requests. */
void data_name(struct run *r, struct data_file *d, const char *role,
               int64_t max_request, int depth);

/* **Collective**, outside of phases. Makes the file in phase `make`, which is not part
 * of the work; durable if the policy flushes; does nothing if it was given. Returns the
 * agreed verdict. */
int data_make(struct run *r, struct data_file *d, const struct data_rows *rows);

/* **Collective**, in a phase. Open and close it for all lanes: d->of[i] is lane i's.
 * Opening drops its cached pages, by the policy. Return r->failed. */
int data_open(struct run *r, struct data_file *d);
int data_close(struct run *r, struct data_file *d);

/* Verification. If the file was made, a pass in which all ranks together read each byte
 * once can be compared with what was written. */

/* Local, before the pass. Announces that this rank reads bytes from .. to - 1. */
void data_sums_begin(struct data_file *d, int64_t from, int64_t to);

/* Local, by a lane, in the pass. Adds n bytes that it has read at offset `at`. */
void data_sums_add(const struct data_file *d, int64_t at, const void *from, int64_t n);

/* **Collective**, in the phase, after the pass. Compares the sums. A failure is kept:
 * -EIO with the block in which wrong bytes were read. */
void data_sums_check(struct run *r, const struct data_file *d);

/* **Collective**, at the end of a repetition, even of a failed one. Removes the file if
 * it was made, unless --keep. Returns the agreed verdict. */
int data_remove(struct run *r, struct data_file *d);

/* Local, in `results`: warns if a given input was changed meanwhile. */
void data_again(struct run *r, const struct data_file *d);

/* Local, in `close`. Frees the memory. */
void data_free(struct data_file *d);

/* ---- for outcore gen and data_make ----------------------------------------------- */

/* Requests of files that data_write writes: DATA_SLOTS of DATA_SLOT_BYTES. */
enum { DATA_SLOT_BYTES = 1 << 20, DATA_SLOTS = 2 };

/* Local, on the rank's thread, in a phase. Writes this rank's rows to a file that all
 * lanes have open; of[i] is lane i's. Adds their checksums to sums->written, unless
 * NULL. A failure is kept. */
void data_write(struct run *r, struct run_file of[], const struct data_rows *rows,
                const struct written *sums);

/* Local, after the phase that wrote `bytes` so: returns 0, or -EIO with a sentence if
 * other bytes were counted. */
int data_written(const struct run *r, const char *phase, const char *path,
                 int64_t bytes);

/* Local. The first row of worker w of n, whose rows end at the next one's first: in
 * whole blocks of a device, so that no two workers write to one. */
int64_t data_share(const struct data_rows *rows, int w, int n);

#endif
