/* run: starts a command with the recorder preloaded, and puts all logs in a new
 * folder. */
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "iotrace/commands.h"
#include "iotrace/format/program.h"
#include "iotrace/format/trace.h"
#include "iotrace/read/runs.h"
#include "iotrace/read/unseen.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS_MAX 100000
#define NOT_FOUND 127

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void launch_folder(char *out, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = 0;
    char *slash = n > 0 ? strrchr(out, '/') : NULL;
    if (slash)
        *slash = 0;
    else
        snprintf(out, size, ".");
}

bool launch_installed(char *out, size_t size, const char *configured)
{
    const char *last = strrchr(IOTRACE_BINDIR, '/');
    size_t n = last ? (size_t)(last - IOTRACE_BINDIR) + 1 : 0;
    char folder[PATH_MAX / 2];
    if (n && strncmp(configured, IOTRACE_BINDIR, n) == 0) {
        launch_folder(folder, sizeof folder);
        snprintf(out, size, "%s/../%s", folder, configured + n);
        if (access(out, R_OK) == 0)
            return true;
    }
    snprintf(out, size, "%s", configured);
    return access(out, R_OK) == 0;
}

/* ---- the recorder --------------------------------------------------------- */

static int find_recorder(char out[PATH_MAX])
{
    char folder[PATH_MAX - 64];
    char path[PATH_MAX];
    launch_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/libiotrace.so", folder);
    if ((access(path, R_OK) == 0 ||
         launch_installed(path, sizeof path, IOTRACE_LIBDIR "/libiotrace.so")) &&
        realpath(path, out))
        return 0;
    return err_set(-ENOENT, IOTRACE_LIBDIR "/libiotrace.so", -1,
                   "the recorder libiotrace.so is not there, nor beside iotrace");
}

/* ---- programs that cannot be traced --------------------------------------- */

static void warn_if_unseen(const char *program)
{
    static const struct {
        uint32_t kind;
        const char *what;
    } say[] = {
        {PROGRAM_STATIC, "is statically linked: nothing of it is recorded"},
        {PROGRAM_PRIVILEGED, "gets rights of its own (setuid, setgid or capabilities): "
                             "the loader records nothing of it"},
        {PROGRAM_FOREIGN, "is built for another architecture: nothing of it is "
                          "recorded"},
        {PROGRAM_LIBC, "uses another C library: it runs without the recorder, and "
                       "nothing of it is recorded"},
        {PROGRAM_GO, "is a Go program: what its runtime does by system calls of its "
                     "own is not recorded"}};
    char room[PROGRAM_ROOM];
    uint32_t kinds = program_kinds(AT_FDCWD, program, room);
    if (kinds & PROGRAM_UNSEEN)
        kinds &= PROGRAM_UNSEEN;
    for (size_t i = 0; i < sizeof say / sizeof say[0]; i++)
        if (kinds & say[i].kind)
            err_tell("iotrace", "note", NULL, "%s %s", program, say[i].what);
}

/* Warns about the command, and about the program that a launcher starts: the first of
 * its words that is one. */
static void warn_about(char **command)
{
    static const char *const launcher[] = {"mpirun",  "mpiexec", "srun",
                                           "orterun", "prun",    "env",
                                           "time",    "nice",    "timeout"};
    char program[PATH_MAX];
    const char *name = base_name(command[0]);
    bool launches = false;
    const char *path = getenv("PATH");
    if (program_find(command[0], path, program, sizeof program))
        warn_if_unseen(program);
    for (size_t i = 0; i < sizeof launcher / sizeof launcher[0]; i++) {
        size_t n = strlen(launcher[i]);
        launches |= !strncmp(name, launcher[i], n) && (!name[n] || name[n] == '.');
    }
    for (char **word = command + 1; launches && *word; word++)
        if ((*word)[0] != '-' && program_find(*word, path, program, sizeof program)) {
            warn_if_unseen(program);
            break;
        }
}

/* ---- folder and environment ----------------------------------------------- */

/* Makes a folder for its owner only, whatever the umask is: logs contain arguments and
 * names. */
static int make_private(const char *path)
{
    return mkdir(path, 0700) ? -1 : chmod(path, 0700);
}

/* Makes DIR/NAME.N, the first that does not exist yet. */
static int launch_make_folder(const char *dir, const char *name, char out[PATH_MAX])
{
    char absolute[PATH_MAX], path[2 * PATH_MAX];
    if (make_private(dir) && errno != EEXIST)
        return err_set(-errno, dir, -1, "the directory cannot be made: %s",
                       strerror(errno));
    if (!realpath(dir, absolute))
        return err_set(-errno, dir, -1, "there is no such directory: %s",
                       strerror(errno));
    if (strchr(absolute, '%'))
        return err_set(-EINVAL, absolute, -1,
                       "a directory for runs must not have a %% in its name");
    for (int n = 1; n <= RUNS_MAX; n++) {
        int length = snprintf(path, sizeof path, "%s/%s.%d", absolute, name, n);
        if (length >= PATH_MAX - 64)
            return err_set(-ENAMETOOLONG, dir, -1, "the run's name is too long");
        if (make_private(path) == 0) {
            snprintf(out, PATH_MAX, "%.*s", length, path);
            return 0;
        }
        if (errno != EEXIST)
            return err_set(-errno, path, -1, "the run's directory cannot be made: %s",
                           strerror(errno));
    }
    return err_set(-EEXIST, dir, -1, "there are too many runs called %s", name);
}

/* Sets the environment. The first %d in the log's name is the process's number: there
 * must be no other. */
static int set_environment(const char *folder, const char *recorder, const char *name,
                           const char *mode, const char *follow)
{
    char file[PATH_MAX + 16], idle[PATH_MAX + 16], preload[2 * PATH_MAX];
    const char *before = getenv("LD_PRELOAD");
    if (strpbrk(recorder, " :"))
        return err_set(-EINVAL, recorder, -1,
                       "the loader cannot preload a file with a blank or colon in its "
                       "name");
    snprintf(file, sizeof file, "%s/%%d.bin", folder);
    snprintf(idle, sizeof idle, "%s/" TRACE_IDLE, folder);
    if (snprintf(preload, sizeof preload, "%s%s%s", before && *before ? before : "",
                 before && *before ? ":" : "", recorder) >= (int)sizeof preload)
        return err_set(-E2BIG, NULL, -1, "LD_PRELOAD is too long to add to it");
    bool bad = setenv("LD_PRELOAD", preload, 1) ||
               setenv("IOTRACE_BINARY", "true", 1) ||
               setenv("IOTRACE_LOGFILE", file, 1) ||
               setenv("IOTRACE_RANKNAMES", "1", 1) || setenv("IOTRACE_ALIGN", "1", 1) ||
               setenv("IOTRACE_MODE", mode, 1) || setenv("IOTRACE_FOLLOW", follow, 1) ||
               setenv("IOTRACE_IDLE", idle, 1) || setenv("IOTRACE_APPNAME", name, 0);
    return bad ? mem_none(NULL, 0, "the environment") : 0;
}

/* ---- the command ---------------------------------------------------------- */

static pid_t child;

static void pass_on(int signal)
{
    if (child > 0)
        kill(child, signal);
}

/* Sets signal handlers. SIGINT from the terminal reaches the command by itself; a
 * signal sent to this process only is passed on. This process stays until the command
 * has ended, to finish its logs. */
static void set_signals(void)
{
    struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigemptyset(&pass.sa_mask);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    sigaction(SIGTERM, &pass, NULL);
    sigaction(SIGHUP, &pass, NULL);
}

static int wait_for(void)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct setting {
    const char *name, *dir, *mode, *follow;
    char **command;
    char folder[PATH_MAX], recorder[PATH_MAX];
    const char *preloaded; /* LD_PRELOAD before this program changed it */
};

/* True if the program's loader does not take the recorder: another C library's would
 * end the program, one of 32 bit would complain. */
static bool is_alien(const char *command)
{
    char program[PATH_MAX], room[PROGRAM_ROOM];
    return program_find(command, getenv("PATH"), program, sizeof program) &&
           program_kinds(AT_FDCWD, program, room) & PROGRAM_ALIEN;
}

static void restore_preload(const char *before)
{
    if (before)
        setenv("LD_PRELOAD", before, 1);
    else
        unsetenv("LD_PRELOAD");
}

/* Reads what the kernel has counted for this process, with its children that have
 * ended. */
static void launch_counts(long long bytes[2])
{
    FILE *f = fopen("/proc/self/io", "re");
    bool good = f && fscanf(f, "rchar: %lld wchar: %lld", &bytes[0], &bytes[1]) == 2;
    if (!good)
        bytes[0] = bytes[1] = -1;
    if (f)
        fclose(f);
}

/* Tells readers what the kernel has counted for the command: all processes, with and
 * without logs. */
static void keep_counts(const char *folder, const long long before[2])
{
    struct utsname host;
    long long now[2];
    char path[PATH_MAX + 16];
    launch_counts(now);
    snprintf(path, sizeof path, "%s/" RUN_COUNTS, folder);
    if (before[0] < 0 || now[0] < 0 || uname(&host))
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || fchmod(fd, 0600))
        return;
    dprintf(fd, "%d %lld %lld %s\n", (int)getpid(), now[0] - before[0],
            now[1] - before[1], host.nodename);
    close(fd);
}

static int launch_start(struct setting *s, int *status)
{
    long long before[2];
    launch_counts(before);
    child = fork();
    if (child < 0)
        return err_set(-errno, NULL, -1, "no further process can be started: %s",
                       strerror(errno));
    if (child == 0) {
        if (is_alien(s->command[0]))
            restore_preload(s->preloaded);
        execvp(s->command[0], s->command);
        err_set(-errno, s->command[0], -1, "it cannot be started: %s", strerror(errno));
        err_print(stderr, "iotrace run", err_get());
        _exit(NOT_FOUND);
    }
    set_signals();
    *status = wait_for();
    keep_counts(s->folder, before);
    return 0;
}

/* Finishes the logs of killed processes, and tells where everything is. */
static void conclude(const char *folder)
{
    struct run r;
    char ends[64] = "", idle[64] = "";
    int rc = run_find(&r, folder), recovered = 0;
    if (rc) {
        char counts[PATH_MAX + 16];
        snprintf(counts, sizeof counts, "%s/" RUN_COUNTS, folder);
        unlink(counts);
        bool left = rmdir(folder) != 0; /* something else is in it */
        err_clear();
        err_tell("iotrace", "note", NULL, "nothing was recorded%s%s",
                 left ? ", in " : "", left ? folder : "");
        run_free(&r);
        return;
    }
    for (int i = 0; i < r.logs; i++) {
        char *made;
        if (recover_log(r.log[i], &made))
            err_print(stderr, "iotrace", err_get());
        err_clear();
        recovered += made != NULL;
        free(made);
    }
    if (recovered)
        snprintf(ends, sizeof ends, " (%d of processes that have not said their end)",
                 recovered);
    int logs = r.logs - r.idle;
    if (r.idle)
        snprintf(idle, sizeof idle, ", and %d process%s that did nothing to files",
                 r.idle, r.idle == 1 ? "" : "es");
    err_tell("iotrace", "note", NULL, "%d log%s%s in %s%s; see: iotrace summary %s",
             logs, units_s(logs), ends, folder, idle, folder);
    run_free(&r);
}

static int launch_record(struct setting *s)
{
    int status = EXIT_FAILED;
    const char *before = getenv("LD_PRELOAD");
    s->preloaded = before ? strdup(before) : NULL;
    int rc = find_recorder(s->recorder);
    rc = rc ? rc : launch_make_folder(s->dir, s->name, s->folder);
    if (!rc &&
        (rc = set_environment(s->folder, s->recorder, s->name, s->mode, s->follow)))
        rmdir(s->folder);
    if (!rc)
        warn_about(s->command);
    rc = rc ? rc : launch_start(s, &status);
    if (rc)
        err_print(stderr, "iotrace run", err_get());
    else
        conclude(s->folder);
    return status;
}

/* Cuts off the words behind "--", which are the command; they end the options. */
static char **cut_command(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (!strcmp(argv[i], "--")) {
            *argc = i;
            return argv + i + 1;
        }
    return NULL;
}

int command_run(int argc, char **argv)
{
    struct setting s = {.name = NULL};
    struct opt table[] = {
        {OPT_TEXT, "name", 'n', .value = &s.name, .arg = "NAME",
         .help = "what the run is called [the command's name]",
         .text = "The name of the run, by default the command's. Its directory is "
                 "NAME.1, or NAME.2 if that exists, and so on."},
        {OPT_TEXT, "out", 'o', .value = &s.dir, .preset = ".", .arg = "DIR",
         .help = "where its directory NAME.N is made, with a new N",
         .text = "The directory for the run's directory."},
        {OPT_CHOICE, "mode", .value = &s.mode, .preset = "trace", .arg = "MODE",
         .choices = "trace|profile|both",
         .help = "every event; sums and histograms in constant memory; both",
         .text = "Record every event (*trace*); keep sums and histograms in constant "
                 "memory (*profile*); or do both."},
        {OPT_CHOICE, "follow", .value = &s.follow, .preset = "all", .arg = "HOW",
         .choices = "all|environment",
         .help = "all programs; only where the environment says so",
         .text = "Record all programs that recorded ones start, also with another "
                 "environment (*env -i*): LD_PRELOAD and IOTRACE_* are put back. With "
                 "*environment* a program can start others without the recorder."}};
    const struct opt_program p = {
        "iotrace run", "-- COMMAND...",
        "Runs a command, also one that launches others (mpirun -np 4 app), with the "
        "recorder preloaded, and collects the logs of all processes in a new "
        "directory. Ends with the command's exit status. The environment reaches the "
        "processes of one node; Open MPI takes it to others with -x LD_PRELOAD -x "
        "IOTRACE_LOGFILE and so on.",
        table, sizeof table / sizeof table[0]};
    int status;
    s.command = cut_command(&argc, argv);
    if (!command_options(&p, argc, argv, &status))
        return status;
    if (!s.command || !s.command[0]) {
        err_usage("it needs a command behind --, as in iotrace run -- app 1 2 3");
        err_print(stderr, "iotrace run", err_get());
        return EXIT_USAGE;
    }
    if (!s.name)
        s.name = base_name(s.command[0]);
    if (strchr(s.name, '/') || strchr(s.name, '%')) {
        err_usage("option --name: \"%s\" has a / or %% in it", s.name);
        err_print(stderr, "iotrace run", err_get());
        return EXIT_USAGE;
    }
    return launch_record(&s);
}
