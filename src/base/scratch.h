/* The paths that this process has created and must remove, files and directories: a
 * list that signal handlers, the watchdog and error paths may walk at any time. It has
 * no limit; a forgotten path makes room for another. Several threads may make and
 * remove files at the same time.
 *
 * A directory may be remembered with its content (scratch_create_tree): then files
 * directly in it have no entries, and count as made by this run, however many there
 * are.
 *
 * It also decides the effect of signals on a program. Those that end a run (Ctrl-C, a
 * batch system's, a pipe without a reader) remove its files and print a sentence;
 * exceeding a file size limit is a failed write. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Local. Makes `path` absolute, so that neither a chdir changes its meaning, nor a
 * colon in it (MPI libraries take the text before one for the kind of file system).
 * Returns 0, or -errno: -ENAMETOOLONG, or there is no working directory. */
int scratch_absolute(char out[PATH_MAX], const char *path);

/* Local. Remembers `path` (made absolute). Returns 0, or -ENOMEM / -ENAMETOOLONG
 * with a sentence: then nothing may be created. Call it before creating. */
int scratch_add(const char *path);

/* Local. Creates `path`, which must not exist, open for writing as *fd, and remembers
 * it; no signal comes between the two. Returns 0, or -errno with a sentence. */
int scratch_create(const char *path, int *fd);

/* Local. The same by mknod(2), with a read-only descriptor: Lustre gives such a file
 * its stripes when they are set, or when it is opened for writing. */
int scratch_create_bare(const char *path, int *fd);

/* Local. Creates a file beside `path`, open for writing as *fd, which is to replace it
 * by a rename; `beside` is its name until then, which was free. It is remembered, and
 * signals remove it, whatever handler catches them. Returns 0, or -errno, mostly
 * without a sentence; then `beside` is "". */
int scratch_create_beside(const char *path, char beside[PATH_MAX], int *fd);

/* Local. Syncs the names in a directory. Returns 0, or -errno without a sentence; some
 * file systems cannot do it, and need not. */
int scratch_sync_folder(const char *path);

/* Local. Creates the directory `path`, in the same way. */
int scratch_create_folder(const char *path);

/* Local. Creates the directory `path`, in the same way, and remembers it with
 * everything that is made in it, by whomever: its removal removes that, too. Links are
 * not followed, and no other file system is entered. *fd: its descriptor, which the
 * list owns. */
int scratch_create_tree(const char *path, int *fd);

/* Local. The same for a directory that another process of this run has created so. */
int scratch_add_tree(const char *path, int *fd);

/* Local. The descriptor of such a directory; -1: `path` is none. */
int scratch_tree(const char *path);

/* Local. Bracket code that makes a file in such a directory: the removal at the run's
 * end waits for it. scratch_begin returns 0, or -EINTR with a sentence if the run is
 * ending; then nothing may be made, and scratch_end is not called. */
int scratch_begin(const char *path);
void scratch_end(void);

/* Local. Returns a descriptor, for reading and writing, of a new file without a name in
 * the directory `dir`, or -errno. If the file system cannot do that, the file has a
 * name for a moment in which signals wait. */
int scratch_nameless(const char *dir);

/* Local. Calls open(2) with `how` on an existing file. If the run made it, a link is
 * refused; if it is in a directory remembered with its content, it is opened relative
 * to that directory's descriptor. Returns the descriptor, or -1 with errno. */
int scratch_open(const char *path, int how);

/* Local. Makes `path` belong to `folder`, both remembered, wherever it lies: it is
 * forgotten with it, and removed before it. */
void scratch_belongs(const char *path, const char *folder);

/* Local. Removes what belongs to `folder`, but not the directory itself. Errors
 * as below. */
int scratch_empty(const char *folder);

/* Local. Forgets `path` without touching it: it is removed, or is to be kept. */
void scratch_forget(const char *path);

/* Local. Removes `path` if this process made it (scratch_made), and what belongs to it,
 * and forgets them; never touches other files. Returns 0, or -errno with a sentence. */
int scratch_remove(const char *path);

/* Local. True if `path` is remembered, or directly in a directory that is remembered
 * with its content. */
bool scratch_made(const char *path);

/* Local. If `path` is remembered, checks that it is still the file of the first look,
 * and no link; `st` is its status by descriptor (NULL: lstat is called). Returns 0, or
 * -errno (-ESTALE) with a sentence: somebody has put another file there. */
int scratch_check(const char *path, const struct stat *st);

/* Local; async-signal-safe. Unlinks everything remembered; directories last, those
 * remembered with their content together with it. */
void scratch_unlink_all(void);

/* Local; async-signal-safe. Limits the time of removals, which hang if the file system
 * does: until it is called with false, the process has some seconds to end by itself;
 * then SIGALRM ends it, leaving files. Meanwhile no thread makes files. */
void scratch_bound(bool on);

/* Local. Makes SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGXCPU, SIGUSR2 and SIGPIPE remove
 * the files, write one sentence that starts with `program` (NULL: no sentence, for all
 * ranks but one), and end the process by the same signal. An ignored SIGHUP or SIGPIPE
 * stays ignored. */
void scratch_catch_signals(const char *program);

/* The other processes of a run, for a process that a signal ends. All functions must
 * be async-signal-safe. */
struct scratch_others {
    /* Called first with gone false, and repeatedly with true after this process's files
     * are removed. True if another is still about to remove its own. Takes some seconds
     * at most. */
    bool (*busy)(bool gone);
    void (*warn)(int sig); /* once: sends the signal to those that have not got one */
    bool (*failed)(void);  /* another process has found that the run failed, and has
                            * reported it */
};

/* Local. Sets the processes to ask; NULL: none. A run that failed ends with EXIT_FAILED
 * and no further sentence, all others by the signal. */
void scratch_wait_for(const struct scratch_others *others);

/* Local. Makes a write beyond the file size limit (ulimit -f) fail with EFBIG instead
 * of ending the process by SIGXFSZ. */
void scratch_outlive_limit(void);

/* Local. True if such a signal has come: the process is about to end. */
bool scratch_ending(void);

/* Local. With `on`, the first SIGINT, SIGTERM, SIGHUP, SIGXCPU or SIGUSR2 only asks the
 * program to end in good order, with a sentence; scratch_asked is then true. A second
 * one ends it as ever. */
void scratch_ask_first(bool on);
bool scratch_asked(void);

/* ---- a directory made empty ------------------------------------------------------ */

/* Local; async-signal-safe: no heap, no locks. Removes the content of the directory
 * `fd`, and of its subdirectories. It works by descriptors: links are removed,
 * their targets are not, nor is another file system that is mounted there. Files
 * that others remove meanwhile are no failure. Returns 0, or -errno of what could
 * not be removed. */
int empty_folder(int fd);

#endif
