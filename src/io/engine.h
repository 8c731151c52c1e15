/* What an engine is. Included only inside src/io: programs use io.h. */
#ifndef IO_ENGINE_H
#define IO_ENGINE_H

#include "io/io.h"

enum io_engine_can {
    IO_CAN_COLLECTIVE = 1, /* honours IO_COLLECTIVE */
    IO_CAN_HINTS = 2,
    IO_HAS_NO_FILE = 4,     /* nothing is stored: no file to create, none to verify */
    IO_CAN_DIRECT = 8,      /* honours IO_DIRECT */
    IO_NEEDS_DIRECT = 16,   /* asynchronous only then: else it blocks in start */
    IO_CAN_WRITE_BACK = 32, /* honours IO_WRITE_BACK */
    IO_IS_FOLDER = 64,      /* what it stores is a folder with files */
    IO_WRAPS = 128,         /* another engine moves the bytes: option inner=NAME */
    IO_CAN_BE_INNER = 256,  /* ... this one: a plain file, and synchronous */
    IO_SYNC_TOGETHER = 512, /* sync is a collective call: all ranks must make it */
    IO_CALLS_MPI = 1024,    /* transfers call MPI, which only the thread that began MPI
                               may do */
    IO_CAN_SHARE = 2048,    /* asynchronous, and a queue may have several files */
    IO_OWN_FORMAT = 4096,   /* what it stores is not the bytes at their offsets */
    IO_IN_KERNEL = 16384,   /* asynchronous: the kernel has the queue */
    IO_OPENS_AT_ONCE = 8192 /* open makes the file, too (io_file_make), takes part where
                               a rank cannot (f->unready, absent), and agrees */
};

/* Functions return 0 or -errno after err_set, and never print. open, sync and close
 * are collective on f->comm but need not agree: whoever calls them does. An engine
 * finishes short transfers itself, sets rc and done of each request, and never takes
 * the time. A new engine is a file like engine_null.c and a line in engines.c
 * (doc/adding-an-engine.md). */
struct io_engine {
    const char *name;
    const char *reason; /* why it is not built; NULL if it is */
    int can;            /* enum io_engine_can */
    /* What it takes after the colon, "a|b=word/word|c[=1]": a number of at least 1, one
     * of the words, and what may stand alone. NULL: nothing. */
    const char *options;
    /* Whether this kernel lets this process use it: 0 or -errno. NULL: it does. */
    int (*usable)(void);
    /* Local. What requests are handed to, before any file is there, and its end, after
     * the last one. NULL: nothing is needed. */
    int (*queue_open)(struct io_queue *q);
    void (*queue_close)(struct io_queue *q);
    /* Opens the file, whose requests come by way of f->queue. */
    int (*open)(struct io_file *f);
    /* IO_OPENS_AT_ONCE: takes part in an open on behalf of a rank that has no memory
     * for it. Returns what all ranks' open returns. */
    int (*absent)(const struct io_open *o, int rc);
    /* Submits all n now; each has its file. A failed request is no failure of start:
     * its rc tells. */
    int (*start)(struct io_queue *q, struct io_req *r[], int n);
    /* Hands back between min and max finished requests in done[]; returns how
     * many, or -errno. min 0: poll; min 1: wait, for limit_s at most (0: no limit),
     * and fewer than min may come back. NULL: the engine is synchronous. */
    int (*reap)(struct io_queue *q, struct io_req *done[], int max, int min,
                double limit_s);
    /* Local. What it holds back in the process's memory goes to the file; discard: what
     * it has read ahead is forgotten, too. NULL: it holds nothing back. */
    int (*flush)(struct io_file *f, bool discard);
    /* Makes what this rank wrote durable, as far as it can without waiting for others;
     * f->failed: only takes part. NULL: nothing to do. */
    int (*sync)(struct io_file *f);
    /* The rest, after all ranks have come through sync: what waits for them. NULL. */
    int (*meet)(struct io_file *f);
    /* Local. The run has made the file so long (io_file_cut). NULL: nobody asks. */
    void (*was_cut)(struct io_file *f, int64_t bytes);
    /* What of the file is still under way is never handed back. */
    int (*close)(struct io_file *f);
    /* For io_file_size; NULL: what the file system says of f->path. */
    int (*size)(struct io_file *f, int64_t *bytes);
    /* For io_file_partition; NULL: it does not partition. */
    void (*partition)(const struct io_file *f, struct io_partition *out);
};

/* What requests go through, of one file or of several. One thread's at a time. */
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
    int users;       /* its files, and whoever opened it */
    int under_way;   /* started and not reaped */
    bool late;       /* something under way did not finish in time */
    int first_rc;    /* of requests reaped since the last wait for all */
    int64_t done_ns; /* when requests were last found done */
    void *priv;      /* the engine's own */
};

struct io_file {
    const struct io_engine *engine;
    struct io_queue *queue;
    MPI_Comm comm;
    int rank;            /* in comm */
    char *path;          /* absolute */
    char *mpi_path;      /* the same file, for MPI libraries: see io_file_open */
    int folder;          /* descriptor that mpi_path goes through; -1: none */
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
    const struct io_striping *striping; /* likewise; NULL: none was asked for */
    const char *layer;                  /* set by open */
    const char *caveat;                 /* set by open, or NULL: see io_file_caveat */
    const char *in_turn;                /* likewise: see io_file_in_turn */
    struct io_hint *hints_in_effect;    /* set by open; freed by the core */
    int hints_in_effect_count;
    int unready;   /* valid during open only: why this rank cannot; 0 */
    bool created;  /* by rank 0 of comm, in this open */
    int under_way; /* of the queue's, this file's */
    int align;     /* of direct I/O, in bytes */
    bool failed;   /* this rank's transfers did: its sync is for the others' sake */
    void *priv;    /* the engine's own */
};

extern const struct io_engine *const io_engines[];        /* ends with NULL */
const struct io_engine *io_engine_find(const char *spec); /* NULL: none */

/* Local. What stands after "inner=" in an engine's options, or "posix". */
const char *io_engine_inner(const char *options);

/* Local. The number after "key=" in a file's or a queue's options, 1 where "key" stands
 * alone, or `preset`. */
int64_t io_option(const char *options, const char *key, int64_t preset);

/* Local. Whether "key=word" is among them. */
bool io_option_is(const char *options, const char *key, const char *word);

/* Local, on rank 0. Makes the file, or the folder, that f->flags ask for. */
int io_file_make(struct io_file *f);

/* Local. open(2) as f->flags say, for engines with a descriptor: it, or -errno with a
 * sentence. */
int io_descriptor_open(const struct io_file *f);

/* Local. The same to map the file: what is only to be written is opened to be read,
 * too, as the kernel maps no other descriptor. */
int io_descriptor_open_to_map(const struct io_file *f);

/* Local. Records "write of 4096 bytes ...: reason" for a request that failed after
 * r->done bytes, with its file and the offset of the first byte that was not moved;
 * sets its rc. Returns rc. */
int io_req_fail(struct io_req *r, int code, const char *why);

/* Local. Whether so many bytes are all that a request needs. */
static inline bool io_req_enough(const struct io_req *r, int64_t done)
{
    return done == r->bytes || (r->least && done >= r->least);
}

/* Local. For sentences about a queue: the file that it is for; NULL: there may be
 * several. */
const char *io_queue_path(const struct io_queue *q);

/* Local. As scratch_create, with stripes; open to be read only. 0, or -errno with a
 * sentence, and there is no file. In fs/stripe.c, for io.c. */
int io_stripe_create(const char *path, const struct io_striping *s, int *fd);

/* ---- between io.c and queue.c -------------------------------------------------- */

/* Local. As io_queue_open; only: the file it is for, NULL: for several. */
int io_queue_make(struct io_queue **q, const struct io_queue_open *o,
                  const struct io_file *only);

/* Local. The file's queue is one user less, the last of whom closes it; what the engine
 * dropped of the file is not under way any more. */
void io_queue_leave(struct io_file *f);

/* Local. Before a file of the queue is closed: waits for its requests, but not again
 * for what did not finish in time. *limit_s: what is left for closing it. Returns 0 or
 * the first failed request's rc where the queue has no other file. */
int io_queue_part_with(struct io_file *f, double *limit_s);

#endif
