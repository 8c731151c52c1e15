/* TAP for unit tests, serial and MPI. A test's first line names its rank counts
 * for tests/run: "ranks: 1 2 4" or "ranks: 64; limit: 300", in a C comment;
 * without that line it is run once, without a launcher.
 *
 *     int main(int argc, char **argv)
 *     {
 *         tap_start(&argc, &argv, 1);
 *         tap_ok(2 + 2 == 4, "two and two are %d", 4);
 *         return tap_end();
 *     }
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

/* **Collective** with mpi != 0, as are all below but tap_diag. Starts MPI where
 * it is not yet started (who started it ends it), and makes the first point:
 * the world is as large as the launcher promised in LEADLINE_RANKS. Without mpi
 * nothing here calls MPI. */
void tap_start(int *argc, char ***argv, int mpi);

/* A point, which holds where `cond` is true on every rank. Rank 0 prints it, with
 * its own text; where it fails, with the lowest rank on which it did. */
void tap_ok(int cond, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A point that could not be tried here, and why. */
void tap_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Local. A remark for the log, on stderr, from the rank that calls. */
void tap_diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the plan, ends MPI where tap_start began it. Returns main's status: 0
 * where all points hold and there is at least one. */
int tap_end(void);

/* Local. "DIR/name", where DIR is this run's own directory: tests/run makes it,
 * and fails the test that leaves anything in it. `out` holds TAP_PATH bytes;
 * returns `out`. */
#define TAP_PATH 1024
char *tap_path(char *out, const char *name);

/* Local. Runs body(arg) in a child process, which ends with what it returns, and
 * collects the start of what it writes to stdout and stderr. Returns the status
 * of waitpid(2). Not after MPI has started. */
int tap_child(int (*body)(void *arg), void *arg, char *out, int size);

#endif
