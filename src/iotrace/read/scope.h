/* The files in scope, unless all are asked for: none of the kernel and of the system,
 * and no pipes. */
#ifndef IOTRACE_READ_SCOPE_H
#define IOTRACE_READ_SCOPE_H

/* Reasons for leaving an event out of scope. */
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

/* Local. Judges a file by its name alone: FOLD_NONE, or the kind of the file. */
enum fold file_fold(const char *name);

#endif
