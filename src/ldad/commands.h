/* The commands: each takes its own argv ("info", ...) and returns an exit status. A new
 * one needs a function and a line in main.c's table. */
#ifndef LDAD_COMMANDS_H
#define LDAD_COMMANDS_H

#include "base/program.h"
#include "io/io.h"
#include "io/part/container.h"
#include "world/world.h"
#include <stdbool.h>
#include <stdio.h>

int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_flatten(int argc, char **argv);
int command_cat(int argc, char **argv);
int command_recover(int argc, char **argv);
int command_relocate(int argc, char **argv);
int command_mount(int argc, char **argv);
int command_rm(int argc, char **argv);

/* Entries of option tables: the container, and an option of commands that read its
 * bytes. */
/* clang-format off */
#define COMMAND_CONTAINER(path) \
    {OPT_TEXT, "CONTAINER", .value = &(path), .required = true, \
     .help = "a container: the directory that FILETYPE=PARTITIONED made"}
#define COMMAND_INCOMPLETE(flag) \
    {OPT_FLAG, "incomplete", .value = &(flag), .preset = "no", \
     .help = "accept an incomplete container: missing data is written as zeros, " \
             "and the exit status is 1", \
     .text = "Also take a container that was never completed, or whose partitions " \
             "are missing or cut off; zeros stand for missing bytes. Without " \
             "_shared.map_, the bytes of the partitions stand for those of the " \
             "shared part. Missing parts are named on standard error, and the exit " \
             "status is 1."}
/* clang-format on */

/* Local. Prints the recorded failure if rc is one; returns the exit status. */
int command_verdict(int rc);

/* Local. Reads a container and keeps others from writing it until *lock is closed (-1:
 * the file system has no locks). Returns 0, or -errno with a sentence and nothing to
 * free. */
int command_lock(struct container *c, const char *path, int *lock);

/* Local. Prints on `out`, one a line, the parts of a container that are missing:
 * partitions that cannot be opened, or are too short; a header that is not complete.
 * Returns the number of lines. */
int parts_missing(const struct container *c, const char *path, FILE *out);

/* Local. Returns the bytes that partition r has on disk; -1: it cannot be opened, with
 * errno. */
int64_t parts_bytes(const struct container *c, const char *path, int64_t r);

/* **Collective** on `comm`. Opens a container for reading; `incomplete`: accepts
 * missing bytes and reads them as zeros. max_request: bytes. */
int parts_open(struct io_file **f, MPI_Comm comm, const char *path, bool incomplete,
               int64_t max_request);

/* ---- ldad mount ------------------------------------------------------------------ */

struct mount {
    const char *source; /* absolute path of a folder, or of one container */
    /* the name of the container if nothing else is shown, else NULL */
    const char *only;
    const char *point; /* absolute */
    bool foreground, others;
};

/* Local. Serves until it is unmounted; if not in the foreground, returns when it is
 * mounted, in the process that was started. Returns 0 or -errno with a sentence. */
int mount_serve(const struct mount *m);

#endif
