/* Deals the files of a folder to all lanes of all ranks by size, the longest first and
 * back and forth (1 2 3 3 2 1 ...). So the bytes of two lanes differ at most by those
 * of the largest file, and by what one bucket of a histogram does not tell apart.
 *
 * Memory of a rank: of its own files, O(files / ranks), and O(ranks). */
#ifndef OUTCORE_TEXT_DEAL_H
#define OUTCORE_TEXT_DEAL_H

#include "outcore/stream/many.h"

struct text_file {
    int64_t name; /* offset in the text */
    int64_t in_bytes;
    int64_t bytes; /* size of its output so far */
    int64_t place; /* index in the order of all files by size */
    bool skipped;  /* it is malformed, with --bad=skip */
};

struct text_files { /* all zeros: none */
    struct text_file *is;
    int64_t n;
    char *text;
    int64_t *first;               /* index of each lane's first file, and the end of the
                                   * last lane's */
    int64_t in_bytes, most_bytes; /* of all ranks: total, and of the largest file */
    int64_t all;                  /* number of files, on all ranks */
};

/* **Collective**, outside of phases. Sends each of m->names, which many_list has found,
 * to the rank that it is dealt to. Returns the agreed verdict. */
int deal_files(struct run *r, struct many *m, struct text_files *f);

/* Local. Returns which of n workers gets the file at a place. */
int deal_worker(int64_t place, int n);

static inline const char *text_name(const struct text_files *f,
                                    const struct text_file *one)
{
    return f->text + one->name;
}

/* Local. Frees them; all zeros again. */
void deal_free(struct text_files *f);

#endif
