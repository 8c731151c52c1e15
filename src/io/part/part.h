/* An open container, which the files of the engine `part` share. */
#ifndef IO_PART_PART_H
#define IO_PART_PART_H

#include "io/engine.h"
#include "io/part/container.h"
#include <stdint.h>

/* ---- early write-back ------------------------------------------------------------ */

struct part_back;

/* Local. Starts early write-back of the file `fd`, which stays open. NULL: there is
 * none, as there is no file (fd < 0), it is in memory, or there is no memory; bytes are
 * then written back when the kernel or a sync does it. */
struct part_back *part_back_make(int fd);

/* Local. Waits for a request in progress, not for bytes. b may be NULL. */
void part_back_free(struct part_back *b);

/* Local. Reports bytes that were written to the file; b may be NULL. The first 4 MiB
 * start a thread. */
void part_back_wrote(struct part_back *b, int64_t at, int64_t bytes);

/* ---- partitions ------------------------------------------------------------------ */

enum { PART_SHARED = -1, PART_HOLE = -2 };

/* Contiguous bytes of the logical file and their place: in a partition, in the shared
 * part, or nowhere (they were never written, and read as zeros). */
struct part_place {
    int64_t part; /* or PART_SHARED, PART_HOLE */
    int64_t at;   /* offset there */
    int64_t bytes;
};

/* A partition that is read: small reads go through a window, which is filled by
 * longer reads. */
struct part_in {
    struct io_file *io; /* NULL: not open */
    int64_t size;       /* of the partition file, if open */
    char *window;       /* NULL: none */
    int64_t at, n;      /* bytes in the window */
    int64_t next;       /* end of the last read: the next one is expected to follow */
    uint64_t turn;      /* time of its last use */
    int64_t ask, round; /* collective reads: the number of its ask, and the round of
                         * that ask */
};

struct part {
    struct io_file *f;
    struct container c;
    char inner[256];     /* spec of the engine that moves bytes */
    struct io_file *own; /* this rank's partition, for writing; NULL: it writes none */
    int64_t mine;        /* number of this rank's partition; -1: none */
    int64_t own_bytes;   /* its length */
    struct io_file *shared;
    struct {
        char *buf;
        int64_t room, at, n; /* n bytes that belong at `at` of own */
    } out;                   /* written behind */
    struct part_in *in; /* of all partitions; memory of unused ones is not touched, so
                         * it is not allocated */
    int64_t window, windows, windows_most;
    int64_t open, open_most;
    uint64_t turn;
    struct extents moved;          /* ranges in the shared part, as known here */
    struct extents fresh;          /* those of them that other ranks do not know yet */
    int64_t bytes;                 /* of the logical file, as known here */
    int64_t misfits, misfit_bytes; /* by this rank, since the file was opened */
    int64_t own_misfits;           /* ... and earlier ones, from its
                                    * partition's record */
    int64_t misfits_before, misfit_bytes_before; /* by all ranks, before */
    bool dirty;                                  /* written since the last sync */
    bool changed;       /* written since the header was written */
    bool map_changed;   /* rank 0 has not written its `moved` yet */
    bool incomplete;    /* missing bytes are read as zeros */
    bool keep_plan;     /* accept any plan */
    bool recover;       /* open an incomplete container in its state at the last sync */
    bool at_sync;       /* this is such a container */
    int lock, own_lock; /* descriptors of locked files: the shared part (on rank 0), its
                         * partition; -1: none */
    struct sums *sums;  /* of its partition; NULL: not kept */
    bool want_sums;
    struct part_back *back; /* of its partition; NULL: no early write-back */
    bool write_back;        /* early write-back is wanted */
    bool said_open;         /* rank 0 has marked the header, in an open that may
                             * still fail */
    bool made;              /* this open made it: rank 0 numbers the nodes */
    struct start *start;    /* valid during open only */
    struct told *told;      /* on rank 0: from all ranks */
    struct part_swap *swap; /* collective reads; NULL: not needed */
};

/* ---- engine_part.c -------------------------------------------------------------- */

/* Local. Writes the buffer to its partition. Returns 0, or -errno with a sentence. */
int part_flush(struct part *p);

/* ---- part_save.c ----------------------------------------------------------------- */

/* **Collective.** Tells all ranks the file's length and the ranges in the shared
 * part; rank 0 writes them to the header, with `state`, if everything written is
 * durable, or at the close. `rc`: this rank has failed, and so all do. Returns 0 or a
 * failure, agreed. */
int part_save(struct part *p, enum container_state state, int rc);

/* Local. Writes this rank's host into its record. */
void part_name_host(struct container_part *own);

/* Local. Allocates rank 0's memory for part_save. Returns 0, or -ENOMEM with
 * a sentence. */
int part_save_allocate(struct part *p);

/* **Collective.** Sends rank 0's ranges to all. */
int part_share_ranges(struct io_file *f, struct extents *x);

/* Local. Adds to the time of io_header_ns. */
void part_header_took(int64_t ns);

/* Local. Writes the buffer to its partition, and syncs it. */
int part_sync_files(struct part *p);

/* ---- part_read.c ----------------------------------------------------------------- */

/* Local. The place of the bytes from `offset` on, at most `bytes` > 0 of them. */
struct part_place part_place(const struct part *p, int64_t offset, int64_t bytes);

/* Local. Report a partition that cannot be opened or read, or that has only `size`
 * bytes; return the code. */
int part_fail_open(const struct container *c, int64_t part, const char *path, int code);
int part_fail_cut(const struct container *c, int64_t part, const char *path,
                  int64_t size);

/* Local. Reads the bytes of a place. Returns 0, or -errno with a sentence. */
int part_read_place(struct part *p, const struct part_place *at, char *out);

/* Local. Opens partition `part` for reading, if it is closed; closes another if too
 * many are open. Returns 0, or -errno with a sentence. */
int part_in_open(struct part *p, int64_t part);

/* Local. Forget what was read, as others may have written since; and close. */
void part_in_forget(struct part *p);
void part_in_close(struct part *p);

/* Local. Opens a file of the container with the inner engine. */
int part_inner_open(struct part *p, const char *path, int flags, struct io_file **io);

/* Local. Makes one transfer with the inner engine. Returns 0, or -errno with
 * a sentence. */
int part_inner_move(struct io_file *io, enum io_op op, int64_t at, void *buf,
                    int64_t bytes);

/* ---- part_swap.c ----------------------------------------------------------------- */

/* **Collective** on the file's communicator. Finds the ranks that can open each
 * partition, if some are in node directories. Returns 0, -ENOMEM, or -ENOENT if none
 * can, agreed. */
int part_swap_open(struct part *p);
void part_swap_close(struct part *p);

/* **Collective.** Reads [offset, offset + bytes), bytes >= 0, of which this node cannot
 * open everything: other ranks send the rest, a bounded piece at a time. Returns 0, or
 * the same failure on all ranks. */
int part_swap_read(struct part *p, int64_t offset, int64_t bytes, char *out);

#endif
