/* All outputs of a lane in one file, a container, with an index at its end:
 *
 *   LEXC001\n                             8 bytes
 *   the files, one right after another
 *   OFFSET BYTES LABEL\n                  a line for each of them, in their order
 *   LEXC-END index OFFSET files N\n       64 bytes, numbers of 20 digits
 *
 * So a module reads one file and writes another, in transfers of CONTAINER_SLOT bytes,
 * however many documents there are. A container is written once and never changed.
 *
 * Memory: two slots, and the index, O(files of the lane). */
#ifndef OUTCORE_TEXT_CONTAINER_H
#define OUTCORE_TEXT_CONTAINER_H

#include "outcore/text/grow.h"
#include "run/set.h"

#define CONTAINER_SLOT (1 << 20)

struct container_writer;
struct container_reader;

/* Local, of a lane, in a phase. The container of this lane and generation m in the
 * folder of the set is made. Failures of all calls are kept in the run; then they do
 * nothing. */
void text_container_make(struct container_writer **w, struct run_set *s, struct run *r,
                         int m);
void text_container_put(struct container_writer *w, const char *label,
                        const struct text_out *file);

/* Local. Index and end are written; *bytes are those of the whole. Returns how many of
 * them are not of files. *w becomes NULL. */
int64_t text_container_end(struct container_writer **w, int64_t *bytes);

/* Local. Opens the container of generation m, of so many bytes, and reads its index. */
void text_container_open(struct container_reader **c, struct run_set *s, struct run *r,
                         int m, int64_t bytes);

/* Local. The next file, which must have this label and size. */
void text_container_get(struct container_reader *c, const char *label, int64_t bytes,
                        struct text_out *file);

/* Local. Closes it, and removes it. Returns how many bytes that are not of files were
 * read. *c becomes NULL. */
int64_t text_container_close(struct container_reader **c, bool remove);

#endif
