/* Failures: classes, sentences and error handlers; and the list of open files. */
#include "ldad/lib/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int libldad_class(int rc)
{
    static const struct {
        int os, mpi;
    } table[] = {{ENOSPC, MPI_ERR_NO_SPACE},
                 {EDQUOT, MPI_ERR_QUOTA},
                 {EACCES, MPI_ERR_ACCESS},
                 {EPERM, MPI_ERR_ACCESS},
                 {EROFS, MPI_ERR_READ_ONLY},
                 {ENOENT, MPI_ERR_NO_SUCH_FILE},
                 {EEXIST, MPI_ERR_FILE_EXISTS},
                 {ENOMEM, MPI_ERR_NO_MEM},
                 {EINVAL, MPI_ERR_ARG},
                 {EOPNOTSUPP, MPI_ERR_UNSUPPORTED_OPERATION},
                 {EBADRQC, MPI_ERR_AMODE},
                 {EBUSY, MPI_ERR_FILE_IN_USE},
                 {ETXTBSY, MPI_ERR_FILE_IN_USE},
                 {ERANGE, MPI_ERR_COUNT},
                 {EILSEQ, MPI_ERR_UNSUPPORTED_DATAREP},
                 {EBADSLT, MPI_ERR_NOT_SAME},
                 {ENAMETOOLONG, MPI_ERR_BAD_FILE},
                 {EBADE, MPI_ERR_TYPE}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (rc == -table[i].os)
            return table[i].mpi;
    return rc ? MPI_ERR_IO : MPI_SUCCESS;
}

const char *ldad_file_error(void)
{
    static char text[2048];
    struct err e = *err_get();
    char where[600] = "", offset[48] = "";
    err_clear();
    if (!e.code)
        return "";
    if (e.file[0])
        snprintf(where, sizeof where, " (file %s", e.file);
    if (e.file[0] && e.offset >= 0)
        snprintf(offset, sizeof offset, ", offset %lld", (long long)e.offset);
    snprintf(text, sizeof text, "%s%s%s%s", e.text, where, offset,
             e.file[0] ? ")" : "");
    return text;
}

struct err libldad_enter(void)
{
    struct err before = *err_get();
    err_clear();
    return before;
}

int libldad_leave(ldad_file fh, const struct err *before, int rc)
{
    if (before->code)
        err_put(before);
    return libldad_raise(fh, libldad_class(rc));
}

/* ---- open files ------------------------------------------------------------------ */

static struct ldad_open_file *open_files;

/* The error handler of calls without an open file, which files inherit when they are
 * opened. It becomes MPI_ERRORS_RETURN when it is first needed, as that may be no
 * constant. */
static MPI_Errhandler of_no_file;
static bool of_no_file_is_set;

static MPI_Errhandler *handler_of(ldad_file fh)
{
    if (fh)
        return &fh->handler;
    if (!of_no_file_is_set)
        of_no_file = MPI_ERRORS_RETURN;
    of_no_file_is_set = true;
    return &of_no_file;
}

void libldad_enlist(ldad_file fh)
{
    int number = 1;
    for (ldad_file f = open_files; f; f = f->next)
        number = f->number >= number ? f->number + 1 : number;
    fh->number = number;
    fh->handler = *handler_of(NULL);
    fh->next = open_files;
    open_files = fh;
}

void libldad_delist(ldad_file fh)
{
    struct ldad_open_file **at = &open_files;
    while (*at != fh)
        at = &(*at)->next;
    *at = fh->next;
}

bool libldad_is_open(ldad_file fh, int *code)
{
    for (ldad_file f = open_files; f; f = f->next)
        if (f == fh)
            return true;
    err_set(-EBADF, NULL, -1, "the handle is not that of an open file");
    *code = libldad_raise(NULL, MPI_ERR_FILE);
    return false;
}

MPI_Fint ldad_file_c2f(ldad_file fh)
{
    int code;
    return fh && libldad_is_open(fh, &code) ? fh->number : 0;
}

ldad_file ldad_file_f2c(MPI_Fint number)
{
    ldad_file f = open_files;
    while (f && f->number != number)
        f = f->next;
    return f;
}

/* ---- error handlers -------------------------------------------------------------- */

/* Functions of error handlers: an MPI_Errhandler does not tell its own. MPI may reuse a
 * freed handle: the last entry counts. */
static struct handler {
    MPI_Errhandler handle;
    ldad_file_errhandler_function *function;
} * handlers;
static int handlers_n;

static struct handler *handler_find(MPI_Errhandler handle)
{
    for (int i = handlers_n - 1; i >= 0; i--)
        if (handlers[i].handle == handle)
            return &handlers[i];
    return NULL;
}

static bool is_fatal(MPI_Errhandler handle)
{
    return handle == MPI_ERRORS_ARE_FATAL;
}

static bool is_known(MPI_Errhandler handle)
{
    return handle == MPI_ERRORS_RETURN || is_fatal(handle) || handler_find(handle);
}

static void end_by_error(ldad_file fh, int code)
{
    const char *why = ldad_file_error();
    err_tell("libldad", NULL, NULL, "%s", *why ? why : "a call failed");
    MPI_Abort(fh ? fh->comm : MPI_COMM_WORLD, code);
}

int libldad_raise(ldad_file fh, int code)
{
    if (code == MPI_SUCCESS)
        return code;
    MPI_Errhandler handle = *handler_of(fh);
    if (is_fatal(handle))
        end_by_error(fh, code);
    struct handler *h = handle == MPI_ERRORS_RETURN ? NULL : handler_find(handle);
    if (h) {
        ldad_file_errhandler_function *function = h->function;
        function(&fh, &code);
    }
    return code;
}

int ldad_file_create_errhandler(ldad_file_errhandler_function *function,
                                MPI_Errhandler *handle)
{
    struct handler *more =
        realloc(handlers, ((size_t)handlers_n + 1) * sizeof *handlers);
    if (!more)
        return libldad_raise(NULL, MPI_ERR_NO_MEM);
    handlers = more;
    /* MPI never calls the function, as no file of MPI's gets the handle. */
    int code = MPI_File_create_errhandler(
        (MPI_File_errhandler_function *)(void (*)(void))function, handle);
    if (code == MPI_SUCCESS)
        handlers[handlers_n++] = (struct handler){*handle, function};
    return code;
}

int ldad_file_set_errhandler(ldad_file fh, MPI_Errhandler handle)
{
    int code;
    if (fh && !libldad_is_open(fh, &code))
        return code;
    if (!is_known(handle)) {
        err_set(-EINVAL, fh ? fh->path : NULL, -1,
                "the error handler was not made by MPI_File_create_errhandler");
        return libldad_raise(fh, MPI_ERR_ARG);
    }
    *handler_of(fh) = handle;
    return MPI_SUCCESS;
}

/* Returns a handle of its own, as the program frees what it gets. */
int ldad_file_get_errhandler(ldad_file fh, MPI_Errhandler *handle)
{
    int code;
    if (fh && !libldad_is_open(fh, &code))
        return code;
    *handle = *handler_of(fh);
    struct handler *h = handler_find(*handle);
    return h ? ldad_file_create_errhandler(h->function, handle) : MPI_SUCCESS;
}

int ldad_file_call_errhandler(ldad_file fh, int error)
{
    int code;
    if (fh && !libldad_is_open(fh, &code))
        return code;
    libldad_raise(fh, error);
    return MPI_SUCCESS;
}
