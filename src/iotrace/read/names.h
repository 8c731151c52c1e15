/* Texts by number, each once. */
#ifndef IOTRACE_READ_NAMES_H
#define IOTRACE_READ_NAMES_H

#include <stdint.h>

/* Bytes that all tables of names together may take; then further names are "?". */
#define NAMES_BUDGET ((int64_t)64 << 20)

struct names {
    char *text;
    int64_t used, room;
    int64_t *at; /* of number i + 1 */
    uint32_t n, n_room;
    uint32_t *slot; /* number, by hash; 0: free */
    uint32_t slots;
};

/* Local. The number (1..) of `text`, added where it is new; 0: there is no room. */
uint32_t names_add(struct names *t, const char *text);

/* Local. As names_add, but nothing is added: 0 where it is not known. */
uint32_t names_find(const struct names *t, const char *text);

/* Local. The text of a number; "" for 0 and what is not one. Valid until names_add. */
const char *names_get(const struct names *t, uint32_t id);

void names_free(struct names *t);

/* Local. Takes `bytes` of the budget of all names. 0, or -ENOMEM: it is spent. */
int names_take(int64_t bytes);
void names_give(int64_t bytes);

#endif
