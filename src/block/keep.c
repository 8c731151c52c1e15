/* --keep and --write-only: the description that a run writes beside the files
 * it leaves. */
#include "base/err.h"
#include "base/program.h"
#include "block/block.h"
#include "run/kept.h"
#include "run/lanes.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void keep_settle(struct run *r)
{
    struct block *b = r->context;
    if (b->set.write_only && opt_find(r->program, "keep")->from == OPT_DEFAULT)
        b->set.run.keep = true;
}

/* The reason why another run could not find the blocks in the files; NULL: it can. */
static const char *why_not(const struct run *r)
{
    const struct block *b = r->context;
    const char *spec;
    if (io_engine_of_method(b->set.run.iomethod, IO_STORES_FORMAT, &spec)) {
        err_clear();
        return "the I/O engine stores them in a format of its own";
    }
    if (b->past.written != order_blocks(&b->order))
        return "--time has left blocks out, or written some more often than others";
    if (order_repeats(&b->order))
        return "--pattern has left blocks out";
    if (b->past.mixed)
        return "--mixed has written some blocks more often than others";
    if (b->set.files > 1 || b->set.misalign < 0 || b->set.dedupe || b->order.sizes)
        return "--block-sizes, --files, --misalign=random and --dedupe are not "
               "described";
    return NULL;
}

/* Syncs this rank's files one by one, if a sync of the file system does not
 * reach them. */
static int sync_own(const struct run *r)
{
    int rc = 0, files = r->shared ? 1 : r->lanes;
    for (int i = 0; i < files && !rc; i++) {
        const char *path = r->file[i].path;
        watchdog_arm_as_set("syncing", path);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        rc = fd < 0 || fsync(fd) ? -errno : 0;
        if (fd >= 0)
            close(fd);
        watchdog_disarm();
        if (rc)
            rc = err_set(rc, path, -1, "the file that is kept cannot be synced: %s",
                         strerror(-rc));
    }
    return rc;
}

/* Syncs the files if --cache=keep has left them unsynced: the description must be true
 * after a crash, too. One rank of each node syncs for all of the node's files. */
static int make_durable(const struct run *r)
{
    const char *dir = r->options->dir;
    if (r->flush)
        return 0;
    if (!io_syncfs_works(dir))
        return sync_own(r);
    if (r->world.node_rank)
        return 0;
    watchdog_arm_as_set("syncing", dir);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || syncfs(fd) ? -errno : 0;
    if (fd >= 0)
        close(fd);
    watchdog_disarm();
    return rc ? err_set(rc, dir, -1, "the files that are kept cannot be synced: %s",
                        strerror(-rc))
              : 0;
}

/* The latest change of all files. */
static int find_modified(struct run *r, int64_t *ns)
{
    struct stat st;
    int rc = 0, files = r->shared ? 1 : r->lanes;
    *ns = INT64_MIN;
    for (int i = 0; i < files && !rc; i++)
        if (stat(r->file[i].path, &st)) {
            rc = err_set(-errno, r->file[i].path, -1,
                         "the file that is kept cannot be looked at: %s",
                         strerror(errno));
        } else {
            int64_t at = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
            *ns = at > *ns ? at : *ns;
        }
    rc = err_agree(r->world.comm, rc);
    world_reduce(r->world.comm, ns, 1, MPI_INT64_T, MPI_MAX);
    return rc;
}

static int write_description(struct run *r, int64_t modified_ns)
{
    const struct block *b = r->context;
    const struct layout *l = &b->order.layout;
    char path[KEPT_PATH];
    struct kept k = {.writers = r->workers,
                     .blocks = l->blks,
                     .block_bytes = l->slot_bytes,
                     .misalign = l->start,
                     .bytes = layout_files(l) * layout_file_bytes(l),
                     .modified_ns = modified_ns,
                     .seed = r->seed,
                     .repetition = r->rep,
                     .pass = r->pass,
                     .stamp = order_version(&b->order, &b->past, false, 0),
                     .compress = b->set.compress,
                     .stamped = b->stamps};
    run_path(r, "blocks", "", path, sizeof path);
    const char *slash = strrchr(path, '/');
    snprintf(k.program, sizeof k.program, "%s", r->program->name);
    snprintf(k.version, sizeof k.version, "%s", leadline_version);
    snprintf(k.run_id, sizeof k.run_id, "%s", r->id);
    snprintf(k.file, sizeof k.file, "%.127s", slash ? slash + 1 : path);
    snprintf(k.filetype, sizeof k.filetype, "%s", r->options->filetype);
    snprintf(k.layout, sizeof k.layout, "%s", b->set.layout);
    run_path(r, "blocks", ".json", path, sizeof path);
    watchdog_arm_as_set("describing the kept files", path);
    int rc = r->failed ? r->failed : kept_write(&k, path);
    watchdog_disarm();
    if (!rc)
        report_note(r->report, "kept", "%s: blocktransfer --read-only reads it", path);
    return rc;
}

int keep_describe(struct run *r, int rc)
{
    int64_t modified_ns;
    if (rc || !r->options->keep || !r->engine || !io_engine_stores(r->engine))
        return rc;
    const char *why = why_not(r);
    if (why)
        report_note(r->report, "kept",
                    "the files are not described, and --read-only cannot read them: %s",
                    why);
    if (why)
        return 0;
    rc = err_agree(r->world.comm, make_durable(r));
    if (!rc)
        rc = find_modified(r, &modified_ns);
    if (rc)
        return rc;
    return err_agree(r->world.comm,
                     r->world.rank ? 0 : write_description(r, modified_ns));
}
