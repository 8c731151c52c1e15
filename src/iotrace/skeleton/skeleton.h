/* A skeleton is a run's requests to its files, without names, hosts or data: transfers
 * as descriptors by file role, phase and rank, and all other calls as counts. Its size
 * does not depend on the run's duration. The format is in doc/skeleton.md. */
#ifndef IOTRACE_SKELETON_SKELETON_H
#define IOTRACE_SKELETON_SKELETON_H

#include "algebra/descriptor.h"
#include "algebra/sequence.h"
#include "base/format/json.h"
#include "base/opt.h"
#include "iotrace/read/names.h"
#include "iotrace/read/runs.h"

enum {
    SKELETON_ROLES = 255, /* further files share role 0 */
    SKELETON_PHASES = 63, /* further phases count as the last */
    SKELETON_STREAMS = 1 << 18,
    SKELETON_MEMBERS = 16,    /* files of a role that may be roles of their own */
    SKELETON_MEETINGS = 1024, /* syncs of a kind that are examined */
    SKELETON_THREADS = 256, /* threads of a process; further ones share their places */
    SKELETON_LEVELS = 4,    /* libraries' calls within each other */
    SKELETON_DESCRIPTORS = 16 /* descriptors of a stream; further calls are drawn */
};

struct skeleton_sum {
    int64_t calls, bytes;
};

struct skeleton_descriptor {
    struct ldad is; /* each chunk is one call */
    int64_t repeats;
};

struct skeleton_drawn { /* calls without a descriptor */
    struct skeleton_sum sum;
    int64_t sizes[64]; /* [n]: calls of 2^n to 2^(n+1) - 1 bytes */
};

/* The n-th sync of a kind, over all processes read so far. */
struct skeleton_meeting {
    int64_t ended_ns;         /* when all had ended their earlier work */
    int64_t begun_ns;         /* when the first began to sync */
    int64_t sum_ns, least_ns; /* time between these, of each process: sum and least */
};

/* The calls of one kind that one process made to the files of a role in a phase. */
struct skeleton_stream {
    uint32_t role; /* number of its name while logs are read; later the number shown */
    uint16_t phase, op;
    uint8_t flags;  /* flags of its first call */
    uint8_t member; /* number of the file in its role; SKELETON_MEMBERS: a later one */
    /* the library that made its first call; LIBRARY_NONE: the program did */
    uint8_t within;
    int process;
    int64_t order;  /* number of its first call in the process */
    int64_t buffer; /* buffer of a stdio stream that the program set; 0: none */
    struct skeleton_sum sum;
    int64_t empty, failed; /* calls that moved nothing, which are in no descriptor */
    int64_t pause_ns;      /* time outside calls before its calls */
    struct skeleton_drawn *drawn;    /* calls without a pattern; NULL: none */
    struct skeleton_drawn *unplaced; /* calls at unknown offsets */
    /* likewise, but the calls within them count instead */
    struct skeleton_drawn *through;
    struct skeleton_descriptor *found;
    int founds;
    struct sequence sequence;         /* order of its descriptors */
    struct skeleton_meeting *meeting; /* syncs of the first process; NULL: none */
    uint32_t meetings;                /* allocated number */
    int step; /* number of the step that it is part of, as shown */
};

/* The order of a process's streams in a phase, by their numbers. */
struct skeleton_order {
    int process, phase;
    struct sequence is;
};

struct skeleton_file {
    uint32_t role;
    uint32_t member;     /* number of earlier files of the role */
    int mover;           /* first process that transferred it + 1; 0: none */
    bool movers;         /* other processes transferred it, too */
    int64_t end;         /* highest end of a transfer */
    int process;         /* first process that used it */
    bool shared;         /* other processes used it, too */
    int64_t first_ns[2]; /* times when a rank first read, and wrote; 0: none did */
};

struct skeleton_role {
    int64_t files, shared, read_first;
    int64_t bytes;  /* bytes of the largest */
    int64_t most;   /* most files that one process transferred */
    bool movers;    /* several processes transferred one of the files */
    uint32_t shown; /* the first role that is shown for it: itself, or its files */
    bool split;
};

struct skeleton_phase {
    bool region; /* a region; else outside of all regions */
    /* number of the phase outside regions that follows this region; 0: none yet */
    int after;
    int before;       /* for a phase outside regions: the region before it */
    int64_t end_ns;   /* earliest end of the region, after the process's begin */
    int64_t times;    /* entries by the process that entered it most often */
    int64_t begin_ns; /* earliest begin, after the process's begin */
    int processes;
    double min_s, sum_s, max_s;                   /* time within it */
    double io_min_s, io_sum_s, io_max_s;          /* time in calls */
    double think_min_s, think_sum_s, think_max_s; /* time between calls */
};

/* A part of a run that marks no phases: it begins at a pause, or with an
 * MPI_File_open. */
struct skeleton_part {
    uint64_t kind[2]; /* parts with a common kind are alike; 0: none */
    int64_t from_ns;  /* begin, after a pause */
    int open;         /* number of the rank's open that begins it; 0: a pause does */
    int last;         /* the last part that is like it */
    uint16_t phase;
};

struct skeleton {
    const struct opt_list *include; /* patterns of names; NULL: all files */
    struct names files, roles, phases;
    struct skeleton_file *file; /* indexed by the number of the file's name */
    uint32_t file_room;
    struct skeleton_role role[SKELETON_ROLES + 1];    /* indexed by name */
    struct skeleton_role shown[SKELETON_ROLES + 2];   /* the first is [1] */
    struct skeleton_phase phase[SKELETON_PHASES + 1]; /* [0]: before all regions */
    struct skeleton_stream *stream;
    int streams, room;
    int32_t *slot; /* number of a stream + 1, by hash; 0: free */
    int slots;
    struct skeleton_order *order;
    int orders;
    struct skeleton_part *part; /* in order of time */
    int parts;                  /* 0: phases are regions */
    int32_t *rank;              /* rank of each process */
    int processes;
    /* transfers within calls of each library were seen */
    bool seen[LIBRARY_PNETCDF + 1];
    bool has_ranks; /* only processes with a rank count */
    bool *is_rank;  /* for each readable log: it is a rank */
    int log;        /* number of the log that is read next */
    /* Calls that are left out, by reason. */
    struct skeleton_sum other_processes, not_files, system_files, unfollowed;
    uint64_t dropped;
};

/* Local. Makes the skeleton of a run. Returns 0, or -errno with a sentence; free it in
 * both cases. */
int skeleton_make(struct skeleton *s, struct run *r);
void skeleton_free(struct skeleton *s);

/* Local. Writes it as JSON. Returns 0, or -ENOMEM with a sentence. */
int skeleton_put(struct skeleton *s, struct json *j);

/* Local. Finds the logs that count: one for each rank if there are ranks, else all.
 * Returns 0, or -errno with a sentence. */
int skeleton_find_ranks(struct skeleton *s, struct run *r);

/* The calls that a thread is in and that are looked through. */
struct skeleton_depth {
    int64_t end_ns[SKELETON_LEVELS];
    int library[SKELETON_LEVELS];
    int depth;
};

/* Local. True if the program made the call, or a library in a call that is looked
 * through; *within is that library, or LIBRARY_NONE. Events come in the order of
 * time. */
bool skeleton_visits(struct skeleton_depth threads[SKELETON_THREADS],
                     const struct event *e, int *within);

/* Local. skeleton_is_through: the calls within this library call count instead of it.
 * skeleton_is_placed: the event has a place in the file. */
bool skeleton_is_through(const struct event *e);
bool skeleton_is_placed(const struct event *e);

/* Local. True if the program made the call, and no library on its behalf. */
bool skeleton_is_asked(const struct event *e);

/* Local. Finds the parts that phases consist of, if the run marks no regions. Returns
 * 0, or -errno with a sentence. */
int skeleton_find_phases(struct skeleton *s, struct run *r);

/* Local. skeleton_is_region: the event begins or ends a region. skeleton_is_joint_open:
 * it is an open with which ranks may open a file together. */
bool skeleton_is_region(const struct event *e);
bool skeleton_is_joint_open(const struct event *e);

/* Local. Returns the number of a file's role; 0: there are too many. */
uint32_t skeleton_role_of(struct skeleton *s, const char *name);

/* The meaning of a name: a file of the program, one of the system, or no file that
 * holds bytes. */
enum skeleton_kind { SKELETON_FILE, SKELETON_SYSTEM, SKELETON_OTHER };

/* Local. Returns 0, or -EINVAL with a sentence: the log is a profile only. */
int skeleton_has_events(const struct log *l);

/* Local. Returns the meaning of a name. */
enum skeleton_kind skeleton_kind(const char *name);

/* Local. As skeleton_kind, but if patterns are given, only files that match are
 * SKELETON_FILE, whatever their place, and others of a workload are not part of it. */
enum skeleton_kind skeleton_kind_asked(const struct skeleton *s, const char *name);

/* Local. True if calls of `op` are numbered steps: transfers, syncs and flushes, and
 * drops of a file's pages from memory. */
bool skeleton_is_step(int op);

/* Local. Add calls of `size` > 0 bytes, or all of `from`, to the drawn ones. Return 0,
 * or -ENOMEM with a sentence. */
int skeleton_draw(struct skeleton_drawn **d, int64_t calls, int64_t size);
int skeleton_draw_all(struct skeleton_drawn **d, const struct skeleton_drawn *from);

/* Local. Chooses the roles that are shown, after all is read, and sorts streams by
 * them. Files of a role by name are one role if each process has its own, or if they
 * are many; else each is a role. Returns 0, or -ENOMEM with a sentence. */
int skeleton_settle(struct skeleton *s);

/* Local. Keeps a descriptor of a stream; those with most calls stay. Returns 0, or
 * -ENOMEM with a sentence. */
int skeleton_keep(struct skeleton_stream *t, const struct ldad *d, int64_t repeats);

/* Local. Index of streams by their properties. skeleton_stream_find returns the number
 * + 1 of a known one, else 0; skeleton_stream_note enters stream n. */
int skeleton_stream_find(const struct skeleton *s, uint32_t role, int member, int phase,
                         int op, int process);
void skeleton_stream_note(struct skeleton *s, int n);

/* Local. Notes a sync of a process that had ended all earlier calls at ended_ns.
 * Returns 0, or -ENOMEM with a sentence. */
int skeleton_meet(struct skeleton *s, int stream, int64_t ended_ns,
                  const struct event *e);

/* Local. skeleton_met: n streams of one kind are syncs that no rank began before all
 * ranks were ready. skeleton_waited_s: then, a rank's mean wait for the others. */
bool skeleton_met(const struct skeleton *s, struct skeleton_stream *const *t, int n);
double skeleton_waited_s(const struct skeleton_stream *first, int n);

/* Local. Returns the number of calls that a descriptor stands for. */
int64_t skeleton_calls(const struct skeleton_descriptor *d);

/* Local. Adds calls and bytes to *sum; bytes below 0 count as none. */
void skeleton_add(struct skeleton_sum *sum, int64_t calls, int64_t bytes);

#endif
