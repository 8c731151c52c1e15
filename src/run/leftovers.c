/* Looks at a directory before this run makes its files there: files that others have
 * left, and, with --doctor, what it can do. */
#include "base/err.h"
#include "base/mem.h"
#include "base/plain.h"
#include "doctor/doctor.h"
#include "run/inside.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAMED 3

enum { BOOT = 8 }; /* digits of the boot in a place; the rest is the PID namespace */

/* FNV-1a, which spreads texts that differ in one digit only. */
static unsigned hash(const char *text)
{
    unsigned h = 0x811c9dc5;
    while (*text)
        h = (h ^ (unsigned char)*text++) * 0x01000193;
    return h;
}

void run_place(char out[RUN_PLACE])
{
    char boot[64] = "";
    struct stat st;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f || !fgets(boot, sizeof boot, f) || stat("/proc/self/ns/pid", &st))
        memset(&st, 0, sizeof st);
    if (f)
        fclose(f);
    snprintf(out, RUN_PLACE, "%08x%04x", hash(boot), (unsigned)st.st_ino & 0xffff);
}

/* Reads the process id and place from the run id (made by name_run) that
 * begins `text`. */
static bool read_id(const char *text, long *pid, char place[RUN_PLACE])
{
    return sscanf(text, "%*8[0-9]T%*6[0-9]-%ld-%12[0-9a-f]", pid, place) == 2 ||
           sscanf(text, "job%*[^-]-%ld-%12[0-9a-f]", pid, place) == 2;
}

/* The name of a process; false if it has ended. */
static bool leftovers_name_of(const char *process, char out[64])
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *f = fopen(path, "r");
    int n = f ? fscanf(f, "%*d (%63[^)]) %c", out, &state) : 0;
    if (f)
        fclose(f);
    return n == 2 && state != 'Z';
}

/* True for file systems that no other node can have mounted. */
static bool is_local(const char *dir)
{
    static const char *const types[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"};
    struct io_fs fs;
    if (io_fs_of(dir, &fs)) {
        err_clear();
        return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!strcmp(types[i], fs.type))
            return true;
    return false;
}

/* True if the run is known to have ended, for a running one needs its files. A process
 * of this place is looked up; one of another boot has ended if it ran on this machine.
 * Of all others nothing is known. */
static bool has_ended(long pid, const char *place, const char *dir)
{
    char process[32], mine[64], other[64], here[RUN_PLACE];
    run_place(here);
    if (strncmp(place, here, BOOT))
        return is_local(dir);
    snprintf(process, sizeof process, "%ld", pid);
    return !strcmp(place, here) && leftovers_name_of("self", mine) &&
           !(leftovers_name_of(process, other) && !strcmp(mine, other));
}

/* True for a file of an ended run, but not for the description of kept files. */
static bool is_left(const char *dir, const char *name, const char *prefix)
{
    size_t n = strlen(prefix), length = strlen(name);
    char place[RUN_PLACE];
    long pid;
    if (length > 5 && !strcmp(name + length - 5, ".json"))
        return false;
    return !strncmp(name, prefix, n) && read_id(name + n, &pid, place) &&
           has_ended(pid, place, dir);
}

/* Adds a name to the sentence. */
static void leftovers_add(char *text, size_t size, const char *name)
{
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%.255s", n ? ", " : "", name);
    plain(text + n, size - n, text + n);
}

void run_leftovers(const struct run *r, const char *dir, const char *prefix)
{
    char names[NAMED * 260] = "";
    long n = 0;
    DIR *d = r->world.rank ? NULL : opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_left(dir, e->d_name, prefix) && ++n <= NAMED)
            leftovers_add(names, sizeof names, e->d_name);
    if (d)
        closedir(d);
    if (n > NAMED)
        snprintf(names + strlen(names), 32, " and %ld more", n - NAMED);
    if (n)
        err_tell(r->program->name, "note", NULL,
                 "earlier runs left or kept files in %s: %s", dir, names);
}

/* ---- --doctor -------------------------------------------------------------------- */

static void put_findings(const void *what, struct json *j)
{
    doctor_put(what, j, "doctor");
}

/* Notes the answers, but not what was not tried. */
static void note_answers(struct run *r, const struct doctor *d)
{
    char text[2048] = "";
    size_t n = 0;
    for (int i = 0; i < d->n && n < sizeof text; i++)
        if (strcmp(d->finding[i].answer, "not tried") != 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s: %s", n ? "; " : "",
                                  d->finding[i].title, d->finding[i].answer);
    report_note(r->report, "doctor", "%s", text);
}

int run_examine(struct run *r)
{
    if (!r->options->doctor)
        return 0;
    if (r->input.path || !r->engine || !io_engine_stores(r->engine)) {
        report_note(r->report, "doctor", "not asked: the run stores nothing");
        return 0;
    }
    r->doctor = r->world.rank ? NULL : mem_new(1, sizeof *r->doctor, "the doctor");
    int rc = err_agree(r->world.comm, r->world.rank || r->doctor ? 0 : -ENOMEM);
    if (!rc)
        rc = doctor_examine(r->doctor, &r->world, r->options->dir);
    if (rc || r->world.rank)
        return rc;
    note_answers(r, r->doctor);
    report_part(r->report, put_findings, r->doctor);
    return 0;
}

void run_examine_close(struct run *r)
{
    free(r->doctor);
    r->doctor = NULL;
}
