/* The paths this process created and owes the removal of, files and folders for
 * them: a list that signal handlers, the watchdog and error paths may walk at any
 * time. It has no limit; a path that is forgotten makes room for another. Several
 * threads may make and remove files at once.
 *
 * A folder may be remembered with all that is in it (scratch_create_tree): then files
 * directly in it have no entry, and count as made by this run, however many they are.
 *
 * And what signals do to a program, in one place. Those that end a run (Ctrl-C, a batch
 * system's, a pipe that nobody reads) remove its files and say so; a file size limit is
 * a failed write. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Local. `path` as an absolute one, so that a chdir does not change what it means, nor
 * a colon in it (MPI libraries take what is before one for the kind of file system). 0,
 * or -errno: -ENAMETOOLONG, or there is no working directory. */
int scratch_absolute(char out[PATH_MAX], const char *path);

/* Local. Remembers `path` (made absolute). Returns 0, or -ENOMEM / -ENAMETOOLONG
 * with a sentence: then nothing may be created. Call it before creating. */
int scratch_add(const char *path);

/* Local. Creates `path`, which must not exist, open for writing as *fd, and remembers
 * it; no signal comes between the two. Returns 0, or -errno with a sentence. */
int scratch_create(const char *path, int *fd);

/* Local. The same by mknod(2), and open to be read only: Lustre gives such a file its
 * stripes when they are set, or when it is opened to be written. */
int scratch_create_bare(const char *path, int *fd);

/* Local. Creates, open for writing as *fd, a file beside `path`, which is to get that
 * name by a rename: `beside` is its own name until then, which was free. It is
 * remembered, and signals remove it, whoever catches them. 0, or -errno, mostly without
 * a sentence; then `beside` is "". */
int scratch_create_beside(const char *path, char beside[PATH_MAX], int *fd);

/* Local. Makes the names in a folder durable. 0, or -errno without a sentence; some
 * file systems cannot, and need not. */
int scratch_sync_folder(const char *path);

/* Local. Creates the folder `path`, in the same way. */
int scratch_create_folder(const char *path);

/* Local. Creates the folder `path`, in the same way, and remembers it with all that is
 * ever made in it, by whomever: it goes with the folder. No links are followed, and no
 * other file system is entered. *fd: its descriptor, which stays that of the list. */
int scratch_create_tree(const char *path, int *fd);

/* Local. The same of a folder that another process of this run has created so. */
int scratch_add_tree(const char *path, int *fd);

/* Local. The descriptor of such a folder; -1: `path` is none. */
int scratch_tree(const char *path);

/* Local. Around what makes something in such a folder: who removes it at the run's end
 * waits for it. scratch_begin: 0, or -EINTR with a sentence where the run is ended
 * already; then there is no scratch_end, and nothing may be made. */
int scratch_begin(const char *path);
void scratch_end(void);

/* Local. A descriptor of a new file without a name in the folder `dir`, to read and
 * write, or -errno. Where the file system makes none, one that has a name for a moment
 * in which no signal ends the run. */
int scratch_nameless(const char *dir);

/* Local. open(2) with `how`, for what is there: where the run made it, it is no link,
 * and where it is in a folder with all in it, it is found by that one's descriptor. The
 * descriptor, or -1 with errno. */
int scratch_open(const char *path, int how);

/* Local. `path`, which is remembered, is of `folder`, which is, too, wherever it lies:
 * forgotten with it, and removed before it. */
void scratch_belongs(const char *path, const char *folder);

/* Local. Removes what belongs to `folder`, but not the folder. Errors as below. */
int scratch_empty(const char *folder);

/* Local. Forgets `path` without touching it: it is removed, or is to be kept. */
void scratch_forget(const char *path);

/* Local. Removes `path` if it was made (scratch_made), and what belongs to it, and
 * forgets them; never touches a file that this process did not create. Returns 0, or
 * -errno with a sentence. */
int scratch_remove(const char *path);

/* Local. Whether `path` is remembered, or directly in a folder that is with all in
 * it. */
bool scratch_made(const char *path);

/* Local. Where `path` is remembered: that `st` (of its descriptor; NULL: lstat is
 * asked) is of the file that was there when it was first looked at, and of no link. 0,
 * or -errno (-ESTALE) with a sentence: somebody has put something else there. */
int scratch_check(const char *path, const struct stat *st);

/* Local; async-signal-safe. Unlinks what is remembered; folders last, and with all in
 * them where they are remembered so. */
void scratch_unlink_all(void);

/* Local; async-signal-safe. Where the file system hangs, removing hangs, too: until
 * this is taken back, the process has seconds to end by itself; then SIGALRM ends it,
 * and leaves files. Meanwhile no thread makes any. */
void scratch_bound(bool on);

/* Local. From now on SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGXCPU, SIGUSR2 and SIGPIPE
 * remove the files, write one sentence that starts with `program` (NULL: no sentence,
 * for all ranks but one), and end the process by the same signal; where SIGHUP or
 * SIGPIPE is ignored, it stays so. */
void scratch_catch_signals(const char *program);

/* The other processes of a run, for whoever a signal ends. All of it must be
 * async-signal-safe. */
struct scratch_others {
    /* First with gone false, and once this one's files are gone again and again with
     * true: whether another is still about to remove its own. Seconds at most. */
    bool (*busy)(bool gone);
    void (*warn)(int sig); /* once: those who have no signal yet get this one */
    bool (*failed)(void);  /* another has found that the run failed, and has said so */
};

/* Local. From now on they are asked; NULL: nobody is. What failed ends with the status
 * EXIT_FAILED and no further sentence, everything else by the signal. */
void scratch_wait_for(const struct scratch_others *others);

/* Local. From now on a write beyond the file size limit (ulimit -f) fails with EFBIG,
 * and does not end the process by SIGXFSZ. */
void scratch_outlive_limit(void);

/* Local. Whether such a signal has come: the process ends in a moment. */
bool scratch_ending(void);

#endif
