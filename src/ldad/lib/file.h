/* An open file as the parts of libldad see it, and the functions that they share. */
#ifndef LDAD_LIB_FILE_H
#define LDAD_LIB_FILE_H

#include "base/err.h"
#include "io/io.h"
#include "ldad/lib/types.h"
#include "ldad/lib/unique.h"
#include "world/world.h"
#include <ldad.h>
#include <stdbool.h>
#include <stdint.h>

#define LIBLDAD_REQUEST_MOST (INT64_C(1) << 30) /* longer requests are split */

enum { LIBLDAD_VALUE = 1024, LIBLDAD_HINTS = 64 };

/* A transfer that a program asks for. */
enum libldad_where { AT_OFFSET, AT_OWN_POINTER, AT_SHARED_POINTER, IN_ORDER };

struct libldad_ask {
    enum io_op op;
    enum libldad_where where;
    bool all;          /* a collective call */
    MPI_Offset offset; /* AT_OFFSET: in etypes */
    void *buf;
    int64_t count;
    MPI_Datatype type;
};

/* The part of a file that its view shows, and the place of the next transfer without an
 * offset. */
struct libldad_view {
    int64_t displacement; /* bytes */
    int64_t unit;         /* bytes of an etype, the unit of offsets */
    int64_t position;     /* in units */
    MPI_Datatype etype, filetype;
    bool own_etype, own_filetype; /* duplicates, to be freed */
    struct types *file;           /* the filetype */
};

struct ldad_open_file {
    MPI_Comm comm; /* a duplicate: the program may free its own */
    char *path;
    int amode, flags;
    uint64_t id;     /* number of this open, the same on all ranks */
    bool collective; /* transfers are collective */
    bool plain;      /* an ordinary file has that path */
    bool partitioned;
    bool auto_plan;        /* the first view may make a plan */
    int64_t known;         /* the file's length when it was last read */
    struct io_file *io;    /* one file of all ranks, or a container; NULL: see unique */
    struct unique *unique; /* one file for each rank */
    struct libldad_view view;
    bool holes;    /* with collective transfers: some rank's view has gaps */
    char *bounce;  /* memory for data with gaps; NULL: not needed yet */
    MPI_Info info; /* keys in force */
    MPI_Errhandler handler;
    int lock; /* descriptor of the locked file, for atomic mode; -1: none */
    bool atomic;
    int pointer; /* descriptor of the shared pointer's file; -1: not open yet */
    struct {     /* a split collective call in progress */
        bool begun;
        struct libldad_ask ask;
        int64_t moved;
        int code;
    } split;
    int number;                  /* its number in Fortran */
    struct ldad_open_file *next; /* list of all open files */
};

/* ---- errors.c -------------------------------------------------------------------- */

/* Local. Returns the class of a failure, 0 or -errno. */
int libldad_class(int rc);

/* Local. Bracket a call: it returns the class of its own failure, and the program's
 * sentence is that of its first failure; between the two, there is none from before.
 * `fh` NULL: no file is open. libldad_leave calls the error handler. */
struct err libldad_enter(void);
int libldad_leave(ldad_file fh, const struct err *before, int rc);

/* Local. Calls the error handler of a file (NULL: that of calls without an open file)
 * if `code` is an error; returns `code`. */
int libldad_raise(ldad_file fh, int code);

/* Local. True if `fh` is an open file; if not, *code is the result of the call. */
bool libldad_is_open(ldad_file fh, int *code);

/* Local. Add a file to the list, and remove it. */
void libldad_enlist(ldad_file fh);
void libldad_delist(ldad_file fh);

/* ---- info.c ---------------------------------------------------------------------- */

struct libldad_method {
    const char *name;
    const char *engine; /* engine if ldad_engine names no other; for partitions, too */
    bool collective, unique, partitioned, plain;
    const char *const *hints; /* keys and values, ended by NULL */
};

/* The wishes that the keys of an MPI_Info and of the environment express. */
struct libldad_wish {
    const struct libldad_method *method;
    char engine[LIBLDAD_VALUE], plan[LIBLDAD_VALUE], plan_file[LIBLDAD_VALUE];
    char node_dirs[LIBLDAD_VALUE];
    struct ldad_plan parsed; /* ranks 0: there is no plan */
    double timeout_s;
    bool scratch, collective, keep_plan, refuse_plan, no_auto, strict, no_sums,
        no_write_back;
    bool planned; /* the program gave the plan with ldad_file_open_plan */
    /* the environment says partitioned: files that are no containers are read */
    bool as_it_is;
    struct io_hint hint[LIBLDAD_HINTS];
    int hints;
};

/* Local. Reads the keys. `plan` is one that the program has made itself; NULL: it may
 * be in the info. Returns 0 or -errno with a sentence. */
int libldad_take_info(struct libldad_wish *w, MPI_Info info, const char *plan);

/* Local. Changes the method to the plain one after all. */
void libldad_take_plain(struct libldad_wish *w);

/* Local. Returns the keys in force for an open file. */
MPI_Info libldad_info_of(const struct libldad_wish *w, const struct io_file *io);

/* ---- transfer.c ------------------------------------------------------------------ */

/* Local, or **Collective** if a->all. Moves bytes from data byte `first` of the view
 * on; *moved is their number, also after a failure. Returns 0 or -errno with a
 * sentence. */
int libldad_move(ldad_file fh, const struct libldad_ask *a, const struct types *memory,
                 int64_t first, int64_t *moved);

/* Local, or **Collective** with a->all. Checks the request, finds the offset, moves the
 * bytes, and advances pointers. Returns 0 or -errno with a sentence. */
int libldad_transfer(ldad_file fh, const struct libldad_ask *a, int64_t *moved);

void libldad_set_status(MPI_Status *status, int64_t moved);

/* Does the same, sets the status, calls the error handler, and returns the class. */
int libldad_report(ldad_file fh, const struct libldad_ask *a, MPI_Status *status);

/* Local. Finds the current length of the file. Returns 0 or -errno with a sentence. */
int libldad_size(ldad_file fh, int64_t *bytes);

/* ---- view.c ---------------------------------------------------------------------- */

int libldad_view_reset(struct libldad_view *v); /* makes it bytes from 0 on */
void libldad_view_free(struct libldad_view *v);

/* Local. Finds the end of the file in etypes of the view. */
int libldad_end(ldad_file fh, int64_t *etypes);

/* ---- lock.c ---------------------------------------------------------------------- */

/* Local. Adds to the shared pointer, in etypes, and returns its old value in *was. */
int libldad_pointer_add(ldad_file fh, int64_t etypes, int64_t *was);
int libldad_pointer_set(ldad_file fh, int64_t etypes);

/* **Collective.** Advances the shared pointer for all ranks, in their order; *first is
 * the begin of this rank's part. */
int libldad_pointer_turn(ldad_file fh, int64_t etypes, int64_t *first);

/* Local. libldad_pointer_reset does nothing if the pointer was never used;
 * libldad_pointer_close with `last` also removes its file. */
int libldad_pointer_reset(ldad_file fh);
void libldad_pointer_close(ldad_file fh, bool last);

/* Local. In atomic mode, locks [begin, end) of the file for this rank, or shares it
 * with readers, until libldad_unlock. Returns 0 or -errno with a sentence. */
int libldad_lock(ldad_file fh, enum io_op op, int64_t begin, int64_t end);
void libldad_unlock(ldad_file fh, int64_t begin, int64_t end);

/* ---- plan_types.c ---------------------------------------------------------------- */

/* **Collective.** Makes the plan of a container without one from the first view, if the
 * ranks' views do not overlap. Returns 0 or -errno with a sentence, agreed. */
int libldad_plan_by_view(ldad_file fh);

#endif
