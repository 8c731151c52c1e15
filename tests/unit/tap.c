#include "tap.h"

#include <mpi.h>
#include <stdarg.h>
#include <sys/wait.h>

static struct {
    int mpi, mpi_is_ours;
    int rank, size;
    int points, failures;
} tap = {.size = 1};

static void check_ranks(void)
{
    const char *promised = getenv("LEADLINE_RANKS");

    if (promised)
        tap_ok(tap.size == atoi(promised), "the world has %d ranks, %s promised",
               tap.size, promised);
    else
        tap_diag("LEADLINE_RANKS is not set: the rank count is not checked");
}

void tap_start(int *argc, char ***argv, int mpi)
{
    int started = 0, level;

    /* Print whole lines even into a pipe: output before a crash must be readable. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!mpi)
        return;
    tap.mpi = 1;
    MPI_Initialized(&started);
    if (!started) {
        MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level);
        tap.mpi_is_ours = 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &tap.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tap.size);
    check_ranks();
}

/* Returns the lowest rank on which cond is false; -1: it holds everywhere. */
static int first_failing_rank(int cond)
{
    int rank = cond ? tap.size : tap.rank, first = rank;

    if (tap.mpi)
        MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first == tap.size ? -1 : first;
}

void tap_ok(int cond, const char *fmt, ...)
{
    int failed = first_failing_rank(cond);
    va_list ap;

    tap.points++;
    tap.failures += failed >= 0;
    if (tap.rank != 0)
        return;
    printf("%s %d - ", failed < 0 ? "ok" : "not ok", tap.points);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    if (failed >= 0 && tap.mpi)
        printf(" # failed on rank %d", failed);
    printf("\n");
}

void tap_skip(const char *fmt, ...)
{
    va_list ap;

    tap.points++;
    if (tap.rank != 0)
        return;
    printf("ok %d # SKIP ", tap.points);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
}

void tap_diag(const char *fmt, ...)
{
    char line[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (tap.mpi)
        fprintf(stderr, "# rank %d: %s\n", tap.rank, line);
    else
        fprintf(stderr, "# %s\n", line);
}

int tap_end(void)
{
    if (tap.rank == 0)
        printf("1..%d\n", tap.points);
    fflush(stdout);
    if (tap.mpi_is_ours)
        MPI_Finalize();
    return tap.points > 0 && tap.failures == 0 ? 0 : 1;
}

char *tap_path(char *out, const char *name)
{
    const char *dir = getenv("LEADLINE_TMP");

    snprintf(out, TAP_PATH, "%s/%s", dir ? dir : ".", name);
    return out;
}

void tap_put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (!f || fputs(text, f) < 0 || fclose(f)) {
        tap_diag("the test cannot write %s", path);
        exit(1);
    }
}

bool tap_holds(const char *path, const char *text)
{
    char found[128] = "";
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(found, 1, sizeof found, f) : 0;

    if (f)
        fclose(f);
    return f && n == strlen(text) && !memcmp(found, text, n);
}

bool tap_refused(int rc, int code, const char *part)
{
    const struct err *e = err_get();
    bool fine = rc == code && e->code && strstr(e->text, part);

    if (!fine)
        tap_diag("%d (%d expected): %s", rc, code, e->text);
    err_clear();
    return fine;
}

/* Reads until the writer closes; keeps the first size - 1 bytes as text. */
static void collect(int fd, char *out, int size)
{
    char rest[256];
    ssize_t n;
    int kept = 0;

    while ((n = read(fd, rest, sizeof rest)) > 0)
        for (ssize_t i = 0; i < n; i++)
            if (kept < size - 1)
                out[kept++] = rest[i];
    out[kept] = 0;
}

int tap_child(int (*body)(void *arg), void *arg, char *out, int size)
{
    int ends[2], status = -1;
    pid_t pid;

    out[0] = 0;
    fflush(stdout);
    if (pipe(ends) || (pid = fork()) < 0)
        return -1;
    if (pid == 0) {
        close(ends[0]);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        int rc = body(arg);
        fflush(stdout);
        _exit(rc);
    }
    close(ends[1]);
    collect(ends[0], out, size);
    close(ends[0]);
    waitpid(pid, &status, 0);
    return status;
}
