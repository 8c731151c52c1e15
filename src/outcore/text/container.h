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

#include "outcore/text/work.h"
#include "run/set.h"

#define CONTAINER_SLOT (1 << 20)

struct container_writer;
struct container_reader;

/* Local, by a lane, in a phase. Makes the container of this lane and generation m in
 * the folder of the set; text_container_put() adds a file to it. All calls keep
 * failures in the run; after one they do nothing. */
void text_container_make(struct container_writer **w, struct run_set *s, struct run *r,
                         int m);
void text_container_put(struct container_writer *w, const char *label,
                        const struct text_out *file);

/* Local. Writes the index and the end; *bytes is the size of the whole file. Returns
 * how many of these bytes are not of files. *w becomes NULL. */
int64_t text_container_end(struct container_writer **w, int64_t *bytes);

/* Local. Opens the container of generation m, of so many bytes, and reads its index. */
void text_container_open(struct container_reader **c, struct run_set *s, struct run *r,
                         int m, int64_t bytes);

/* Local. Reads the next file, which must have this label and size. */
void text_container_get(struct container_reader *c, const char *label, int64_t bytes,
                        struct text_out *file);

/* Local. Closes the container; removes it, too, with `remove`. Returns how many bytes
 * that are not of files were read. *c becomes NULL. */
int64_t text_container_close(struct container_reader **c, bool remove);

#endif
