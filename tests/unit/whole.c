/* ranks: 1 2
 * Whole small files: made, replaced, read by calls and by chains, listed and removed;
 * names, links, folders and full disks; folders that the run did not make. */
#include "tap.h"

#include "base/scratch.h"
#include "io/io.h"
#include "io/whole.h"
#include "pmpi.h"
#include "seccomp.h"
#include <pthread.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#ifndef SYS_io_uring_setup /* headers may be older than the kernel */
#define SYS_io_uring_setup 425
#endif

enum { ROOM = 70000, MANY = 200 };

static int rank, size;
static char data[ROOM], back[ROOM];
static char folder[TAP_PATH], others[TAP_PATH];

static const char *in(const char *dir, const char *name)
{
    static char path[2 * TAP_PATH];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static int put(struct io_folder *d, const char *name, int64_t bytes,
               enum io_replace how)
{
    struct io_whole w = {.name = name, .buf = data, .room = ROOM, .bytes = bytes};
    memset(data, 'a' + (int)how, (size_t)bytes);
    return io_whole_write(d, &w, how, how == IO_RENAME);
}

static bool is_right(const struct io_whole *w, int64_t bytes, char with)
{
    const char *b = w->buf;
    return !w->rc && w->bytes == bytes &&
           (!bytes || (b[0] == with && b[bytes - 1] == with));
}

static bool get(struct io_folder *d, const char *name, int64_t bytes, char with)
{
    struct io_whole w = {.name = name, .buf = back, .room = ROOM};
    memset(back, 0, sizeof back);
    return !io_whole_read(d, &w) && is_right(&w, bytes, with);
}

static int drop(struct io_folder *d, const char *name)
{
    struct io_whole w = {.name = name};
    return io_whole_remove(d, &w);
}

static int count(struct io_folder *d)
{
    char name[256];
    int n = 0;
    while (io_folder_next(d, name, sizeof name) > 0)
        n++;
    return n;
}

/* Returns a folder of this rank alone. */
static struct io_folder *own(void)
{
    struct io_folder *d;
    char text[64];
    snprintf(text, sizeof text, "folder.%d", rank);
    int rc = io_folder_open(&d, MPI_COMM_NULL, tap_path(folder, text),
                            IO_CREATE | IO_READ | IO_WRITE | IO_LOCAL);
    tap_ok(!rc && d, "a folder of one rank");
    return d;
}

static void end_own(struct io_folder **d)
{
    io_folder_close(d);
    tap_ok(!io_file_remove(MPI_COMM_NULL, folder) && access(folder, F_OK),
           "is removed with what is in it");
}

/* ---- successes ------------------------------------------------------------------- */

static void test_sizes(void)
{
    static const int64_t sizes[] = {0, 1, 4095, 4096, ROOM};
    pmpi_calls = 0;
    struct io_folder *d = own();
    for (int i = 0; i < 5; i++) {
        tap_ok(!put(d, "file", sizes[i], IO_MAKE) && get(d, "file", sizes[i], 'a'),
               "%lld bytes are made and read", (long long)sizes[i]);
        tap_ok(put(d, "file", 1, IO_MAKE) == -EEXIST && get(d, "file", sizes[i], 'a'),
               "and not made again");
        err_clear();
        tap_ok(!put(d, "file", sizes[i], IO_TRUNCATE) && get(d, "file", sizes[i], 'b'),
               "written anew");
        tap_ok(!put(d, "file", sizes[4 - i], IO_RENAME) &&
                   get(d, "file", sizes[4 - i], 'c'),
               "and replaced by another");
        tap_ok(!drop(d, "file") && count(d) == 0, "nothing is left of it");
    }
    tap_ok(drop(d, "file") == -ENOENT, "what is not there cannot be removed");
    err_clear();
    tap_ok(!io_folder_sync(d), "synced");
    end_own(&d);
}

static void test_words(void)
{
    pmpi_calls = 0;
    struct io_folder *d;
    char path[TAP_PATH];
    snprintf(path, sizeof path, "%.500s.words", folder);
    int rc = io_folder_open(&d, MPI_COMM_NULL, path, IO_CREATE | IO_WRITE | IO_LOCAL);
    for (int i = 0; i < 10 * (rank + 1) && !rc; i++)
        rc = put(d, "file", 10, IO_TRUNCATE);
    io_folder_close(&d);
    rc = rc ? rc : io_file_remove(MPI_COMM_NULL, path);
    long said = pmpi_calls;
    tap_ok(!rc && !said, "ranks have unequal numbers of files, and tell nobody (%ld)",
           said);
}

static void test_parts(void)
{
    struct io_folder *d = own();
    struct io_whole w = {.name = "file", .buf = data, .room = ROOM, .bytes = ROOM};
    int rc = io_whole_write(d, &w, IO_RENAME, true);
    tap_ok(!rc && w.open_ns > 0 && w.move_ns > 0 && w.sync_ns > 0 && w.close_ns > 0 &&
               w.name_ns > 0,
           "open, move, sync, close and rename are timed apart");
    rc = io_whole_read(d, &w);
    tap_ok(!rc && w.start_ns && w.open_ns > 0 && w.move_ns > 0 && w.close_ns > 0 &&
               !w.sync_ns && !w.name_ns,
           "and of a read what there is");
    end_own(&d);
}

static void test_names(void)
{
    char longest[256];
    const char *const good[] = {"a b", "-rf",  "new\nline", "\xc3\xbc\xff",
                                "*",   "\"'$", "\\x",       ".hidden",
                                "...", "a:b",  "%s%n",      longest};
    const char *const bad[] = {"", ".", "..", "a/b", "/etc/passwd", "../x"};
    struct io_folder *d = own();
    int n = (int)(sizeof good / sizeof good[0]), wrong = 0;
    memset(longest, 'x', 255);
    longest[255] = 0;
    for (int i = 0; i < n; i++)
        wrong += put(d, good[i], 10, IO_MAKE) || put(d, good[i], 10, IO_RENAME) ||
                 !get(d, good[i], 10, 'c');
    tap_ok(!wrong && count(d) == n, "names with odd characters");
    tap_ok(count(d) == n, "are listed once more");
    for (int i = 0; i < n; i++)
        wrong += drop(d, good[i]) != 0;
    tap_ok(!wrong && count(d) == 0, "and removed");
    for (int i = 0; i < 6; i++) {
        wrong += put(d, bad[i], 1, IO_MAKE) != -EINVAL || get(d, bad[i], 1, 'a');
        err_clear();
    }
    tap_ok(!wrong, "what is no name of a file in the folder is refused");
    end_own(&d);
}

typedef int whole_call(struct io_folder *d, struct io_whole *w);

/* Makes a call on a name, with another name or a value. */
static int on(struct io_folder *d, whole_call *call, const char *name, const char *text)
{
    struct io_whole w = {.name = name,
                         .to = text,
                         .buf = (void *)(uintptr_t)text,
                         .bytes = (int64_t)strlen(text),
                         .mode = 0604};
    return call(d, &w);
}

static bool finds(struct io_folder *d, whole_call *call, const char *name,
                  const char *expected)
{
    struct io_whole w = {.name = name, .buf = back, .room = ROOM};
    int64_t n = (int64_t)strlen(expected);
    return !call(d, &w) && w.bytes == n && !memcmp(back, expected, (size_t)n);
}

static bool has(struct io_folder *d, const char *name, int64_t links, int mode)
{
    struct io_whole w = {.name = name};
    return !io_whole_stat(d, &w) && w.links == links && w.mode == mode;
}

static void test_properties(void)
{
    struct io_folder *d = own();
    tap_ok(!put(d, "file", 10, IO_MAKE) && !on(d, io_whole_chmod, "file", "") &&
               has(d, "file", 1, 0604),
           "a mode is set");
    tap_ok(!on(d, io_whole_link, "link", "file") && has(d, "file", 2, 0604) &&
               get(d, "link", 10, 'a'),
           "a hard link is another name of it");
    tap_ok(on(d, io_whole_link, "link", "file") == -EEXIST &&
               on(d, io_whole_link, "other", "../x") == -EINVAL,
           "not in the place of another one, nor to another folder");
    err_clear();
    tap_ok(!on(d, io_whole_symlink, "way", "nowhere") &&
               finds(d, io_whole_readlink, "way", "nowhere"),
           "a symbolic link has its text");
    tap_ok(on(d, io_whole_chmod, "way", "") == -ELOOP &&
               on(d, io_whole_setxattr, "way", "x") == -ELOOP,
           "and is not followed");
    err_clear();
    int rc = on(d, io_whole_setxattr, "file", "value");
    tap_ok(rc == -EOPNOTSUPP || (!rc && finds(d, io_whole_getxattr, "link", "value")),
           "an attribute is that of the file, or refused");
    err_clear();
    end_own(&d);
}

/* A path in the folder can be read, and no other one. */
static void test_paths(void)
{
    const char *const bad[] = {"sub/../one", "sub//one", "sub/./one",
                               "/sub/one",   "sub/one/", "sub/"};
    char name[256];
    struct io_folder *d = own(), *sub;
    int rc = mkdir(in(folder, "sub"), 0700), wrong = 0;
    rc = rc ? rc : io_folder_enter(&sub, d, "sub");
    tap_ok(!rc && !put(sub, "one", 10, IO_MAKE) && get(d, "sub/one", 10, 'a'),
           "a file in a folder in it is read");
    tap_ok(put(d, "sub/one", 1, IO_TRUNCATE) == -EINVAL && drop(d, "sub/one"),
           "and not changed by its path");
    for (int i = 0; i < 6; i++)
        wrong += get(d, bad[i], 10, 'a') || err_get()->code != -EINVAL;
    err_clear();
    tap_ok(!wrong, "a path leads within the folder");
    put(d, "one", 10, IO_MAKE);
    wrong = symlink("sub", in(folder, "link"));
    while (io_folder_next(d, name, sizeof name) > 0)
        wrong += io_folder_is_folder(d, name) != !strcmp(name, "sub");
    tap_ok(!wrong, "a folder is told from files and links");
    io_folder_close(&sub);
    end_own(&d);
}

static void test_shared(void)
{
    struct io_folder *d, *second;
    char path[TAP_PATH], name[32];
    tap_path(path, "shared");
    int flags = IO_CREATE | IO_READ | IO_WRITE;
    int rc = io_folder_open(&d, MPI_COMM_WORLD, path, flags);
    snprintf(name, sizeof name, "of %d", rank);
    tap_ok(!rc && !put(d, name, 10, IO_MAKE), "all ranks make files in a folder");
    tap_ok(io_folder_open(&second, MPI_COMM_WORLD, path, flags) == -EEXIST && !second,
           "which is not made twice");
    err_clear();
    MPI_Barrier(MPI_COMM_WORLD);
    tap_ok(count(d) == size, "and see those of others");
    tap_ok(
        !io_folder_open(&second, MPI_COMM_NULL, path, IO_READ | IO_WRITE | IO_LOCAL) &&
            !put(second, name, 20, IO_TRUNCATE),
        "it is opened once more");
    io_folder_close(&second);
    io_folder_close(&d);
    MPI_Barrier(MPI_COMM_WORLD);
    rc = io_file_remove(MPI_COMM_WORLD, path);
    tap_ok(!rc && access(path, F_OK), "and removed with all of them");
}

/* ---- obstacles ------------------------------------------------------------------- */

static bool says(int rc, int code, const char *text)
{
    bool named = strstr(err_get()->file, "folder");
    return tap_refused(rc, code, text) && named;
}

static int read_into(struct io_folder *d, const char *name, int64_t room)
{
    struct io_whole w = {.name = name, .buf = back, .room = room};
    return io_whole_read(d, &w);
}

static void test_in_the_way(struct io_folder *d)
{
    mkdir(in(folder, "sub"), 0700);
    tap_ok(says(read_into(d, "sub", ROOM), -EISDIR, "a directory"),
           "a folder is no file");
    tap_ok(says(put(d, "sub", 9, IO_MAKE), -EEXIST, "already"), "nor one to be made");
    tap_ok(says(put(d, "sub", 9, IO_TRUNCATE), -EISDIR, "created"), "nor written");
    tap_ok(says(put(d, "sub", 9, IO_RENAME), -EISDIR, "this name"), "nor replaced");
    tap_ok(says(drop(d, "sub"), -EISDIR, "removed"), "nor removed");
    tap_ok(count(d) == 1 && !rmdir(in(folder, "sub")), "and nothing else was left");
    tap_ok(says(read_into(d, "none", ROOM), -ENOENT, "No such file"), "no such file");
    tap_ok(!mkfifo(in(folder, "pipe"), 0600) &&
               says(read_into(d, "pipe", ROOM), -EINVAL, "not a regular file"),
           "a pipe is not waited for");
    tap_ok(says(put(d, "pipe", 9, IO_TRUNCATE), -ENXIO, "created"), "nor written to");
    unlink(in(folder, "pipe"));
    tap_ok(!put(d, "file", 10, IO_MAKE) && !read_into(d, "file", 10) &&
               says(read_into(d, "file", 9), -EOVERFLOW, "has 10 bytes"),
           "a file that is too large for the buffer");
    drop(d, "file");
}

static void make_other(void)
{
    char text[64];
    snprintf(text, sizeof text, "others.%d", rank);
    tap_path(others, text);
    mkdir(others, 0700);
    tap_put(in(others, "file"), "mine");
    tap_ok(tap_holds(in(others, "file"), "mine"), "a file of others");
}

static void test_links(struct io_folder *d)
{
    char to[2 * TAP_PATH];
    make_other();
    strcpy(to, in(others, "file"));
    put(d, "file", 10, IO_MAKE);
    unlink(in(folder, "file"));
    tap_ok(!symlink(to, in(folder, "file")), "a file is replaced by a link");
    tap_ok(says(read_into(d, "file", ROOM), -ELOOP, "a link"), "which is not read");
    tap_ok(says(put(d, "file", 9, IO_TRUNCATE), -ELOOP, "a link"), "nor written");
    tap_ok(says(put(d, "file", 9, IO_MAKE), -EEXIST, "already"), "nor made");
    tap_ok(tap_holds(in(others, "file"), "mine") && !put(d, "file", 9, IO_RENAME) &&
               tap_holds(in(others, "file"), "mine") && get(d, "file", 9, 'c'),
           "a rename puts a file in the link's place");
    unlink(in(folder, "file"));
    tap_ok(!symlink(to, in(folder, "file")) && !drop(d, "file") &&
               tap_holds(in(others, "file"), "mine"),
           "the link is removed, and not the file");
}

static void test_faults(void)
{
    struct io_folder *d = own();
    test_in_the_way(d);
    test_links(d);
    end_own(&d);
    tap_ok(tap_holds(in(others, "file"), "mine"), "what others made is there");
}

/* ---- folders of others ----------------------------------------------------------- */

static void test_input(void)
{
    struct io_folder *d;
    int flags = IO_READ | IO_LOCAL;
    tap_ok(io_folder_open(&d, MPI_COMM_NULL, others, flags | IO_WRITE) == -EPERM && !d,
           "a folder of others is not opened to be written");
    err_clear();
    tap_ok(io_folder_open(&d, MPI_COMM_NULL, others, flags | IO_CREATE) == -EEXIST,
           "nor made");
    err_clear();
    tap_ok(!io_folder_open(&d, MPI_COMM_NULL, others, flags), "but read");
    tap_ok(!symlink("file", in(others, "link")) && !read_into(d, "file", ROOM) &&
               !read_into(d, "link", ROOM) && !memcmp(back, "mine", 4),
           "with links in it, which are theirs");
    tap_ok(io_folder_empty(d) == -EPERM && put(d, "new", 1, IO_MAKE) == -EPERM &&
               put(d, "file", 1, IO_RENAME) < 0 && put(d, "file", 1, IO_TRUNCATE) < 0 &&
               drop(d, "file") == -EPERM &&
               on(d, io_whole_chmod, "file", "") == -EPERM &&
               on(d, io_whole_link, "new", "file") == -EPERM &&
               on(d, io_whole_symlink, "new", "file") == -EPERM &&
               on(d, io_whole_setxattr, "file", "x") == -EPERM,
           "nothing in it is changed");
    err_clear();
    io_folder_close(&d);
    io_file_remove(MPI_COMM_NULL, others);
    io_file_remove(MPI_COMM_NULL, in(others, "file"));
    scratch_unlink_all();
    tap_ok(tap_holds(in(others, "file"), "mine"), "nor removed");
    unlink(in(others, "link"));
    unlink(in(others, "file"));
    rmdir(others);
}

/* ---- a full disk ----------------------------------------------------------------- */

static const char *small_file_system(void)
{
    static char dir[TAP_PATH];
    int failed = 0;
    tap_path(dir, "small");
    if (rank == 0)
        failed = !getenv("LEADLINE_MOUNTS") || mkdir(dir, 0700) ||
                 mount("none", dir, "tmpfs", 0, "size=256k");
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return failed ? NULL : dir;
}

static void test_full(void)
{
    const char *dir = small_file_system();
    struct io_folder *d;
    char name[32];
    int rc, n = 0;
    if (!dir) {
        tap_skip("a full file system: mounting a small one is not allowed here");
        return;
    }
    rc = io_folder_open(&d, MPI_COMM_WORLD, strcat(strcpy(folder, dir), "/folder"),
                        IO_CREATE | IO_WRITE | IO_READ);
    while (!rc && n < 10) {
        snprintf(name, sizeof name, "%d.%d", rank, n++);
        rc = put(d, name, ROOM, n & 1 ? IO_MAKE : IO_RENAME);
    }
    tap_ok(says(rc, -ENOSPC, "No space"), "a full file system is a sentence");
    tap_ok(access(in(folder, name), F_OK), "the file that has no room is removed");
    MPI_Barrier(MPI_COMM_WORLD);
    io_folder_close(&d);
    rc = io_file_remove(MPI_COMM_WORLD, folder);
    tap_ok(!rc && access(folder, F_OK), "and so are the others");
    if (rank == 0 && (umount(dir) || rmdir(dir)))
        tap_diag("%s: %s", dir, strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- past the page cache --------------------------------------------------------- */

static void test_direct(void)
{
    static _Alignas(4096) char block[2 * 4096];
    struct io_folder *d;
    struct io_whole w = {.name = "file", .buf = block, .room = sizeof block};
    char path[TAP_PATH], text[64];
    snprintf(text, sizeof text, "direct.%d", rank);
    int rc = io_folder_open(&d, MPI_COMM_NULL, tap_path(path, text),
                            IO_CREATE | IO_READ | IO_WRITE | IO_LOCAL | IO_DIRECT);
    for (int64_t bytes = 0; bytes <= 5000 && !rc; bytes += 2500) {
        memset(block, 'd', sizeof block);
        w.bytes = bytes;
        rc = io_whole_write(d, &w, IO_TRUNCATE, false);
        memset(block, 0, sizeof block);
        rc = rc ? rc : io_whole_read(d, &w);
        rc = rc ? rc : is_right(&w, bytes, 'd') ? 0 : -EIO;
    }
    bool never = rc == -EINVAL; /* the file system does not support it */
    tap_ok(!rc || never, "files of any size past the page cache");
    err_clear();
    w.bytes = 5000;
    w.room = 5000;
    tap_ok(io_whole_write(d, &w, IO_TRUNCATE, false) == -EINVAL,
           "whose buffer must hold whole blocks");
    err_clear();
    tap_ok(!io_folder_empty(d) && count(d) == 0, "all files are removed");
    io_folder_close(&d);
    io_file_remove(MPI_COMM_NULL, path);
}

/* ---- several at once ------------------------------------------------------------- */

struct slot {
    struct io_whole w;
    char name[32], buf[512];
};
static struct slot slots[IO_WHOLE_DEPTH];

static void next(struct slot *s, int i)
{
    snprintf(s->name, sizeof s->name, "%d", i);
    s->w = (struct io_whole){.name = s->name, .buf = s->buf, .room = sizeof s->buf};
    memset(s->buf, 0, sizeof s->buf);
}

/* Returns the size of a file: 0, 1, ... bytes, some as long as the buffer. */
static int64_t bytes_of(int i)
{
    return i % 5 == 4 ? 512 : i % 500;
}

static int judge(struct io_whole *done[], int n)
{
    int good = 0;
    for (int k = 0; k < n; k++)
        good += is_right(done[k], bytes_of(atoi(done[k]->name)), 'a');
    return good;
}

static void test_chains(struct io_folder *d, const char *how)
{
    struct io_whole *list[IO_WHOLE_DEPTH], *done[IO_WHOLE_DEPTH];
    int made = 0, good = 0, rc = 0, under_way = IO_WHOLE_DEPTH;
    for (; made < IO_WHOLE_DEPTH; made++) {
        next(&slots[made], made);
        list[made] = &slots[made].w;
    }
    rc = io_whole_start(d, list, made);
    tap_ok(io_whole_start(d, list, 1) == -EINVAL, "%s: no more than fit", how);
    err_clear();
    while (!rc && under_way) {
        int n = io_whole_reap(d, done, 7, under_way < 5 ? under_way : 5, 100);
        rc = n < 0 ? n : n == 0 ? -EIO : 0;
        good += judge(done, n);
        under_way -= n;
        for (int k = 0; k < n && !rc && made < MANY; k++, under_way++) {
            next((struct slot *)done[k], made++);
            rc = io_whole_start(d, &done[k], 1);
        }
    }
    tap_ok(!rc && good == MANY, "%s: %d files are read, the queue kept full", how,
           good);
    tap_ok(io_whole_reap(d, done, 7, 1, 1) == 0, "%s: and then there are none", how);
}

/* A chain finds the same faults, with the same sentences, as calls do. */
static void test_chain_faults(struct io_folder *d, const char *how)
{
    static const struct {
        const char *name, *text;
        int code;
    } bad[] = {{"none", "No such file", -ENOENT},
               {"sub", "a directory", -EISDIR},
               {"link", "a link", -ELOOP},
               {"large", "there is room", -EOVERFLOW},
               {"sub/../large", "not the name", -EINVAL}};
    mkdir(in(folder, "sub"), 0700);
    tap_ok(!symlink("large", in(folder, "link")), "a link");
    put(d, "large", ROOM, IO_TRUNCATE);
    for (int i = 0; i < 5; i++) {
        struct io_whole *w = &slots[0].w, *done[1];
        next(&slots[0], 0);
        w->name = bad[i].name;
        int rc = io_whole_start(d, &w, 1);
        int n = rc ? rc : io_whole_reap(d, done, 1, 1, 100);
        tap_ok(n == 1 && done[0] == w && says(w->rc, bad[i].code, bad[i].text),
               "%s: %s is a sentence", how, bad[i].name);
    }
    unlink(in(folder, "link"));
    rmdir(in(folder, "sub"));
}

static void test_several(void)
{
    struct io_folder *d = own();
    char name[32];
    int rc = 0;
    for (int i = 0; i < MANY && !rc; i++) {
        snprintf(name, sizeof name, "%d", i);
        rc = put(d, name, bytes_of(i), IO_MAKE);
    }
    tap_ok(!rc && count(d) == MANY, "%d files", MANY);
    bool ring = io_whole_asynchronous(d);
    const char *how = ring ? "chains" : "calls";
    tap_diag("whole files are read by %s", how);
    test_chains(d, how);
    test_chain_faults(d, how);
    struct io_whole *w = &slots[0].w;
    next(&slots[0], 1);
    tap_ok(!io_whole_start(d, &w, 1), "%s: one is under way when it is closed", how);
    end_own(&d);
}

/* Forbids the kernel's rings, as many containers do: then calls do the same. */
static void test_without_ring(void)
{
    if (!seccomp_forbid(SYS_io_uring_setup, EPERM)) {
        tap_skip("io_uring cannot be forbidden here");
        return;
    }
    struct io_folder *d = own();
    tap_ok(!io_whole_asynchronous(d) && !err_get()->code, "no ring, and no failure");
    end_own(&d);
    test_several();
}

/* ---- threads --------------------------------------------------------------------- */

static void *make_some(void *of)
{
    struct io_folder *d = of;
    char buf[64], name[32];
    struct io_whole w = {.name = name, .buf = buf, .room = sizeof buf};
    int rc = 0;
    for (int i = 0; i < 200 && !rc; i++) {
        snprintf(name, sizeof name, "%lx.%d", (unsigned long)pthread_self(), i);
        memset(buf, 'x', w.bytes = 50);
        rc = io_whole_write(d, &w, i % 3, false);
        rc = rc ? rc : io_whole_read(d, &w);
        rc = rc ? rc : w.bytes != 50 || i % 2 == 0 ? rc : io_whole_remove(d, &w);
    }
    return rc ? of : NULL;
}

static void test_threads(void)
{
    struct io_folder *d = own();
    pthread_t t[4];
    int bad = 0;
    for (int i = 0; i < 4; i++)
        bad += pthread_create(&t[i], NULL, make_some, d) != 0;
    for (int i = 0; i < 4; i++) {
        void *failed;
        bad += pthread_join(t[i], &failed) || failed;
    }
    tap_ok(!bad && count(d) == 400, "threads make, read and remove files of a folder");
    end_own(&d);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    test_sizes();
    test_words();
    test_parts();
    test_names();
    test_properties();
    test_paths();
    test_shared();
    test_faults();
    test_input();
    test_full();
    test_direct();
    test_several();
    test_threads();
    test_without_ring();
    return tap_end();
}
