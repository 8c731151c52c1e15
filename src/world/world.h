/* MPI start-up, node map, one verdict for all ranks, and the watchdog. The only
 * start-up code of the suite. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/opt.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct world {
    MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD, errors returned */
    int rank, size;
    char host[64];
    int nodes;      /* distinct shared-memory domains */
    int node;       /* the number of ours, 0.. in order of lowest rank */
    int node_rank;  /* our place on the node */
    int node_ranks; /* ranks on it */
    int ranks_per_node_max;
    const char *thread_level;
    char library[64];     /* "MPICH 4.0.2", "Open MPI 4.1.4" */
    const char *launcher; /* "hydra", "orte", "slurm", "none" */
    bool watched;         /* a frozen rank is noticed, on all nodes */
};

/* Local. Answers early requests as opt_early does, but only if this process is the only
 * one of its launch. With more processes, one may ask for something that the others do
 * not: world_open finds out. */
bool world_early(const struct opt_program *p, int argc, char **argv, int *status);

/* **Collective** on MPI_COMM_WORLD. Starts MPI (MPI_THREAD_SERIALIZED), catches signals
 * (base/scratch.h), starts the watchdog; refuses ranks that were not started alike
 * (program, version, all options, which have been parsed), and N singletons where the
 * launcher promised one world of N (unless `alone_is_fine`: --dry-run and the like);
 * maps ranks to nodes. `parsed`: what opt_parse and the program's own checks returned.
 * Returns the verdict of all ranks, 0 or -errno with a sentence; OPT_ASKED: rank 0 has
 * printed what --help or --version asks for. Unless it is 0, world_close comes next. */
int world_open(struct world *w, int *argc, char ***argv, const struct opt_program *p,
               int parsed, bool alone_is_fine);

/* **Collective.** Agrees on the recorded failures, prints the verdict once from
 * rank 0, removes scratch files, ends MPI. Returns the exit status (the same on
 * every rank), for main. */
int world_close(struct world *w, const char *program);

/* **Collective** on `comm`. Gives every rank the same verdict: 0 if `rc` is 0 on all,
 * else the code of the lowest failing rank, whose sentence (base/err.h) replaces every
 * rank's own. Needs an err_set on the failing rank. */
int err_agree(MPI_Comm comm, int rc);

/* Local; the others **Collective** on `comm`. Wait as MPI_Wait, MPI_Barrier and
 * MPI_Allreduce in place do, but a rank that waits for more than a millisecond leaves
 * its core to others, and looks every 50 us. */
void world_wait(MPI_Request *request, MPI_Status *status);
void world_barrier(MPI_Comm comm);
void world_reduce(MPI_Comm comm, void *x, int n, MPI_Datatype type, MPI_Op op);

/* Local. Naps as those do, for a caller's own loop that has waited since `since_ns`
 * (clock_ns). */
void world_rest(int64_t since_ns);

/* Local. Finds partners in a ring. All ranks stand in it, node after node, and a step
 * goes on by as many places as the largest node has ranks: it leads from each rank to
 * one of another node, and one leads to each rank. If all nodes are alike, it leads to
 * the same place of the next node. Sets to[i] to the rank that is steps[i] steps away
 * from `rank` (negative: back). node[r] is the node of rank r of `size`. Allocates two
 * arrays of that size. Returns 0, -ENOMEM, or -EINVAL with a sentence: a node has more
 * than half of the ranks. */
int world_ring(const int node[], int size, int rank, const int steps[], int n,
               int to[]);

/* **Collective** on w->comm. Does the same with the nodes' map: an MPI_Allgather of a
 * number, and 12 bytes for each rank while it lasts. Returns the agreed verdict. */
int world_next_nodes(const struct world *w, const int steps[], int n, int to[]);

/* **Collective** on w->comm. Rank 0 receives, per node in order, its host name,
 * number of ranks, cores, memory and load; *hosts (freed by the caller) has
 * w->nodes entries there and is NULL elsewhere. Returns 0 or -ENOMEM. */
struct world_host {
    char name[64];
    char kernel[64];
    int ranks, cores;
    int64_t memory_bytes;
    double load1;
};
int world_hosts(const struct world *w, struct world_host **hosts);

/* Local. Returns the number of cores that this process may run on; -1: not known. */
int world_cores(void);

/* Local. The watchdog: a thread that ends the process with a sentence when a
 * library call does not come back, when this process's first thread waits in the kernel
 * for as long, or when another rank gives no sign of life (heartbeat.c). `what` and
 * `file` must stay valid until watchdog_disarm. Never calls MPI; removes scratch files,
 * and has the other ranks of this node remove theirs. Each thread that arms it has a
 * deadline of its own. limit_s <= 0: off. rank -1: not known yet. */
int watchdog_open(const char *program, int rank, const char *host);
void watchdog_rank(int rank);
#define WATCHDOG_LIMIT_S 300.0       /* the default */
void watchdog_limit(double limit_s); /* for calls that name no other */
void watchdog_arm(double limit_s, const char *what, const char *file, int64_t offset);
void watchdog_arm_as_set(const char *what, const char *file);
void watchdog_disarm(void);
void watchdog_close(void);

double watchdog_limit_s(void);

/* The entry of an option table. Call watchdog_limit(seconds) after opt_parse. */
/* clang-format off */
#define WORLD_TIMEOUT(seconds) \
    {.kind = OPT_REAL, .name = "io-timeout", .value = &(seconds), .preset = "300", \
     .fixed = true, \
     .arg = "SECONDS", .unit = "s", .min = 0, .max = 1e6, \
     .help = "end the run if one I/O call takes longer, or if a rank gives no sign " \
             "of life for this long (stopped or frozen); 0: wait forever", \
     .text = "End the run with a message if one I/O call takes longer, or if a rank " \
             "gives no sign of life for this long. Time during which a batch system " \
             "stops all ranks does not count. 0 sets no limit, as debuggers need."}
/* clang-format on */

/* Local. Returns the nanoseconds that this process has lived, without the time in which
 * it was stopped, to 0.2 s. Limits are measured with it. */
int64_t watchdog_ns(void);

/* Local. Returns the memory that this process may still use: the smaller of
 * MemAvailable and what its cgroup (v1 or v2) leaves, in bytes; shared with the other
 * ranks of the node. -1: it cannot be known. */
int64_t world_memory_available(void);

/* Local. Returns the least limit, in bytes, that its cgroup (v1 or v2) and those above
 * set to this process, the others in them and their page cache; -1: there is none. */
int64_t world_memory_limit(void);

/* Local. Lists the limits of its cgroup, the nearest of each kind: "memory 1073741824,
 * cpu 200000 100000, io 8:0 rbps=1048576"; "" if there are none. */
void world_limits(char *text, int size);

#endif
