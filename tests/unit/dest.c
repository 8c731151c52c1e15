/* A PFM gets its name only if what it replaces is what its load found: a program that
 * comes in between loses nothing, with and without locks. */
#include "tap.h"

#include "io/lock.h"
#include "pfmload/input/dest.h"

static char dir[TAP_PATH], handle[TAP_PATH];

static char *part(const char *of, const char *suffix)
{
    static char path[PFM_PATH];
    pfm_path(path, of, suffix);
    return path;
}

/* Makes a PFM as far as this test needs it: a handle and blocks with `text`. */
static void make(const char *of, const char *text)
{
    char data[TAP_PATH + 8];
    snprintf(data, sizeof data, "%s.data", of);
    mkdir(data, 0777);
    tap_put(part(of, "ndx"), text);
    tap_put(of, "PFM Handle File - of a test\n");
}

static void unmake(void)
{
    char data[TAP_PATH + 8];
    snprintf(data, sizeof data, "%s.data", handle);
    unlink(part(handle, "ndx"));
    unlink(part(handle, "ctl"));
    rmdir(data);
    unlink(handle);
}

/* Runs a load from its first look to just before its end. */
static int begin(struct dest *d, const char *id, bool replaces, const char *text)
{
    err_clear();
    int rc = dest_name(d, dir, "a.pfm");
    dest_name_part(d, id);
    rc = rc ? rc : dest_check(d, replaces);
    rc = rc ? rc : dest_begin(d);
    if (!rc)
        make(d->part_handle, text);
    return rc;
}

static int end(struct dest *d)
{
    int rc = dest_publish(d);
    if (rc)
        dest_remove(d);
    return rc;
}

static bool is_gone(const struct dest *d)
{
    return access(d->part, F_OK) && errno == ENOENT;
}

/* Two loads began with the same PFM: the second to end is refused. */
static void test_two(bool replaces, const char *what)
{
    struct dest one, other;
    if (replaces)
        make(handle, "old");
    int rc = begin(&one, "1", replaces, "one");
    rc = rc ? rc : begin(&other, "2", replaces, "other");
    tap_ok(!rc && !end(&one), "%s: the first to end is published", what);
    tap_ok(tap_refused(end(&other), -ESTALE, "start the load again"),
           "%s: the second is refused", what);
    tap_ok(tap_holds(part(handle, "ndx"), "one") && is_gone(&one) && is_gone(&other),
           "%s: the first one's PFM stays, and nothing else", what);
    unmake();
}

/* Another program may have changed any part of the PFM. */
static void test_changes(void)
{
    struct dest d;
    int refused = 0, kept = 0;
    for (int i = 0; i < 3; i++) {
        make(handle, "old");
        if (begin(&d, "1", true, "new"))
            tap_ok(0, "the test can begin: %s", err_get()->text);
        if (i == 0)
            tap_put(part(handle, "ndx"), "edited");
        if (i == 1)
            tap_put(part(handle, "ctl"), "edited");
        if (i == 2)
            unlink(handle);
        refused += end(&d) == -ESTALE;
        kept += tap_holds(part(handle, "ndx"), i ? "old" : "edited");
        unmake();
    }
    tap_ok(refused == 3 && kept == 3, "a PFM that was changed stays as it is (%d, %d)",
           refused, kept);
    make(handle, "old");
    tap_ok(!begin(&d, "1", true, "new") && !end(&d) &&
               tap_holds(part(handle, "ndx"), "new"),
           "one that was not is replaced");
    unmake();
}

static void test_lock(void)
{
    struct dest one, other;
    char lock[TAP_PATH], me[LOCK_OWNER];
    struct stat st;
    err_clear();
    lock_owner(me);
    tap_path(lock, ".a.pfm.lock");
    dest_name(&one, dir, "a.pfm");
    dest_name(&other, dir, "a.pfm");
    tap_ok(!dest_lock(&one) && !stat(lock, &st), "a lock has a file");
    tap_ok(dest_lock(&other) == -EBUSY && strstr(err_get()->text, me),
           "which says whose it is: %s", err_get()->text);
    dest_unlock(&other);
    tap_ok(!stat(lock, &st), "who has not got it does not remove it");
    dest_unlock(&one);
    dest_unlock(&one);
    tap_ok(stat(lock, &st) != 0, "at the end the file is gone");
    tap_put(lock, "process 1 on a machine that failed");
    tap_ok(!dest_lock(&other) && tap_holds(lock, me),
           "one that was left is taken over");
    dest_unlock(&other);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    tap_path(dir, "");
    tap_path(handle, "a.pfm");
    test_lock();
    test_two(false, "new");
    test_two(true, "in place of an old one");
    test_changes();
    return tap_end();
}
