/* What the files of the engine `part` share: an open container. */
#ifndef IO_PART_PART_H
#define IO_PART_PART_H

#include "io/engine.h"
#include "io/part/container.h"
#include "io/part/part_back.h"

enum { PART_SHARED = -1, PART_HOLE = -2 };

/* Bytes of the logical file that stand together, and where: in a partition, in the
 * shared part, or nowhere (they were never written, and read as zeros). */
struct part_place {
    int64_t part; /* or PART_SHARED, PART_HOLE */
    int64_t at;   /* offset there */
    int64_t bytes;
};

/* A partition that is read: large blocks go through a window, the reads of which are
 * longer than the chunks that are asked for. */
struct part_in {
    struct io_file *io; /* NULL: not open */
    int64_t size;       /* of the partition file, where open */
    char *window;       /* NULL: none */
    int64_t at, n;      /* what the window holds */
    int64_t next;       /* where the last read of it ended: what follows is expected */
    uint64_t turn;      /* when it was used last */
    int64_t ask, round; /* collective reads: which ask of which round is of it */
};

struct part {
    struct io_file *f;
    struct container c;
    char inner[256];     /* spec of the engine that moves bytes */
    struct io_file *own; /* this rank's partition, to write; NULL: it writes none */
    int64_t mine;        /* number of this rank's partition; -1: it has none */
    int64_t own_bytes;   /* how long it is */
    struct io_file *shared;
    struct {
        char *buf;
        int64_t room, at, n; /* n bytes that belong at `at` of own */
    } out;                   /* written behind */
    struct part_in *in; /* of all partitions; memory of those that are not used is not
                           touched, so that there is none */
    int64_t window, windows, windows_most;
    int64_t open, open_most;
    uint64_t turn;
    struct extents moved; /* which bytes are in the shared part, as far as known here */
    struct extents fresh; /* of these, what other ranks do not know yet */
    int64_t bytes;        /* of the logical file, as far as known here */
    int64_t misfits, misfit_bytes; /* of this rank, since it was opened */
    int64_t own_misfits;           /* ... and before, into its partition's record */
    int64_t misfits_before, misfit_bytes_before; /* of all ranks, before */
    bool dirty;                                  /* written to since the last sync */
    bool changed;     /* ... and since the header was written */
    bool map_changed; /* rank 0's `moved` is not written down yet */
    bool incomplete;  /* what is missing is read as zeros */
    bool keep_plan;   /* whatever plan is given */
    bool recover;     /* what was never completed is as it was at its last sync */
    bool at_sync;     /* and this is such a one */
    int lock,
        own_lock; /* descriptors of what is locked: the shared part (of rank 0), its
                           partition; -1 */
    struct sums *sums; /* of its partition; NULL: none are kept */
    bool want_sums;
    struct part_back *back; /* of its partition; NULL: it is not written back early */
    bool write_back;        /* whether it shall be */
    bool said_open;         /* rank 0, in an open that may fail yet */
    bool made;              /* by this open: rank 0 numbers the nodes */
    struct start *start;    /* valid during open only */
    struct told *told;      /* of rank 0, by all ranks */
    struct part_swap *swap; /* collective reads; NULL: not needed */
};

/* ---- engine_part.c -------------------------------------------------------------- */

/* Local. What is written behind is in its partition. 0 or -errno with a sentence. */
int part_flush(struct part *p);

/* ---- part_save.c ----------------------------------------------------------------- */

/* **Collective.** All ranks learn how long the file is, and what is in the shared part;
 * rank 0 writes that down, with `state`, where all that was written is durable, or the
 * file is closed. `rc`: this rank has failed, and so all do. 0 or a failure, agreed. */
int part_save(struct part *p, enum container_state state, int rc);

/* Local. This rank's host, into its record. */
void part_name_host(struct container_part *own);

/* Local. Memory for that, on rank 0. 0 or -ENOMEM with a sentence. */
int part_save_allocate(struct part *p);

/* **Collective.** The ranges that rank 0 has, to all. */
int part_share_ranges(struct io_file *f, struct extents *x);

/* Local. Counts for io_header_ns. */
void part_header_took(int64_t ns);

/* Local. What is written behind is in its partition, and on stable storage. */
int part_sync_files(struct part *p);

/* ---- part_read.c ----------------------------------------------------------------- */

/* Local. Where the bytes from `offset` on are, at most `bytes` > 0 of them. */
struct part_place part_place(const struct part *p, int64_t offset, int64_t bytes);

/* Local. The sentence on a partition that cannot be opened or read, or has `size` bytes
 * and should have more; returns its code. */
int part_fail_open(const struct container *c, int64_t part, const char *path, int code);
int part_fail_cut(const struct container *c, int64_t part, const char *path,
                  int64_t size);

/* Local. Reads what is at a place. 0 or -errno with a sentence. */
int part_read_place(struct part *p, const struct part_place *at, char *out);

/* Local. Opens partition `part` for reading, if it is not; closes another where there
 * are too many. 0 or -errno with a sentence. */
int part_in_open(struct part *p, int64_t part);

/* Local. Forgets what was read, as others may have written since, and closes. */
void part_in_forget(struct part *p);
void part_in_close(struct part *p);

/* Local. Opens a file of the container with the inner engine. */
int part_inner_open(struct part *p, const char *path, int flags, struct io_file **io);

/* Local. One transfer with the inner engine. 0 or -errno with a sentence. */
int part_inner_move(struct io_file *io, enum io_op op, int64_t at, void *buf,
                    int64_t bytes);

/* ---- part_swap.c ----------------------------------------------------------------- */

/* **Collective** on the file's communicator. Finds who can open which partition, where
 * some are in folders of nodes. 0, -ENOMEM, or -ENOENT where nobody can, agreed. */
int part_swap_open(struct part *p);
void part_swap_close(struct part *p);

/* **Collective.** Reads [offset, offset + bytes), bytes >= 0, of which this node cannot
 * open all: what is far comes from the ranks that can, a bounded piece at a time. 0, or
 * the same failure on all ranks. */
int part_swap_read(struct part *p, int64_t offset, int64_t bytes, char *out);

#endif
