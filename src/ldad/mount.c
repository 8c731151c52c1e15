/* mount: shows containers as the files that they stand for. */
#include "base/err.h"
#include "ldad/commands.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* True if `path` is `folder` or in it; both are absolute and without links. */
static bool mount_is_within(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    n -= n == 1; /* "/" */
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

static int mount_find_folder(const char *path, char **whole)
{
    struct stat st;
    *whole = realpath(path, NULL);
    if (!*whole || stat(*whole, &st))
        return err_set(-errno, path, -1, "it cannot be mounted: %s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return 0;
    return err_set(-ENOTDIR, path, -1, "it cannot be mounted: it is not a directory");
}

/* Checks a container that is mounted alone, and reports missing parts at once. */
static int mount_look(const char *path)
{
    struct container c;
    int rc = container_read(&c, path);
    if (rc)
        return rc;
    parts_missing(&c, path, stderr);
    container_free(&c);
    return 0;
}

static int mount_paths(struct mount *m, char *source, char *point)
{
    if (mount_is_within(point, source) || mount_is_within(source, point))
        return err_usage("%s cannot be shown at %s: one of them is in the other",
                         source, point);
    m->source = source;
    m->point = point;
    m->only = container_is(source) ? strrchr(source, '/') + 1 : NULL;
    int rc = m->only ? mount_look(source) : 0;
    return rc ? rc : mount_serve(m);
}

int command_mount(int argc, char **argv)
{
    struct mount m = {0};
    const char *from = NULL, *to = NULL;
    char *source = NULL, *point = NULL;
    struct opt table[] = {
        {OPT_TEXT, "SOURCE", .value = &from, .required = true,
         .help = "a directory, or one container"},
        {OPT_TEXT, "MOUNTPOINT", .value = &to, .required = true,
         .help = "the mount point: an existing directory"},
        {OPT_FLAG, "foreground", .letter = 'f', .value = &m.foreground, .preset = "no",
         .help = "end when it is unmounted, and write messages to standard error; else "
                 "they go to the system's log"},
        {OPT_FLAG, "allow-other", .value = &m.others, .preset = "no",
         .help = "also for other users, as far as the files' permissions go",
         .text = "Also for other users, as far as the files' permissions go. Users "
                 "other than root need _user_allow_other_ in _/etc/fuse.conf_."}};
    const struct opt_program p = {
        "ldad mount", "SOURCE MOUNTPOINT",
        "Shows a directory, read only, in which each container is the ordinary file "
        "that it stands for; for one container, a directory with that file. "
        "fusermount3 -u MOUNTPOINT ends it.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    int rc = mount_find_folder(from, &source);
    if (!rc)
        rc = mount_find_folder(to, &point);
    if (!rc)
        rc = mount_paths(&m, source, point);
    free(source);
    free(point);
    return command_verdict(rc);
}
