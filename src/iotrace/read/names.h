/* Texts by number, each once. */
#ifndef IOTRACE_READ_NAMES_H
#define IOTRACE_READ_NAMES_H

#include "base/mem.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that all tables of names may take together; further names are "?". */
#define NAMES_BUDGET ((int64_t)64 << 20)

struct names {
    char *text;
    int64_t used, room;
    int64_t *at; /* place of the text of number i + 1 */
    uint32_t n, n_room;
    uint32_t *slot; /* number, by hash; 0: free */
    uint32_t slots;
};

/* Local. Returns the number (1..) of `text`, and adds it if it is new; 0: there is no
 * room. */
uint32_t names_add(struct names *t, const char *text);

/* Local. Returns the number of `text` as names_add does, but adds nothing: 0 if it is
 * not known. */
uint32_t names_find(const struct names *t, const char *text);

/* Local. Returns the text of a number; "" for 0 and invalid ones. Valid until
 * names_add. */
const char *names_get(const struct names *t, uint32_t id);

void names_free(struct names *t);

/* Local. Takes `bytes` of the budget of all names. Returns 0, or -ENOMEM: it is spent.
 * names_give returns them. */
int names_take(int64_t bytes);
void names_give(int64_t bytes);

/* ---- reach ----------------------------------------------------------------------- */

/* Local. Returns `list` with an element number `id`, perhaps at another place: *room
 * elements of `size` bytes, new ones all 0. NULL: there is no memory, with a sentence
 * unless `what` is NULL, and the list stays as it is. */
static inline void *list_reach(void *list, uint32_t *room, uint32_t id, size_t size,
                               const char *what)
{
    if (id < *room)
        return list;
    size_t more = (size_t)*room + *room / 2 + 64;
    if (more <= id)
        more = (size_t)id + 1;
    int64_t most = more > UINT32_MAX ? -1 : (int64_t)more; /* -1: has no memory */
    char *grown = mem_grow(list, most, size, what);
    if (!grown)
        return NULL;
    memset(grown + *room * size, 0, (more - *room) * size);
    *room = (uint32_t)more;
    return grown;
}

/* ---- scope ----------------------------------------------------------------------- */

/* Reasons for leaving an event out of scope. */
enum fold {
    FOLD_NONE,
    FOLD_PROCESS,
    FOLD_INIT,
    FOLD_KERNEL,
    FOLD_PIPE,
    FOLD_MEMORY,
    FOLD_SYSTEM,
    FOLDS
};
extern const char *const fold_name[FOLDS];

/* Local. Judges a file by its name alone: FOLD_NONE, or the kind of the file. */
enum fold file_fold(const char *name);

/* Local. True if interpreters or the loader read the file on their own. */
bool file_is_library(const char *name);

#endif
