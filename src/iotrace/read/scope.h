/* Which files are in scope, unless all are asked for: not those of the kernel and of
 * the system, and no pipes. */
#ifndef IOTRACE_READ_SCOPE_H
#define IOTRACE_READ_SCOPE_H

/* Why an event is not in scope. */
enum fold {
    FOLD_NONE,
    FOLD_PROCESS,
    FOLD_INIT,
    FOLD_KERNEL,
    FOLD_PIPE,
    FOLD_MEMORY,
    FOLD_SYSTEM,
    FOLDS
};
extern const char *const fold_name[FOLDS];

/* Local. By its name alone: FOLD_NONE, or which kind of file it is. */
enum fold file_fold(const char *name);

#endif
