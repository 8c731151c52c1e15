/* What libldad asks of a partitioned file beyond io.h. */
#ifndef IO_PART_PART_FILE_H
#define IO_PART_PART_FILE_H

#include "io/io.h"

/* **Collective**, of an open container that may be written. The logical file is `bytes`
 * long from now on: partitions and the shared part are cut where it ends. 0 or -errno
 * with a sentence, not agreed. */
int part_file_set_size(struct io_file *f, int64_t bytes);

/* **Collective.** The same file systems' room for the first `bytes`, as
 * posix_fallocate(3) gives it; the file is at least so long then. */
int part_file_allocate(struct io_file *f, int64_t bytes);

/* **Collective.** Partitions a container that has no plan yet, and at most
 * PART_PLAN_BYTES of data, which stay in the shared part; else, and where no map can be
 * made of the plan, nothing changes. 0 or -errno with a sentence, agreed. */
#define PART_PLAN_BYTES (INT64_C(1) << 20)
int part_file_plan(struct io_file *f, const struct ldad_plan *plan);

#endif
