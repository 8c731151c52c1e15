/* One failure, one sentence.
 *
 * A function that fails returns -errno after recording the failure here. The first
 * failure of a process is kept (later ones are its consequences) until it is reported.
 * A sentence begins in lower case, names neither rank, file nor offset, which err_print
 * adds, and has no full stop: "cannot be opened: WHY". tests/lint/prose.py holds that.
 * world/world.h makes one verdict of all ranks' errors. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdint.h>
#include <stdio.h>

enum exit_status { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct err {
    int code;  /* 0: no failure, else -errno */
    int usage; /* 1: the user's input was at fault (exit status 2) */
    int rank;  /* rank that failed first; -1 until agreed */
    int lane;  /* lane of that rank that failed; -1: it has only one */
    char host[64];
    char file[512];  /* "": no file involved */
    int64_t offset;  /* bytes; -1: no offset involved */
    char text[1024]; /* the sentence, without rank, host, file and offset */
};

/* Local. Records a failure unless one is already recorded, and returns `code`
 * (-errno; 0 is turned into -EIO). `file` may be NULL, `offset` -1.
 * strerror(-code) is *not* added: put it into the sentence where it helps. */
int err_set(int code, const char *file, int64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Local. As err_set with -EINVAL, for input that the user must change. */
int err_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Local. As err_usage, for input from `file`, which the message names. */
int err_usage_of(const char *file, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Local. Attributes this thread's failures to a lane from now on; -1: to none. */
void err_lane(int lane);
int err_lane_now(void);

/* Local. The recorded failure (code 0: none), valid until the next err_ call, and only
 * while no other thread may fail; err_copy and err_put work at any time. */
const struct err *err_get(void);
struct err err_copy(void);
void err_put(const struct err *e); /* replaces the recorded failure */
void err_clear(void);

/* Local. Writes "program: sentence (rank 3 on n1, lane 2, file f, offset 4096)" to
 * `out`, one line, with only the parts that are known. */
void err_print(FILE *out, const char *program, const struct err *e);

/* Local. Tells on standard error what is no failure, in the same shape: "program:
 * warning: sentence (file f)". `kind` ("warning", "note") and `file` may be NULL. */
void err_tell(const char *program, const char *kind, const char *file, const char *fmt,
              ...) __attribute__((format(printf, 4, 5)));

/* Local. The exit status of a program after `e`. */
enum exit_status err_exit_status(const struct err *e);

#endif
