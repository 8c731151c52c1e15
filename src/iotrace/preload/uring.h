/* io_uring: the rings, the requests that they were given, and their completions.
 * Programs take completions from memory that they share with the kernel, by functions
 * that are compiled into them. We read the same memory whenever the program makes a
 * call about the ring: earlier completions are still there, as only new submissions can
 * overwrite them. */
#ifndef IOTRACE_PRELOAD_URING_H
#define IOTRACE_PRELOAD_URING_H

#include "iotrace/preload/recorder.h"
#include <linux/io_uring.h>
#include <stdint.h>

enum { URING_FILES = 64 };

/* Bits of a ring's flags and features, for kernel headers that are older. */
enum {
    URING_KERNEL_POLLS = 1 << 1,
    URING_LIMITED_WAITS = 1 << 8,
    URING_LARGE_REQUESTS = 1 << 10,
    URING_LARGE_COMPLETIONS = 1 << 11,
    URING_NO_ARRAY = 1 << 16
};

struct uring {
    uintptr_t key; /* 0: free; URING_TAKEN: being filled */
    unsigned generation;
    /* place of its completions; tail NULL: not known (yet) */
    unsigned *tail;
    const char *completions;
    unsigned mask, shift; /* shift: completions are twice as large */
    unsigned seen;        /* completions up to here have been read */
    uintptr_t busy;       /* the thread that reads completions; 0: none */
    uint64_t submitted;   /* requests that we have seen */
    uint64_t lost;        /* completions that were overwritten before we read them */
    /* Registered files: a request then has a place in that list instead of a
     * descriptor. Nothing is known of files beyond it. */
    unsigned files;
    int fd[URING_FILES];
    /* for a ring that the program drives by system calls */
    bool by_calls;
    struct io_uring_params set;
    char *queue;
    const struct io_uring_sqe *requests;
    unsigned claimed;  /* requests up to here belong to a call */
    unsigned entering; /* calls that hand over requests */
    unsigned handing;  /* calls that have not remembered all of their requests yet */
};
#define URING_TAKEN ((uintptr_t)1)

/* Return the ring of this key; NULL: it is not known. uring_make makes an unknown one,
 * unless there are too many. */
struct uring *uring_find(uintptr_t key);
struct uring *uring_make(uintptr_t key);
void uring_forget(struct uring *r);
void uring_files(struct uring *r, const int *fd, unsigned n);

/* The requests of one call. Each is copied before the call: once the kernel has taken
 * it, another thread may put the next one in its place. */
struct uring_sent {
    uint64_t data;
    int64_t offset, asked;
    uint32_t file;
    int fd;
    enum trace_op op;
};

enum { URING_FEW = 8 };

struct uring_batch {
    unsigned n, known; /* handed over; remembered ones, at the begin */
    unsigned most;     /* room in `sent` */
    struct uring_sent *sent, few[URING_FEW];
    char *room;
};

/* Begins a call of n requests. uring_batch_end frees its memory. */
void uring_batch_begin(struct uring_batch *b, unsigned n);
void uring_batch_end(struct uring_batch *b);

/* uring_hand adds a request that is about to be handed over, and remembers it for its
 * completion. uring_unhand removes request i, which was not taken after all. `s` is its
 * place in the ring. */
void uring_hand(struct uring *r, const struct io_uring_sqe *s, struct uring_batch *b);
void uring_unhand(struct uring *r, const struct io_uring_sqe *s,
                  const struct uring_batch *b, unsigned i);

/* Records the event of request i, which was handed over within `call`; the first one
 * has the call's time. If it is not remembered, its bytes count at once. */
void uring_put(struct uring *r, const struct io_uring_sqe *s,
               const struct uring_batch *b, unsigned i, struct event *call);

/* Takes a turn that one thread at a time may have. A signal handler can interrupt the
 * thread that has it: no thread waits for itself, and none waits for ever. */
bool uring_turn(uintptr_t *owner);
void uring_turn_over(uintptr_t *owner);

/* Reads completions, which become events, unless another thread is doing so.
 * uring_look_before waits for that thread: new submissions can overwrite
 * completions. */
void uring_look(struct uring *r);
void uring_look_before(struct uring *r);

/* ---- rings that system calls drive ---- */
void uring_set_up(int fd, const struct io_uring_params *p);
void uring_mapped(int fd, uint64_t offset, char *at);
void uring_unmapped(const char *at);
bool uring_any_by_calls(void);
uintptr_t uring_key(int fd);

/* The state of a call of io_uring_enter, which may take n requests. */
struct uring_entry {
    struct uring *ring; /* NULL: it is not known */
    unsigned from;
    bool claims; /* counted in the ring's `entering` */
    struct uring_batch batch;
};
void uring_enters(struct uring_entry *e, int fd, unsigned n);
void uring_entered(struct uring_entry *e, const struct event *call, long taken);

/* Ends all rings with the process: reads the last completions, and returns the number
 * of rings, and of transfers, that passed unseen. */
void uring_end(uint64_t *rings, uint64_t *unseen);

#endif
