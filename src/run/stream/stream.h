/* A range of a file from its beginning to its end, read or written in large transfers:
 * while the program works with the bytes of one slot, the other slots are in flight
 * (IOMODE=ASYNC). With IOMODE=SYNC, and with synchronous engines, the same transfers
 * are made one at a time, when their bytes are asked for. Submitting and waiting count
 * as time of the transfers, each of which is booked with its latency; the rest is the
 * program's.
 *
 * Transfers end at multiples of slot_bytes of the file. With IO_DIRECT they are whole
 * blocks of a device: if the range does not begin or end at a block, more is read than
 * asked for; the last block written is padded with zeros, and the file cut.
 *
 * Any number of streams of one lane may share a queue (run_queue_open, set as
 * run_file.queue before the files are opened): transfers go ahead while it has room,
 * and those needed now wait for room.
 *
 * Memory: run_stream_memory, and nothing after the open. */
#ifndef RUN_STREAM_STREAM_H
#define RUN_STREAM_STREAM_H

#include "run/run.h"

struct run_stream;

struct run_stream_how {
    enum io_op op;
    int64_t from;       /* file offset of the first byte; when writing with IO_DIRECT, a
                         * multiple of r->direct_align */
    int64_t bytes;      /* to read; -1: to the end of the file */
    int64_t slot_bytes; /* of a transfer; with IO_DIRECT a multiple of r->direct_align;
                         * at most f->max_request */
    int slots;          /* transfers in flight, of f->depth; 1: none goes ahead */
    /* Reading: bytes of a record; each piece is some whole records, wherever transfers
     * end. Writing: the most that run_stream_room is asked for. At most slot_bytes; 0:
     * 1 byte when reading, none when writing. */
    int64_t record;
    /* run_stream_memory(f, how) bytes, aligned to BUF_ALIGN, which stay the caller's;
     * NULL: the stream allocates its own. */
    void *memory;
    /* Writing with IO_DIRECT: the zeros that pad the last block stay in the file, as
     * its reader knows the length. */
    bool uncut;
};

/* Local. The bytes of memory that a stream of this file takes. */
int64_t run_stream_memory(const struct run_file *f, const struct run_stream_how *how);

/* Local. The most bytes that each of how->slots slots can have if a stream takes
 * `memory` bytes; 0: not even a record, or a block. */
int64_t run_stream_slot_bytes(const struct run_file *f,
                              const struct run_stream_how *how, int64_t memory);

/* Local. Opens a stream of an open file; transfers nothing yet. Returns 0, or
 * -errno with a sentence (-ENOMEM, -EINVAL), which is kept in the run, too; then *s
 * is NULL. */
int run_stream_open(struct run_stream **s, struct run_file *f,
                    const struct run_stream_how *how);

/* Local. Reading: returns the next piece, of *n > 0 bytes, valid until the next call.
 * NULL and 0: the end, or the run has failed. The end of the range may cut a record. */
const void *run_stream_next(struct run_stream *s, int64_t *n);

/* Local. Writing: returns room for the next n <= how->record bytes in a row, to be
 * filled before the next call; its content is undefined. Never NULL: after a failure
 * the bytes are not written. */
void *run_stream_room(struct run_stream *s, int64_t n);

/* Local. Writing: takes back the last n bytes of the room that was given last, which
 * were not filled. */
void run_stream_back(struct run_stream *s, int64_t n);

/* Local. Writing: copies the next n bytes, any number. */
void run_stream_put(struct run_stream *s, const void *from, int64_t n);

/* Local. The file offset of the next byte. */
int64_t run_stream_at(const struct run_stream *s);

/* Local. Writing, after a flush: continues at any `offset`. */
void run_stream_seek(struct run_stream *s, int64_t offset);

/* Local. Writing: writes all bytes so far, and waits until they are written. With
 * IO_DIRECT the file then ends here. */
void run_stream_flush(struct run_stream *s);

/* Local. The number of transfers that write `bytes` from `offset` on, ended by
 * a flush. */
int64_t run_stream_transfers(int64_t slot_bytes, int64_t offset, int64_t bytes);

/* **Collective** if the file's transfers are (--collective). Writing, after a flush:
 * takes part with empty transfers until the stream has made `transfers` of them. */
void run_stream_pad(struct run_stream *s, int64_t transfers);

/* Local, before the file is closed. Waits for transfers in flight, which count; writes
 * nothing. Sets *s to NULL; *s may be NULL before. */
void run_stream_close(struct run_stream **s);

#endif
