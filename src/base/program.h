/* What every program does first and last. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

/* Local; once more does no harm. Before anything is opened: makes sure that there are
 * descriptors 0, 1 and 2, for where one is closed, the next file that a program opens
 * would take its number, and the messages; and that a file size limit is an error like
 * a full disk (base/scratch.h). */
void program_begin(void);

/* Local. At the end of all output: 0, or -errno with a sentence where what was printed
 * to standard output is not all there (a full disk, a closed descriptor). Told once. */
int program_output(void);

/* Local. The last thing that a program without MPI does, to return what it returns:
 * `status`, or, after a sentence that begins with `name`, EXIT_FAILED where it was good
 * and standard output is not all there. */
int program_end(const char *name, int status);

#endif
