#include "world/world.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/program.h"
#include "base/scratch.h"
#include "world/inside.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Returns the number of ranks that the launcher promised, and the variable that says
 * so; 0: there is no promise. SLURM_NTASKS is not read: mpirun inside an allocation
 * sets it to something else. */
static long promised(const char **variable)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(names[i]);
        long n = text ? atol(text) : 0;
        if (n > 0)
            return *variable = names[i], n;
    }
    const char *text = getenv("SLURM_STEP_NUM_TASKS");
    *variable = "SLURM_STEP_NUM_TASKS";
    return text ? atol(text) : 0;
}

static int check_launcher(const struct world *w)
{
    const char *variable;
    long n = promised(&variable);
    if (w->size > 1 || n <= 1)
        return 0;
    return err_usage(
        "the launcher started %ld processes (%s), but each is alone in its "
        "MPI world: launch with the mpirun of %s, or srun with the --mpi "
        "that it supports",
        n, variable, w->library);
}

/* Returns the launcher's name. Within Slurm, mpirun starts its own processes on the
 * nodes by srun, and ours see both names; MPICH's mpirun numbers the ranks of a node in
 * a variable that srun lacks. */
static const char *launcher_name(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE") && !getenv("SLURM_STEP_NUM_TASKS"))
        return "orte";
    if (getenv("PMI_SIZE") && getenv("MPI_LOCALNRANKS"))
        return "hydra";
    if (getenv("SLURM_STEP_NUM_TASKS"))
        return "slurm";
    return getenv("PMI_SIZE") ? "hydra" : "none";
}

/* Turns "MPICH Version:  4.0.2 ..." and "Open MPI v4.1.4, package ..." into name and
 * version. */
static void name_library(char out[64])
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", version[32] = "";
    int n;
    MPI_Get_library_version(text, &n);
    if (sscanf(text, "Open MPI v%31[^, ]", version) == 1)
        snprintf(out, 64, "Open MPI %s", version);
    else if (sscanf(text, "MPICH Version: %31s", version) == 1)
        snprintf(out, 64, "MPICH %s", version);
    else
        snprintf(out, 64, "%.*s", (int)strcspn(text, "\n,"), text);
}

static const char *thread_level_name(int level)
{
    if (level == MPI_THREAD_SINGLE)
        return "single";
    if (level == MPI_THREAD_FUNNELED)
        return "funneled";
    return level == MPI_THREAD_SERIALIZED ? "serialized" : "multiple";
}

static int map_nodes(struct world *w)
{
    MPI_Comm node;
    int leader, before = 0;
    MPI_Comm_split_type(w->comm, MPI_COMM_TYPE_SHARED, w->rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &w->node_rank);
    MPI_Comm_size(node, &w->node_ranks);
    leader = w->node_rank == 0;
    MPI_Exscan(&leader, &before, 1, MPI_INT, MPI_SUM, w->comm);
    w->node = w->rank ? before : 0;
    MPI_Bcast(&w->node, 1, MPI_INT, 0, node);
    MPI_Allreduce(&leader, &w->nodes, 1, MPI_INT, MPI_SUM, w->comm);
    MPI_Allreduce(&w->node_ranks, &w->ranks_per_node_max, 1, MPI_INT, MPI_MAX, w->comm);
    int rc = heartbeat_open(w, node);
    MPI_Comm_free(&node);
    return rc;
}

/* True if these processes can become one world: srun gives each of them a rank for its
 * --mpi=pmix or pmi2, and nothing with --mpi=none. Open MPI does not even start
 * then. */
static bool can_be_one_world(void)
{
    const char *variable;
    long n = promised(&variable);
    return n > 1 && (strcmp(variable, "SLURM_STEP_NUM_TASKS") || getenv("PMIX_RANK") ||
                     getenv("PMI_RANK"));
}

bool world_early(const struct opt_program *p, int argc, char **argv, int *status)
{
    program_begin();
    return !can_be_one_world() && opt_early(p, leadline_version, argc, argv, status);
}

static int start_mpi(struct world *w, int *argc, char ***argv)
{
    int level;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        return err_set(-EIO, NULL, -1, "MPI cannot be started");
    MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
    MPI_Comm_set_errhandler(w->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(w->comm, &w->rank);
    MPI_Comm_size(w->comm, &w->size);
    w->thread_level = thread_level_name(level);
    w->launcher = launcher_name();
    name_library(w->library);
    return 0;
}

int world_open(struct world *w, int *argc, char ***argv, const struct opt_program *p,
               int parsed, bool alone_is_fine)
{
    memset(w, 0, sizeof *w);
    if (gethostname(w->host, sizeof w->host))
        strcpy(w->host, "unknown");
    w->host[sizeof w->host - 1] = 0;
    int watched = watchdog_open(p->name, -1, w->host);
    watchdog_arm_start("starting MPI with the other ranks");
    int rc = start_mpi(w, argc, argv);
    if (rc)
        return rc;
    watchdog_rank(w->rank);
    scratch_catch_signals(w->rank ? NULL : p->name);
    rc = config_agree(w, p, watched ? watched : parsed);
    int mapped = map_nodes(w);
    watchdog_disarm();
    if (rc == OPT_ASKED && w->rank == 0)
        opt_answer(p, leadline_version, *argc, *argv);
    if (!rc && !alone_is_fine)
        rc = check_launcher(w);
    return rc ? rc : mapped;
}

/* Delays N singletons: the launcher ends all of them when the first exits with a
 * failure, which must not happen before the one that speaks has spoken. */
static void let_the_first_speak(const struct world *w)
{
    const struct timespec second = {.tv_sec = 1};
    const char *variable;
    if (w->size == 1 && promised(&variable) > 1 && !opt_speaks())
        nanosleep(&second, NULL);
}

int world_close(struct world *w, const char *program)
{
    program_output();
    err_agree(w->comm, err_get()->code);
    int status = err_exit_status(err_get());
    if (status && w->rank == 0 && opt_speaks())
        err_print(stderr, program, err_get());
    watchdog_arm_start("ending MPI with the other ranks");
    scratch_bound(status != 0);
    scratch_unlink_all();
    scratch_bound(false);
    /* Open MPI ends the remaining ranks by a signal when the first has exited with a
     * failure; that is no reason for a second sentence. */
    scratch_catch_signals(NULL);
    if (status)
        let_the_first_speak(w);
    else
        watchdog_arm_finalize();
    MPI_Comm_free(&w->comm);
    MPI_Finalize();
    watchdog_close();
    return status;
}

static void describe_host(const struct world *w, struct world_host *h)
{
    struct utsname u;
    memset(h, 0, sizeof *h);
    memcpy(h->name, w->host, sizeof h->name);
    if (!uname(&u))
        snprintf(h->kernel, sizeof h->kernel, "%.63s", u.release);
    h->ranks = w->node_ranks;
    h->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    h->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
    if (getloadavg(&h->load1, 1) != 1)
        h->load1 = -1;
}

int world_cores(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) ? -1 : CPU_COUNT(&cores);
}

int world_hosts(const struct world *w, struct world_host **hosts)
{
    MPI_Comm leaders;
    struct world_host mine;
    int rc = 0;
    *hosts = NULL;
    if (w->rank == 0 && !(*hosts = mem_new(w->nodes, sizeof **hosts, "hosts")))
        rc = -ENOMEM;
    rc = err_agree(w->comm, rc);
    if (rc)
        return rc;
    MPI_Comm_split(w->comm, w->node_rank ? MPI_UNDEFINED : 0, w->rank, &leaders);
    if (leaders == MPI_COMM_NULL)
        return 0;
    describe_host(w, &mine);
    MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, *hosts, (int)sizeof mine, MPI_BYTE, 0,
               leaders);
    MPI_Comm_free(&leaders);
    return 0;
}
