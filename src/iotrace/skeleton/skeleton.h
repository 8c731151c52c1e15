/* A skeleton is what a run asked of its files, without names, hosts or data: transfers
 * as descriptors by file role, phase and rank, and all other calls as counts. Its size
 * does not depend on how long the run was. The format is in doc/skeleton.md. */
#ifndef IOTRACE_SKELETON_SKELETON_H
#define IOTRACE_SKELETON_SKELETON_H

#include "algebra/descriptor.h"
#include "algebra/sequence.h"
#include "base/format/json.h"
#include "iotrace/read/names.h"
#include "iotrace/read/runs.h"

enum {
    SKELETON_ROLES = 255, /* further files have role 0 together */
    SKELETON_PHASES = 63, /* further ones are the last */
    SKELETON_STREAMS = 1 << 18,
    SKELETON_MEMBERS = 16,    /* files of a role that may be roles of their own */
    SKELETON_MEETINGS = 1024, /* syncs of a kind that are looked at */
    SKELETON_THREADS = 256,   /* of a process; further ones share their places */
    SKELETON_LEVELS = 4,      /* of libraries, one within the other */
    SKELETON_DESCRIPTORS = 16 /* of a stream; what else there is, is drawn */
};

struct skeleton_sum {
    int64_t calls, bytes;
};

struct skeleton_descriptor {
    struct ldad is; /* each chunk is one call */
    int64_t repeats;
};

struct skeleton_drawn { /* calls that no descriptor holds */
    struct skeleton_sum sum;
    int64_t sizes[64]; /* [n]: of 2^n to 2^(n+1) - 1 bytes */
};

/* The n-th sync of a kind, of all processes that were read. */
struct skeleton_meeting {
    int64_t ended_ns;         /* when all had ended what they did before */
    int64_t begun_ns;         /* when the first began it */
    int64_t sum_ns, least_ns; /* between these, of each process */
};

/* The calls of one kind that one process made to the files of a role in a phase. */
struct skeleton_stream {
    uint32_t role; /* while logs are read, by name; then as shown */
    uint16_t phase, op;
    uint8_t flags;  /* of its first call */
    uint8_t member; /* of the role, which file; SKELETON_MEMBERS: a later one */
    uint8_t within; /* the library that made its first call; LIBRARY_NONE: no one */
    int process;
    int64_t order;  /* number of its first call in the process */
    int64_t buffer; /* that the program gave it, of stdio; 0: none */
    struct skeleton_sum sum;
    int64_t empty, failed; /* calls that moved nothing; such are not in descriptors */
    int64_t pause_ns;      /* before calls, when the process was in none */
    struct skeleton_drawn *drawn;    /* NULL: none */
    struct skeleton_drawn *unplaced; /* offset not known */
    struct skeleton_drawn *through;  /* likewise, and what it called counts instead */
    struct skeleton_descriptor *found;
    int founds;
    struct sequence sequence;         /* of its descriptors */
    struct skeleton_meeting *meeting; /* of syncs of the first process; NULL: none */
    uint32_t meetings;                /* room for so many */
    int step;                         /* number of what it is part of, as shown */
};

/* What a process did in a phase: numbers of its streams. */
struct skeleton_order {
    int process, phase;
    struct sequence is;
};

struct skeleton_file {
    uint32_t role;
    uint32_t member;     /* how many of the role were known before */
    int mover;           /* process + 1 that transferred first; 0: none */
    bool movers;         /* others did, too */
    int64_t end;         /* the highest that a transfer reached */
    int process;         /* that used it first */
    bool shared;         /* others did, too */
    int64_t first_ns[2]; /* when a rank first read, and wrote; 0: none did */
};

struct skeleton_role {
    int64_t files, shared, read_first;
    int64_t bytes;  /* of the largest */
    int64_t most;   /* files that one process transferred, at most */
    bool movers;    /* there is a file that several processes transferred */
    uint32_t shown; /* the first role that it is shown as: itself, or its files */
    bool split;
};

struct skeleton_phase {
    bool region;    /* else it is outside of all */
    int after;      /* number of what is outside, after this region; 0: none yet */
    int before;     /* of what is outside, the region it is after */
    int64_t end_ns; /* after the process's begin, the earliest that the region ended */
    int64_t times;  /* of the process that entered it most often */
    int64_t begin_ns; /* after the process's begin, the earliest */
    int processes;
    double min_s, sum_s, max_s;                   /* within it */
    double io_min_s, io_sum_s, io_max_s;          /* in calls */
    double think_min_s, think_sum_s, think_max_s; /* between them */
};

/* Of a run that marks no phases: what begins at a pause, or with an MPI_File_open. */
struct skeleton_part {
    uint64_t kind[2]; /* parts that have one in common are alike; 0: none */
    int64_t from_ns;  /* of one after a pause */
    int open;         /* that begins with a rank's open of this number; 0: a pause's */
    int last;         /* that is like it */
    uint16_t phase;
};

struct skeleton {
    struct names files, roles, phases;
    struct skeleton_file *file; /* by number of its name */
    uint32_t file_room;
    struct skeleton_role role[SKELETON_ROLES + 1];    /* by name */
    struct skeleton_role shown[SKELETON_ROLES + 2];   /* from 1 on */
    struct skeleton_phase phase[SKELETON_PHASES + 1]; /* [0]: before all regions */
    struct skeleton_stream *stream;
    int streams, room;
    int32_t *slot; /* number + 1 of a stream, by hash; 0: free */
    int slots;
    struct skeleton_order *order;
    int orders;
    struct skeleton_part *part; /* in the order of time */
    int parts;                  /* 0: phases are regions */
    int32_t *rank;              /* of each process */
    int processes;
    bool seen[LIBRARY_PNETCDF + 1]; /* a transfer within a library's call */
    bool has_ranks;                 /* then only processes with a rank count */
    bool *is_rank;                  /* of each log that can be read: whether it does */
    int log;                        /* number of the one that is read next */
    /* Left out, and why. */
    struct skeleton_sum other_processes, not_files, system_files, unfollowed;
    uint64_t dropped;
};

/* Local. Makes the skeleton of a run. 0, or -errno with a sentence; free it in both
 * cases. */
int skeleton_make(struct skeleton *s, struct run *r);
void skeleton_free(struct skeleton *s);

/* Local. Writes it as JSON. 0, or -ENOMEM with a sentence. */
int skeleton_put(struct skeleton *s, struct json *j);

/* Local. Finds out which logs count: where there are ranks one for each, else all. 0,
 * or -errno with a sentence. */
int skeleton_find_ranks(struct skeleton *s, struct run *r);

/* The calls that a thread is in and that are looked through. */
struct skeleton_depth {
    int64_t end_ns[SKELETON_LEVELS];
    int library[SKELETON_LEVELS];
    int depth;
};

/* Local. Whether the program asked for it, or a library in a call that is looked
 * through; *within: which, LIBRARY_NONE where the program did. Events come in the order
 * of time. */
bool skeleton_visits(struct skeleton_depth threads[SKELETON_THREADS],
                     const struct event *e, int *within);

/* Local. Whether what a library does in this call counts instead of it; whether an
 * event has a place in the file. */
bool skeleton_is_through(const struct event *e);
bool skeleton_is_placed(const struct event *e);

/* Local. Whether the program asked for it: no library did on its behalf. */
bool skeleton_is_asked(const struct event *e);

/* Local. Where the run marks no regions, finds the parts that its phases consist of. 0,
 * or -errno with a sentence. */
int skeleton_find_phases(struct skeleton *s, struct run *r);

/* Local. Whether it begins or ends a region; whether it is an open by which ranks may
 * open a file together. */
bool skeleton_is_region(const struct event *e);
bool skeleton_is_joint_open(const struct event *e);

/* Local. The number of a file's role, 0: there are too many. */
uint32_t skeleton_role_of(struct skeleton *s, const char *name);

/* What a name stands for: a file of the program's, or what is the system's, or no file
 * that holds bytes. */
enum skeleton_kind { SKELETON_FILE, SKELETON_SYSTEM, SKELETON_OTHER };

/* Local. 0, or -EINVAL with a sentence: the log is a profile only. */
int skeleton_has_events(const struct log *l);

/* Local. */
enum skeleton_kind skeleton_kind(const char *name);

/* Local. Whether calls are numbered steps: transfers, syncs and flushes, and what drops
 * a file's pages from memory. */
bool skeleton_is_step(int op);

/* Local. Adds calls of `size` > 0 bytes to what is drawn, or all of `from`. 0, or
 * -ENOMEM with a sentence. */
int skeleton_draw(struct skeleton_drawn **d, int64_t calls, int64_t size);
int skeleton_draw_all(struct skeleton_drawn **d, const struct skeleton_drawn *from);

/* Local. Once all is read: which roles are shown, and streams by these. Files of a role
 * by name are one where each process has one of its own, or where they are many; else
 * each is a role. 0, or -ENOMEM with a sentence. */
int skeleton_settle(struct skeleton *s);

/* Local. Keeps a descriptor of a stream, those with most calls. 0, or -ENOMEM with a
 * sentence. */
int skeleton_keep(struct skeleton_stream *t, const struct ldad *d, int64_t repeats);

/* Local. Streams by what they are of. The number + 1 of a known one, else 0; and the
 * stream n is one that is known from now on. */
int skeleton_stream_find(const struct skeleton *s, uint32_t role, int member, int phase,
                         int op, int process);
void skeleton_stream_note(struct skeleton *s, int n);

/* Local. Notes that a process syncs, which had ended all calls before at ended_ns. 0,
 * or -ENOMEM with a sentence. */
int skeleton_meet(struct skeleton *s, int stream, int64_t ended_ns,
                  const struct event *e);

/* Local. Whether n streams of one kind are syncs that no rank began before all ranks
 * were ready for it; then, how long a rank waited for the others on average. */
bool skeleton_met(const struct skeleton *s, struct skeleton_stream *const *t, int n);
double skeleton_waited_s(const struct skeleton_stream *first, int n);

/* Local. Calls that a descriptor stands for. */
int64_t skeleton_calls(const struct skeleton_descriptor *d);

/* Local. *sum += calls and bytes; bytes below 0 count as none. */
void skeleton_add(struct skeleton_sum *sum, int64_t calls, int64_t bytes);

#endif
