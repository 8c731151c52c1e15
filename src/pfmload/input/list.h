/* The input files of a load: from the command line, from plain lists, and from the
 * datalists of MB-System, which may name other lists. */
#ifndef PFMLOAD_INPUT_LIST_H
#define PFMLOAD_INPUT_LIST_H

#include "base/opt.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { LIST_DEPTH_MAX = 16 }; /* levels of lists within lists */

struct list_file {
    char *path;
    int64_t bytes;
    int64_t soundings; /* number that can be loaded; 0 until scanned (scan.h) */
    char *bad;         /* reason why the file is left out, one sentence; NULL: it
                        * is not */
    int64_t loaded;    /* soundings loaded by this rank; 0 until then */
    int64_t cut_bytes; /* left out at the end of a truncated file */
};

/* The list, the same on every rank. File numbers are indices in it: files that are left
 * out keep theirs. */
struct list {
    int64_t n;
    int64_t bytes; /* of all files that are not left out */
    struct list_file *file;
};

/* **Collective** on `comm`; the arguments count on rank 0 only. Makes *l of `files`,
 * then of the files in `lists`, in order; list_close frees it. Rank 0 alone reads lists
 * and checks files; the others receive the result.
 *
 * A list has one path per line, relative to the list's own directory; blank lines and
 * those that begin with # are skipped. A line "path format weight" is MB-System's:
 * format 121 is GSF, a negative one is another list; the weight is optional. "R:"
 * before a path, $RAW and $NOPROCESSED mean that the named files themselves are read,
 * which they always are. "P:" and $PROCESSED, which mean a file of another name that
 * MB-System may have made, are refused, and so are other formats and other words with
 * $.
 *
 * Returns 0, or -errno with a sentence, the same on every rank: a list that cannot be
 * read, with the number of its line; a list that is named twice, or in a circle; lists
 * more than LIST_DEPTH_MAX deep; a file that is inaccessible or not regular (with
 * `skip_bad` it is marked bad); one file named twice, by whatever paths, and a copy of
 * another, as their soundings would count twice; no file at all. */
int list_open(struct list **l, MPI_Comm comm, const struct opt_rest *files,
              const struct opt_list *lists, bool skip_bad);
void list_close(struct list **l); /* Local. Sets *l to NULL; it may be NULL before. */

/* Local, to be called on every rank. Leaves file i out. `why` is copied; NULL:
 * the recorded failure (base/err.h), which is cleared. Returns 0, or -ENOMEM with
 * a sentence. */
enum { LIST_WHY = 1088 }; /* bytes of a sentence with its terminator */
int list_mark_bad(struct list *l, int64_t i, const char *why);

/* Local. Deals the files to `ranks`: the longest first, each to the rank with the
 * fewest bytes so far. rank_of[i] becomes the rank of file i, -1 if it is left out. The
 * same on every rank. Returns 0, or -ENOMEM with a sentence. */
int list_deal(const struct list *l, int ranks, int *rank_of);

#endif
