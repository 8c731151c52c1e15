/* N worlds of one rank are refused if the launcher promised one world of N, and a
 * library call that does not return ends the process. Each case is a process of its
 * own: this program again, with the case as its argument. mpi: each. */
#include "tap.h"

#include "base/scratch.h"
#include "world/world.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

/* Variables of the other MPI's launcher. */
#ifdef OPEN_MPI
#define OTHER_SIZE "PMI_SIZE"
#define OTHER_RANK "PMI_RANK"
#else
#define OTHER_SIZE "OMPI_COMM_WORLD_SIZE"
#define OTHER_RANK "OMPI_COMM_WORLD_RANK"
#endif

static const char *self;
static char file[TAP_PATH];

/* ---- cases: the actions of the processes ------------------------------------ */

static int case_open(bool alone_is_fine)
{
    struct world w;
    int argc = 1;
    char *words[] = {"launcher", NULL}, **argv = words;

    world_open(&w, &argc, &argv, &(struct opt_program){.name = "prog"}, 0,
               alone_is_fine);
    return world_close(&w, "prog");
}

static int case_watchdog(double limit_s, int arm)
{
    int fd;

    if (scratch_add(file) || watchdog_open("prog", 3, "n1"))
        return 9;
    fd = open(file, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0)
        close(fd);
    watchdog_arm(limit_s, "writing", "x.dat", 4096);
    if (!arm)
        watchdog_disarm();
    sleep(limit_s > 0 && arm ? 60 : 2);
    watchdog_close();
    scratch_unlink_all();
    return 7;
}

static void *call_once(void *unused)
{
    (void)unused;
    watchdog_arm(0.3, "writing", "thread.dat", 0);
    watchdog_disarm();
    return NULL;
}

static void *hang(void *unused)
{
    (void)unused;
    watchdog_arm(0.3, "writing", "last.dat", 0);
    sleep(60);
    return NULL;
}

/* The last of many threads has a deadline, too. */
static int case_threads(void)
{
    enum { MANY = 200 };
    pthread_t t[MANY];

    if (watchdog_open("prog", 3, "n1"))
        return 9;
    for (int i = 0; i < MANY; i++) /* some at the same time, and some that have ended */
        if (pthread_create(&t[i], NULL, call_once, NULL) ||
            (i % 3 && pthread_join(t[i], NULL)))
            return 9;
    for (int i = 0; i < MANY; i += 3)
        pthread_join(t[i], NULL);
    if (pthread_create(&t[0], NULL, hang, NULL))
        return 9;
    sleep(20);
    return 7;
}

/* A batch system stops the process for longer than its call may take. */
static int case_stopped(void)
{
    if (watchdog_open("prog", 3, "n1"))
        return 9;
    pid_t child = fork();
    if (child == 0) {
        kill(getppid(), SIGSTOP);
        sleep(4);
        kill(getppid(), SIGCONT);
        _exit(0);
    }
    watchdog_arm(2, "writing", "x.dat", 0);
    waitpid(child, NULL, 0);
    usleep(300000); /* the watchdog looks several times */
    watchdog_disarm();
    watchdog_close();
    return 7;
}

static int run_case(const char *name)
{
    if (!strcmp(name, "threads"))
        return case_threads();
    if (!strcmp(name, "stopped"))
        return case_stopped();
    if (!strcmp(name, "open"))
        return case_open(false);
    if (!strcmp(name, "alone"))
        return case_open(true);
    if (!strcmp(name, "hang"))
        return case_watchdog(0.3, 1);
    if (!strcmp(name, "disarmed"))
        return case_watchdog(0.3, 0);
    return case_watchdog(0, 1);
}

/* ---- the parent: its expectations ---------------------------------------------- */

static int start(void *name)
{
    execl(self, self, name, (char *)NULL);
    return 126;
}

static const char *const promises[] = {
    "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",    "PMI_RANK",
    "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS",         "SLURM_PROCID"};

static void promise_nothing(void)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        unsetenv(promises[i]);
}

static bool one_sentence(const char *out)
{
    const char *end = strchr(out, '\n');

    return !strncmp(out, "prog: ", 6) && end && !end[1];
}

static void ends(const char *name, int expected, bool sentence, const char *what)
{
    char out[4096];
    int status = tap_child(start, (void *)name, out, sizeof out);
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == expected &&
                (sentence ? one_sentence(out) : !out[0]);

    tap_ok(good, "%s: exit status %d%s", what, expected,
           sentence ? " and one sentence" : "");
    if (!good)
        tap_diag("wait status %d, output: %s", status, out);
}

/* A launcher's variable promises `n` ranks. */
static void promised(const char *size, const char *n, int expected, const char *what)
{
    promise_nothing();
    setenv(size, n, 1);
    ends("open", expected, expected != 0, what);
    ends("alone", 0, false, "the same where one rank is enough (--dry-run)");
    promise_nothing();
}

static void test_promises(void)
{
    promise_nothing();
    ends("open", 0, false, "no launcher");
    promised(OTHER_SIZE, "4", EXIT_USAGE, "the other MPI's launcher promised four");
    promised(OTHER_SIZE, "1", 0, "it promised one");
    promised("SLURM_STEP_NUM_TASKS", "4", EXIT_USAGE, "srun promised four");
    promised("SLURM_NTASKS", "4", 0, "an allocation of four is no promise");
}

/* One of N singletons speaks, or the user would read the same sentence N times. */
static void test_who_speaks(void)
{
    promise_nothing();
    setenv(OTHER_SIZE, "4", 1);
    setenv(OTHER_RANK, "1", 1);
    ends("open", EXIT_USAGE, false, "a singleton that is not the first: no sentence");
    promise_nothing();
}

static void test_watchdog(void)
{
    ends("hang", EXIT_FAILED, true, "a call that does not come back");
    tap_ok(access(file, F_OK) != 0, "its files are removed");
    ends("disarmed", 7, false, "a call that came back");
    ends("off", 7, false, "no limit");
    ends("threads", EXIT_FAILED, true, "a call of the 201st thread");
    ends("stopped", 7, false, "a process that was stopped for longer than its limit");
}

int main(int argc, char **argv)
{
    tap_path(file, "watched");
    if (argc > 1)
        return run_case(argv[1]);
    self = argv[0];
    tap_start(&argc, &argv, 0);
    test_promises();
    test_who_speaks();
    test_watchdog();
    return tap_end();
}
