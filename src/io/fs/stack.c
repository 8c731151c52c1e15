/* The layers below a file system, down to devices or to a layer that cannot be
 * inspected. The page cache of mincore(2) and of the kernel's counters is the topmost
 * one: a lower layer may have another. */
#include "base/err.h"
#include "base/plain.h"
#include "io/fs/mounts.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SERVER "what its servers have in memory is not known"
#define HOST "what its host has in memory is not known"
#define HOST_CACHE "its host may serve reads from its page cache"
#define PROCESS "the process that serves it may read through the page cache"

struct walk {
    struct io_stack *s;
    const char *root;
};

static void file_system(const struct walk *w, int level, const char *path);

/* ---- helpers ------------------------------------------------------------------- */

static void stack_add(const struct walk *w, int level, const char *kind,
                      const char *name, enum io_reads reads, const char *about, ...)
    __attribute__((format(printf, 6, 7)));

static void stack_add(const struct walk *w, int level, const char *kind,
                      const char *name, enum io_reads reads, const char *about, ...)
{
    struct io_stack *s = w->s;
    va_list ap;
    if (reads > s->reads)
        s->reads = reads;
    if (s->n == IO_LAYERS)
        return;
    struct io_layer *l = &s->layer[s->n++];
    memset(l, 0, sizeof *l);
    l->level = level;
    l->reads = reads;
    snprintf(l->kind, sizeof l->kind, "%s", kind);
    snprintf(l->name, sizeof l->name, "%s", name);
    va_start(ap, about);
    vsnprintf(l->about, sizeof l->about, about, ap);
    va_end(ap);
    plain(l->about, sizeof l->about, l->about); /* a path may contain any bytes */
    plain(l->name, sizeof l->name, l->name);
}

/* Makes "FOLDER/NAME"; "" if it is too long, which no file has as its name. */
static const char *stack_join(char out[PATH_MAX], const char *folder, const char *name)
{
    if (snprintf(out, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        out[0] = 0;
    return out;
}

/* The directory of a device in sysfs, or a link to it. */
static const char *device_path(const struct walk *w, char out[PATH_MAX], unsigned major,
                               unsigned minor)
{
    if (snprintf(out, PATH_MAX, "%s/sys/dev/block/%u:%u", w->root, major, minor) >=
        PATH_MAX)
        out[0] = 0;
    return out;
}

/* Reads the first line of FOLDER/NAME, without blanks at its end; "" if there
 * is none. */
static const char *line_of(const char *folder, const char *name, char line[512])
{
    char path[PATH_MAX];
    line[0] = 0;
    FILE *f = fopen(stack_join(path, folder, name), "r");
    if (f && !fgets(line, 512, f))
        line[0] = 0;
    if (f)
        fclose(f);
    for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]);)
        line[--n] = 0;
    return line;
}

static bool stack_is_there(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return !access(stack_join(path, folder, name), F_OK);
}

/* Calls `each` with the names in FOLDER/NAME; returns their number. */
static int each_in(const char *folder, const char *name,
                   void (*each)(void *, const char *folder, const char *name),
                   void *context)
{
    char path[PATH_MAX];
    int n = 0;
    DIR *d = opendir(stack_join(path, folder, name));
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            n++;
            if (each)
                each(context, path, e->d_name);
        }
    if (d)
        closedir(d);
    return n;
}

/* ---- block devices ------------------------------------------------------------- */

/* Kinds by the device's name, which the kernel takes from the driver; a number or
 * letter follows. */
static const struct {
    const char *prefix, *kind;
    enum io_reads reads;
    const char *about;
} by_name[] = {
    {"zram", "zram", IO_READS_MEMORY, "memory"},
    {"ram", "ram", IO_READS_MEMORY, "memory"},
    {"nullb", "null_blk", IO_READS_MEMORY, "no storage"},
    {"zd", "zvol", IO_READS_CACHE, "ZFS has a cache of its own in memory"},
    {"nbd", "nbd", IO_READS_UNKNOWN, SERVER},
    {"rbd", "rbd", IO_READS_UNKNOWN, SERVER},
    {"drbd", "drbd", IO_READS_UNKNOWN, "what its peer has in memory is not known"},
    {"rnbd", "rnbd", IO_READS_UNKNOWN, SERVER},
    {"ublkb", "ublk", IO_READS_UNKNOWN, PROCESS},
    {"vd", "virtio", IO_READS_UNKNOWN, "virtual disk, " HOST},
    {"xvd", "xen", IO_READS_UNKNOWN, "virtual disk, " HOST},
};

/* Kinds by the place in the tree of devices. */
static const struct {
    const char *part, *kind;
    const char *about;
} by_place[] = {
    {"/virtio", "virtio", "virtual disk, " HOST},
    {"/vmbus", "hyper-v", "virtual disk, " HOST},
    {"/VMBUS", "hyper-v", "virtual disk, " HOST},
    {"/session", "iscsi", "over the network, " SERVER},
    {"/rport-", "fibre channel", "over the network, " SERVER},
};

/* Kinds by the model that the device reports. */
static const struct {
    const char *part;
    enum io_reads reads;
    const char *about;
} by_model[] = {
    {"scsi_debug", IO_READS_MEMORY, "memory"},
    {"QEMU", IO_READS_UNKNOWN, "virtual disk, " HOST},
    {"VBOX", IO_READS_UNKNOWN, "virtual disk, " HOST},
    {"VMware", IO_READS_UNKNOWN, "virtual disk, " HOST},
    {"Virtual", IO_READS_UNKNOWN, "virtual disk, " HOST},
    {"PersistentDisk", IO_READS_UNKNOWN, "over the network, " SERVER},
    {"Elastic Block Store", IO_READS_UNKNOWN, "over the network, " SERVER},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static bool is_named(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return !strncmp(name, prefix, n) && isalnum((unsigned char)name[n]) &&
           (strlen(prefix) < 4 || isdigit((unsigned char)name[n]));
}

/* The transport of an NVMe device: "pcie", "tcp", "rdma", "fc"; "" if it is not
 * known. With several paths the namespace belongs to a subsystem, whose controllers
 * have it. */
static void note_transport(void *transport, const char *folder, const char *name)
{
    char controller[PATH_MAX];
    if (!strncmp(name, "nvme", 4) &&
        stack_is_there(stack_join(controller, folder, name), "transport"))
        line_of(controller, "transport", transport);
}

static void nvme(const struct walk *w, int level, const char *name, const char *folder)
{
    char transport[512], model[512];
    line_of(folder, "device/transport", transport);
    if (!transport[0])
        each_in(folder, "device", note_transport, transport);
    line_of(folder, "device/model", model);
    for (size_t i = 0; i < COUNT(by_model); i++)
        if (strstr(model, by_model[i].part)) {
            stack_add(w, level, "nvme", name, by_model[i].reads, "%s",
                      by_model[i].about);
            return;
        }
    if (!strcmp(transport, "pcie"))
        stack_add(w, level, "nvme", name, IO_READS_DEVICE, "%s", "");
    else if (transport[0])
        stack_add(w, level, "nvme", name, IO_READS_UNKNOWN, "NVMe over %.16s, " SERVER,
                  transport);
    else
        stack_add(w, level, "nvme", name, IO_READS_UNKNOWN,
                  "how it is attached is not told");
}

/* Adds a device without known layers below. */
static void disk(const struct walk *w, int level, const char *name, const char *folder)
{
    char model[512], vendor[512];
    for (size_t i = 0; i < COUNT(by_name); i++)
        if (is_named(name, by_name[i].prefix)) {
            stack_add(w, level, by_name[i].kind, name, by_name[i].reads, "%s",
                      by_name[i].about);
            return;
        }
    if (!strncmp(name, "nvme", 4)) {
        nvme(w, level, name, folder);
        return;
    }
    for (size_t i = 0; i < COUNT(by_place); i++)
        if (strstr(folder, by_place[i].part)) {
            stack_add(w, level, by_place[i].kind, name, IO_READS_UNKNOWN, "%s",
                      by_place[i].about);
            return;
        }
    line_of(folder, "device/model", model);
    line_of(folder, "device/vendor", vendor);
    for (size_t i = 0; i < COUNT(by_model); i++)
        if (strstr(model, by_model[i].part) || strstr(vendor, by_model[i].part)) {
            stack_add(w, level, "disk", name, by_model[i].reads, "%s",
                      by_model[i].about);
            return;
        }
    if (stack_is_there(folder, "device"))
        stack_add(w, level, "disk", name, IO_READS_DEVICE, "%s", "");
    else
        stack_add(w, level, "block", name, IO_READS_UNKNOWN,
                  "what it stands on is not told");
}

static void block(const struct walk *w, int level, const char *folder);

struct below {
    const struct walk *w;
    int level;
};

static void each_slave(void *context, const char *folder, const char *name)
{
    const struct below *b = context;
    char path[PATH_MAX];
    block(b->w, b->level, stack_join(path, folder, name));
}

/* Adds a device made of others: the device mapper, a RAID, a cache on
 * another device. */
static void mapped(const struct walk *w, int level, const char *name,
                   const char *folder)
{
    char line[512];
    struct below b = {w, level + 1};
    bool slaves = each_in(folder, "slaves", NULL, NULL) > 0;
    enum io_reads reads = slaves ? IO_READS_BELOW : IO_READS_UNKNOWN;
    const char *more = slaves ? "" : ", what it stands on is not told";
    if (stack_is_there(folder, "dm")) {
        line_of(folder, "dm/uuid", line);
        int kind = (int)strcspn(line, "-"); /* "CRYPT-LUKS2-...", "LVM-...", "mpath-" */
        if (!strncmp(line, "VDO", 3))
            w->s->compresses = true;
        stack_add(w, level, "dm", name, reads, "%.*s%s", kind && kind < 12 ? kind : 6,
                  kind && kind < 12 ? line : "mapped", more);
    } else if (stack_is_there(folder, "md"))
        stack_add(w, level, "md", name, reads, "%.64s%s",
                  line_of(folder, "md/level", line), more);
    else
        stack_add(w, level, "block", name, reads, "made of others");
    each_in(folder, "slaves", each_slave, &b);
}

/* Adds the image below a loop device: a file, through the page cache or past it. */
static void loop(const struct walk *w, int level, const char *name, const char *folder)
{
    char image[512], line[512];
    bool direct = !strcmp(line_of(folder, "loop/dio", line), "1");
    struct stat st;
    line_of(folder, "loop/backing_file", image);
    stack_add(w, level, "loop", name, direct ? IO_READS_BELOW : IO_READS_CACHE,
              "image %s %s", image,
              direct ? "with direct I/O" : "through the page cache");
    if (stat(image, &st)) /* deleted, or in another namespace */
        stack_add(w, level + 1, "file", image, IO_READS_UNKNOWN,
                  "it cannot be looked at");
    else if (S_ISBLK(st.st_mode)) {
        char path[PATH_MAX];
        block(w, level + 1, device_path(w, path, major(st.st_rdev), minor(st.st_rdev)));
    } else {
        struct io_stack *s = w->s;
        if (!direct && !s->image[0] && strlen(image) < sizeof s->image)
            snprintf(s->image, sizeof s->image, "%s", image);
        file_system(w, level + 1, image);
    }
}

/* Adds a device and its layers below. `path`: its directory in sysfs, or a link
 * to it. */
static void block(const struct walk *w, int level, const char *path)
{
    char *folder = realpath(path, NULL);
    const char *slash = strrchr(folder ? folder : path, '/');
    char own[64];
    snprintf(own, sizeof own, "%s", slash ? slash + 1 : "?");
    if (folder &&
        stack_is_there(folder, "partition")) /* the disk is the directory above */
        *strrchr(folder, '/') = 0;
    if (!folder)
        stack_add(w, level, "block", own, IO_READS_UNKNOWN,
                  "the kernel does not tell of it");
    else if (level >= IO_LAYERS)
        w->s->reads = w->s->reads > IO_READS_UNKNOWN ? w->s->reads : IO_READS_UNKNOWN;
    else if (stack_is_there(folder, "loop"))
        loop(w, level, own, folder);
    else if (stack_is_there(folder, "dm") || stack_is_there(folder, "md") ||
             each_in(folder, "slaves", NULL, NULL))
        mapped(w, level, own, folder);
    else
        disk(w, level, own, folder);
    free(folder);
}

/* ---- file systems --------------------------------------------------------------- */

/* File systems without a block device of this node. FUSE: "fuse.NAME". */
static const struct {
    const char *type;
    enum io_reads reads;
    const char *about;
} without_device[] = {
    {"tmpfs", IO_READS_MEMORY, "memory"},
    {"ramfs", IO_READS_MEMORY, "memory"},
    {"hugetlbfs", IO_READS_MEMORY, "memory"},
    {"devtmpfs", IO_READS_MEMORY, "memory"},
    {"zfs", IO_READS_CACHE, "it has a cache of its own in memory"},
    {"9p", IO_READS_CACHE, HOST_CACHE},
    {"virtiofs", IO_READS_CACHE, HOST_CACHE},
    {"vboxsf", IO_READS_CACHE, HOST_CACHE},
    {"fuse.vmhgfs-fuse", IO_READS_CACHE, HOST_CACHE},
    {"fuse.ldad", IO_READS_CACHE, "ldad reads partitions through the page cache"},
    {"nfs", IO_READS_UNKNOWN, SERVER},
    {"nfs4", IO_READS_UNKNOWN, SERVER},
    {"cifs", IO_READS_UNKNOWN, SERVER},
    {"smb3", IO_READS_UNKNOWN, SERVER},
    {"lustre", IO_READS_UNKNOWN, SERVER},
    {"gpfs", IO_READS_UNKNOWN, SERVER},
    {"beegfs", IO_READS_UNKNOWN, SERVER},
    {"ceph", IO_READS_UNKNOWN, SERVER},
    {"pvfs2", IO_READS_UNKNOWN, SERVER},
    {"panfs", IO_READS_UNKNOWN, SERVER},
    {"wekafs", IO_READS_UNKNOWN, SERVER},
    {"dvs", IO_READS_UNKNOWN, SERVER},
    {"afs", IO_READS_UNKNOWN, SERVER},
    {"fuse.glusterfs", IO_READS_UNKNOWN, SERVER},
    {"fuse.sshfs", IO_READS_UNKNOWN, SERVER},
    {"fuse.ceph", IO_READS_UNKNOWN, SERVER},
    {"fuse.ceph-fuse", IO_READS_UNKNOWN, SERVER},
    {"fuse.daos", IO_READS_UNKNOWN, SERVER},
    {"fuse.dfuse", IO_READS_UNKNOWN, SERVER},
    {"fuse.juicefs", IO_READS_UNKNOWN, SERVER},
    {"fuse.s3fs", IO_READS_UNKNOWN, SERVER},
    {"fuse.rclone", IO_READS_UNKNOWN, SERVER},
};

/* Sources of a file system to which the kernel gives no device number: "/dev/sda1", and
 * for bcachefs "/dev/sda:/dev/sdb". For btrfs it names one of its devices, and sysfs
 * lists the others. */
struct btrfs {
    const struct walk *w;
    int level;
    const char *device; /* "sda1" */
    bool found;
};

static void each_btrfs(void *context, const char *folder, const char *name)
{
    struct btrfs *b = context;
    char path[PATH_MAX], own[PATH_MAX];
    struct below below = {b->w, b->level};
    stack_join(path, folder, name);
    if (b->found || !stack_is_there(path, stack_join(own, "devices", b->device)))
        return;
    b->found = true;
    each_in(path, "devices", each_slave, &below);
}

static void source_device(const struct walk *w, int level, const struct mount *m,
                          const char *device)
{
    char path[PATH_MAX], sys[PATH_MAX];
    struct stat st;
    if (stat(device, &st) || !S_ISBLK(st.st_mode)) {
        stack_add(w, level, "block", device, IO_READS_UNKNOWN,
                  "it cannot be looked at");
        return;
    }
    device_path(w, path, major(st.st_rdev), minor(st.st_rdev));
    char *folder = realpath(path, NULL);
    struct btrfs b = {w, level, folder ? strrchr(folder, '/') + 1 : "", false};
    if (!strcmp(m->type, "btrfs") && folder)
        each_in(stack_join(sys, w->root, "sys/fs"), "btrfs", each_btrfs, &b);
    if (!b.found)
        block(w, level, path);
    free(folder);
}

static void on_sources(const struct walk *w, int level, const struct mount *m)
{
    char *list = strdup(m->source), *rest = NULL;
    for (char *at = list ? strtok_r(list, ":", &rest) : NULL; at;
         at = strtok_r(NULL, ":", &rest))
        source_device(w, level, m, at);
    free(list);
}

/* Walks on to a file system that is a directory of another one. */
static bool on_folder(const struct walk *w, int level, const struct mount *m)
{
    char folder[PATH_MAX];
    bool overlay = !strcmp(m->type, "overlay"), crypt = !strcmp(m->type, "ecryptfs");
    if (!overlay && !crypt)
        return false;
    if (crypt)
        snprintf(folder, sizeof folder, "%s", m->source);
    else if (!mount_option(m, "upperdir", folder, sizeof folder))
        folder[0] = 0;
    stack_add(w, level, "file system", m->type, crypt ? IO_READS_CACHE : IO_READS_BELOW,
              overlay ? "upper layer %s" : "the page cache holds %s as well",
              folder[0] ? folder : "not told");
    char *whole = folder[0] ? realpath(folder, NULL) : NULL;
    if (whole)
        file_system(w, level + 1, whole);
    else /* in another namespace, as in a container */
        stack_add(w, level + 1, "directory", folder[0] ? folder : "?", IO_READS_UNKNOWN,
                  "it cannot be looked at");
    free(whole);
    return true;
}

static bool compresses(const struct mount *m)
{
    char value[64];
    return mount_option(m, "compress", value, sizeof value) ||
           mount_option(m, "compress-force", value, sizeof value) ||
           mount_option(m, "compression", value, sizeof value) ||
           mount_option(m, "compress_algorithm", value, sizeof value);
}

static void mounted(const struct walk *w, int level, const struct mount *m)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < COUNT(without_device); i++)
        if (!strcmp(m->type, without_device[i].type)) {
            stack_add(w, level, "file system", m->type, without_device[i].reads, "%s",
                      without_device[i].about);
            return;
        }
    if (on_folder(w, level, m))
        return;
    bool fuse = !strncmp(m->type, "fuse", 4);
    bool device = m->major || (m->source[0] == '/' && !(fuse && m->type[4] == '.'));
    if (fuse)
        stack_add(w, level, "file system", m->type, IO_READS_CACHE, PROCESS);
    else
        stack_add(w, level, "file system", m->type,
                  device ? IO_READS_BELOW : IO_READS_UNKNOWN, "%s",
                  device ? "" : "what it stands on is not told");
    if (fuse && !m->major)
        return;
    if (m->major)
        block(w, level + 1, device_path(w, path, m->major, m->minor));
    else if (device)
        on_sources(w, level + 1, m);
}

static void file_system(const struct walk *w, int level, const char *path)
{
    struct mount m;
    if (level >= IO_LAYERS) /* it is below itself */
        return;
    if (mount_of(path, w->root, &m)) {
        w->s->compresses |= compresses(&m);
        mounted(w, level, &m);
    } else
        stack_add(w, level, "file system", "?", IO_READS_UNKNOWN,
                  "the kernel does not tell of it");
    free(m.line);
}

void stack_of(const char *path, const char *root, struct io_stack *s)
{
    struct walk w = {s, root};
    struct stat st;
    char folder[PATH_MAX];
    memset(s, 0, sizeof *s);
    if (!stat(path, &st) && S_ISBLK(st.st_mode)) /* not a file system of that name */
        block(&w, 0, device_path(&w, folder, major(st.st_rdev), minor(st.st_rdev)));
    else
        file_system(&w, 0, path);
}

int io_stack_of(const char *path, struct io_stack *s)
{
    char *whole = realpath(path, NULL);
    if (!whole)
        return err_set(-errno, path, -1, "the directory cannot be used: %s",
                       strerror(errno));
    stack_of(whole, "", s);
    s->compresses |= io_file_compresses(whole);
    free(whole);
    return 0;
}

/* ---- text ---------------------------------------------------------------------- */

const char *io_reads_text(enum io_reads reads)
{
    static const char *const text[] = {[IO_READS_BELOW] = "below",
                                       [IO_READS_DEVICE] = "device",
                                       [IO_READS_UNKNOWN] = "unknown",
                                       [IO_READS_CACHE] = "cache",
                                       [IO_READS_MEMORY] = "memory"};
    return text[reads];
}

const char *io_stack_text(const struct io_stack *s, char *text, int size)
{
    int n = 0;
    text[0] = 0;
    for (int i = 0; i < s->n && n < size; i++) {
        const struct io_layer *l = &s->layer[i];
        n += snprintf(text + n, (size_t)(size - n), "%s%s%s%s%s",
                      !i                                 ? ""
                      : l->level > s->layer[i - 1].level ? " on "
                                                         : " and ",
                      l->name, l->about[0] ? " (" : "", l->about,
                      l->about[0] ? ")" : "");
    }
    return text;
}
