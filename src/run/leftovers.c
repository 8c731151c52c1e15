/* Files of runs that did not end, where this one makes its own. */
#include "run/run.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define NAMED 3

/* The process in the id that begins `text` (name_run makes it); 0: it is no id. */
static long process_of(const char *text)
{
    long pid = 0;
    if (sscanf(text, "%*8[0-9]T%*6[0-9]-%ld", &pid) != 1)
        sscanf(text, "job%*[^-]-%ld", &pid);
    return pid;
}

/* The name of a process that has not ended. */
static bool name_of(const char *process, char out[64])
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *f = fopen(path, "r");
    int n = f ? fscanf(f, "%*d (%63[^)]) %c", out, &state) : 0;
    if (f)
        fclose(f);
    return n == 2 && state != 'Z';
}

/* A run that goes on needs its files. Of one on another node nobody here knows. */
static bool goes_on(long pid)
{
    char process[32], mine[64], other[64];
    snprintf(process, sizeof process, "%ld", pid);
    return name_of("self", mine) && name_of(process, other) && !strcmp(mine, other);
}

static bool is_left(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    long pid = strncmp(name, prefix, n) ? 0 : process_of(name + n);
    return pid > 0 && !goes_on(pid);
}

/* Adds a name to the sentence; a name may hold anything, and no terminal obeys it. */
static void add(char *text, size_t size, const char *name)
{
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%.255s", n ? ", " : "", name);
    for (char *c = text + n; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
}

void run_leftovers(const struct run *r, const char *dir, const char *prefix)
{
    char names[NAMED * 260] = "";
    long n = 0;
    DIR *d = r->world.rank ? NULL : opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_left(e->d_name, prefix) && ++n <= NAMED)
            add(names, sizeof names, e->d_name);
    if (d)
        closedir(d);
    if (n > NAMED)
        snprintf(names + strlen(names), 32, " and %ld more", n - NAMED);
    if (n)
        fprintf(stderr, "%s: note: earlier runs left or kept files in %s: %s\n",
                r->program->name, dir, names);
}
