/* The file system that ldad mount serves: it shows the source's folders, files and
 * links as they are, and each container as a file. Threads serve several calls at
 * once.
 *
 * Without libfuse 3 (no HAVE_FUSE) nothing is mounted. */

#ifdef HAVE_FUSE

#define FUSE_USE_VERSION 35
#include "base/err.h"
#include "io/part/container.h"
#include "io/part/part_file.h"
#include "ldad/commands.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <syslog.h>
#include <unistd.h>

#define READ_AHEAD (4 << 20)

static const struct mount *served;

/* An open file: one of the source, or a container. */
struct mount_file {
    struct container_view *view; /* NULL: it is a file of the source */
    int fd;
    atomic_bool told; /* the failure was reported; later reads just fail */
};

/* ---- messages ------------------------------------------------------------------ */

/* Reports a recorded failure to the user; of several at a time, one. Returns the code
 * for the reader. */
static int mount_tell(int rc)
{
    static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&telling);
    struct err e = err_copy();
    err_clear();
    if (e.code && served->foreground)
        err_print(stderr, "ldad mount", &e);
    else if (e.code)
        syslog(LOG_ERR, "%s (%s)", e.text, e.file);
    pthread_mutex_unlock(&telling);
    return rc == -EACCES || rc == -ENOMEM || rc == -ENOENT ? rc : -EIO;
}

/* The last message of libfuse, for the sentence with which mounting fails. */
static char mount_said[256];

static void mount_note(enum fuse_log_level level, const char *format, va_list ap)
{
    if (level > FUSE_LOG_ERR)
        return;
    vsnprintf(mount_said, sizeof mount_said, format, ap);
    mount_said[strcspn(mount_said, "\n")] = 0;
}

/* ---- names --------------------------------------------------------------------- */

/* Finds the path in the source of what has the path `path` here. */
static int mount_real(const char *path, char out[CONTAINER_PATH])
{
    if (!served->only)
        return snprintf(out, CONTAINER_PATH, "%s%s", served->source, path) >=
                       CONTAINER_PATH
                   ? -ENAMETOOLONG
                   : 0;
    if (strcmp(path, "/") && strcmp(path + 1, served->only))
        return -ENOENT;
    snprintf(out, CONTAINER_PATH, "%s", served->source);
    return 0;
}

/* True if it is a folder here, too. A container that is mounted alone is in one, under
 * its name. */
static bool mount_is_folder(const char *path, const char *real)
{
    return served->only ? !strcmp(path, "/") : !container_is(real);
}

/* Fills the attributes of a container's file: the length is that of the header, the
 * rest that of the header's own file. If the header is damaged, the length is 0, and
 * opening fails. */
static int mount_stat_container(const char *real, struct stat *st)
{
    struct container c;
    char header[CONTAINER_PATH];
    int fd = -1, rc = container_file(real, "header", header);
    if (rc || stat(header, st))
        return rc ? rc : -errno;
    rc = container_peek(&c, real, &fd);
    if (rc)
        err_clear(); /* opening the file reports it */
    st->st_size = rc ? 0 : c.bytes;
    st->st_blocks = (st->st_size + 511) / 512;
    st->st_nlink = 1;
    if (!rc)
        container_free(&c);
    if (fd >= 0)
        close(fd);
    return 0;
}

static int mount_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
    char real[CONTAINER_PATH];
    int rc = mount_real(path, real);
    (void)fi;
    if (!rc && lstat(real, st))
        rc = -errno;
    if (rc || !S_ISDIR(st->st_mode) || mount_is_folder(path, real))
        return rc;
    return mount_stat_container(real, st);
}

static int mount_readlink(const char *path, char *out, size_t room)
{
    char real[CONTAINER_PATH];
    int rc = mount_real(path, real);
    ssize_t n = rc ? 0 : readlink(real, out, room - 1);
    if (rc || n < 0)
        return rc ? rc : -errno;
    out[n] = 0;
    return 0;
}

static int mount_statfs(const char *path, struct statvfs *st)
{
    char real[CONTAINER_PATH];
    int rc = mount_real(path, real);
    return rc ? rc : statvfs(real, st) ? -errno : 0;
}

/* ---- folders ------------------------------------------------------------------- */

/* Returns the type of a folder's entry, if the folder tells it. */
static mode_t mount_kind(const char *folder, const struct dirent *d)
{
    char real[CONTAINER_PATH];
    if (d->d_type != DT_DIR || container_file(folder, d->d_name, real))
        return DTTOIF(d->d_type);
    return container_is(real) ? S_IFREG : S_IFDIR;
}

static int mount_list(const char *real, void *out, fuse_fill_dir_t fill)
{
    struct dirent *d;
    DIR *dir = opendir(real);
    if (!dir)
        return -errno;
    while (errno = 0, (d = readdir(dir))) {
        struct stat st = {.st_mode = mount_kind(real, d)};
        if (fill(out, d->d_name, &st, 0, 0))
            break;
    }
    int rc = -errno;
    closedir(dir);
    return rc;
}

static int mount_readdir(const char *path, void *out, fuse_fill_dir_t fill, off_t at,
                         struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
    char real[CONTAINER_PATH];
    struct stat st = {.st_mode = S_IFREG};
    int rc = mount_real(path, real);
    (void)at, (void)fi, (void)flags;
    if (rc || !served->only)
        return rc ? rc : mount_list(real, out, fill);
    fill(out, ".", NULL, 0, 0);
    fill(out, "..", NULL, 0, 0);
    fill(out, served->only, &st, 0, 0);
    return 0;
}

/* ---- files --------------------------------------------------------------------- */

static int mount_open_file(struct mount_file *f, const char *path)
{
    char real[CONTAINER_PATH];
    int rc = mount_real(path, real);
    if (!rc && container_is(real)) {
        rc = container_view_open(&f->view, real);
        return rc ? mount_tell(rc) : 0;
    }
    f->fd = rc ? -1 : open(real, O_RDONLY | O_CLOEXEC);
    return rc ? rc : f->fd < 0 ? -errno : 0;
}

static int mount_open(const char *path, struct fuse_file_info *fi)
{
    struct mount_file *f = calloc(1, sizeof *f);
    int rc = f ? mount_open_file(f, path) : -ENOMEM;
    fi->fh = (uint64_t)(uintptr_t)f;
    if (rc)
        free(f);
    return rc;
}

static int mount_release(const char *path, struct fuse_file_info *fi)
{
    struct mount_file *f = (void *)(uintptr_t)fi->fh;
    (void)path;
    if (!f->view)
        close(f->fd);
    container_view_close(&f->view);
    free(f);
    return 0;
}

static int mount_read_container(struct mount_file *f, char *out, int64_t bytes,
                                int64_t at)
{
    int64_t left = container_view_bytes(f->view) - at;
    bytes = left < bytes ? left : bytes;
    if (bytes <= 0)
        return 0;
    int rc = container_view_read(f->view, at, bytes, out);
    if (!rc)
        return (int)bytes;
    if (!atomic_exchange(&f->told, true))
        return mount_tell(rc);
    err_clear();
    return -EIO;
}

static int mount_read(const char *path, char *out, size_t bytes, off_t at,
                      struct fuse_file_info *fi)
{
    struct mount_file *f = (void *)(uintptr_t)fi->fh;
    (void)path;
    if (f->view)
        return mount_read_container(f, out, (int64_t)bytes, at);
    ssize_t n = pread(f->fd, out, bytes, at);
    return n < 0 ? -errno : (int)n;
}

/* ---- the file system ----------------------------------------------------------- */

/* Sets how far the kernel reads ahead, if we may. Each read waits for its turn in this
 * process, so few long ones are faster. The file system's number is found without
 * asking the file system, which does not answer yet. */
static void mount_read_ahead(struct fuse_conn_info *conn)
{
    char path[64];
    struct statx st;
    if (statx(AT_FDCWD, served->point, AT_STATX_DONT_SYNC, 0, &st))
        return;
    snprintf(path, sizeof path, "/sys/class/bdi/%u:%u/read_ahead_kb", st.stx_dev_major,
             st.stx_dev_minor);
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    fprintf(f, "%d\n", READ_AHEAD >> 10);
    if (!fclose(f))
        conn->max_readahead = READ_AHEAD;
}

/* Keeps the kernel's cache valid as long as the file's length and time stay the
 * same. */
static void *mount_init(struct fuse_conn_info *conn, struct fuse_config *config)
{
    mount_read_ahead(conn);
    config->auto_cache = 1;
    return NULL;
}

static const struct fuse_operations mount_calls = {
    .init = mount_init,
    .getattr = mount_getattr,
    .readlink = mount_readlink,
    .statfs = mount_statfs,
    .readdir = mount_readdir,
    .open = mount_open,
    .read = mount_read,
    .release = mount_release,
};

/* Raises the limit of open files: partitions stay open as long as their file. */
static void mount_raise_limit(void)
{
    struct rlimit l;
    if (!getrlimit(RLIMIT_NOFILE, &l)) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
}

/* Serves the file system. From here on, it is another process unless in the
 * foreground. */
static int mount_loop(struct fuse *f)
{
    struct fuse_loop_config config = {.clone_fd = 1, .max_idle_threads = 10};
    if (fuse_daemonize(served->foreground))
        return -1;
    openlog("ldad mount", LOG_PID, LOG_DAEMON);
    if (fuse_set_signal_handlers(fuse_get_session(f)))
        return -1;
    int rc = fuse_loop_mt(f, &config);
    fuse_remove_signal_handlers(fuse_get_session(f));
    return rc > 0 ? 0 : rc; /* a signal ended it, which is allowed */
}

int mount_serve(const struct mount *m)
{
    char *argv[] = {"ldad mount", "-o",
                    m->others ? "ro,fsname=ldad,subtype=ldad,default_permissions,"
                                "allow_other"
                              : "ro,fsname=ldad,subtype=ldad,default_permissions",
                    NULL};
    struct fuse_args args = FUSE_ARGS_INIT(3, argv);
    served = m;
    mount_raise_limit();
    fuse_set_log_func(mount_note);
    struct fuse *f = fuse_new(&args, &mount_calls, sizeof mount_calls, NULL);
    int rc = f ? fuse_mount(f, m->point) : -1;
    if (!rc) {
        rc = mount_loop(f);
        fuse_unmount(f);
    }
    if (f)
        fuse_destroy(f);
    fuse_opt_free_args(&args);
    return rc ? err_set(-EIO, m->point, -1, "it cannot be mounted: %s", mount_said) : 0;
}

#else /* no libfuse */
#include "base/err.h"
#include "ldad/commands.h"

int mount_serve(const struct mount *m)
{
    (void)m;
    return err_usage("this program was built without libfuse 3 and mounts nothing: "
                     "take ldad cat or ldad flatten");
}

#endif
