/* Whole small files: opened, moved and closed in one go, and timed apart. They have no
 * io_file each, whose opening agrees with others and stands in a table; their folder is
 * opened once, and each is found by its descriptor.
 *
 * A folder that the run makes is one entry of the scratch table, whatever is in it
 * (base/scratch.h). One that the run did not make is for reading: nothing in it is ever
 * changed. */
#ifndef IO_WHOLE_H
#define IO_WHOLE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IO_WHOLE_DEPTH 64 /* files that may be under way in one folder */

struct io_folder;

struct io_whole {
    const char *name; /* in the folder, as the file system has it; no slash */
    void *buf;
    int64_t room;  /* bytes of buf; with IO_DIRECT both are multiples of 4096 */
    int64_t bytes; /* to be written; or that were read: all of the file */
    /* results: */
    int rc; /* 0 or -errno; the sentence is recorded (base/err.h) */
    int64_t
        start_ns; /* clock_ns at the begin; the parts follow one another from there */
    int64_t open_ns, move_ns, sync_ns, close_ns;
    int64_t name_ns; /* renaming, or removing */
};

/* **Collective** on `comm`; Local with IO_LOCAL. `flags` are enum io_flags: IO_CREATE
 * makes the folder, on rank 0 of comm, which must not exist (and is remembered on every
 * rank); IO_WRITE without it is for one that the run has made; IO_DIRECT goes past the
 * page cache. Returns the agreed verdict: 0 or -errno with a sentence. io_file_remove
 * and io_file_keep end what IO_CREATE began. */
int io_folder_open(struct io_folder **d, MPI_Comm comm, const char *path, int flags);

/* Local. Closes, and frees *d (NULL afterwards); waits for what is under way. */
void io_folder_close(struct io_folder **d);

/* Local, from any thread. Reads a whole file. -EOVERFLOW where there is no room for it.
 * What is not a plain file is refused; so are links, in folders that the run made. */
int io_whole_read(struct io_folder *d, struct io_whole *w);

enum io_replace {
    IO_MAKE,     /* must not exist */
    IO_TRUNCATE, /* written anew, or made; who reads meanwhile sees a part of it */
    IO_RENAME    /* written under another name, and renamed: old or new, never a part */
};

/* Local, from any thread. Writes a whole file. `sync`: its bytes are on stable storage
 * (fsync) before it is closed, and with IO_RENAME its new name, too. A file that could
 * not be made in full is removed. */
int io_whole_write(struct io_folder *d, struct io_whole *w, enum io_replace how,
                   bool sync);

/* Local, from any thread. Removes a file that the run made; that there is none is a
 * failure (-ENOENT). */
int io_whole_remove(struct io_folder *d, struct io_whole *w);

/* Local, from one thread at a time. Begins to read n files, IO_WHOLE_DEPTH at most with
 * those under way: opened, read and closed by the kernel one after another (io_uring),
 * or, where it cannot, by this call. They belong to the folder until reaped. 0 or
 * -errno with a sentence; what became of each is in its rc. */
int io_whole_start(struct io_folder *d, struct io_whole *w[], int n);

/* Local, likewise. Hands back up to `max` of them that are done; waits until there are
 * `min`, for limit_s at most (0: no limit). Returns how many, or -errno. Their parts
 * are as fine as they were looked for: what was over when this looked, ended then. */
int io_whole_reap(struct io_folder *d, struct io_whole *done[], int max, int min,
                  double limit_s);

/* Local. Whether the kernel makes chains of such reads here. */
bool io_whole_asynchronous(struct io_folder *d);

/* Local, from one thread at a time. The next name in the folder, in the order of the
 * file system, streamed: 1, or 0 at the end (then it begins anew), or -errno with a
 * sentence. Folders in it have names, too. */
int io_folder_next(struct io_folder *d, char *name, size_t room);

/* Local, likewise. Removes the files in a folder that the run made, each with a
 * deadline of its own: millions take longer to go than a call may. 0 or -errno with a
 * sentence. */
int io_folder_empty(struct io_folder *d);

/* Local. What was written to the folder's file system is on stable storage (syncfs),
 * of this node. 0 or -errno with a sentence. */
int io_folder_sync(struct io_folder *d);

#endif
