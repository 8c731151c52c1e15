/* The names of things, and their places in a tree of directories. Pure arithmetic:
 * names identify their thing, so that a listing is checked without a table of names. */
#include "base/units.h"
#include "metabench/metabench.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *names_make(char out[NAMES_SIZE], struct name n)
{
    snprintf(out, NAMES_SIZE, "%c%06d.%09" PRId64, (char)n.kind, n.worker, n.number);
    return out;
}

/* Parses a name. Making the name again must give the same text: there is one name for
 * each thing. */
bool names_read(const char *text, struct name *n)
{
    char kind, again[NAMES_SIZE];
    if (strlen(text) >= NAMES_SIZE ||
        sscanf(text, "%c%9d.%18" SCNd64, &kind, &n->worker, &n->number) != 3 ||
        !strchr("frlsndt", kind))
        return false;
    n->kind = (enum names_kind)kind;
    return n->worker >= 0 && n->number >= 0 && !strcmp(names_make(again, *n), text);
}

int64_t tree_folders(int depth, int64_t branch)
{
    int64_t all = 1, level = 1;
    for (int i = 0; i < depth; i++) {
        level *= branch; /* < 2^62, as both factors are < 2^31 */
        all += level;
        if (all > INT32_MAX)
            return -1;
    }
    return all;
}

int64_t tree_first(const struct tree *t, int64_t k)
{
    return units_part(t->items, k, t->folders);
}

int64_t tree_children(const struct tree *t, int64_t k)
{
    return t->depth && k * t->branch + 1 < t->folders ? t->branch : 0;
}

int tree_way(const struct tree *t, int64_t k, int64_t way[TREE_DEPTH_MAX + 1])
{
    int n = 1;
    for (int64_t up = k; up; up = (up - 1) / t->branch)
        n++;
    for (int i = n - 1; i >= 0; i--) {
        way[i] = k;
        k = k ? (k - 1) / t->branch : 0;
    }
    return n;
}
