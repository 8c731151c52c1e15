/* The interface of an engine. Included only inside src/io: programs use io.h. */
#ifndef IO_ENGINE_H
#define IO_ENGINE_H

#include "io/io.h"
#include <stdbool.h>
#include <stddef.h>

enum io_engine_can {
    IO_CAN_COLLECTIVE = 1, /* honours IO_COLLECTIVE */
    IO_CAN_HINTS = 2,
    IO_HAS_NO_FILE = 4,     /* nothing is stored: there is no file to create
                             * or verify */
    IO_CAN_DIRECT = 8,      /* honours IO_DIRECT */
    IO_NEEDS_DIRECT = 16,   /* asynchronous only with IO_DIRECT: else start blocks */
    IO_CAN_WRITE_BACK = 32, /* honours IO_WRITE_BACK */
    IO_IS_FOLDER = 64,      /* it stores a directory with files */
    IO_WRAPS = 128,         /* another engine transfers the bytes: option inner=NAME */
    IO_CAN_BE_INNER = 256,  /* ... this one: it stores a regular file, synchronously */
    IO_SYNC_TOGETHER = 512, /* sync is a collective call: all ranks must make it */
    IO_CALLS_MPI = 1024,    /* transfers call MPI, which only the thread that
                             * initialized MPI may do */
    IO_CAN_SHARE = 2048,    /* asynchronous, and a queue may have several files */
    IO_OWN_FORMAT = 4096,   /* it does not store the bytes at their offsets */
    IO_IN_KERNEL = 16384,   /* asynchronous: the kernel has the queue */
    IO_CAN_DSYNC = 32768,   /* honours IO_DSYNC and IO_OSYNC: it writes by the
                             * descriptor of io_descriptor_open */
    IO_CAN_DATA_SYNC = 65536, /* honours IO_DATA_SYNC: it calls io_descriptor_sync */
    IO_OPENS_AT_ONCE = 8192 /* open also makes the file (io_file_make), takes part for a
                             * rank that cannot open (f->unready, absent), and agrees */
};

/* Functions return 0 or -errno after err_set, and never print. open, sync and close
 * are collective on f->comm but need not agree: their caller agrees. An engine
 * finishes short transfers itself, sets rc and done of each request, and never
 * reads the clock. A new engine is a file like engine_null.c and a line in
 * engines.c (doc/adding-an-engine.md). */
struct io_engine {
    const char *name;
    const char *reason; /* reason why it is not built; NULL if it is */
    int can;            /* enum io_engine_can */
    /* The options after the colon, "a|b=word/word|c[=1]": a takes a number of at least
     * 1, b one of the words, and c may stand alone. NULL: none. */
    const char *options;
    /* Tests whether this kernel lets this process use it: 0 or -errno. NULL: always. */
    int (*usable)(void);
    /* Local. Make the queue, before any file is open, and end it after the last file.
     * NULL: nothing to do. */
    int (*queue_open)(struct io_queue *q);
    void (*queue_close)(struct io_queue *q);
    /* Opens the file; its requests come through f->queue. */
    int (*open)(struct io_file *f);
    /* IO_OPENS_AT_ONCE: takes part in an open for a rank that has no memory for it.
     * Returns the same as open on all ranks. */
    int (*absent)(const struct io_open *o, int rc);
    /* Submits all n now; each has its file. A failed request does not fail start: its
     * rc has the error. */
    int (*start)(struct io_queue *q, struct io_req *r[], int n);
    /* Returns between min and max finished requests in done[], and their number or
     * -errno. min 0: polls; min 1: waits, for at most limit_s (0: no limit), and may
     * return fewer than min. NULL: the engine is synchronous. */
    int (*reap)(struct io_queue *q, struct io_req *done[], int max, int min,
                double limit_s);
    /* Local. Writes bytes held back in the process's memory to the file; discard: also
     * drops bytes that were read ahead. NULL: it holds nothing back. */
    int (*flush)(struct io_file *f, bool discard);
    /* Makes this rank's writes durable, as far as possible without waiting for others;
     * f->failed: only takes part. NULL: nothing to do. */
    int (*sync)(struct io_file *f);
    /* Completes the sync after all ranks have called sync: the part that waits for
     * them. NULL: nothing to do. */
    int (*meet)(struct io_file *f);
    /* Local. Called when the run has cut the file to `bytes` (io_file_cut). NULL:
     * not called. */
    void (*was_cut)(struct io_file *f, int64_t bytes);
    /* Closes the file. Its requests that are still in flight are never returned. */
    int (*close)(struct io_file *f);
    /* For io_file_size; NULL: the size of f->path in the file system. */
    int (*size)(struct io_file *f, int64_t *bytes);
    /* For io_file_partition; NULL: it does not partition. */
    void (*partition)(const struct io_file *f, struct io_partition *out);
};

/* A queue of requests of one file or of several. One thread uses it at a time. */
struct io_queue {
    const struct io_engine *engine;
    char *spec;
    const char *options;        /* after the colon of the spec; "" if none */
    const struct io_file *only; /* the file that it was made for; NULL: for several */
    int depth;
    int64_t max_request; /* 0: not known */
    double timeout_s;
    const struct iovec *buffers; /* valid during queue_open only */
    int buffer_count;
    int users;       /* its files, and its opener */
    int under_way;   /* started and not reaped */
    bool late;       /* a request did not finish in time */
    int first_rc;    /* first failure of requests reaped since the last wait for all */
    int64_t done_ns; /* time when finished requests were last found */
    void *priv;      /* data of the engine */
};

struct io_file {
    const struct io_engine *engine;
    struct io_queue *queue;
    MPI_Comm comm;
    int rank;            /* rank in comm */
    char *path;          /* absolute */
    char *mpi_path;      /* the same file's name for MPI libraries: see io_file_open */
    int folder;          /* descriptor of the directory that mpi_path names; -1: none */
    const char *options; /* the queue's */
    int flags;
    int64_t bytes, max_request;
    int depth; /* the queue's */
    double timeout_s;
    const struct io_hint *hints; /* valid during open only */
    int hint_count;
    const struct io_shape *shape;       /* valid during open only; may be NULL */
    const struct ldad_plan *plan;       /* valid during open only; may be NULL */
    const char *node_dirs;              /* valid during open only; may be NULL */
    const struct io_striping *striping; /* valid during open only; NULL:
                                         * not requested */
    const char *layer;                  /* set by open */
    const char *caveat;                 /* set by open, or NULL: see io_file_caveat */
    const char *in_turn;                /* likewise: see io_file_in_turn */
    struct io_hint *hints_in_effect;    /* set by open; freed by the core */
    int hints_in_effect_count;
    int unready;   /* valid during open only: this rank's reason not to open; 0: none */
    bool created;  /* rank 0 of comm created it in this open */
    int under_way; /* requests of this file that are in flight */
    int align;     /* alignment of direct I/O in bytes */
    bool failed;   /* this rank's transfers failed: it syncs only because others wait */
    void *priv;    /* data of the engine */
};

extern const struct io_engine *const io_engines[];        /* ends with NULL */
const struct io_engine *io_engine_find(const char *spec); /* NULL: none */

/* Local. The text after "inner=" in an engine's options, or "posix". */
const char *io_engine_inner(const char *options);

/* Local. The number after "key=" in a file's or a queue's options, 1 if "key" stands
 * alone, or `preset`. */
int64_t io_option(const char *options, const char *key, int64_t preset);

/* Local. True if the options contain "key=word". */
bool io_option_is(const char *options, const char *key, const char *word);

/* Local, on rank 0. Makes the file or the directory, as f->flags ask. */
int io_file_make(struct io_file *f);

/* Local. Calls open(2) by f->flags, for engines with a descriptor. Returns it, or
 * -errno with a sentence. */
int io_descriptor_open(const struct io_file *f);

/* Local. The same to map the file: a write-only file is opened for reading, too, as the
 * kernel maps no other descriptor. */
int io_descriptor_open_to_map(const struct io_file *f);

/* Local. Calls fsync(2), or with IO_DATA_SYNC fdatasync(2). Returns 0, or -errno with a
 * sentence. */
int io_descriptor_sync(const struct io_file *f, int fd);

/* Local. Records "write of 4096 bytes ...: reason" for a request that failed after
 * r->done bytes, with its file and the offset of the first byte not transferred. Sets
 * and returns its rc. */
int io_req_fail(struct io_req *r, int code, const char *why);

/* Local. The reason of a failure in words: strerror's, or better ones for what a file
 * system refuses; direct: past the page cache. */
const char *io_reason(bool direct, int code);

/* Local. True if `done` bytes complete a request. */
static inline bool io_req_enough(const struct io_req *r, int64_t done)
{
    return done == r->bytes || (r->least && done >= r->least);
}

/* Local. The path of a queue's only file, for sentences; NULL: it may have several. */
const char *io_queue_path(const struct io_queue *q);

/* Local. As scratch_create, with stripes; *fd is read-only. Returns 0, or -errno with a
 * sentence and no file. In fs/stripe.c, for io.c. */
int io_stripe_create(const char *path, const struct io_striping *s, int *fd);

/* ---- between io.c and queue.c -------------------------------------------------- */

/* Local. As io_queue_open; only: the file that it is for, NULL: for several. */
int io_queue_make(struct io_queue **q, const struct io_queue_open *o,
                  const struct io_file *only);

/* Local. Removes the file from its queue's users, the last of whom closes the queue;
 * its requests that the engine dropped no longer count as in flight. */
void io_queue_leave(struct io_file *f);

/* Local, before a file of the queue is closed. Waits for its requests, but not again
 * for those that did not finish in time. *limit_s: time left for closing it. Returns 0,
 * or the first failed request's rc if the queue has no other file. */
int io_queue_part_with(struct io_file *f, double *limit_s);

/* ---- copies from and to mapped files --------------------------------------------- */

/* Local, from any thread. Install the handler from the first guard_open to the last
 * guard_close. Returns 0, or -errno with a sentence. */
int guard_open(void);
void guard_close(void);

/* Local, between the two. Copies `bytes`; `mapped` is the side, `to` or `from`, that is
 * in a mapped file. Returns false if SIGBUS came; then the content of `to` is
 * undefined. The thread must not block SIGBUS. */
bool guard_copy(void *to, const void *from, size_t bytes, const void *mapped);

#endif
