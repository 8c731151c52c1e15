/* Names of files in a folder, in the order in which they are to be read. No MPI,
 * no files. */
#ifndef OUTCORE_STREAM_NAMES_H
#define OUTCORE_STREAM_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum names_order { NAMES_BY_NAME, NAMES_BY_INODE, NAMES_SHUFFLED };

/* Local. Parses an option's word: "name", "inode" or "shuffle". */
enum names_order names_order_of(const char *word);

struct name {
    int64_t at; /* offset in the text */
    uint64_t inode;
};

struct names { /* all zeros: none */
    int64_t n, most;
    struct name *is;
    char *text; /* each terminated by a zero byte */
    int64_t used, room;
};

/* Local. Adds a name. 0, or -ENOMEM with a sentence. Memory doubles when it is full. */
int names_add(struct names *s, const char *name, uint64_t inode);

/* Local. Returns which of n ranks reads that name: the same on every rank. */
int names_deal(const char *name, int n);

/* Local. Sorts them. The result depends on the names only and not on the order in which
 * they were added (equal inodes are sorted by name). key: of the shuffle. -ENOMEM with
 * a sentence. */
int names_sort(struct names *s, enum names_order order, uint64_t key);

static inline const char *names_at(const struct names *s, int64_t i)
{
    return s->text + s->is[i].at;
}

/* Local. Frees them; all zeros again. */
void names_free(struct names *s);

#endif
