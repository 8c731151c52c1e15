/* An open file as the parts of libldad see it, and what they ask each other. */
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

#define LIBLDAD_REQUEST_MOST (INT64_C(1) << 30) /* longer ones are several */

enum { LIBLDAD_VALUE = 1024, LIBLDAD_HINTS = 64 };

/* A transfer that is asked for. */
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

/* What of a file its view shows, and where the next transfer without an offset goes. */
struct libldad_view {
    int64_t displacement; /* bytes */
    int64_t unit;         /* bytes of an etype, which offsets count */
    int64_t position;     /* in units */
    MPI_Datatype etype, filetype;
    bool own_etype, own_filetype; /* duplicates, to be freed */
    struct types *file;           /* the filetype */
};

struct ldad_open_file {
    MPI_Comm comm; /* a duplicate: the program may free its own */
    char *path;
    int amode, flags;
    uint64_t id;     /* of this open, the same on all ranks */
    bool collective; /* transfers are */
    bool plain;      /* there is one ordinary file of that path */
    bool partitioned;
    bool auto_plan;        /* the first view may make a plan */
    int64_t known;         /* the file has been so long when it was asked last */
    struct io_file *io;    /* one file of all ranks, or a container; NULL: */
    struct unique *unique; /* a file for each */
    struct libldad_view view;
    bool holes;    /* with collective transfers: some rank's view has gaps */
    char *bounce;  /* memory for what has gaps; NULL: not needed yet */
    MPI_Info info; /* keys in force */
    MPI_Errhandler handler;
    int lock; /* descriptor of the file that is locked, for atomicity; -1 */
    bool atomic;
    int pointer; /* descriptor of the shared pointer's file; -1: not open yet */
    struct {     /* a split collective call that was begun */
        bool begun;
        struct libldad_ask ask;
        int64_t moved;
        int code;
    } split;
    int number;                  /* in Fortran */
    struct ldad_open_file *next; /* of all that are open */
};

/* ---- errors.c -------------------------------------------------------------------- */

/* Local. The class of a failure, 0 or -errno. */
int libldad_class(int rc);

/* Local. The class that a call returns is that of its own failure, and the sentence for
 * the program that of the first: between these two, there was none before. `fh` may be
 * NULL: no file is open. Calls the error handler. */
struct err libldad_enter(void);
int libldad_leave(ldad_file fh, const struct err *before, int rc);

/* Local. Calls the error handler of a file, NULL: that of files that are not open,
 * where `code` is one; returns it. */
int libldad_raise(ldad_file fh, int code);

/* Local. Whether `fh` is an open file; if not, *code is what the call returns. */
bool libldad_is_open(ldad_file fh, int *code);

/* Local. A file has come, or goes. */
void libldad_enlist(ldad_file fh);
void libldad_delist(ldad_file fh);

/* ---- info.c ---------------------------------------------------------------------- */

struct libldad_method {
    const char *name;
    const char *engine; /* unless ldad_engine names another; of the partitions */
    bool collective, unique, partitioned, plain;
    const char *const *hints; /* keys and values, ended by NULL */
};

/* What the keys of an MPI_Info, and those in the environment, ask for. */
struct libldad_wish {
    const struct libldad_method *method;
    char engine[LIBLDAD_VALUE], plan[LIBLDAD_VALUE], plan_file[LIBLDAD_VALUE];
    char node_dirs[LIBLDAD_VALUE];
    struct ldad_plan parsed; /* ranks 0: there is none */
    double timeout_s;
    bool scratch, collective, keep_plan, refuse_plan, no_auto, strict, no_sums,
        no_write_back;
    bool planned;  /* by the program, with ldad_file_open_plan */
    bool as_it_is; /* the environment said partitioned: what is no container is read */
    struct io_hint hint[LIBLDAD_HINTS];
    int hints;
};

/* Local. `plan` is what the program has worked out itself; NULL: it is all in the info.
 * 0 or -errno with a sentence. */
int libldad_take_info(struct libldad_wish *w, MPI_Info info, const char *plan);

/* Local. The method is to be the plain one after all. */
void libldad_take_plain(struct libldad_wish *w);

/* Local. The keys in force, of an open file. */
MPI_Info libldad_info_of(const struct libldad_wish *w, const struct io_file *io);

/* ---- transfer.c ------------------------------------------------------------------ */

/* Local, or **Collective** where it is for `all`. Moves bytes from data byte `first` of
 * the view on; *moved of them, also where it fails. 0 or -errno with a sentence. */
int libldad_move(ldad_file fh, const struct libldad_ask *a, const struct types *memory,
                 int64_t first, int64_t *moved);

/* Local, or **Collective** with a->all. Checks, finds the offset, moves, and moves
 * pointers on. 0 or -errno with a sentence. */
int libldad_transfer(ldad_file fh, const struct libldad_ask *a, int64_t *moved);

void libldad_set_status(MPI_Status *status, int64_t moved);

/* The same; sets the status, calls the error handler, and returns the class. */
int libldad_report(ldad_file fh, const struct libldad_ask *a, MPI_Status *status);

/* Local. How long the file is, now. 0 or -errno with a sentence. */
int libldad_size(ldad_file fh, int64_t *bytes);

/* ---- view.c ---------------------------------------------------------------------- */

int libldad_view_reset(struct libldad_view *v); /* bytes from 0 on */
void libldad_view_free(struct libldad_view *v);

/* Local. The end of the file in etypes of the view. */
int libldad_end(ldad_file fh, int64_t *etypes);

/* ---- lock.c ---------------------------------------------------------------------- */

/* Local. Adds to the shared pointer, in etypes, and tells what it was. */
int libldad_pointer_add(ldad_file fh, int64_t etypes, int64_t *was);
int libldad_pointer_set(ldad_file fh, int64_t etypes);

/* **Collective.** Each rank's turn after the ranks before it: where its own begins. */
int libldad_pointer_turn(ldad_file fh, int64_t etypes, int64_t *first);

/* Local. It was never used: nothing to do. `last`: and removes its file. */
int libldad_pointer_reset(ldad_file fh);
void libldad_pointer_close(ldad_file fh, bool last);

/* Local. In atomic mode, keeps [begin, end) of the file to this rank, or shares it with
 * readers, until it is let go. 0 or -errno with a sentence. */
int libldad_lock(ldad_file fh, enum io_op op, int64_t begin, int64_t end);
void libldad_unlock(ldad_file fh, int64_t begin, int64_t end);

/* ---- plan_types.c ---------------------------------------------------------------- */

/* **Collective.** The first view of a container without a plan makes one, where the
 * ranks' views lie apart. 0 or -errno with a sentence, agreed. */
int libldad_plan_by_view(ldad_file fh);

#endif
