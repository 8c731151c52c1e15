/* Whole small files: opened, transferred and closed in one go, and timed apart.
 * They have no io_file, whose opening needs agreement and an entry in a table;
 * their directory is opened once, and they are opened relative to its descriptor.
 *
 * A directory that the run makes is one entry of the scratch table, whatever is in
 * it (base/scratch.h). One that the run did not make is read-only: nothing in it
 * is changed. */
#ifndef IO_WHOLE_H
#define IO_WHOLE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IO_WHOLE_DEPTH 64 /* files that may be in flight in one directory */

struct io_folder;

enum io_kind {
    IO_KIND_NONE,
    IO_KIND_FILE,
    IO_KIND_FOLDER,
    IO_KIND_LINK, /* a symbolic one */
    IO_KIND_OTHER
};

/* The extended attribute that files get. */
#define IO_WHOLE_ATTRIBUTE "user.leadline"

struct io_whole {
    const char *name; /* in the directory, as in the file system; to stat or read, also
                       * a path in subdirectories, a/b/c */
    const char *to;   /* for renaming: the new name; for making it a link: the name that
                       * it leads to */
    const char *path; /* NULL, or a path by which it is opened for reading */
    void *buf;
    int64_t room;  /* bytes of buf; with IO_DIRECT both are multiples of 4096 */
    int64_t bytes; /* to be written; or that were read: the whole file, or a part */
    /* results: */
    int rc;           /* 0 or -errno; the sentence is recorded (base/err.h) */
    int64_t start_ns; /* clock_ns at the beginning; the parts follow one another
                       * from there */
    int64_t open_ns, move_ns, sync_ns, close_ns;
    int64_t name_ns;     /* time of a call on its name or its properties */
    int64_t modified_ns; /* from stat: since 1970, by the file system's clock */
    enum io_kind kind;   /* from stat */
    int mode;            /* permissions: from stat; or to be set */
    int64_t links;       /* from stat: its names */
    bool sync;           /* chmod and setxattr sync it (fsync) before closing it */
    /* for a file that is read in parts: */
    bool fleeting; /* it may be gone (rc -ENOENT, without a sentence), or end early
                    * (`cut`, and size is the old size) */
    bool cut;
    int fd;
    int64_t size, at; /* of the file when it was opened; offset of its next part */
};

/* **Collective** on `comm`; Local with IO_LOCAL. Opens a directory with `flags` (enum
 * io_flags). IO_CREATE makes it, on rank 0 of comm (it must not exist, and every rank
 * remembers it); IO_WRITE without it needs one that the run has made; IO_DIRECT
 * bypasses the page cache. Returns the agreed verdict: 0, or -errno with a sentence.
 * io_file_remove and io_file_keep end what IO_CREATE began. */
int io_folder_open(struct io_folder **d, MPI_Comm comm, const char *path, int flags);

/* Local, from any thread. Opens the directory `name` in `in`, with the same
 * permissions; links are not followed if the run made it. Its caller closes it, before
 * `in`. Returns 0, or -errno with a sentence. */
int io_folder_enter(struct io_folder **sub, const struct io_folder *in,
                    const char *name);

/* Local. Its path, for messages; valid until it is closed. */
const char *io_folder_path(const struct io_folder *d);

/* Local. Closes, and frees *d (NULL afterwards); waits for requests in flight. */
void io_folder_close(struct io_folder **d);

/* Local, from any thread. Reads a whole file. -EOVERFLOW if `room` is too small.
 * Refuses anything but regular files; and links, in directories that the run made. */
int io_whole_read(struct io_folder *d, struct io_whole *w);

/* Local, from any thread. The same in parts: open sets its size; part reads the next
 * one, as much as there is room for (`at` < `size`; buf and room may differ for each);
 * close closes it, also after a failure. start_ns is that of each call. io_whole_head
 * opens it, reads the first part, and closes it if that was all, or failed (fd is -1
 * then): so a small file takes four readings of the clock. */
int io_whole_open(struct io_folder *d, struct io_whole *w);
int io_whole_head(struct io_folder *d, struct io_whole *w);
int io_whole_part(struct io_folder *d, struct io_whole *w);
int io_whole_close(struct io_folder *d, struct io_whole *w);

/* Local, while it is open. Goes back to its first part. */
int io_whole_again(struct io_folder *d, struct io_whole *w);

enum io_replace {
    IO_MAKE,     /* must not exist */
    IO_TRUNCATE, /* overwritten from the start, or made; a reader meanwhile sees a part
                  * of it */
    IO_RENAME,   /* written under another name, and renamed: readers see old or new,
                  * never a part */
    IO_IN_PLACE, /* must exist; only its first bytes are written */
    IO_APPEND    /* must exist; bytes are added at its end. Not with IO_DIRECT */
};

/* Local, from any thread. Writes a whole file. `sync`: it is synced (fsync) before it
 * is closed, and with IO_RENAME its new name, too. A file that could not be written in
 * full is removed. */
int io_whole_write(struct io_folder *d, struct io_whole *w, enum io_replace how,
                   bool sync);

/* Local, from any thread. Removes a file that the run made; a missing file is a
 * failure (-ENOENT). */
int io_whole_remove(struct io_folder *d, struct io_whole *w);

/* ---- names: a system call each, from any thread ---------------------------------- */

/* Local. Opens a file and closes it, and does nothing else. */
int io_whole_touch(struct io_folder *d, struct io_whole *w);

/* Local. Calls lstat: bytes, kind, mode, links and modified_ns. */
int io_whole_stat(struct io_folder *d, struct io_whole *w);

/* Local. The same for a file that may be missing. Returns 1, 0 (missing), or -errno
 * with a sentence. */
int io_whole_is_there(struct io_folder *d, struct io_whole *w);

/* Local. Renames a file in a directory that the run made to w->to, replacing any file
 * of that name. */
int io_whole_rename(struct io_folder *d, struct io_whole *w);

/* Local. In a directory that the run made: makes w->name another name of the file w->to
 * there (a hard link), or a symbolic link with the text w->to. */
int io_whole_link(struct io_folder *d, struct io_whole *w);
int io_whole_symlink(struct io_folder *d, struct io_whole *w);

/* Local. Reads the text of a symbolic link: `bytes` of buf. */
int io_whole_readlink(struct io_folder *d, struct io_whole *w);

/* Local. Open a file, set w->mode; or set IO_WHOLE_ATTRIBUTE to the `bytes` of buf; or
 * get it: `bytes` of buf; and close the file. No call on a name does this without
 * following links. */
int io_whole_chmod(struct io_folder *d, struct io_whole *w);
int io_whole_setxattr(struct io_folder *d, struct io_whole *w);
int io_whole_getxattr(struct io_folder *d, struct io_whole *w);

/* Local. Make a directory in one that the run made; and remove an empty one. */
int io_folder_make(struct io_folder *d, struct io_whole *w);
int io_folder_drop(struct io_folder *d, struct io_whole *w);

/* ---- several at once, and listing ------------------------------------------------ */

/* Local, from one thread at a time. Starts reading n files, at most IO_WHOLE_DEPTH with
 * those in flight: the kernel opens, reads and closes each (io_uring), or, if it
 * cannot, this call does. The directory owns them until they are reaped. Returns 0, or
 * -errno with a sentence; each file's result is in its rc. */
int io_whole_start(struct io_folder *d, struct io_whole *w[], int n);

/* Local, likewise. Returns up to `max` finished ones; waits until there are `min`,
 * for at most limit_s (0: no limit). Returns their number, or -errno. The times of
 * their parts are only as exact as the calls are frequent: a part ends when a call
 * finds it ended. */
int io_whole_reap(struct io_folder *d, struct io_whole *done[], int max, int min,
                  double limit_s);

/* Local. True if the kernel makes chains of such reads here. */
bool io_whole_asynchronous(struct io_folder *d);

/* Local, from one thread at a time. Reads the next name in the directory, in the order
 * of the file system. Returns 1, or 0 at the end (the next call starts again), or
 * -errno with a sentence. Subdirectories are listed, too. */
int io_folder_next(struct io_folder *d, char *name, size_t room);

/* Local, likewise. For the last name: its inode; true if it is a directory and not a
 * link to one; and 0 if it is a regular file, or a link to one, else -errno with a
 * sentence. Nothing is opened. */
uint64_t io_folder_inode(const struct io_folder *d);
bool io_folder_is_folder(const struct io_folder *d, const char *name);
int io_folder_plain(struct io_folder *d, const char *name);

/* Local, likewise. Removes all files in a directory that the run made, and its
 * subdirectories with their content. Each has a deadline of its own: removing millions
 * takes longer than one call may. Returns 0, or -errno with a sentence. */
int io_folder_empty(struct io_folder *d);

/* Local. Writes this node's changes in the directory to stable storage (io_sync_dir).
 * Returns 0, or -errno with a sentence. */
int io_folder_sync(struct io_folder *d);

/* Local. The same for its names alone: one fsync of the directory. */
int io_folder_sync_names(struct io_folder *d);

#endif
