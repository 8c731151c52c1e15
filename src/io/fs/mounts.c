/* /proc/self/mountinfo. */
#include "io/fs/mounts.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Undoes mountinfo's "\040" for a space, in place. */
static void unescape(char *s)
{
    char *out = s;
    for (; *s; s++)
        if (s[0] == '\\' && s[1] && s[2] && s[3]) {
            *out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 3;
        } else
            *out++ = *s;
    *out = 0;
}

static bool is_under(const char *path, const char *mount)
{
    size_t n = strlen(mount);
    if (!strcmp(mount, "/"))
        return true;
    return !strncmp(path, mount, n) && (path[n] == '/' || !path[n]);
}

/* Parses "id parent major:minor root point options [tags...] - type source options". */
static bool parse(char *line, struct mount *m)
{
    char *rest, *dash = strstr(line, " - ");
    char *number, *point, *options, *type, *source, *fs_options;
    if (!dash)
        return false;
    *dash = 0;
    if (!strtok_r(line, " ", &rest) || !strtok_r(NULL, " ", &rest) ||
        !(number = strtok_r(NULL, " ", &rest)) || !strtok_r(NULL, " ", &rest) ||
        !(point = strtok_r(NULL, " ", &rest)) ||
        !(options = strtok_r(NULL, " ", &rest)) ||
        !(type = strtok_r(dash + 3, " \n", &rest)) ||
        sscanf(number, "%u:%u", &m->major, &m->minor) != 2)
        return false;
    source = strtok_r(NULL, " \n", &rest);
    fs_options = source ? strtok_r(NULL, " \n", &rest) : NULL;
    unescape(point);
    m->point = point;
    m->options = options;
    m->type = type;
    m->source = source ? source : "";
    m->fs_options = fs_options ? fs_options : "";
    if (source)
        unescape(source);
    return true;
}

/* The last, longest mount point that holds the path wins, as in the kernel. */
bool mount_of(const char *path, const char *root, struct mount *m)
{
    char file[PATH_MAX], *line = NULL;
    size_t size = 0, best = 0;
    memset(m, 0, sizeof *m);
    snprintf(file, sizeof file, "%s/proc/self/mountinfo", root);
    FILE *f = fopen(file, "r");
    while (f && getline(&line, &size, f) > 0) {
        struct mount found = {.line = line};
        if (!parse(line, &found) || !is_under(path, found.point) ||
            strlen(found.point) < best)
            continue;
        free(m->line);
        *m = found;
        best = strlen(m->point);
        line = NULL;
        size = 0;
    }
    free(line);
    if (f)
        fclose(f);
    return m->line;
}

bool mount_option(const struct mount *m, const char *name, char *value, int size)
{
    size_t n = strlen(name);
    for (const char *at = m->fs_options; *at; at += strcspn(at, ",")) {
        at += *at == ',';
        if (strncmp(at, name, n) || at[n] != '=')
            continue;
        int length = (int)strcspn(at + n + 1, ",");
        snprintf(value, (size_t)size, "%.*s", length, at + n + 1);
        unescape(value);
        return length < size;
    }
    return false;
}
