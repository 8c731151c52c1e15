/* How bytes get to and from files: one interface, an engine per back end.
 *
 * Unique or shared is the communicator given to io_file_open (MPI_COMM_SELF or
 * all), never an `if` in an engine. Nothing here knows a layout or a report. */
#ifndef IO_IO_H
#define IO_IO_H

#include "algebra/descriptor.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>

enum io_flags {
    IO_READ = 1,
    IO_WRITE = 2,
    IO_CREATE = 4,      /* must not exist; rank 0 of comm makes it, then all open it */
    IO_COLLECTIVE = 8,  /* every start is collective on comm, requests pairwise */
    IO_DIRECT = 16,     /* past the page cache; buffers, offsets and sizes of requests
                          are multiples of IO_DIRECT_ALIGN */
    IO_WRITE_BACK = 32, /* a write is done when its bytes have left the page cache for
                           the device, so that no sync finds them there */
    IO_LOCAL = 64       /* this rank's own: nothing is agreed with others, and whoever
                           opens it tells its verdict at the end of a phase. `comm` is
                           not looked at. To be written it must be this run's; what
                           others made is opened to be read only. From any thread, but
                           with an engine that calls MPI (on MPI_COMM_SELF) */
};

/* What every block device and file system that does direct I/O is content with. */
#define IO_DIRECT_ALIGN 4096

enum io_op { IO_OP_READ, IO_OP_WRITE };

struct io_req {
    enum io_op op;
    void *buf;
    int64_t offset, bytes;
    /* Of a read of whole blocks that may go past the end of the file: so many bytes are
     * enough, and `done` tells how many came. 0: all of them must. */
    int64_t least;
    struct io_file *file; /* io_file_start and io_file_transfer set it */
    /* results: */
    int rc;           /* 0 or -errno; the sentence is recorded (base/err.h) */
    int64_t done;     /* bytes transferred; == bytes where rc == 0 and least is 0 */
    int64_t start_ns; /* clock_ns at submission */
    int64_t end_ns;   /* clock_ns at completion */
};

struct io_hint {
    char key[64];
    char value[192];
};

#define IO_SHAPE_DIMS 4

/* What a file holds, for engines that store arrays and not bytes: an offset is then
 * the row-major position in the array. The others pay no attention to it. */
struct io_shape {
    const char *name;  /* of the array: "matrices" */
    int element_bytes; /* 8: double; 1: byte */
    int ndims;         /* 1 .. IO_SHAPE_DIMS */
    int64_t dims[IO_SHAPE_DIMS];
    const char *dim_names; /* "rank,mat,element"; what they mean, for who reads it */
};

struct io_striping;

struct io_open {
    const char *engine; /* "posix", "null:delay_us=50": a name and its options */
    MPI_Comm comm;
    const char *path;
    int flags;           /* enum io_flags */
    int64_t bytes;       /* size the file will have; 0: grows */
    int64_t max_request; /* largest request any rank will make, bytes (> 0) */
    int depth;           /* requests under way at once; >= 1 */
    double timeout_s;    /* limit of one wait or blocking call; 0: none */
    const struct io_hint *hints;
    int hint_count;
    const struct io_shape *shape; /* NULL: `bytes` bytes in a row */
    const struct iovec
        *buffers;     /* memory that requests will use, which an engine may */
    int buffer_count; /* register with the kernel; 0: not known */
    /* For engines that partition what they write: which rank writes which bytes, NULL:
     * not known; and the folders for the partitions, "DIR,DIR" with %n (number of the
     * node) and %r (of the rank), each rank of a node taking the next one in turn;
     * NULL: beside the rest of the file. */
    const struct ldad_plan *plan;
    const char *node_dirs;
    const struct io_striping
        *striping; /* with IO_CREATE; NULL: as the directory says */
    /* NULL: a queue of its own. Else one of this engine, whose depth and buffers are in
     * effect instead of those above; not with IO_COLLECTIVE. */
    struct io_queue *queue;
};

struct io_file;
struct io_queue;

/* **Collective** on o->comm; Local with IO_LOCAL, as are all below for that file. A
 * failed open leaves nothing open, and no file that it created, on any rank. Returns
 * the same verdict everywhere: 0 or -errno with a sentence. A created file is in the
 * scratch table of every rank of comm. */
int io_file_open(struct io_file **f, const struct io_open *o);

/* Local, or **collective** on the file's communicator with IO_COLLECTIVE. As
 * io_queue_start with the file's queue, for requests of this file, which it sets in
 * each; with IO_COLLECTIVE what was refused takes part with nothing to move, and all n
 * are under way. */
int io_file_start(struct io_file *f, struct io_req *r[], int n);

/* Local. As io_queue_wait_for, io_queue_wait and io_queue_poll with the file's queue:
 * where that has other files, theirs are meant as well. */
int io_file_wait_for(struct io_file *f, const struct io_req *r);
int io_file_wait(struct io_file *f);
int io_file_poll(struct io_file *f);

/* As io_file_start + io_file_wait for one request, and for that one only. */
int io_file_transfer(struct io_file *f, struct io_req *r);

/* Local. The queue that the file's requests go through: as long as the file is open. */
struct io_queue *io_file_queue(struct io_file *f);

/* **Collective.** What this rank has written so far is on stable storage. The verdict
 * is this rank's own: to agree here would add the wait for slower ranks to its time. */
int io_file_sync(struct io_file *f);

/* The same in two steps, so that who measures can tell waiting from syncing. own: what
 * this rank can do as soon as it has written all, whatever the others do; a rank whose
 * transfers have `failed` only makes the calls that others may wait for. meet: the
 * rest, where the library waits for all ranks before it syncs (OMPIO, HDF5) or they
 * tell each other something; only if none has failed, for after a collective write that
 * failed OMPIO leaves some ranks in it. */
int io_file_sync_own(struct io_file *f, bool failed);
int io_file_sync_meet(struct io_file *f);

/* Local. Where the engine keeps bytes in memory of its own (stdio), those written go to
 * the file; discard: what is read next comes from the file, too. 0 or -errno with a
 * sentence. */
int io_file_flush(struct io_file *f, bool discard);

/* **Collective.** Closes, and frees *f (NULL afterwards) even where it fails. */
int io_file_close(struct io_file **f);

/* **Collective** on `comm`; Local where that is MPI_COMM_NULL, for files of IO_LOCAL.
 * Removes the file if this run created it, and forgets it (base/scratch.h); rank 0 of
 * comm does it. No such file is no failure. */
int io_file_remove(MPI_Comm comm, const char *path);

/* Local, on every rank of `comm`. Forgets the file without removing it. */
void io_file_keep(MPI_Comm comm, const char *path);

/* Local. How long the file is, as far as this rank can know: what others have added
 * to a container counts from the next sync on. 0 or -errno with a sentence. */
int io_file_size(struct io_file *f, int64_t *bytes);

/* Local, with nothing under way. Makes the file `bytes` long, as truncate(2) does: for
 * whoever has written whole blocks past what is to be its end. 0 or -errno with a
 * sentence: -EPERM where the run did not make it, -ENOTSUP where it is no plain file.
 * Where nothing is stored there is nothing to do. */
int io_file_cut(struct io_file *f, int64_t bytes);

/* ---- queues --------------------------------------------------------------------- */

/* Requests of several files, with one limit on how many are under way. A file belongs
 * to one queue from its open to its close. A queue is one thread's at a time. */
struct io_queue_open {
    const char *engine;  /* as in struct io_open of its files */
    int depth;           /* requests under way at once, of all its files; >= 1 */
    int64_t max_request; /* largest request of any of its files; 0: not known */
    double timeout_s;    /* limit of one wait; 0: none */
    const struct iovec
        *buffers;     /* memory that requests will use, which an engine may */
    int buffer_count; /* register with the kernel; 0: not known */
};

/* Local. 0 or -errno with a sentence: there is no such engine, it has a queue for each
 * file (mpiio-nb), or the kernel has no room for the queue. */
int io_queue_open(struct io_queue **q, const struct io_queue_open *o);

/* Local. Frees *q (NULL afterwards); files that are still open keep what they need. */
void io_queue_close(struct io_queue **q);

/* Local. Submits n requests, of any kinds and of any files of the queue, each with its
 * `file` (n <= depth - what is under way); a synchronous engine has completed them as
 * it returns. The requests and their buffers belong to the queue until they are done.
 * Returns 0, or the first request's rc; where an asynchronous engine's was refused,
 * none of the n is under way. */
int io_queue_start(struct io_queue *q, struct io_req *r[], int n);

/* Local. The same for who has just read the clock: now_ns is when all are submitted,
 * and no second reading is needed. */
int io_queue_start_at(struct io_queue *q, struct io_req *r[], int n, int64_t now_ns);

/* Local. Waits until at least one of what is under way is done (its end_ns is not 0
 * any more), or, with `r`, until that one is. Returns 0, r's rc, or -ETIMEDOUT where
 * the queue's limit passes. */
int io_queue_wait_for(struct io_queue *q, const struct io_req *r);

/* Local. Waits until all that was started is done. Returns 0 or the rc of the first
 * request that failed since the last call, of whatever file. -ETIMEDOUT where the
 * queue's limit passes. */
int io_queue_wait(struct io_queue *q);

/* Local. How many requests more may be started now. */
int io_queue_room(const struct io_queue *q);

/* Local. Moves asynchronous transfers on; call at least every 5 ms of
 * computation. Returns the number of requests still under way. */
int io_queue_poll(struct io_queue *q);

/* Local. clock_ns when requests were last found done, by any of the calls above. */
int64_t io_queue_done_ns(const struct io_queue *q);

/* ---- what the engine is and does ------------------------------------------- */

/* Local. The layer below: "POSIX", "ROMIO", "OMPIO"; known once opened. */
const char *io_file_layer(const struct io_file *f);

/* Local. Why transfers of this file do not go on by themselves, in spite of an
 * asynchronous engine ("MPI_File_iwrite_at blocks"); NULL: they do. Known once
 * opened. */
const char *io_file_caveat(const struct io_file *f);

/* Local. Why requests of this file that are under way together are moved one after
 * another, although they go on by themselves; NULL: they are not. Known once opened. */
const char *io_file_in_turn(const struct io_file *f);

/* Local. Hints in effect, as the library reports them; up to `max` into h.
 * Returns how many there are. */
int io_file_hints(const struct io_file *f, struct io_hint *h, int max);

/* Local. How a partitioned file is stored; all 0 for other files. */
struct io_partition {
    int64_t parts;                 /* 0: there is no plan to partition by */
    int64_t bytes;                 /* of the logical file, as far as this rank knows */
    int64_t misfits, misfit_bytes; /* this rank's writes that did not fit the plan */
    bool unlocked; /* the file system keeps no other job from writing it, too */
    int64_t
        recovered; /* it was opened as it was at this sync, since whoever wrote it was
                          ended; -1: it was complete */
};
struct io_partition io_file_partition(const struct io_file *f);

/* Local. What a user knows the engine as: "I/O engine uring", or, where FILETYPE chose
 * it, that. Returns `out`. */
enum { IO_ENGINE_TITLE = 64 };
const char *io_engine_title(const char *spec, char out[IO_ENGINE_TITLE]);

/* Local. Nanoseconds that this process has waited so far, in opening and closing, for
 * headers of containers to be written, with their syncs: what makes a file whole that
 * was written, as the sync before the close does. Opens and closes of other files have
 * nothing of the kind. */
int64_t io_header_ns(void);

/* Local. Whether an engine of this spec exists here and can do `flags`: 0, or
 * -EINVAL with a sentence that names the engines there are. */
int io_engine_check(const char *spec, int flags);

/* Engines that not every program can use. */
enum io_engine_kind {
    IO_STORES_NOTHING = 1,
    IO_STORES_FORMAT = 2 /* one of its own, and not the bytes at their offsets */
};

/* Local. The engine of an IOMETHOD: POSIX, MPI (in any case), or an engine's own name
 * with its options; `without` those of enum io_engine_kind. *spec is static or `method`
 * itself. 0, or -EINVAL with a sentence that names what there is. */
int io_engine_of_method(const char *method, int without, const char **spec);

/* Local. What an IOMETHOD may be: "POSIX, MPI or HDF5, or an I/O engine (posix, ...)".
 * Returns `out`. */
enum { IO_ENGINE_CHOICES = 400 };
const char *io_engine_choices(char *out, size_t size, int without);

/* Local. Prints the table of engines: what each can, and why it cannot be used here. */
void io_engine_list(bool json, FILE *out);

/* Local. The asynchronous engine of an IOMETHOD that is the i-th choice (0..), whether
 * or not it is usable; an asynchronous engine's own name is its only one. 0, or -EINVAL
 * with a sentence where there can be none; past the last *spec is NULL. */
int io_engine_of_method_async(const char *method, int i, const char **spec);

/* Local. Into `spec` (room: bytes) the engine that partitions files, with that of the
 * spec `inner` and its options within. 0, or -EINVAL with a sentence where it is too
 * long. */
int io_engine_partitioned(const char *inner, char *spec, size_t room);

/* Local. Whether this kernel lets this process use the engine: 0, or -errno with a
 * sentence. */
int io_engine_usable(const char *spec);
bool io_engine_takes_hints(const char *spec);
bool io_engine_asynchronous(const char *spec);
bool io_engine_needs_direct(const char *spec); /* it blocks without IO_DIRECT */
bool io_engine_in_kernel(const char *spec);    /* uring, libaio */
bool io_engine_writes_back(const char *spec);  /* it honours IO_WRITE_BACK */

/* Local. Whether transfers call MPI (mpiio, hdf5, containers), so that only the thread
 * that began MPI may make them. */
bool io_engine_calls_mpi(const char *spec);

/* Local. Whether it holds bytes back in memory (io_file_flush), so that another open of
 * the file, even by the same rank, does not see them before a flush or a sync. */
bool io_engine_holds_back(const char *spec);

/* Local. Whether one queue of this engine can have several files (io_queue_open). */
bool io_engine_shares_queue(const char *spec);

/* Local. Whether the engine of this spec stores what is written, so that it can be
 * read back and verified (null does not). */
bool io_engine_stores(const char *spec);

/* Local. Name and state ("" or the reason why it is not built) of engine i;
 * NULL past the last one. */
const char *io_engine_name(int i, const char **reason);

/* ---- the page cache (Linux) ------------------------------------------------- */

/* Local. Asks the kernel to drop the pages of [offset, offset + bytes) of the
 * file on this node (after they were synced: dirty pages stay), then counts with
 * mincore(2). *resident: bytes still in memory, or -1 where it cannot be known, as of a
 * file of somebody else.
 * bytes == 0: to the end of the file. Returns 0 or -errno with a sentence. */
int io_cache_drop(const char *path, int64_t offset, int64_t bytes, int64_t *resident);

/* Local. Only counts. */
int io_cache_resident(const char *path, int64_t offset, int64_t bytes,
                      int64_t *resident);

/* Local. How many bytes of a file of any size are in this node's memory, as some of
 * them tell (up to 4 GiB are looked at), and how many are stored. False: the kernel
 * does not tell, or not this user. */
bool io_cache_sample(const char *path, int64_t *resident, int64_t *stored);

/* Local. Of a container, the files that a rank needs to look after: partition `part`,
 * and, with `rest`, what does not fit the plan. Asks for its pages to be dropped first,
 * if `drop`. *bytes: of these files; *resident as above. A container on many nodes has
 * many partitions, and a node's memory only those that its own ranks wrote or read. */
int io_cache_part(const char *path, int64_t part, bool rest, bool drop, int64_t *bytes,
                  int64_t *resident);

/* Local. Bytes this process caused to be fetched from what stands below its file
 * systems' page cache, from /proc/self/io; -1 where the kernel does not tell. */
int64_t io_device_read_bytes(void);

/* Local. Whether those counters work for files in `dir`: writes, syncs, drops
 * and reads one small file. 1: they do; 0: they do not; -errno. */
int io_device_counters_work(const char *dir);

/* ---- what others made --------------------------------------------------------- */

struct io_input {
    int64_t bytes, modified_ns; /* since 1970 */
    int64_t stored;             /* less: there are holes, or it is compressed */
    bool device;
};

/* Local. A file or a block device that is to be read, which it is opened for, and
 * nothing else: how large it is. 0, or -errno with a sentence: it is not there, or
 * something else, such as a directory or a FIFO. */
int io_input_of(const char *path, struct io_input *in);

/* Local. How long what is open as `fd` is, a device, too; `st` is of it. -errno. */
struct stat;
int64_t io_descriptor_bytes(int fd, const struct stat *st);

/* ---- the file system --------------------------------------------------------- */

struct io_fs {
    char type[32];   /* "ext4", "xfs", "lustre", "tmpfs" ... */
    char mount[256]; /* mount options */
    int64_t block_bytes;
    int64_t free_bytes; /* for an ordinary user; -1: not known */
    bool in_memory;     /* tmpfs, ramfs: there is no device */
    char point[4096];   /* where it is mounted */
};

/* Local. About the file system that holds `path`. 0 or -errno with a sentence. */
int io_fs_of(const char *path, struct io_fs *fs);

/* Local. Whether syncfs(2) is known to reach what stores the files at `path`. It does
 * not on FUSE, 9p, SMB, Lustre and BeeGFS, and on overlays on these; of an overlay
 * whose upper directory is not to be seen, it is not known. */
bool io_syncfs_works(const char *path);

/* Local. What is below the directory `fd`, called `path`, is on stable storage: by
 * syncfs where that works, else by an fsync of each file and directory. 0 or -errno
 * with a sentence. */
int io_sync_dir(int fd, const char *path);

/* Local. Whether what is at `path`, a file or a block device, or what is made in that
 * folder, can be opened with O_DIRECT and is on something else than memory. Makes
 * nothing that has a name. */
bool io_direct_works(const char *path);

/* Local. Multiples of so many bytes are what direct I/O moves of `path`, a file, a
 * block device, or what is made in that folder: as the kernel says (STATX_DIOALIGN),
 * or the device's logical block; at most IO_DIRECT_ALIGN, which always does. */
int io_direct_align(const char *path);

/* ---- what stands below the file system ------------------------------------------ */

/* Where reads of a layer may come from. Of several: the largest. */
enum io_reads {
    IO_READS_BELOW,   /* the layers below */
    IO_READS_DEVICE,  /* it is a device */
    IO_READS_UNKNOWN, /* its other side cannot be looked at: a server, a host */
    IO_READS_CACHE,   /* a page cache (or another in memory), known or likely */
    IO_READS_MEMORY   /* it is memory */
};

struct io_layer {
    int level;       /* 0: the file system, or a block device that is read itself; it
                      stands on those after it that are deeper */
    char kind[16];   /* "file system", "loop", "dm", "md", "disk", "virtio" ... */
    char name[64];   /* "ext4", "loop0" */
    char about[256]; /* in words; "" */
    enum io_reads reads;
};

#define IO_LAYERS 24 /* more are left out, but count in `reads` */

struct io_stack {
    int n;
    struct io_layer layer[IO_LAYERS];
    enum io_reads reads; /* of all */
    bool compresses;     /* fewer bytes may be fetched than are read */
    char image[256];     /* a file whose cached pages serve a loop device; "" */
};

/* Local. Reads the mounts, and sysfs for block devices: what stands below the file
 * system of `path`; of a block device, it and what stands below it. 0 or -errno with a
 * sentence. */
int io_stack_of(const char *path, struct io_stack *s);

/* Local. Into `text` one line: "ext4 on loop0 (image /x through the page cache) on
 * xfs on sda". Returns `text`. */
const char *io_stack_text(const struct io_stack *s, char *text, int size);

/* Local. "below", "device", "unknown", "cache", "memory". */
const char *io_reads_text(enum io_reads reads);

/* ---- stripes -------------------------------------------------------------------- */

struct io_stripes {
    int64_t bytes, count; /* 0: not known */
    char about[256];      /* how it is known, or why not */
};

/* What a new file's stripes shall be. */
struct io_striping {
    int64_t count; /* -1: over every server; 0: as the directory says */
    int64_t bytes; /* of a stripe; 0: as the file system has it */
};

/* Local. "COUNT[,SIZE]", COUNT a number or all. 0, or -EINVAL with a sentence. */
int io_striping_parse(const char *text, struct io_striping *s);

/* Local. Whether stripes can be set in files of `fs`: 0, or -EINVAL with a sentence. */
int io_striping_check(const struct io_fs *fs);

/* Local. How the file, or what is made in the directory, `path` of `fs` is spread over
 * servers or disks: by extended attributes, statfs, or the file system's own tool,
 * which has 5 s. */
void io_stripes_of(const char *path, const struct io_fs *fs, struct io_stripes *s);

#endif
