/* Parts of the doctor that its probes share: their place, their answers, and the second
 * party. */
#ifndef DOCTOR_INSIDE_H
#define DOCTOR_INSIDE_H

#include "doctor/doctor.h"
#include "io/io.h"
#include <limits.h>

/* ---- the place ------------------------------------------------------------------- */

enum { PIECE = 4 << 20 }; /* bytes that a probe of data writes */

struct place {
    const char *dir;     /* examined directory */
    char path[PATH_MAX]; /* folder of the probes in it, emptied after each one */
    int fd;              /* descriptor of that folder */
    struct io_fs fs;
    struct io_stack stack;
    unsigned char *noise; /* PIECE bytes that nothing can compress */
    struct other *other;  /* the second party; NULL: none */
    struct other **node;  /* a rank of each other node */
    int nodes;
};

/* Local. Creates a file in the place, open for reading and writing. Returns the
 * descriptor, or -1 with errno. */
int place_new(const struct place *p, const char *name, int how);

/* Local. The same, with `bytes` of noise in it. */
int place_noise(const struct place *p, const char *name, size_t bytes);

/* Local. Fills n bytes with other noise at each call. */
void place_random(unsigned char *buf, size_t n);

/* ---- answers --------------------------------------------------------------------- */

/* Local. Answers a probe; `fmt` makes the text. */
void find(struct doctor_finding *f, const char *answer, const char *means,
          const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Local. Answers "not known", since `what` has failed with `error`, an errno. */
void find_unknown(struct doctor_finding *f, const char *what, int error);

/* Local. Adds a value, up to DOCTOR_VALUES. */
void find_value(struct doctor_finding *f, const char *name, double value);

/* ---- the second party ------------------------------------------------------------ */

/* Another process of this node, or of another one, that does what it is asked with
 * files of the place. It keeps one file open, and one mapped page of it. */

enum ask {
    ASK_END,
    ASK_OPEN,   /* `name` with open's flags `how` */
    ASK_CLOSE,  /* and unmap */
    ASK_READ,   /* `bytes` at `at`: rc: their number; value: the first byte if all are
                 * equal, else -1 */
    ASK_WRITE,  /* `bytes` times the byte `how` at `at` */
    ASK_APPEND, /* `bytes` records of the writer `how` */
    ASK_LOCK,   /* exclusively, without waiting, by enum lock_kind `how` */
    ASK_UNLOCK,
    ASK_STAT,  /* value: size of `name` */
    ASK_LIST,  /* value: names that begin with `name`, and that are listed once */
    ASK_MAP,   /* the first page of the open file */
    ASK_PEEK,  /* value: the mapped byte at `at` */
    ASK_POKE,  /* writes `how` to it */
    ASK_WATCH, /* reads `name` by new opens for `bytes` ms. value: looks; rc: looks that
                * found no name, or another content than RECORD equal bytes */
    ASK_CLOCK  /* value: ns since 1970 */
};

enum { RECORD = 64 };
enum lock_kind { LOCK_FCNTL, LOCK_OFD, LOCK_FLOCK, LOCK_KINDS };

struct question {
    enum ask what;
    int how;
    int64_t at, bytes;
    char name[64];
};

struct answer {
    int64_t rc; /* negative: -errno */
    int64_t value;
};

/* Local. Starts a process of this node, for the files in `path`. When this process dies
 * it empties and removes `path`. Returns NULL if there can be none. other_end frees the
 * second party, after it has told it to end, unless it was never asked to begin. */
struct other *other_start(const char *path);
void other_end(struct other **o, bool tell);

/* Local. Does the same with another rank of `comm`, which calls other_serve. */
struct other *other_rank(MPI_Comm comm, int rank);
void other_serve(MPI_Comm comm, const char *path);

/* Local. Asks and waits for the answer, or does this in two steps. */
struct answer other_ask(struct other *o, const struct question *q);
void other_send(struct other *o, const struct question *q);
struct answer other_receive(struct other *o);

/* Local. True if it is in another node. */
bool other_remote(const struct other *o);

/* Local. True if it has died: its answers are no answers. */
bool other_gone(const struct other *o);

/* Local. What the second party does, for the first one, too: appends records, locks,
 * and checks the file of such records. */
int other_append(int fd, int writer, int64_t records);
int other_lock(int fd, enum lock_kind kind, bool lock);

/* ---- probes ---------------------------------------------------------------------- */

typedef void probe(struct place *p, struct doctor_finding *f);

/* probe_direct.c */
probe probe_direct, probe_alignment, probe_drop, probe_latency;
/* probe_device.c */
probe probe_fsync, probe_syncfs, probe_compression, probe_deduplication;
/* probe_space.c */
probe probe_statfs, probe_preallocation, probe_tmpfile, probe_sparse;
/* probe_names.c */
probe probe_file_system, probe_unlink, probe_names, probe_limits, probe_times;
/* probe_shared.c: with a second party */
probe probe_rename, probe_append, probe_locks;
/* probe_coherence.c: with a second party */
probe probe_mmap, probe_read, probe_directory, probe_clock;

#endif
