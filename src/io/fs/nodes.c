/* The storage that each node sees at a path, and the nodes that see the same. Nodes
 * send what they see to rank 0, one message each, and rank 0 puts them into groups. */
#include "base/err.h"
#include "base/mem.h"
#include "base/plain.h"
#include "io/fs/mounts.h"
#include "io/io.h"
#include "world/world.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- a node's storage ------------------------------------------------------------ */

struct uuid_of_fs { /* struct fsuuid2 of linux/fs.h, which is new in Linux 6.9 */
    unsigned char bytes, uuid[16];
};
#define GET_UUID _IOR(0x15, 0, struct uuid_of_fs)

/* Finds the UUID by the links of udev. */
static void uuid_by_device(dev_t dev, char out[40])
{
    static const char folder[] = "/dev/disk/by-uuid";
    struct stat st;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && !out[0] && (e = readdir(d));) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev)
            snprintf(out, 40, "%.39s", e->d_name);
    }
    if (d)
        closedir(d);
}

static void find_uuid(const char *path, const struct mount *m, char out[40])
{
    struct uuid_of_fs u = {0, {0}};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool told = fd >= 0 && !ioctl(fd, GET_UUID, &u) && u.bytes == sizeof u.uuid;
    if (fd >= 0)
        close(fd);
    static const unsigned char none[sizeof u.uuid];
    told = told && memcmp(u.uuid, none, sizeof none) != 0;
    for (int i = 0, n = 0; told && i < 16; i++)
        n += snprintf(out + n, (size_t)(40 - n), "%s%02x",
                      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u.uuid[i]);
    if (!told && m->major)
        uuid_by_device(makedev(m->major, m->minor), out);
}

/* Reads the client's version, where the file system's module tells it. Of NFS and
 * others, it is the kernel's. */
static void find_client(const char *type, char out[64])
{
    static const struct {
        const char *type, *file;
    } known[] = {{"lustre", "/sys/fs/lustre/version"},
                 {"lustre", "/sys/module/lustre/version"},
                 {"gpfs", "/sys/module/mmfs26/version"},
                 {"beegfs", "/sys/module/beegfs/version"},
                 {"ceph", "/sys/module/ceph/version"},
                 {"zfs", "/sys/module/zfs/version"}};
    char line[32];
    for (size_t i = 0; i < sizeof known / sizeof *known && !out[0]; i++) {
        FILE *f = strcmp(type, known[i].type) ? NULL : fopen(known[i].file, "re");
        if (f && fgets(line, sizeof line, f))
            snprintf(out, 64, "%.24s %s", type, line);
        if (f)
            fclose(f);
    }
    out[strcspn(out, "\n")] = 0;
}

/* The file system's name on its servers. Clients may use several of these, so the
 * name of the server does not count. */
static const char *export_of(const char *source)
{
    const char *colon = strrchr(source, ':');
    return colon ? colon + 1 : source;
}

/* True if the source names the file system in the same way on every client. */
static bool has_one_name(const char *type)
{
    return !strcmp(type, "lustre") || !strcmp(type, "gpfs");
}

/* Describes the layers by their kinds, not their names: each node may have its
 * own sda. */
static void describe_kinds(const struct io_stack *s, struct io_place *p)
{
    size_t n = 0, size = sizeof p->kinds;
    for (int i = 0; i < s->n && n < size; i++) {
        const struct io_layer *l = &s->layer[i];
        n += (size_t)snprintf(p->kinds + n, size - n, "%d %s %s;", l->level, l->kind,
                              l->level ? "" : l->name);
    }
    if (n < size && has_one_name(p->fs))
        snprintf(p->kinds + n, size - n, "%s", export_of(p->source));
}

/* Names the layers, or the file system of servers: "ext4 on loop0", "lustre /fs1". */
static void name_layers(const struct io_stack *s, struct io_place *p)
{
    struct io_stack bare = *s;
    for (int i = 0; i < bare.n; i++)
        bare.layer[i].about[0] = 0;
    io_stack_text(&bare, p->name, sizeof p->name);
    size_t n = strlen(p->name);
    if (bare.n == 1 && strchr(p->source, ':'))
        snprintf(p->name + n, sizeof p->name - n, " %s", export_of(p->source));
}

void io_place_of(const char *path, const struct io_stack *s, const struct world *w,
                 struct io_place *p)
{
    struct mount m;
    struct io_fs fs;
    struct utsname u;
    char *whole = realpath(path, NULL);
    memset(p, 0, sizeof *p);
    if (whole && mount_of(whole, "", &m)) {
        snprintf(p->fs, sizeof p->fs, "%s", m.type);
        plain(p->source, sizeof p->source, m.source);
        find_uuid(whole, &m, p->uuid);
        free(m.line);
    }
    free(whole);
    struct err before = err_copy();
    if (!io_fs_of(path, &fs))
        snprintf(p->mount, sizeof p->mount, "%s", fs.mount);
    err_put(&before);
    find_client(p->fs, p->client);
    if (!uname(&u))
        snprintf(p->kernel, sizeof p->kernel, "%.63s", u.release);
    world_limits(p->limits, sizeof p->limits);
    describe_kinds(s, p);
    name_layers(s, p);
    io_stack_text(s, p->text, sizeof p->text);
    snprintf(p->host, sizeof p->host, "%s", w->host);
    p->node = w->node;
    p->rank = w->rank;
    p->reads = s->reads;
    p->compresses = s->compresses;
    p->looked = true;
}

/* ---- groups ---------------------------------------------------------------------- */

static bool is_alike(const struct io_place *a, const struct io_place *b)
{
    return !strcmp(a->kinds, b->kinds) && !strcmp(a->mount, b->mount) &&
           !strcmp(export_of(a->source), export_of(b->source)) &&
           !strcmp(a->client, b->client) && !strcmp(a->kernel, b->kernel) &&
           !strcmp(a->limits, b->limits) && a->reads == b->reads;
}

/* A local file system has another UUID and device on each node. */
static void note_differences(struct io_group *g, const struct io_place *p)
{
    g->other_uuid |= strcmp(g->of.uuid, p->uuid) != 0;
    g->other_source |= strcmp(g->of.source, p->source) != 0;
    g->of.compresses |= p->compresses;
}

static void forget_differences(struct io_nodes *all)
{
    for (int i = 0; i < all->n; i++) {
        struct io_group *g = &all->group[i];
        if (g->other_uuid)
            g->of.uuid[0] = 0;
        if (g->other_source)
            g->of.source[0] = 0;
    }
}

/* Counts a node once, although several of its ranks may have looked. */
static void count_node(struct io_group *g, const struct io_place *p)
{
    enum { NAMES = 3 };
    size_t n = strlen(g->names);
    if (g->nodes && g->last_node == p->node)
        return;
    g->last_node = p->node;
    if (g->nodes++ < NAMES)
        snprintf(g->names + n, sizeof g->names - n, "%s%.60s", n ? ", " : "", p->host);
    else if (g->nodes == NAMES + 1)
        snprintf(g->names + n, sizeof g->names - n, ", ...");
}

/* The number of the place's group, which is made if there is none. With too many
 * groups, the last one has all others. */
static int nodes_group(struct io_nodes *all, const struct io_place *p)
{
    int i = 0;
    while (i < all->n && i < IO_GROUPS - 1 && !is_alike(&all->group[i].of, p))
        i++;
    struct io_group *g = &all->group[i];
    if (i == all->n) {
        *g = (struct io_group){.of = *p};
        all->n++;
    }
    note_differences(g, p);
    count_node(g, p);
    return i;
}

static void compare_places(struct io_nodes *all, const struct io_place *place, int n,
                           int group[])
{
    const struct io_place *first = NULL, *worst = NULL;
    for (int i = 0; i < n; i++) {
        const struct io_place *p = &place[i];
        group[i] = p->looked ? nodes_group(all, p) : 0;
        if (!p->looked)
            continue;
        first = first ? first : p;
        if (!worst || p->reads > worst->reads)
            worst = p;
        if (strcmp(p->kinds, first->kinds) && !all->unlike++)
            all->other = *p;
    }
    forget_differences(all);
    if (first)
        all->first = *first;
    all->worst = worst ? worst->rank : 0;
}

/* ---- between nodes --------------------------------------------------------------- */

/* Tells each rank the number of its group, and whether its reads are counted. */
static void hand_out(const struct world *w, const struct io_place *mine,
                     struct io_nodes *all, MPI_Comm lookers, const int group[])
{
    MPI_Comm node;
    int own[2] = {0, mine->counted};
    if (lookers != MPI_COMM_NULL)
        MPI_Scatter(group, 1, MPI_INT, own, 1, MPI_INT, 0, lookers);
    int first[2] = {own[0], own[1]};
    MPI_Comm_split(w->comm, w->node, w->node_rank, &node);
    MPI_Bcast(first, 2, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    all->own = lookers == MPI_COMM_NULL ? first[0] : own[0];
    all->counted = first[1];
}

int io_nodes_find(const struct world *w, const struct io_place *mine, bool each_rank,
                  struct io_nodes *all)
{
    MPI_Comm lookers;
    int n = 0, *group = NULL;
    struct io_place *place = NULL;
    memset(all, 0, sizeof *all);
    MPI_Comm_split(w->comm, each_rank || !w->node_rank ? 0 : MPI_UNDEFINED, w->rank,
                   &lookers);
    if (!w->rank) {
        MPI_Comm_size(lookers, &n);
        place = mem_new(n, sizeof *place, "the nodes' storage");
        group = mem_new(n, sizeof *group, "the nodes' storage");
    }
    int rc = err_agree(w->comm, !w->rank && (!place || !group) ? -ENOMEM : 0);
    if (!rc && lookers != MPI_COMM_NULL)
        MPI_Gather(mine, sizeof *mine, MPI_BYTE, place, sizeof *mine, MPI_BYTE, 0,
                   lookers);
    if (!rc && !w->rank)
        compare_places(all, place, n, group);
    int told[3] = {all->n, all->unlike, all->worst};
    MPI_Bcast(told, 3, MPI_INT, 0, w->comm);
    all->n = told[0];
    all->unlike = told[1];
    all->worst = told[2];
    if (!rc && all->unlike)
        hand_out(w, mine, all, lookers, group);
    if (lookers != MPI_COMM_NULL)
        MPI_Comm_free(&lookers);
    free(place);
    free(group);
    return rc;
}
