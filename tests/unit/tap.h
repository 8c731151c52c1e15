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

/* These are at hand in each test. */
#include "base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* **Collective** with mpi != 0, as are all below but tap_diag. Starts MPI where
 * it is not yet started (who started it ends it), and makes the first point:
 * the world is as large as the launcher promised in LEADLINE_RANKS. Without mpi
 * nothing here calls MPI. */
void tap_start(int *argc, char ***argv, int mpi);

/* Makes a point, which holds if `cond` is true on every rank. Rank 0 prints it, with
 * its own text; after a failure, with the lowest rank on which it failed. */
void tap_ok(int cond, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Notes a point that could not be tried, and why. */
void tap_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Local. Prints a remark for the log, on stderr, from the rank that calls. */
void tap_diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the plan, and ends MPI if tap_start began it. Returns main's status: 0 if all
 * points hold and there is at least one. */
int tap_end(void);

/* Local. Returns "DIR/name" in `out`, which holds TAP_PATH bytes. DIR is this run's own
 * directory: tests/run makes it, and fails a test that leaves anything in it. */
#define TAP_PATH 1024
char *tap_path(char *out, const char *name);

/* Local. Writes a text into a file, which may exist; ends the test if it cannot. */
void tap_put(const char *path, const char *text);

/* Local. True if that is all that the file contains. */
bool tap_holds(const char *path, const char *text);

/* Local. True if `code` was returned, and the error recorded with it has `part` in its
 * sentence; else prints what it has. Forgets the error. */
bool tap_refused(int rc, int code, const char *part);

/* Local. Runs body(arg) in a child process, which ends with its result, and collects
 * the start of its output on stdout and stderr. Returns the status of waitpid(2). Not
 * after MPI has started. */
int tap_child(int (*body)(void *arg), void *arg, char *out, int size);

#endif
