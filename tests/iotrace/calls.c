/* Makes every call that the recorder knows, N times each, with sizes that differ from
 * call to call: "calls N" prints for each "name count bytes", which the log must
 * contain, too. Built twice: plain, and fortified with 64-bit names; both with
 * -fno-builtin, as the compiler would make fwrite of fputs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <linux/aio_abi.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

static int rounds;
static char room[1 << 16];

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

/* Makes a call N times, which returns the bytes moved, on the file of its name. */
#define TIMES(name, bytes, ...)                                                        \
    do {                                                                               \
        long sum = 0;                                                                  \
        for (int i = 0; i < rounds; i++) {                                             \
            long n = (long)(__VA_ARGS__);                                              \
            if (n < 0)                                                                 \
                die(name);                                                             \
            sum += (bytes) ? n : 0;                                                    \
        }                                                                              \
        expect(name, rounds, sum);                                                     \
    } while (0)

static char told[1 << 14];

static void expect(const char *name, int count, long bytes)
{
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s %d %ld\n", name, count, bytes);
}

static int file(const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT, 0644);
    if (fd < 0)
        die(name);
    return fd;
}

static size_t any(int i) /* a size, unknown to the compiler */
{
    volatile int n = 1 + i % 60;
    return (size_t)n;
}

static void posix(void)
{
    int fd = file("posix");
    struct iovec v[2] = {{room, 10}, {room + 10, 23}};
    if (ftruncate(fd, 1 << 16))
        die("ftruncate");
    TIMES("write", 1, write(fd, room, any(i)));
    TIMES("lseek", 0, lseek(fd, 0, SEEK_SET));
    TIMES("read", 1, read(fd, room, any(i)));
    TIMES("pwrite", 1, pwrite(fd, room, any(i), i));
    TIMES("pread", 1, pread(fd, room, any(i), i));
    TIMES("writev", 1, writev(fd, v, 2));
    lseek(fd, 0, SEEK_SET);
    expect("lseek", 1, 0);
    TIMES("readv", 1, readv(fd, v, 2));
    TIMES("pwritev", 1, pwritev(fd, v, 2, i));
    TIMES("preadv", 1, preadv(fd, v, 2, i));
    TIMES("pwritev2", 1, pwritev2(fd, v, 2, i, 0));
    TIMES("preadv2", 1, preadv2(fd, v, 2, i, 0));
    TIMES("fsync", 0, fsync(fd));
    TIMES("fdatasync", 0, fdatasync(fd));
    TIMES("ftruncate", 0, ftruncate(fd, (1 << 16) + i));
    TIMES("fallocate", 0, fallocate(fd, 0, 0, 4096));
    TIMES("posix_fallocate", 0, posix_fallocate(fd, 0, 4096));
    TIMES("posix_fadvise", 0, posix_fadvise(fd, 0, 4096, POSIX_FADV_NORMAL));
    TIMES(
        "fstat", 0, (struct stat[1]) {
            {
                0
            }
        } -> st_size + fstat(fd, &(struct stat){0}));
    TIMES("dprintf", 1, dprintf(fd, "%d %s\n", i, "text"));
    close(fd);
    expect("open", 1, 0);
    expect("close", 1, 0);
    expect("ftruncate", 1, 0);
}

static aio_context_t queue;

/* Writes and reads once by the kernel's own asynchronous calls; returns the bytes. */
static long queued(int fd, int op, size_t bytes)
{
    struct iocb c = {.aio_fildes = (unsigned)fd,
                     .aio_lio_opcode = (unsigned short)op,
                     .aio_buf = (unsigned long)room,
                     .aio_nbytes = bytes};
    struct io_event done;
    if (syscall(SYS_io_submit, queue, 1, (struct iocb *[]){&c}) != 1 ||
        syscall(SYS_io_getevents, queue, 1, 1, &done, NULL) != 1)
        die("io_submit");
    return done.res;
}

/* Calls the kernel by number: the events are the same. */
static void numbers_of_files(int fd)
{
    struct statx s;
    int to = (int)syscall(SYS_openat, AT_FDCWD, "to", O_RDWR | O_CREAT, 0644);
    TIMES("sendfile", 1, syscall(SYS_sendfile, to, fd, &(off_t){i}, any(i)));
    TIMES("copy_file_range", 1,
          syscall(SYS_copy_file_range, fd, &(off_t){i}, to, &(off_t){0}, any(i), 0));
    TIMES("statx", 0, syscall(SYS_statx, AT_FDCWD, "to", 0, STATX_SIZE, &s));
    TIMES("mkdirat", 0,
          syscall(SYS_mkdirat, AT_FDCWD, "by_number", 0755) ||
              syscall(SYS_unlinkat, AT_FDCWD, "by_number", AT_REMOVEDIR));
    expect("unlinkat", rounds, 0);
    TIMES("renameat2", 0, syscall(SYS_renameat2, AT_FDCWD, "to", AT_FDCWD, "to", 0));
    TIMES("fallocate", 0, syscall(SYS_fallocate, fd, 0, 0, 100));
    if (syscall(SYS_io_setup, 8, &queue))
        die("io_setup");
    TIMES("io_getevents_write", 1, queued(fd, IOCB_CMD_PWRITE, any(i)));
    TIMES("io_getevents_read", 1, queued(fd, IOCB_CMD_PREAD, any(i)));
    expect("io_submit_write", rounds, 0);
    expect("io_submit_read", rounds, 0);
    expect("io_getevents", 2 * rounds, 0);
    errno = 0;
    if (syscall(SYS_io_submit, queue, 1, NULL) != -1 || errno != EFAULT)
        die("io_submit refused");
    syscall(SYS_io_destroy, queue);
    syscall(SYS_close, to);
}

static void numbers(void)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "numbers", O_RDWR | O_CREAT, 0644);
    struct iovec v[2] = {{room, 10}, {room + 10, 23}};
    struct stat s;
    TIMES("ftruncate", 0, syscall(SYS_ftruncate, fd, (1 << 16) + i));
    TIMES("write", 1, syscall(SYS_write, fd, room, any(i)));
    TIMES("lseek", 0, syscall(SYS_lseek, fd, 0, SEEK_SET));
    TIMES("read", 1, syscall(SYS_read, fd, room, any(i)));
    TIMES("pwrite", 1, syscall(SYS_pwrite64, fd, room, any(i), i));
    TIMES("pread", 1, syscall(SYS_pread64, fd, room, any(i), i));
    TIMES("writev", 1, syscall(SYS_writev, fd, v, 2));
    TIMES("lseek", 0, syscall(SYS_lseek, fd, 0, SEEK_SET));
    TIMES("readv", 1, syscall(SYS_readv, fd, v, 2));
    TIMES("pwritev", 1, syscall(SYS_pwritev, fd, v, 2, i, 0));
    TIMES("preadv", 1, syscall(SYS_preadv, fd, v, 2, i, 0));
    TIMES("pwritev2", 1, syscall(SYS_pwritev2, fd, v, 2, i, 0, 0));
    TIMES("preadv2", 1, syscall(SYS_preadv2, fd, v, 2, i, 0, 0));
    TIMES("fsync", 0, syscall(SYS_fsync, fd));
    TIMES("fdatasync", 0, syscall(SYS_fdatasync, fd));
    TIMES("openat", 0,
          syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, "numbers", O_RDONLY)));
    TIMES("dup", 0, syscall(SYS_close, syscall(SYS_dup, fd)));
    TIMES("dup3", 0, syscall(SYS_close, syscall(SYS_dup3, fd, 201, O_CLOEXEC)));
    TIMES("fcntl", 0, syscall(SYS_close, syscall(SYS_fcntl, fd, F_DUPFD, 100)));
    numbers_of_files(fd);
    errno = 0;
    if (syscall(SYS_getpid) != getpid() || syscall(SYS_fchmod, -1, 0) != -1 ||
        errno != EBADF)
        die("syscall");
    /* Six arguments; the last is an offset that no file has. */
    if (syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, fd, 1) != -1 ||
        errno != EINVAL || fstat(fd, &s))
        die("mmap");
    syscall(SYS_close, fd);
    expect("fstat", 1, 0);
    expect("openat", 2, 0);
    expect("close", 4 * rounds + 2, 0);
}

static void opens(void)
{
    TIMES("open", 0, close(open("opens", O_RDWR | O_CREAT, 0600)));
    TIMES("openat", 0, close(openat(AT_FDCWD, "opens", O_RDONLY)));
    TIMES("creat", 0, close(creat("opens", 0600)));
    int fd = open("opens", O_RDONLY);
    TIMES("dup", 0, close(dup(fd)));
    TIMES("dup2", 0, close(dup2(fd, 200)));
    TIMES("dup3", 0, close(dup3(fd, 201, O_CLOEXEC)));
    TIMES("fcntl", 0, close(fcntl(fd, F_DUPFD, 100)));
    close(fd);
    expect("open", 1, 0);
    expect("close", 7 * rounds + 1, 0);
}

static void copies(void)
{
    int in = open("posix", O_RDONLY), out = file("copies"), ends[2];
    off_t at = 0;
    if (pipe(ends))
        die("pipe");
    TIMES("sendfile", 1, sendfile(out, in, &(off_t){i}, any(i)));
    TIMES("copy_file_range", 1, copy_file_range(in, &(off_t){i}, out, &at, any(i), 0));
    for (int i = 0; i < rounds; i++) {
        if (splice(in, &(off_t){0}, ends[1], NULL, 100, 0) != 100 ||
            splice(ends[0], NULL, out, NULL, 100, 0) != 100)
            die("splice");
    }
    expect("splice", 2 * rounds, 200L * rounds);
    for (int i = 0; i < 2; i++)
        close(ends[i]);
    close(in);
    close(out);
    expect("pipe", 1, 0);
    expect("open", 2, 0);
    expect("close", 4, 0);
}

static int va_print(FILE *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vfprintf(f, format, list);
    va_end(list);
    return n;
}

static void writes_stream(FILE *f)
{
    TIMES("fwrite", 1, 3 * fwrite(room, 3, any(i), f));
    TIMES("fprintf", 1, fprintf(f, "%d %s\n", i * i, "text"));
    TIMES("vfprintf", 1, va_print(f, "%d\n", i));
    TIMES("fputs", 1, (fputs("twelve bytes", f), 12));
    TIMES("fputc", 1, (fputc('x', f), 1));
    TIMES("putc", 1, (putc('\n', f), 1));
    TIMES("fflush", 0, fflush(f));
}

/* With optimisation, <stdio.h> turns these into other calls. */
#ifdef __USE_EXTERN_INLINES
#define GETLINE "getdelim"
#define PUTCHAR "putc"
#define VPRINTF "vfprintf"
#else
#define GETLINE "getline"
#define PUTCHAR "putchar"
#define VPRINTF "vprintf"
#endif

static void reads_stream(FILE *f)
{
    char *line = NULL;
    size_t line_room = 0;
    memset(room, 'a', 4000);
    for (int i = 0; i < 4000; i += 10)
        room[i + 9] = '\n';
    for (int i = 0; i < 10; i++)
        fwrite(room, 1, 4000, f);
    expect("fwrite", 10, 40000);
    TIMES("fseek", 0, fseek(f, 0, SEEK_SET));
    TIMES("fread", 1, (long)fread(room, 1, 10 * any(i), f));
    TIMES("fgets", 1, fgets(room, 100, f) ? (long)strlen(room) : -1);
    TIMES(GETLINE, 1, getline(&line, &line_room, f));
    TIMES("getdelim", 1, getdelim(&line, &line_room, '\n', f));
    TIMES("fgetc", 1, fgetc(f) >= 0);
    TIMES("getc", 1, getc(f) >= 0);
    TIMES("ftell", 0, ftell(f) >= 0);
    TIMES("fseeko", 0, fseeko(f, 0, SEEK_SET));
    TIMES("rewind", 0, (rewind(f), 0));
    free(line);
}

/* Reads "number 17\n": only the stream's position tells the bytes consumed. */
static void scans(void)
{
    FILE *f = fopen("scans", "w+");
    for (int i = 0; f && i < rounds; i++)
        fprintf(f, "number %d\n", i % 10);
    rewind(f);
    for (int i = 0; i < rounds; i++)
        if (fscanf(f, "number %d ", (int[1]){0}) != 1)
            die("fscanf");
    fclose(f);
    expect("fprintf", rounds, 9L * rounds);
    expect("fscanf", rounds, 9L * rounds);
    expect("rewind", 1, 0);
    expect("fopen", 1, 0);
    expect("fclose", 1, 0);
}

static void streams(void)
{
    FILE *f = fopen("streams", "w+");
    if (!f)
        die("streams");
    writes_stream(f);
    reads_stream(f);
    fclose(f);
    for (int i = 0; i < rounds; i++)
        fclose(fopen("streams", "r"));
    for (int i = 0; i < rounds; i++)
        fclose(fdopen(open("streams", O_RDONLY), "r"));
    expect("open", rounds, 0);
    expect("fdopen", rounds, 0);
    expect("fopen", rounds + 1, 0);
    expect("fclose", 2 * rounds + 1, 0);
}

static int va_print_wide(FILE *f, const wchar_t *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vfwprintf(f, format, list);
    va_end(list);
    return n;
}

static int va_scan_wide(FILE *f, const wchar_t *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vfwscanf(f, format, list);
    va_end(list);
    return n;
}

/* Uses an encoding of the stream's own, whatever the locale: 4 bytes for each "a", 4
 * for each letter beyond 16 bits; in UTF-8, 1 and 4. */
static void wide(const char *name, const char *mode, long a, long clef)
{
    FILE *f = fopen(name, mode);
    wchar_t line[100];
    if (!f)
        die(name);
    TIMES("fwprintf", 1,
          fwprintf(f, L"%ls\n", L"a\U0001d11ea") > 0 ? 3 * a + clef : -1);
    TIMES("vfwprintf", 1,
          va_print_wide(f, L"aa%lc\n", 0x1d11e) > 0 ? 3 * a + clef : -1);
    TIMES("fputws", 1, fputws(L"aaaaaaaa\n", f) >= 0 ? 9 * a : -1);
    TIMES("fputwc", 1, fputwc(0x1d11e, f) != WEOF ? clef : -1);
    TIMES("putwc", 1, putwc(L'a', f) != WEOF ? a : -1);
    TIMES("fseek", 0, fseek(f, 0, SEEK_SET));
    TIMES("fwscanf", 1, fwscanf(f, L"%99l[^\n]%*c", line) == 1 ? 3 * a + clef : -1);
    TIMES("vfwscanf", 1,
          va_scan_wide(f, L"%99l[^\n]%*c", line) == 1 ? 3 * a + clef : -1);
    TIMES("fgetws", 1, fgetws(line, any(7) + 92, f) ? 9 * a : -1);
    TIMES("fgetwc", 1, fgetwc(f) == 0x1d11e ? clef : -1);
    TIMES("getwc", 1, getwc(f) == L'a' ? a : -1);
    if (fgetwc(f) != WEOF)
        die("end");
    fclose(f);
    expect("fgetwc", 1, 0);
    expect("fopen", 1, 0);
    expect("fclose", 1, 0);
}

static void maps(void)
{
    int fd = file("maps");
    if (ftruncate(fd, 4096))
        die("maps");
    for (int i = 0; i < rounds; i++) {
        char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED || msync(p, 4096, MS_ASYNC) || munmap(p, 4096))
            die("mmap");
    }
    close(fd);
    expect("mmap", rounds, 0);
    expect("msync", rounds, 0);
    expect("munmap", rounds, 0);
    expect("ftruncate", 1, 0);
    expect("open", 1, 0);
    expect("close", 1, 0);
}

static long waited(struct aiocb *cb)
{
    while (aio_error(cb) == EINPROGRESS)
        usleep(10);
    return aio_return(cb);
}

static void asynchronous(void)
{
    int fd = file("aio");
    struct aiocb cb = {.aio_fildes = fd, .aio_buf = room, .aio_nbytes = 33};
    for (int i = 0; i < rounds; i++)
        if (aio_write(&cb) || waited(&cb) != 33 || aio_read(&cb) || waited(&cb) != 33)
            die("aio");
    close(fd);
    expect("aio_write", rounds, 0);
    expect("aio_read", rounds, 0);
    expect("aio_return_write", rounds, 33L * rounds);
    expect("aio_return_read", rounds, 33L * rounds);
    expect("open", 1, 0);
    expect("close", 1, 0);
}

static void names(void)
{
    struct stat s;
    TIMES("stat", 0, stat("posix", &s));
    TIMES("lstat", 0, lstat("posix", &s));
    TIMES("fstatat", 0, fstatat(AT_FDCWD, "posix", &s, 0));
    TIMES("access", 0, access("posix", R_OK));
    TIMES("mkdir", 0, mkdir("dir", 0700) + rmdir("dir"));
    TIMES("link", 0, link("posix", "b") + rename("b", "c") + unlink("c"));
    TIMES("symlink", 0, symlink("posix", "b") + remove("b"));
    TIMES("truncate", 0, truncate("posix", i));
    for (int i = 0; i < rounds; i++) {
        DIR *d = opendir(".");
        if (!d || !readdir(d) || closedir(d))
            die("opendir");
    }
    expect("rmdir", rounds, 0);
    expect("rename", rounds, 0);
    expect("unlink", rounds, 0);
    expect("remove", rounds, 0);
    expect("opendir", rounds, 0);
    expect("readdir", rounds, 0);
    expect("closedir", rounds, 0);
}

/* Visits files. Each has a name of its own, which a profile keeps: so there are few. */
static int walk(const char *path, const struct stat *s, int type)
{
    (void)path, (void)s, (void)type;
    return access("posix", F_OK) ? -1 : 0; /* an event of its own */
}

static int walk_more(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)f;
    return walk(path, s, type);
}

static void trees(void)
{
    struct dirent **list;
    glob_t g;
    char *paths[] = {(char[]){"tree"}, NULL};
    if (mkdir("tree", 0755) || close(file("tree/leaf")))
        die("tree");
    expect("mkdir", 1, 0);
    expect("open", 1, 0);
    expect("close", 1, 0);
    for (int i = 0; i < rounds; i++) {
        int n = scandir("tree", &list, NULL, alphasort);
        if (n != 3)
            die("scandir");
        while (n--)
            free(list[n]);
        free(list);
        if (glob("tree/*", 0, NULL, &g) || g.gl_pathc != 1)
            die("glob");
        globfree(&g);
    }
    expect("scandir", rounds, 0);
    expect("glob", rounds, 0);
    TIMES("ftw", 0, ftw("tree", walk, 4));
    TIMES("nftw", 0, nftw("tree", walk_more, 4, FTW_PHYS));
    expect("access", 4 * rounds, 0);
    for (int i = 0; i < rounds; i++) {
        FTS *f = fts_open(paths, FTS_NOCHDIR | FTS_PHYSICAL, NULL);
        int n = 0;
        while (f && fts_read(f))
            n++;
        if (n != 3 || fts_close(f))
            die("fts");
    }
    expect("fts_open", rounds, 0);
    expect("fts_read", 4 * rounds, 0);
    expect("fts_close", rounds, 0);
    if (unlink("tree/leaf") || rmdir("tree"))
        die("tree");
    expect("unlink", 1, 0);
    expect("rmdir", 1, 0);
}

static void attributes(void)
{
    const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    struct statfs s;
    struct statvfs v;
    int fd = file("posix");
    TIMES("statfs", 0, statfs("posix", &s));
    TIMES("fstatfs", 0, fstatfs(fd, &s));
    TIMES("statvfs", 0, statvfs("posix", &v));
    TIMES("fstatvfs", 0, fstatvfs(fd, &v));
    TIMES("chmod", 0, chmod("posix", 0644));
    TIMES("fchmod", 0, fchmod(fd, 0644));
    TIMES("fchmodat", 0, fchmodat(AT_FDCWD, "posix", 0644, 0));
    TIMES("chown", 0, chown("posix", (uid_t)-1, (gid_t)-1));
    TIMES("lchown", 0, lchown("posix", (uid_t)-1, (gid_t)-1));
    TIMES("fchown", 0, fchown(fd, (uid_t)-1, (gid_t)-1));
    TIMES("fchownat", 0, fchownat(AT_FDCWD, "posix", (uid_t)-1, (gid_t)-1, 0));
    TIMES("utime", 0, utime("posix", NULL));
    TIMES("utimes", 0, utimes("posix", NULL));
    TIMES("futimes", 0, futimes(fd, NULL));
    TIMES("futimens", 0, futimens(fd, now));
    TIMES("utimensat", 0, utimensat(AT_FDCWD, "posix", now, 0));
    expect("open", 1, 0);
    close(fd);
    expect("close", 1, 0);
}

/* Tests extended attributes, if the file system has them. */
static void extended_attributes(void)
{
    char text[16];
    int fd = file("posix");
    expect("open", 1, 0);
    if (!syscall(SYS_setxattr, "posix", "user.x", "y", 1L, 0L)) {
        TIMES("setxattr", 0, setxattr("posix", "user.x", "y", 1, 0));
        TIMES("lsetxattr", 0, lsetxattr("posix", "user.x", "y", 1, 0));
        TIMES("fsetxattr", 0, fsetxattr(fd, "user.x", "y", 1, 0));
        TIMES("getxattr", 0, getxattr("posix", "user.x", text, sizeof text));
        TIMES("lgetxattr", 0, lgetxattr("posix", "user.x", text, sizeof text));
        TIMES("fgetxattr", 0, fgetxattr(fd, "user.x", text, sizeof text));
        TIMES("listxattr", 0, listxattr("posix", text, 0));
        TIMES("llistxattr", 0, llistxattr("posix", text, 0));
        TIMES("flistxattr", 0, flistxattr(fd, text, 0));
        removexattr("posix", "user.x");
        expect("removexattr", 1, 0);
    }
    close(fd);
    expect("close", 1, 0);
}

static void other_kinds(void)
{
    char entries[4096];
    int dir = open(".", O_RDONLY | O_DIRECTORY);
    expect("open", 1, 0);
    for (int i = 0; i < rounds; i++) {
        if (mkfifo("fifo", 0644) || unlink("fifo") ||
            mkfifoat(AT_FDCWD, "fifo", 0644) || unlink("fifo") ||
            mknod("fifo", S_IFIFO | 0644, 0) || unlink("fifo") ||
            mknodat(AT_FDCWD, "fifo", S_IFIFO | 0644, 0) || unlink("fifo"))
            die("fifo");
    }
    expect("mkfifo", rounds, 0);
    expect("mkfifoat", rounds, 0);
    expect("mknod", rounds, 0);
    expect("mknodat", rounds, 0);
    expect("unlink", 4 * rounds, 0);
    TIMES("getdents64", 0, getdents64(dir, entries, sizeof entries));
    TIMES("getdents64", 0, syscall(SYS_getdents64, dir, entries, sizeof entries));
    close(dir);
    expect("close", 1, 0);
}

static void locks(void)
{
    struct flock l = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 9};
    int fd = file("locked");
    TIMES("fcntl_lock", 0, fcntl(fd, F_SETLK, &l));
    TIMES("fcntl_lock", 0, fcntl(fd, F_SETLKW, &l));
    TIMES("fcntl_lock", 0, fcntl(fd, F_OFD_SETLK, &(struct flock){.l_type = F_UNLCK}));
    TIMES("fcntl_lock", 0, syscall(SYS_fcntl, fd, F_SETLK, &l));
    TIMES("flock", 0, flock(fd, LOCK_EX));
    TIMES("flock", 0, syscall(SYS_flock, fd, LOCK_UN));
    TIMES("lockf", 0, lockf(fd, F_LOCK, 10));
    fcntl(fd, F_GETFL); /* none */
    int other = (int)syscall(SYS_openat2, AT_FDCWD, "locked", (long[3]){O_RDONLY}, 24L);
    if (other < 0 && errno != ENOSYS)
        die("openat2");
    expect("openat2", 1, 0);
    expect("open", 1, 0);
    close(other);
    close(fd);
    expect("close", 2, 0);
}

static void temporary(void)
{
    char path[32];
    int all = rounds;
    rounds = 3;
    TIMES("memfd_create", 0, close(memfd_create("m", 0)));
    TIMES("mkstemps", 0,
          (strcpy(path, "XXXXXX.a"), close(mkstemps(path, 2)), unlink(path)));
    TIMES("mkostemps", 0,
          (strcpy(path, "XXXXXX.a"), close(mkostemps(path, 2, O_SYNC)), unlink(path)));
    TIMES("tmpfile", 0, fclose(tmpfile()));
    expect("unlink", 2 * rounds, 0);
    expect("close", 3 * rounds, 0);
    expect("fclose", rounds, 0);
    rounds = all;
}

/* Moves bytes to a file through pipes. */
static void through_pipes(void)
{
    int fd = file("piped"), a[2], b[2];
    struct iovec v = {room, 100};
    if (pipe(a) || pipe(b))
        die("pipe");
    for (int i = 0; i < rounds; i++)
        if (vmsplice(a[1], &v, 1, 0) != 100 || tee(a[0], b[1], 100, 0) != 100 ||
            splice(a[0], NULL, fd, NULL, 100, 0) != 100 ||
            splice(b[0], NULL, fd, NULL, 100, 0) != 100)
            die("tee");
    for (int i = 0; i < 2; i++)
        close(a[i]), close(b[i]);
    close(fd);
    expect("pipe", 2, 0);
    expect("vmsplice", rounds, 100L * rounds);
    expect("tee", rounds, 100L * rounds);
    expect("splice", 2 * rounds, 200L * rounds);
    expect("open", 1, 0);
    expect("close", 5, 0);
}

static void moved_maps(void)
{
    int fd = file("moved");
    if (ftruncate(fd, 8192))
        die("moved");
    for (int i = 0; i < rounds; i++) {
        char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        p = p == MAP_FAILED ? p : mremap(p, 4096, 8192, MREMAP_MAYMOVE);
        if (p == MAP_FAILED || madvise(p, 8192, MADV_WILLNEED) || munmap(p, 8192))
            die("mremap");
    }
    TIMES("readahead", 0, readahead(fd, 0, 4096));
    close(fd);
    fd = open(".", O_RDONLY);
    TIMES("fchdir", 0, fchdir(fd));
    close(fd);
    sync();
    expect("sync", 1, 0);
    expect("mmap", rounds, 0);
    expect("mremap", rounds, 0);
    expect("madvise", rounds, 0);
    expect("munmap", rounds, 0);
    expect("ftruncate", 1, 0);
    expect("open", 2, 0);
    expect("close", 2, 0);
}

static void many_at_once(void)
{
    int fd = file("lio");
    struct aiocb cb[2] = {{.aio_fildes = fd, .aio_buf = room, .aio_nbytes = 33}};
    struct aiocb *both[] = {&cb[0], &cb[1]};
    cb[1] = cb[0];
    cb[1].aio_offset = 33;
    for (int i = 0; i < rounds; i++) {
        cb[0].aio_lio_opcode = cb[1].aio_lio_opcode = LIO_WRITE;
        if (lio_listio(LIO_WAIT, both, 2, NULL) || aio_return(&cb[0]) != 33 ||
            aio_return(&cb[1]) != 33 || aio_fsync(O_SYNC, &cb[0]) || waited(&cb[0]) ||
            aio_cancel(fd, NULL) != AIO_ALLDONE)
            die("lio_listio");
    }
    close(fd);
    expect("lio_listio", rounds, 0);
    expect("aio_return_write", 2 * rounds, 66L * rounds);
    expect("aio_fsync", rounds, 0);
    expect("aio_return_fsync", rounds, 0);
    expect("aio_cancel", rounds, 0);
    expect("open", 1, 0);
    expect("close", 1, 0);
}

static int va_print_to(int fd, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = fd < 0 ? vprintf(format, list) : vdprintf(fd, format, list);
    va_end(list);
    return n;
}

/* Writes to standard output, which is a file for a while (calls on the original one are
 * not logged); and opens streams in other ways. */
static void other_streams(void)
{
    int fd = file("out"), kept = dup(1);
    fflush(stdout);
    dup2(fd, 1);
    TIMES("vdprintf", 1, va_print_to(fd, "%d\n", i));
    TIMES(VPRINTF, 1, va_print_to(-1, "%d\n", i));
    TIMES("puts", 1, (puts("eleven more"), 12));
    TIMES(PUTCHAR, 1, putchar('x') == 'x');
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    close(fd);
    FILE *f = fopen("words", "w+");
    TIMES("putw", 1, putw(i, f) ? -1 : (long)sizeof(int));
    TIMES("ftello", 0, ftello(f) < 0);
    rewind(f);
    TIMES("getw", 1, getw(f) == i ? (long)sizeof(int) : -1);
    TIMES("freopen", 0, (f = freopen("words", "r", f)) ? 0 : -1);
    fclose(f);
    unsetenv("LD_PRELOAD"); /* the shell's log would be another one */
    f = popen("cat >/dev/null", "w");
    fputs("twelve bytes", f);
    if (pclose(f))
        die("pclose");
    expect("popen", 1, 0);
    expect("fputs", 1, 12);
    expect("pclose", 1, 0);
    expect("rewind", 1, 0);
    expect("fopen", 1, 0);
    expect("fclose", 1, 0);
    expect("fflush", 1, 0);
    expect("open", 1, 0);
    expect("dup2", 1, 0);
    expect("close", 1, 0);
}

static void processes(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (!pid)
            _exit(0);
        if (pid < 0 || waitpid(pid, NULL, 0) != pid)
            die("fork");
    }
    expect("fork", 3, 0);
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    posix();
    numbers();
    opens();
    copies();
    streams();
    scans();
    wide("wide8", "w+,ccs=UTF-8", 1, 4);
    wide("wide16", "w+,ccs=UTF-16LE", 2, 4);
    maps();
    asynchronous();
    names();
    attributes();
    extended_attributes();
    other_kinds();
    locks();
    trees();
    temporary();
    through_pipes();
    moved_maps();
    many_at_once();
    other_streams();
    processes();
    fputs(told, stdout);
    return 0;
}
