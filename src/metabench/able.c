/* Abilities of the file system: rank 0 tries each call that an operation needs on a
 * file of its own. A call that is refused is left out, and told. One that succeeds must
 * have its effect on every file later, or the file system lies. */
#include "base/err.h"
#include "metabench/metabench.h"
#include "run/workload.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Answers that rank 0 has found, in the form in which all ranks get them. */
struct able {
    int mode, folder_mode, counts, mask;
    int why[META_ABILITIES]; /* errno of a refused call */
};

typedef int name_call(struct io_folder *d, struct io_whole *w);

static const struct {
    const char *code, *what, *ops;
    name_call *call;
} tried[META_ABILITIES] = {
    [META_CHMOD] = {"no_chmod", "changes of mode", "chmod", io_whole_chmod},
    [META_LINK] = {"no_links", "hard links", "link", io_whole_link},
    [META_SYMLINK] = {"no_symlinks", "symbolic links", "symlink and readlink",
                      io_whole_symlink},
    [META_XATTR] = {"no_xattr", "attributes of users", "setxattr and getxattr",
                    io_whole_setxattr},
};

static bool is_refused(int rc)
{
    return rc == -EPERM || rc == -EOPNOTSUPP || rc == -ENOSYS || rc == -EROFS;
}

static bool is_wanted(const struct meta *m, enum meta_ability what)
{
    for (int i = 0; i < m->steps; i++)
        if (m->step[i].op->needs == what)
            return true;
    return false;
}

/* Tries one call; links have a name of their own. */
static int try_one(struct io_folder *d, enum meta_ability what, int *why)
{
    bool links = what == META_LINK || what == META_SYMLINK;
    char value[] = "probe";
    struct io_whole f = {.name = links ? "link" : "probe",
                         .to = "probe",
                         .mode = META_MODE,
                         .buf = value,
                         .bytes = sizeof value};
    int rc = tried[what].call(d, &f);
    if (is_refused(rc)) {
        *why = -rc;
        err_clear();
        return 0;
    }
    return rc || !links ? rc : io_whole_remove(d, &f);
}

static int try_folder(struct io_folder *d, struct able *a)
{
    struct io_whole f = {.name = "folder"};
    int rc = io_folder_make(d, &f);
    rc = rc ? rc : io_whole_stat(d, &f);
    a->folder_mode = f.mode;
    return rc ? rc : io_folder_drop(d, &f);
}

static int try_all(const struct meta *m, struct io_folder *d, struct able *a)
{
    struct io_whole f = {.name = "probe"};
    int rc = io_whole_write(d, &f, IO_MAKE, false);
    rc = rc ? rc : io_whole_stat(d, &f);
    a->mode = f.mode;
    a->counts = f.links == 1;
    a->mask = (int)umask(077);
    umask((mode_t)a->mask);
    for (int i = META_ANY + 1; i < META_ABILITIES && !rc; i++)
        if (is_wanted(m, (enum meta_ability)i))
            rc = try_one(d, (enum meta_ability)i, &a->why[i]);
    rc = rc ? rc : io_whole_remove(d, &f);
    return rc ? rc : try_folder(d, a);
}

/* Tells what is left out, or not as POSIX has it. */
static void say_lacks(const struct run *r, const struct able *a)
{
    const char *fs = r->fs.type;
    for (int i = META_ANY + 1; i < META_ABILITIES; i++)
        if (a->why[i])
            report_warning(r->report, tried[i].code,
                           "%s left out: this file system (%s) refuses %s: %s",
                           tried[i].ops, fs, tried[i].what, strerror(a->why[i]));
    if (!a->counts)
        report_warning(r->report, "link_counts",
                       "link counts are not checked: this file system (%s) does not "
                       "give a new file the count 1",
                       fs);
    if (a->mode != (0644 & ~a->mask))
        report_warning(r->report, "modes",
                       "new files get mode %04o on this file system (%s), where 0644 "
                       "and the umask %03o make %04o: an access list or a mount option "
                       "may do that",
                       a->mode, fs, a->mask, 0644 & ~a->mask);
}

int meta_try(struct run *r)
{
    struct meta *m = r->context;
    struct able a = {.why = {0}};
    int rc = r->world.rank ? 0 : try_all(m, m->root, &a);
    rc = err_agree(r->world.comm, rc);
    MPI_Bcast(&a, sizeof a / sizeof(int), MPI_INT, 0, r->world.comm);
    if (rc)
        return rc;
    m->mode = a.mode;
    m->folder_mode = a.folder_mode;
    m->counts = a.counts;
    for (int i = 0; i < META_ABILITIES; i++)
        m->lacks[i] = a.why[i];
    say_lacks(r, &a);
    return 0;
}
