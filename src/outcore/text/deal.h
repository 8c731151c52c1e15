/* Files of a folder dealt out to all lanes of all ranks by their sizes, the longest
 * first and back and forth (1 2 3 3 2 1 ...). So no two lanes' bytes differ by more
 * than those of the largest file, and what falls into one bucket of a histogram.
 *
 * Memory of a rank: of its own files, O(files / ranks), and O(ranks). */
#ifndef OUTCORE_TEXT_DEAL_H
#define OUTCORE_TEXT_DEAL_H

#include "outcore/stream/many.h"

struct text_file {
    int64_t name; /* where it begins in the text */
    int64_t in_bytes;
    int64_t bytes; /* of its output, as far as it is */
    int64_t place; /* in the order of all files */
    bool skipped;  /* it is no input, and --bad=skip */
};

struct text_files { /* all zeros: none */
    struct text_file *is;
    int64_t n;
    char *text;
    int64_t *first;               /* of each lane, and the end of the last one's */
    int64_t in_bytes, most_bytes; /* of all ranks: together, and of the largest */
    int64_t all;                  /* files of all ranks */
};

/* **Collective**, outside of phases. m->names, which many_list has found, go to whom
 * they are dealt. Returns the agreed verdict. */
int deal_files(struct run *r, struct many *m, struct text_files *f);

/* Local. To whom the file at a place belongs, of n. */
int deal_worker(int64_t place, int n);

static inline const char *text_name(const struct text_files *f,
                                    const struct text_file *one)
{
    return f->text + one->name;
}

/* Local. Frees them; all zeros again. */
void deal_free(struct text_files *f);

#endif
