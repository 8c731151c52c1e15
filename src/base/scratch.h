/* The paths this process created and owes the removal of, files and folders for
 * them: a static table that signal handlers, the watchdog and error paths may walk
 * at any time. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <stdbool.h>

/* Local. Remembers `path` (made absolute). Returns 0, or -ENOSPC / -ENAMETOOLONG
 * with a sentence: then nothing may be created. Call it before creating. */
int scratch_add(const char *path);

/* Local. Creates `path`, which must not exist, open for writing as *fd, and remembers
 * it; no signal comes between the two. Returns 0, or -errno with a sentence. */
int scratch_create(const char *path, int *fd);

/* Local. Creates the folder `path`, in the same way. */
int scratch_create_folder(const char *path);

/* Local. `path`, which is remembered, is of `folder`, which is, too, wherever it lies:
 * forgotten with it, and removed before it. */
void scratch_belongs(const char *path, const char *folder);

/* Local. Removes what belongs to `folder`, but not the folder. Errors as below. */
int scratch_empty(const char *folder);

/* Local. Forgets `path` without touching it: it is removed, or is to be kept. */
void scratch_forget(const char *path);

/* Local. Removes `path` if it is remembered, and what belongs to it, and forgets them;
 * never touches a file that this process did not create. Returns 0, or -errno with a
 * sentence. */
int scratch_remove(const char *path);

/* Local; async-signal-safe. Unlinks what is remembered; folders last. */
void scratch_unlink_all(void);

/* Local; async-signal-safe. Where the file system hangs, removing hangs, too: until
 * this is taken back, the process has seconds to end by itself; then SIGALRM ends it,
 * and leaves files. */
void scratch_bound(bool on);

/* Local. From now on SIGINT, SIGTERM, SIGHUP, SIGXCPU and SIGUSR2 remove the
 * files, write one sentence that starts with `program` (NULL: no sentence, for
 * all ranks but one), and end the process by the same signal. */
void scratch_catch_signals(const char *program);

/* Local. Whether such a signal has come: the process ends in a moment. */
bool scratch_ending(void);

#endif
