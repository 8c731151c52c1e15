/* Lists by number that grow as numbers come up, such as those of a log's names. */
#ifndef IOTRACE_READ_REACH_H
#define IOTRACE_READ_REACH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Local. Returns `list` with an element number `id`, perhaps at another place: *room
 * elements of `size` bytes, new ones all 0. NULL: there is no memory, and the list
 * stays as it is. */
static inline void *list_reach(void *list, uint32_t *room, uint32_t id, size_t size)
{
    if (id < *room)
        return list;
    size_t more = (size_t)*room + *room / 2 + 64;
    if (more <= id)
        more = (size_t)id + 1;
    if (more > UINT32_MAX)
        return NULL;
    char *grown = realloc(list, more * size);
    if (!grown)
        return NULL;
    memset(grown + *room * size, 0, (more - *room) * size);
    *room = (uint32_t)more;
    return grown;
}

#endif
