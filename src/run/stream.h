/* A stretch of a file from its begin to its end, read or written in large transfers:
 * while the program works with the bytes of one slot, those of the others are under way
 * (IOMODE=ASYNC). With IOMODE=SYNC, and with engines that are synchronous, the same
 * transfers are made one at a time, when their bytes are asked for. Submitting and
 * waiting is time of the transfers, each of which is booked with its latency; all else
 * is the program's.
 *
 * Transfers end at multiples of slot_bytes of the file. With IO_DIRECT they are whole
 * blocks of a device: of a head and a tail that are not, more is read than asked for,
 * and the last block that is written is filled up with zeros, and the file cut.
 *
 * Any number of streams, of one lane, may share a queue (run_queue_open, and its result
 * as run_file.queue before the files are opened): as much is ahead as it has room for,
 * and what is needed now waits for its turn.
 *
 * Memory: run_stream_memory, and nothing after the open. */
#ifndef RUN_STREAM_H
#define RUN_STREAM_H

#include "run/run.h"

struct run_stream;

struct run_stream_how {
    enum io_op op;
    int64_t from;  /* in the file: the first byte; with IO_DIRECT, of what is written
                           a multiple of IO_DIRECT_ALIGN */
    int64_t bytes; /* to be read; -1: to the end of the file */
    int64_t slot_bytes; /* of a transfer; with IO_DIRECT a multiple of IO_DIRECT_ALIGN,
                           and not more than f->max_request */
    int slots;          /* transfers at once, of f->depth; 1: nothing is ahead */
    /* Reading: each piece is some records of so many bytes, whole ones, however they
     * lie in transfers. Writing: the most that run_stream_room is asked for. At most
     * slot_bytes; 0: 1 byte, and none. */
    int64_t record;
    /* run_stream_memory(f, how) bytes, aligned to BUF_ALIGN, which stay the caller's;
     * NULL: the stream's own. */
    void *memory;
    /* Writing: the zeros that fill up the last block with IO_DIRECT stay in the file,
     * as whoever reads it knows how much there is. */
    bool uncut;
};

/* Local. Memory that a stream of this file takes. */
int64_t run_stream_memory(const struct run_file *f, const struct run_stream_how *how);

/* Local. The most bytes that each of how->slots slots can have where a stream takes so
 * much memory; 0: not even a record, or a block. */
int64_t run_stream_slot_bytes(const struct run_file *f,
                              const struct run_stream_how *how, int64_t memory);

/* Local. Of an open file; nothing is transferred yet. Returns 0, or -errno with a
 * sentence (-ENOMEM, -EINVAL), which is kept in the run, too; then *s is NULL. */
int run_stream_open(struct run_stream **s, struct run_file *f,
                    const struct run_stream_how *how);

/* Local. Reading: the next piece, *n > 0 bytes of it, valid until the next call. NULL
 * and 0: the end, or the run has failed. The end of the stretch may cut a record. */
const void *run_stream_next(struct run_stream *s, int64_t *n);

/* Local. Writing: room for the next n <= how->record bytes in a row, to be filled
 * before the next call; what is in it is anything. Never NULL: after a failure what is
 * filled in goes nowhere. */
void *run_stream_room(struct run_stream *s, int64_t n);

/* Local. Writing: of the room that was given last, the last n bytes were not filled in
 * after all. */
void run_stream_back(struct run_stream *s, int64_t n);

/* Local. Writing: the next n bytes, any number, copied. */
void run_stream_put(struct run_stream *s, const void *from, int64_t n);

/* Local. Where the next byte is in the file. */
int64_t run_stream_at(const struct run_stream *s);

/* Local. Writing: goes on at `offset`, wherever that is, after a flush. */
void run_stream_seek(struct run_stream *s, int64_t offset);

/* Local. Writing: all that there is, and waits until it is written. With IO_DIRECT the
 * file then ends here. */
void run_stream_flush(struct run_stream *s);

/* Local. Transfers that writing makes of `bytes` from `offset` on, ended by a flush. */
int64_t run_stream_transfers(int64_t slot_bytes, int64_t offset, int64_t bytes);

/* **Collective** where the file's transfers are (--collective). Writing: after a flush,
 * takes part with nothing to write until the stream has made so many transfers. */
void run_stream_pad(struct run_stream *s, int64_t transfers);

/* Local. Waits for what is under way, which counts; writes nothing. *s becomes NULL;
 * NULL is left. Before the file is closed. */
void run_stream_close(struct run_stream **s);

#endif
