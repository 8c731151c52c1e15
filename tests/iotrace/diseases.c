/* Programs with one fault each, and healthy ones: "diseases NAME [INPUT]". Files are
 * d.*, in the current folder. */
#define _GNU_SOURCE /* O_DIRECT */
#include <aio.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define KIB 1024
#define MIB (1024 * KIB)

static int rank, ranks;
static const char *input = ""; /* a file of 32 MiB */
static char buffer[8 * MIB];

static void check(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int own(int flags)
{
    char name[32];
    snprintf(name, sizeof name, "d.own.%d", rank);
    int fd = open(name, flags | O_CREAT, 0666);
    check(fd >= 0, name);
    return fd;
}

static int shared(int flags)
{
    int fd = open("d.shared", flags | O_CREAT, 0666);
    check(fd >= 0, "d.shared");
    return fd;
}

static void put(int fd, long bytes)
{
    check(write(fd, buffer, (size_t)bytes) == bytes, "write");
}

static void put_at(int fd, long bytes, long offset)
{
    check(pwrite(fd, buffer, (size_t)bytes, offset) == bytes, "pwrite");
}

static void get_at(int fd, long bytes, long offset)
{
    check(pread(fd, buffer, (size_t)bytes, offset) == bytes, "pread");
}

static void end(int fd)
{
    check(close(fd) == 0, "close");
}

static void small(void)
{
    int fd = own(O_WRONLY);
    for (int i = 0; i < 20000; i++)
        put(fd, 100);
    end(fd);
}

static void strided(void)
{
    int fd = shared(O_WRONLY);
    for (long i = 0; i < 8192; i++)
        put_at(fd, 512, (i * ranks + rank) * 512);
    end(fd);
}

static void at_random(void)
{
    int fd = own(O_RDWR);
    check(ftruncate(fd, 64 * MIB) == 0, "ftruncate");
    unsigned long x = 12345 + (unsigned long)rank;
    for (int i = 0; i < 8000; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        get_at(fd, 2 * KIB, (long)(x >> 33) % (32 * KIB) * 2 * KIB);
    }
    end(fd);
}

static void misalign(void)
{
    int fd = shared(O_WRONLY);
    for (long i = 0; i < 8; i++)
        put_at(fd, MIB, (8l * rank + i) * MIB + 1000);
    end(fd);
}

static void reread(void)
{
    int fd = own(O_RDWR);
    put_at(fd, 4 * MIB, 0);
    for (int i = 0; i < 20; i++)
        get_at(fd, 4 * MIB, 0);
    end(fd);
}

static void read_all(void)
{
    int fd = open(input, O_RDONLY);
    check(fd >= 0, input);
    for (long i = 0; i < 32; i++)
        get_at(fd, MIB, i * MIB);
    end(fd);
}

static void rewrite(void)
{
    int fd = own(O_WRONLY);
    for (int i = 0; i < 20; i++)
        put_at(fd, 4 * MIB, 0);
    end(fd);
}

static void pingpong(void) /* ranks write the pieces of a block at the same time */
{
    int fd = shared(O_WRONLY);
    for (long i = 0; i < 64; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        put_at(fd, 128 * KIB, (i * ranks + rank) * 128 * KIB);
    }
    end(fd);
}

static void open_each(void)
{
    for (int i = 0; i < 400; i++) {
        int fd = own(O_WRONLY | O_APPEND);
        put(fd, 64 * KIB);
        end(fd);
    }
}

static void ask(void)
{
    struct stat s;
    end(own(O_WRONLY));
    for (int i = 0; i < 20000; i++) {
        char name[32];
        snprintf(name, sizeof name, "d.own.%d", rank);
        check(stat(name, &s) == 0, name);
    }
}

static void sync_each(void)
{
    int fd = own(O_WRONLY);
    for (int i = 0; i < 60; i++) {
        put(fd, 64 * KIB);
        check(fsync(fd) == 0, "fsync");
    }
    end(fd);
}

static void rank_0(void)
{
    if (rank == 0) {
        int fd = own(O_WRONLY);
        for (int i = 0; i < 64; i++)
            put(fd, MIB);
        end(fd);
    }
}

static void turns(void)
{
    int fd = shared(O_WRONLY);
    for (int r = 0; r < ranks; r++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (r != rank)
            continue;
        for (long i = 0; i < 16; i++) {
            put_at(fd, MIB, (16l * rank + i) * MIB);
            usleep(8000);
        }
    }
    end(fd);
}

static void seeks(void)
{
    int fd = own(O_WRONLY);
    for (long i = 0; i < 400; i++) {
        lseek(fd, 0, SEEK_SET);
        lseek(fd, 0, SEEK_END);
        lseek(fd, i * 64 * KIB, SEEK_SET);
        put(fd, 64 * KIB);
    }
    end(fd);
}

static void stream(long calls)
{
    char name[32];
    snprintf(name, sizeof name, "d.own.%d", rank);
    FILE *f = fopen(name, "w");
    check(f != NULL, name);
    for (long i = 0; i < calls; i++)
        check(fwrite(buffer, 100, 1, f) == 1, "fwrite");
    check(fclose(f) == 0, "fclose");
}

static void stdio(void)
{
    stream(100000);
}

/* Rank r has 512 B of each 2 KiB, 2 MiB in all. */
static void with_view(int collective, const char *hint, const char *value)
{
    MPI_File f;
    MPI_Datatype piece;
    MPI_Info info;
    char name[] = "d.shared", native[] = "native";
    MPI_Info_create(&info);
    if (hint)
        MPI_Info_set(info, hint, value);
    if (collective == 2)
        MPI_Info_set(info, "romio_ds_write", "disable");
    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info,
                        &f) == MPI_SUCCESS,
          name);
    MPI_Type_vector(4 * KIB, 512, 512 * ranks, MPI_BYTE, &piece);
    MPI_Type_commit(&piece);
    MPI_File_set_view(f, 512l * rank, MPI_BYTE, piece, native, info);
    if (collective)
        MPI_File_write_all(f, buffer, 2 * MIB, MPI_BYTE, MPI_STATUS_IGNORE);
    else
        MPI_File_write(f, buffer, 2 * MIB, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Type_free(&piece);
    MPI_Info_free(&info);
}

static void sieve(void)
{
    with_view(0, NULL, NULL);
}

static void degenerate(void)
{
    with_view(2, "romio_cb_write", "disable");
}

static void many(void)
{
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "d.many.%d.%d", rank, i);
        int fd = open(name, O_CREAT | O_WRONLY, 0666);
        check(fd >= 0, name);
        put(fd, 4 * KIB);
        end(fd);
    }
}

static void alternate(int changes)
{
    int fd = own(O_RDWR);
    check(ftruncate(fd, 64 * MIB) == 0, "ftruncate");
    for (long i = 0; i < 200; i++) {
        put_at(fd, 64 * KIB, i * 64 * KIB);
        if (changes)
            get_at(fd, 64 * KIB, 32 * MIB + i * 64 * KIB);
    }
    for (long i = 0; !changes && i < 200; i++)
        get_at(fd, 64 * KIB, 32 * MIB + i * 64 * KIB);
    end(fd);
}

static void to_and_fro(void)
{
    alternate(1);
}

static void asynchronous(int at_once) /* that many are in flight */
{
    static struct aiocb cb[8];
    int fd = own(O_WRONLY);
    for (int i = 0; i < 64; i += at_once) {
        for (int k = 0; k < at_once; k++) {
            memset(&cb[k], 0, sizeof cb[k]);
            cb[k].aio_fildes = fd;
            cb[k].aio_buf = buffer;
            cb[k].aio_nbytes = 256 * KIB;
            cb[k].aio_offset = (off_t)(i + k) * 256 * KIB;
            check(aio_write(&cb[k]) == 0, "aio_write");
        }
        for (int k = 0; k < at_once; k++) {
            const struct aiocb *wait = &cb[k];
            while (aio_suspend(&wait, 1, NULL) != 0)
                ;
            check(aio_return(&cb[k]) == 256 * KIB, "aio_return");
        }
    }
    end(fd);
}

static void one_at_a_time(void)
{
    asynchronous(1);
}

static void race(int turns) /* all write the same bytes */
{
    int fd = shared(O_WRONLY);
    for (long i = 0; i < 8; i++)
        for (int r = 0; r < (turns ? ranks : 1); r++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (!turns || r == rank)
                put_at(fd, 8 * MIB, i * 8 * MIB);
        }
    end(fd);
}

static void at_once(void)
{
    race(0);
}

static void stale(int closes) /* all read what the rank before has written */
{
    int fd = shared(O_RDWR), before = (rank + ranks - 1) % ranks;
    put_at(fd, MIB, rank * (long)MIB);
    if (closes)
        end(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    if (closes)
        fd = shared(O_RDWR);
    get_at(fd, MIB, before * (long)MIB);
    end(fd);
}

static void not_shown(void)
{
    stale(0);
}

static void cut(int goes_on) /* a limit ends a write in the middle */
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    check(getrlimit(RLIMIT_FSIZE, &limit) == 0, "getrlimit");
    struct rlimit less = {2 * MIB - 1000, limit.rlim_max};
    int fd = own(O_WRONLY);
    check(setrlimit(RLIMIT_FSIZE, &less) == 0, "setrlimit");
    put(fd, MIB);
    check(write(fd, buffer, MIB) == MIB - 1000, "write");
    check(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
    if (goes_on)
        put(fd, 1000);
    end(fd);
}

static void stops_short(void)
{
    cut(0);
}

/* The last piece is short: O_DIRECT refuses it. */
static void direct(int last_without)
{
    void *page;
    check(posix_memalign(&page, MIB, MIB) == 0, "posix_memalign");
    memset(page, 1, MIB);
    int fd = own(O_WRONLY | O_DIRECT);
    for (long i = 0; i < 4; i++)
        check(pwrite(fd, page, MIB, i * MIB) == MIB, "pwrite");
    if (last_without) {
        check(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT) == 0, "fcntl");
        put_at(fd, 1000, 4l * MIB);
    } else if (pwrite(fd, page, 1000, 4l * MIB) != 1000) {
        perror("pwrite");
    }
    free(page);
    end(fd);
}

static void short_direct(void)
{
    direct(0);
}

static void renamed(int synced)
{
    char name[32];
    int fd = own(O_WRONLY);
    put(fd, MIB);
    check(!synced || fsync(fd) == 0, "fsync");
    end(fd);
    snprintf(name, sizeof name, "d.own.%d", rank);
    char *shorter = strdup(name);
    check(shorter != NULL, "strdup");
    memmove(shorter, shorter + 2, strlen(shorter) - 1);
    check(rename(name, shorter) == 0, "rename");
    free(shorter);
}

static void not_durable(void)
{
    renamed(0);
}

/* ---- healthy ---------------------------------------------------------------- */

static void own_files(void)
{
    int fd = own(O_WRONLY);
    for (int i = 0; i < 16; i++)
        put(fd, MIB);
    check(fsync(fd) == 0, "fsync");
    end(fd);
}

static void segmented(void)
{
    int fd = shared(O_WRONLY);
    for (long i = 0; i < 16; i++)
        put_at(fd, MIB, (16l * rank + i) * MIB);
    end(fd);
}

static void collective(void)
{
    MPI_File f;
    char name[] = "d.shared";
    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                        MPI_INFO_NULL, &f) == MPI_SUCCESS,
          name);
    for (long i = 0; i < 4; i++)
        MPI_File_write_at_all(f, (i * ranks + rank) * 4 * MIB, buffer, 4 * MIB,
                              MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
}

static void short_log(void)
{
    stream(2000);
}

static void deck(void)
{
    if (rank == 0) {
        int fd = own(O_RDWR);
        put_at(fd, 10 * KIB, 0);
        get_at(fd, 10 * KIB, 0);
        end(fd);
    }
    own_files();
}

static void one_way_first(void)
{
    alternate(0);
}

static void eight_at_once(void)
{
    asynchronous(8);
}

static void in_turn(void)
{
    race(1);
}

static void closed_and_opened(void)
{
    stale(1);
}

static void goes_on(void)
{
    cut(1);
}

/* Copies files as libraries do: they ask for more than exists, until nothing comes. */
static void copies(void)
{
    char name[32];
    int from = own(O_RDWR);
    put(from, MIB);
    snprintf(name, sizeof name, "d.copy.%d", rank);
    int to = open(name, O_WRONLY | O_CREAT, 0666);
    check(to >= 0, name);
    off_t at = 0;
    check(sendfile(to, from, &at, 8 * MIB) == MIB, "sendfile");
    check(sendfile(to, from, &at, 8 * MIB) == 0, "sendfile");
    end(from);
    end(to);
}

static void direct_but_last(void)
{
    direct(1);
}

static void durable(void)
{
    renamed(1);
}

static const struct {
    const char *name;
    void (*run)(void);
} disease[] = {{"small", small},
               {"strided", strided},
               {"random", at_random},
               {"misalign", misalign},
               {"reread", reread},
               {"readall", read_all},
               {"rewrite", rewrite},
               {"pingpong", pingpong},
               {"open", open_each},
               {"stat", ask},
               {"sync", sync_each},
               {"rank0", rank_0},
               {"turns", turns},
               {"seeks", seeks},
               {"stdio", stdio},
               {"sieve", sieve},
               {"degenerate", degenerate},
               {"many", many},
               {"switches", to_and_fro},
               {"async", one_at_a_time},
               {"race", at_once},
               {"stale", not_shown},
               {"short", stops_short},
               {"direct", short_direct},
               {"rename", not_durable},
               {"own", own_files},
               {"segmented", segmented},
               {"collective", collective},
               {"log", short_log},
               {"deck", deck},
               {"one-way", one_way_first},
               {"eight", eight_at_once},
               {"in-turn", in_turn},
               {"reopen", closed_and_opened},
               {"goes-on", goes_on},
               {"copies", copies},
               {"direct-last", direct_but_last},
               {"durable", durable}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int found = 0;
    if (argc > 2)
        input = argv[2];
    for (size_t i = 0; argc >= 2 && i < sizeof disease / sizeof *disease; i++)
        if (!strcmp(argv[1], disease[i].name)) {
            disease[i].run();
            found = 1;
        }
    MPI_Finalize();
    if (!found)
        fprintf(stderr, "usage: diseases NAME [INPUT]\n");
    return !found;
}
