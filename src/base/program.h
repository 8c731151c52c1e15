/* The first and last steps of every program. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

/* Local; may be repeated. Before anything is opened: opens descriptors 0, 1 and
 * 2 if they are closed (else the next file opened would get their number, and
 * the messages), and makes exceeding the file size limit an error like a full
 * disk (base/scratch.h). */
void program_begin(void);

/* Local. At the end of all output: returns 0, or -errno with a sentence if standard
 * output is incomplete (a full disk, a closed descriptor). Reported once. */
int program_output(void);

/* Local. The last call of a program without MPI. Returns `status`; but if it is good
 * and standard output is incomplete, prints a sentence that begins with `name` and
 * returns EXIT_FAILED. */
int program_end(const char *name, int status);

#endif
