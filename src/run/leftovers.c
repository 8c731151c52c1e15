/* Finds files that unfinished runs have left where this run makes its own. */
#include "base/err.h"
#include "base/plain.h"
#include "run/run.h"
#include <dirent.h>
#include <stdio.h>
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
