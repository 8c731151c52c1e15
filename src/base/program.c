#include "base/program.h"
#include "base/err.h"
#include "base/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens /dev/null in the wrong direction: writing to a missing standard output is then
 * an error, and not lost silently. */
void program_begin(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
    scratch_outlive_limit();
}

int program_output(void)
{
    bool lost = ferror(stdout);
    errno = 0;
    lost |= fflush(stdout) != 0;
    int why = errno;
    clearerr(stdout);
    /* it failed earlier: find the reason */
    if (lost && !why && write(STDOUT_FILENO, "\n", 1) < 0)
        why = errno;
    /* NFS and quotas report some failures at a close only. Standard output itself stays
     * open, for MPI libraries print, too. */
    int copy = dup(STDOUT_FILENO);
    if (copy >= 0 && close(copy) && !lost) {
        lost = true;
        why = errno;
    }
    if (!lost)
        return 0;
    return err_set(-(why ? why : EIO), NULL, -1,
                   "standard output cannot be written%s%s: what was to be printed is "
                   "not all there, and what was written to files is",
                   why ? ": " : "", why ? strerror(why) : "");
}

int program_end(const char *name, int status)
{
    if (status == EXIT_GOOD)
        err_clear();
    bool said = err_get()->code; /* one sentence is enough */
    if (!program_output())
        return status;
    if (!said)
        err_print(stderr, name, err_get());
    return status == EXIT_GOOD ? EXIT_FAILED : status;
}
