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

enum io_kind { IO_KIND_NONE, IO_KIND_FILE, IO_KIND_FOLDER, IO_KIND_OTHER };

struct io_whole {
    const char *name; /* in the folder, as the file system has it; to look at or to read
                       * one, also its path in folders within that, a/b/c */
    const char *to;   /* of renaming: another one */
    const char *path; /* NULL; or by this it is opened to be read */
    void *buf;
    int64_t room;  /* bytes of buf; with IO_DIRECT both are multiples of 4096 */
    int64_t bytes; /* to be written; or that were read: all of the file, or a part */
    /* results: */
    int rc; /* 0 or -errno; the sentence is recorded (base/err.h) */
    int64_t
        start_ns; /* clock_ns at the begin; the parts follow one another from there */
    int64_t open_ns, move_ns, sync_ns, close_ns;
    int64_t name_ns; /* what is done to its name: stat, rename, unlink, mkdir, rmdir */
    int64_t modified_ns; /* of stat: since 1970, by the file system's clock */
    enum io_kind kind;   /* of stat */
    /* of one that is read in parts: */
    bool fleeting; /* it may be gone (rc -ENOENT, without a sentence), or end early
                    * (`cut`, and size is what it had) */
    bool cut;
    int fd;
    int64_t size, at; /* of the file when it was opened; where its next part begins */
};

/* **Collective** on `comm`; Local with IO_LOCAL. `flags` are enum io_flags: IO_CREATE
 * makes the folder, on rank 0 of comm, which must not exist (and is remembered on every
 * rank); IO_WRITE without it is for one that the run has made; IO_DIRECT goes past the
 * page cache. Returns the agreed verdict: 0 or -errno with a sentence. io_file_remove
 * and io_file_keep end what IO_CREATE began. */
int io_folder_open(struct io_folder **d, MPI_Comm comm, const char *path, int flags);

/* Local, from any thread. Opens the folder `name` in `in`, which may do with it what it
 * may do with that one; links are not followed where the run made it. Its caller closes
 * it, before `in`. 0 or -errno with a sentence. */
int io_folder_enter(struct io_folder **sub, const struct io_folder *in,
                    const char *name);

/* Local. Its path, as messages have it; valid until it is closed. */
const char *io_folder_path(const struct io_folder *d);

/* Local. Closes, and frees *d (NULL afterwards); waits for what is under way. */
void io_folder_close(struct io_folder **d);

/* Local, from any thread. Reads a whole file. -EOVERFLOW where there is no room for it.
 * What is not a plain file is refused; so are links, in folders that the run made. */
int io_whole_read(struct io_folder *d, struct io_whole *w);

/* Local, from any thread. The same in parts: opens it, and says its size; reads the
 * next part, as much as there is room for (`at` < `size`; buf and room may be others
 * for each); closes it, also after a failure. start_ns is that of each call.
 * io_whole_head opens it, reads the first part, and closes it where that was all, or
 * failed (fd is -1 then): so a small file takes four readings of the clock. */
int io_whole_open(struct io_folder *d, struct io_whole *w);
int io_whole_head(struct io_folder *d, struct io_whole *w);
int io_whole_part(struct io_folder *d, struct io_whole *w);
int io_whole_close(struct io_folder *d, struct io_whole *w);

/* Local. While it is open: its next part is the first one again. */
int io_whole_again(struct io_folder *d, struct io_whole *w);

enum io_replace {
    IO_MAKE,     /* must not exist */
    IO_TRUNCATE, /* written anew, or made; who reads meanwhile sees a part of it */
    IO_RENAME,   /* written under another name, and renamed: old or new, never a part */
    IO_IN_PLACE, /* must exist; its first bytes are written, and no others */
    IO_APPEND    /* must exist; written behind what is in it. Not with IO_DIRECT */
};

/* Local, from any thread. Writes a whole file. `sync`: its bytes are on stable storage
 * (fsync) before it is closed, and with IO_RENAME its new name, too. A file that could
 * not be made in full is removed. */
int io_whole_write(struct io_folder *d, struct io_whole *w, enum io_replace how,
                   bool sync);

/* Local, from any thread. Removes a file that the run made; that there is none is a
 * failure (-ENOENT). */
int io_whole_remove(struct io_folder *d, struct io_whole *w);

/* ---- names: a system call each, from any thread ---------------------------------- */

/* Local. Opens a file and closes it, and does nothing else. */
int io_whole_touch(struct io_folder *d, struct io_whole *w);

/* Local. Looks at it, and follows no link: bytes, kind and modified_ns. */
int io_whole_stat(struct io_folder *d, struct io_whole *w);

/* Local. The same where it may not be there: 1, 0 (it is not), or -errno with a
 * sentence. */
int io_whole_is_there(struct io_folder *d, struct io_whole *w);

/* Local. Gives a file, in a folder that the run made, another name in it, w->to,
 * whatever is called so already. */
int io_whole_rename(struct io_folder *d, struct io_whole *w);

/* Local. Makes a folder in one that the run made; removes an empty one. */
int io_folder_make(struct io_folder *d, struct io_whole *w);
int io_folder_drop(struct io_folder *d, struct io_whole *w);

/* ---- several at once, and listings ----------------------------------------------- */

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

/* Local, likewise. The inode that the folder gives with that name; whether it is that
 * of a folder, and not a link to one; and whether it is that of a plain file, or of a
 * link to one: 0, or -errno with a sentence. Nothing is opened. */
uint64_t io_folder_inode(const struct io_folder *d);
bool io_folder_is_folder(const struct io_folder *d, const char *name);
int io_folder_plain(struct io_folder *d, const char *name);

/* Local, likewise. Removes the files in a folder that the run made, and folders in it
 * with what is in them, each with a deadline of its own: millions take longer to go
 * than a call may. 0 or -errno with a sentence. */
int io_folder_empty(struct io_folder *d);

/* Local. What this node wrote to the folder is on stable storage (io_sync_dir). 0 or
 * -errno with a sentence. */
int io_folder_sync(struct io_folder *d);

/* Local. The same of the names in it alone: one fsync of the directory. */
int io_folder_sync_names(struct io_folder *d);

#endif
