/* A graph that an earlier run has stored and kept: its files are searched, and stay. */
#ifndef OUTCORE_GRAPH_STORED_H
#define OUTCORE_GRAPH_STORED_H

#include "outcore/graph/store.h"

/* Local. The path of this rank's file of s->kept.name, PIF or another one. A name that
 * is too long is cut, and then not found. */
void stored_path(const struct store *s, const char *which, char *path, size_t size);

/* **Collective**, in `plan`, with s->kept.name and the layout set. Reads both files'
 * heads, and sets s->vertices and s->kept. Returns the agreed verdict: -EIO with a
 * sentence if the heads do not belong to such files, of these sizes, from as many
 * ranks. Does not read beyond the heads. */
int stored_plan(struct store *s);

#endif
