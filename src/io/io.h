/* Transfers bytes to and from files: one interface, an engine per back end.
 *
 * The communicator given to io_file_open decides between unique and shared files
 * (MPI_COMM_SELF or all), never an `if` in an engine. Nothing here knows a layout or
 * a report. */
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
                         * the device, so that no sync finds them there */
    IO_DSYNC = 128,     /* a write is done when its bytes are on stable storage, with
                          * what is needed to read them again */
    IO_OSYNC = 256,     /* ... with all of the file's attributes */
    IO_DATA_SYNC = 512, /* a sync leaves out attributes that no reader needs */
    IO_LOCAL = 64       /* this rank's own file: ranks agree on nothing, and the opener
                         * reports its verdict at the end of a phase. `comm` is ignored.
                         * Only files of this run can be written; files of others are
                         * opened read-only. Any thread may use it, except with an
                         * engine that calls MPI (on MPI_COMM_SELF) */
};

/* Satisfies every block device and file system with direct I/O. */
#define IO_DIRECT_ALIGN 4096

enum io_op { IO_OP_READ, IO_OP_WRITE };

struct io_req {
    enum io_op op;
    void *buf;
    int64_t offset, bytes;
    /* For a read of whole blocks that may go past the end of the file: `least` bytes
     * are enough, and `done` has their number. 0: all bytes are needed. */
    int64_t least;
    struct io_file *file; /* io_file_start and io_file_transfer set it */
    /* results: */
    int rc;           /* 0 or -errno; the sentence is recorded (base/err.h) */
    int64_t done;     /* bytes transferred; == bytes if rc == 0 and least is 0 */
    int64_t start_ns; /* clock_ns at submission */
    int64_t end_ns;   /* clock_ns at completion */
};

struct io_hint {
    char key[64];
    char value[192];
};

#define IO_SHAPE_DIMS 4

/* The array in a file, for engines that store arrays and not bytes: an offset is then
 * the row-major position in the array. Other engines ignore it. */
struct io_shape {
    const char *name;  /* name of the array: "matrices" */
    int element_bytes; /* 8: double; 1: byte */
    int ndims;         /* 1 .. IO_SHAPE_DIMS */
    int64_t dims[IO_SHAPE_DIMS];
    const char *dim_names; /* "rank,mat,element": their meaning, for readers of
                            * the file */
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
    const struct io_shape *shape; /* NULL: `bytes` contiguous bytes */
    const struct iovec
        *buffers;     /* memory that requests will use, which an engine may */
    int buffer_count; /* register with the kernel; 0: not known */
    /* For engines that partition: the ranks' bytes by plan (NULL: not known), and the
     * directories of the partitions, "DIR,DIR" with %n (number of the node) and %r (of
     * the rank); each rank of a node takes the next one in turn. NULL: beside the rest
     * of the file. */
    const struct ldad_plan *plan;
    const char *node_dirs;
    const struct io_striping
        *striping; /* with IO_CREATE; NULL: the directory's default */
    /* NULL: a queue of its own. Else a queue of this engine, whose depth and buffers
     * replace those above; not with IO_COLLECTIVE. */
    struct io_queue *queue;
};

struct io_file;
struct io_queue;

/* **Collective** on o->comm; Local with IO_LOCAL, as are all functions below for that
 * file. Opens a file. A failed open leaves nothing open, and no file that it created,
 * on any rank. Returns the same verdict on all ranks: 0, or -errno with a sentence. A
 * created file is in the scratch table of every rank of comm. */
int io_file_open(struct io_file **f, const struct io_open *o);

/* Local, or **collective** on the file's communicator with IO_COLLECTIVE. As
 * io_queue_start with the file's queue, for requests of this file; sets `file` in
 * each. With IO_COLLECTIVE, refused requests take part with no bytes, and all n are
 * in flight. */
int io_file_start(struct io_file *f, struct io_req *r[], int n);

/* Local. As io_queue_wait_for, io_queue_wait and io_queue_poll with the file's queue,
 * which may have requests of other files, too. */
int io_file_wait_for(struct io_file *f, const struct io_req *r);
int io_file_wait(struct io_file *f);
int io_file_poll(struct io_file *f);

/* Does io_file_start and a wait for one request, and only for it. */
int io_file_transfer(struct io_file *f, struct io_req *r);

/* Local. The queue of the file's requests, valid while the file is open. */
struct io_queue *io_file_queue(struct io_file *f);

/* **Collective.** Writes this rank's bytes to stable storage. The verdict is this
 * rank's: agreeing here would add the wait for slower ranks to its time. */
int io_file_sync(struct io_file *f);

/* **Collective.** The same in two steps, so that waiting and syncing can be timed
 * apart. own: syncs what this rank can, whatever the others do; a rank whose transfers
 * have `failed` only makes the calls that others may wait for. meet: does the rest, if
 * the library waits for all ranks before it syncs (OMPIO, HDF5) or they exchange
 * messages; only if none has failed, because OMPIO leaves some ranks in it after a
 * failed collective write. */
int io_file_sync_own(struct io_file *f, bool failed);
int io_file_sync_meet(struct io_file *f);

/* Local. Writes bytes that the engine holds back in memory (stdio) to the file;
 * discard: also makes the next read come from the file. Returns 0, or -errno with
 * a sentence. */
int io_file_flush(struct io_file *f, bool discard);

/* **Collective.** Closes, and frees *f (NULL afterwards), even if it fails. */
int io_file_close(struct io_file **f);

/* **Collective** on `comm`; Local with MPI_COMM_NULL, for files of IO_LOCAL. Removes
 * the file if this run created it, on rank 0 of comm, and forgets it (base/scratch.h).
 * A missing file is no failure. */
int io_file_remove(MPI_Comm comm, const char *path);

/* Local, on every rank of `comm`. Forgets the file without removing it. */
void io_file_keep(MPI_Comm comm, const char *path);

/* Local. The length of the file, as far as this rank knows it: what others have added
 * to a container counts from the next sync on. Returns 0, or -errno with a sentence. */
int io_file_size(struct io_file *f, int64_t *bytes);

/* Local, with nothing in flight. Makes the file `bytes` long, as truncate(2), after
 * whole blocks were written past its intended end. Returns 0, or -errno with a
 * sentence: -EPERM if the run did not make it, -ENOTSUP if it is no regular file. Does
 * nothing if nothing is stored. */
int io_file_cut(struct io_file *f, int64_t bytes);

/* ---- queues --------------------------------------------------------------------- */

/* A queue of requests of several files, with one limit on those in flight. A
 * file belongs to one queue from its open to its close. One thread uses a queue
 * at a time. */
struct io_queue_open {
    const char *engine;  /* as in struct io_open of its files */
    int depth;           /* requests in flight, of all its files; >= 1 */
    int64_t max_request; /* largest request of any of its files; 0: not known */
    double timeout_s;    /* limit of one wait; 0: none */
    const struct iovec
        *buffers;     /* memory that requests will use, which an engine may */
    int buffer_count; /* register with the kernel; 0: not known */
};

/* Local. Opens a queue. Returns 0, or -errno with a sentence: the engine does
 * not exist, it has one queue per file (mpiio-nb), or the kernel has no room for
 * the queue. */
int io_queue_open(struct io_queue **q, const struct io_queue_open *o);

/* Local. Frees *q (NULL afterwards); files that are still open keep what they need. */
void io_queue_close(struct io_queue **q);

/* Local. Submits n requests, of any kinds and of any files of the queue, each with its
 * `file` (n <= depth minus those in flight); a synchronous engine has completed them
 * when it returns. The queue owns the requests and their buffers until they are done.
 * Returns 0, or the rc of the first one that was refused or failed at once; if one is
 * refused with an asynchronous engine, none of the n is in flight. */
int io_queue_start(struct io_queue *q, struct io_req *r[], int n);

/* Local. The same for a caller that has just read the clock: now_ns is the time of
 * submission, and the clock is not read again. */
int io_queue_start_at(struct io_queue *q, struct io_req *r[], int n, int64_t now_ns);

/* Local. Waits until at least one request in flight is done (its end_ns is not 0 any
 * more), or, with `r`, until that one is. Returns 0, r's rc, or -ETIMEDOUT after the
 * queue's limit. */
int io_queue_wait_for(struct io_queue *q, const struct io_req *r);

/* Local. Waits until all requests are done. Returns 0, or the rc of the first request,
 * of any file, that failed since the last call. -ETIMEDOUT after the queue's limit. */
int io_queue_wait(struct io_queue *q);

/* Local. Waits until a request in flight is done, or the clock reaches `until_ns`.
 * Returns 0, or -errno. */
int io_queue_wait_until(struct io_queue *q, int64_t until_ns);

/* Local. The number of requests that may still be started. */
int io_queue_room(const struct io_queue *q);

/* Local. Advances asynchronous transfers; call at least every 5 ms of computation.
 * Returns the number of requests in flight. */
int io_queue_poll(struct io_queue *q);

/* Local. The time (clock_ns) when one of the calls above last found
 * finished requests. */
int64_t io_queue_done_ns(const struct io_queue *q);

/* ---- properties of engines ------------------------------------------------- */

/* Local. The layer below: "POSIX", "ROMIO", "OMPIO"; known once opened. */
const char *io_file_layer(const struct io_file *f);

/* Local. The reason why transfers of this file do not progress by themselves, in
 * spite of an asynchronous engine ("MPI_File_iwrite_at blocks"); NULL: they do. Known
 * once opened. */
const char *io_file_caveat(const struct io_file *f);

/* Local. The reason why requests of this file in flight together are made one
 * after another, although they progress by themselves; NULL: they are not. Known
 * once opened. */
const char *io_file_in_turn(const struct io_file *f);

/* Local. Copies the hints in effect, as the library reports them, up to `max`, into h.
 * Returns their number. */
int io_file_hints(const struct io_file *f, struct io_hint *h, int max);

/* Local. Describes the storage of a partitioned file; all 0 for other files. */
struct io_partition {
    int64_t parts;                 /* 0: there is no plan to partition it */
    int64_t bytes;                 /* of the logical file, as this rank knows */
    int64_t misfits, misfit_bytes; /* this rank's writes that did not fit the plan */
    bool unlocked;     /* the file system has no locks to exclude other jobs from
                        * writing it */
    int64_t recovered; /* number of the sync from whose state it was opened, since its
                        * writer was killed; -1: it was complete */
};
struct io_partition io_file_partition(const struct io_file *f);

/* Local. The user's name for the engine: "I/O engine uring", or the FILETYPE that chose
 * it. Returns `out`. */
enum { IO_ENGINE_TITLE = 64 };
const char *io_engine_title(const char *spec, char out[IO_ENGINE_TITLE]);

/* Local. Nanoseconds that this process has waited so far, in opening and closing, for
 * headers of containers to be written and synced. They complete a written file, as the
 * sync before the close does, so they count as sync. Other files take no such time. */
int64_t io_header_ns(void);

/* Local. Returns how many times this process has tried again to open a file that the
 * file system did not show yet, or still showed as it was (ENOENT, ESTALE). */
int64_t io_opened_again(void);

/* Local. Opens a file of this run to read, with such tries. Returns the descriptor, or
 * -1 and errno. */
int io_open_seen(const char *path);

/* Local. Checks that an engine of this spec exists and can do `flags`. Returns 0, or
 * -EINVAL with a sentence that lists the engines. */
int io_engine_check(const char *spec, int flags);

/* Engines that some programs cannot use. */
enum io_engine_kind {
    IO_STORES_NOTHING = 1,
    IO_STORES_FORMAT = 2 /* a format of its own, not the bytes at their offsets */
};

/* Local. Finds the engine of an IOMETHOD: POSIX, MPI (in upper or lower case), or an
 * engine's own name with its options; `without` excludes kinds (enum io_engine_kind).
 * *spec is static or `method` itself. Returns 0, or -EINVAL with a sentence that lists
 * the choices. */
int io_engine_of_method(const char *method, int without, const char **spec);

/* Local. Lists the values of IOMETHOD: "POSIX, MPI or HDF5, or an I/O engine (posix,
 * ...)". Returns `out`. */
enum { IO_ENGINE_CHOICES = 400 };
const char *io_engine_choices(char *out, size_t size, int without);

/* Local. Prints the table of engines: what each can do, or why it cannot be
 * used here. */
void io_engine_list(bool json, FILE *out);

/* Local. Finds the i-th choice (from 0) of an IOMETHOD's asynchronous engines, usable
 * or not; for an asynchronous engine's own name, that is the only one. Returns 0 and
 * *spec, which is NULL past the last, or -EINVAL with a sentence if there is none. */
int io_engine_of_method_async(const char *method, int i, const char **spec);

/* Local. Writes to `spec` (room: bytes) the engine that partitions files, with `inner`
 * and its options inside. Returns 0, or -EINVAL with a sentence if it is too long. */
int io_engine_partitioned(const char *inner, char *spec, size_t room);

/* Local. Checks that this kernel lets this process use the engine. Returns 0, or -errno
 * with a sentence. The others tell what the engine can do. */
int io_engine_usable(const char *spec);
bool io_engine_takes_hints(const char *spec);
bool io_engine_asynchronous(const char *spec);
bool io_engine_needs_direct(const char *spec); /* it blocks without IO_DIRECT */
bool io_engine_in_kernel(const char *spec);    /* uring, libaio */
bool io_engine_writes_back(const char *spec);  /* it honours IO_WRITE_BACK */

/* Local. True if transfers call MPI (mpiio, hdf5, containers): then only the thread
 * that initialized MPI may make them. */
bool io_engine_calls_mpi(const char *spec);

/* Local. True if it holds bytes back in memory (io_file_flush), so that another open of
 * the file, even by the same rank, does not see them before a flush or a sync. */
bool io_engine_holds_back(const char *spec);

/* Local. True if one queue of this engine can have several files (io_queue_open). */
bool io_engine_shares_queue(const char *spec);

/* Local. True if the engine stores what is written, so that it can be read back and
 * verified (null does not). */
bool io_engine_stores(const char *spec);

/* Local. The name of engine i and its state ("" or the reason why it is not built);
 * NULL past the last one. */
const char *io_engine_name(int i, const char **reason);

/* ---- the page cache (Linux) ------------------------------------------------- */

/* Local. Asks the kernel to drop the pages of [offset, offset + bytes) of the file on
 * this node (after they were synced: dirty pages stay), then counts with mincore(2).
 * *resident: bytes still in memory, or -1 if not known, as for a file of another user.
 * bytes == 0: to the end of the file. Returns 0, or -errno with a sentence. */
int io_cache_drop(const char *path, int64_t offset, int64_t bytes, int64_t *resident);

/* Local. Only counts. */
int io_cache_resident(const char *path, int64_t offset, int64_t bytes,
                      int64_t *resident);

/* Local. Estimates how many bytes of a file are in this node's memory from a sample of
 * at most 4 GiB, and how many are stored. Returns false if the kernel does not tell, or
 * not this user. */
bool io_cache_sample(const char *path, int64_t *resident, int64_t *stored);

/* Local. As io_cache_drop and io_cache_resident, for those files of a container that
 * a rank must handle: partition `part`, and, with `rest`, the bytes that do not fit
 * the plan. Drops pages first if `drop`. *bytes: of these files. A container on many
 * nodes has many partitions, and a node has only those in memory that its own ranks
 * wrote or read. */
int io_cache_part(const char *path, int64_t part, bool rest, bool drop, int64_t *bytes,
                  int64_t *resident);

/* Local. The bytes that this process caused to be read from below its file systems'
 * page cache, from /proc/self/io; -1 if the kernel does not tell. */
int64_t io_device_read_bytes(void);

/* Local. Tests those counters for files in `dir`: writes, syncs, drops and reads one
 * small file. Returns 1 if they work, 0 if they do not or cannot be tested, as where a
 * file without a name cannot be synced; or -ENOMEM. */
int io_device_counters_work(const char *dir);

/* ---- inputs ------------------------------------------------------------------- */

struct io_input {
    int64_t bytes, modified_ns; /* since 1970 */
    int64_t stored;             /* less than bytes: there are holes, or it
                                 * is compressed */
    bool device;
};

/* Local. Finds the size of a file or block device by opening it for reading, without
 * reading it. Returns 0, or -errno with a sentence if it is missing or something else,
 * such as a directory or a FIFO. */
int io_input_of(const char *path, struct io_input *in);

/* Local. The length of the open file or device `fd` with the status `st`, or -errno. */
struct stat;
int64_t io_descriptor_bytes(int fd, const struct stat *st);

/* ---- the file system --------------------------------------------------------- */

struct io_fs {
    char type[32];   /* "ext4", "xfs", "lustre", "tmpfs" ... */
    char mount[256]; /* mount options */
    int64_t block_bytes;
    int64_t free_bytes; /* for an ordinary user; -1: not known */
    bool in_memory;     /* tmpfs, ramfs: there is no device */
    char point[4096];   /* mount point */
};

/* Local. Describes the file system that holds `path`. Returns 0, or -errno with
 * a sentence. */
int io_fs_of(const char *path, struct io_fs *fs);

/* Local. True if syncfs(2) is known to reach the storage of the files at `path`. It
 * does not on FUSE, 9p, SMB, Lustre and BeeGFS, nor on overlays on these; for an
 * overlay whose upper directory cannot be seen it is not known. */
bool io_syncfs_works(const char *path);

/* Local. Writes everything in the directory `fd`, called `path`, to stable storage: by
 * syncfs if that works, else by an fsync of each file and directory. Returns 0, or
 * -errno with a sentence. */
int io_sync_dir(int fd, const char *path);

/* Local. True if `path`, a file or a block device, or a new file in that directory, can
 * be opened with O_DIRECT and is not in memory. Makes nothing that has a name. */
bool io_direct_works(const char *path);

/* Local. The alignment in bytes that direct I/O needs for `path`, a file, a block
 * device, or a new file in that directory: by the kernel (STATX_DIOALIGN), or the
 * device's logical block; at most IO_DIRECT_ALIGN, which always works. */
int io_direct_align(const char *path);

/* ---- layers below the file system ----------------------------------------------- */

/* The origin of a layer's reads. The verdict on several is the largest. */
enum io_reads {
    IO_READS_BELOW,   /* the layers below */
    IO_READS_DEVICE,  /* a device */
    IO_READS_UNKNOWN, /* a server or host that cannot be inspected */
    IO_READS_CACHE,   /* a page cache (or another in memory), known or likely */
    IO_READS_MEMORY   /* memory */
};

struct io_layer {
    int level;       /* 0: the file system, or a block device that is read itself;
                      * deeper layers after it are below it */
    char kind[16];   /* "file system", "loop", "dm", "md", "disk", "virtio" ... */
    char name[64];   /* "ext4", "loop0" */
    char about[256]; /* description, or "" */
    enum io_reads reads;
};

#define IO_LAYERS 24 /* further layers are left out, but count in `reads` */

struct io_stack {
    int n;
    struct io_layer layer[IO_LAYERS];
    enum io_reads reads; /* over all layers */
    bool compresses;     /* fewer bytes may be fetched than read */
    char image[256];     /* a file whose cached pages serve a loop device; "" */
};

/* Local. Reads the mounts, and sysfs for block devices: the layers below the file
 * system of `path`; for a block device, itself and the layers below it. Returns 0, or
 * -errno with a sentence. */
int io_stack_of(const char *path, struct io_stack *s);

/* Local. Formats one line in `text`: "ext4 on loop0 (image /x through the page cache)
 * on xfs on sda". Returns `text`. */
const char *io_stack_text(const struct io_stack *s, char *text, int size);

/* Local. "below", "device", "unknown", "cache", "memory". */
const char *io_reads_text(enum io_reads reads);

/* ---- what is stored -------------------------------------------------------------- */

struct io_stored {
    int64_t data, stored; /* bytes of the file that are no holes; on its file system */
    char about[160];      /* what asks for compression: attributes, options; or "" */
};

/* Local. Looks at a file that has been synced, by st_blocks, or by its extents if these
 * are compressed, for which that is a good estimate; `mount`: the options of its mount.
 * Returns false if it has no data, or cannot be looked at. */
bool io_stored_of(const char *path, const char *mount, struct io_stored *s);

/* Local. True if the file, or new files in the directory, have an attribute that asks
 * for compression. */
bool io_file_compresses(const char *path);

/* ---- nodes ---------------------------------------------------------------------- */

struct world;

struct io_place {    /* storage as a node, or a rank, sees it; "": not known */
    char kinds[512]; /* the kinds of its layers: if they differ, so does the storage */
    char name[256];  /* its layers, "ext4 on loop0" */
    char text[768];  /* as io_stack_text */
    char fs[32], source[128], uuid[40], mount[256];
    char client[64], kernel[64], limits[192], host[64];
    int node, rank;
    enum io_reads reads;
    bool compresses, looked;
    bool counted; /* the kernel counts its reads */
};

enum { IO_GROUPS = 16 }; /* the last one has all others */

struct io_group {       /* nodes that see the same */
    struct io_place of; /* the first; without a UUID or source in which they differ */
    int nodes, last_node;
    bool other_uuid, other_source; /* not all have the first's */
    char names[208];               /* of the first nodes */
};

struct io_nodes {
    /* On every rank: the number of groups, of places with other layers than the first,
     * the rank whose reads memory can serve best; and, if there are unlike ones, the
     * number of the own group, and whether reads are counted on this node. */
    int n, unlike, worst, own, counted;
    struct io_group group[IO_GROUPS]; /* on rank 0, and the first and the other place */
    struct io_place first, other;
};

/* Local. Describes this node's storage at `path`, whose layers are `s`; what is not
 * known is "". `counted` is the caller's. */
void io_place_of(const char *path, const struct io_stack *s, const struct world *w,
                 struct io_place *p);

/* **Collective** on w->comm. Puts nodes into groups; one rank of a node, or with
 * each_rank all, describe what they see (mine->looked false: nothing). Rank 0 gets one
 * message from each of them. Returns the agreed verdict. */
int io_nodes_find(const struct world *w, const struct io_place *mine, bool each_rank,
                  struct io_nodes *all);

/* ---- stripes -------------------------------------------------------------------- */

struct io_stripes {
    int64_t bytes, count; /* 0: not known */
    char about[256];      /* source of these values, or the reason why they are
                           * not known */
};

/* The stripes of a new file. */
struct io_striping {
    int64_t count; /* -1: over every server; 0: the directory's default */
    int64_t bytes; /* bytes of a stripe; 0: the file system's default */
};

/* Local. Parses "COUNT[,SIZE]", COUNT a number or all. Returns 0, or -EINVAL with
 * a sentence. */
int io_striping_parse(const char *text, struct io_striping *s);

/* Local. Checks that stripes can be set in files of `fs`. Returns 0, or -EINVAL with
 * a sentence. */
int io_striping_check(const struct io_fs *fs);

/* Local. Finds how `path` of `fs`, a file or the future files of a directory, is
 * striped over servers or disks: by extended attributes, statfs, or the file system's
 * own tool, which has 5 s. */
void io_stripes_of(const char *path, const struct io_fs *fs, struct io_stripes *s);

#endif
