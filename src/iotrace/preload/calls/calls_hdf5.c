/* HDF5, with IOTRACE_HDF5=1: a level above MPI-IO and the C library. The bytes of a
 * transfer are the selected elements in the type that they have in the file, before any
 * filter; its file is the one that contains the dataset. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <stdlib.h>
#include <string.h>

/* Words of a call. Of 11 (H5Dcreate_async has so many) the last five come on the stack:
 * if a call has fewer, they are arbitrary, and do no harm. */
enum { WORDS_MOST = 11 };
#define STACK intptr_t a6, intptr_t a7, intptr_t a8, intptr_t a9, intptr_t a10
typedef intptr_t hdf5_function(WORDS, STACK);

struct hdf5_call {
    const char *name;
    enum trace_op op;
    /* The first argument: a path, any object, one in which another is made, a dataset
     * or an attribute that is transferred; or the number of datasets. */
    enum { NAMED, ABOUT, MAKES, MOVES, ATTRIBUTE, SEVERAL } kind;
    /* arguments before that one: those of _async are a place in the program */
    int first;
    struct late_cache next;
};

static struct {
    bool known, on;
    late_function *file_name, *space, *points, *close_space, *type, *type_size,
        *close_type, *its_space, *its_type; /* its: of an attribute */
} hdf5;

static __thread bool inside;

static void find_hdf5(const void *caller)
{
    const char *on = environment("IOTRACE_HDF5");
    hdf5.file_name = late_find("H5Fget_name", caller);
    hdf5.space = late_find("H5Dget_space", caller);
    hdf5.points = late_find("H5Sget_select_npoints", caller);
    hdf5.close_space = late_find("H5Sclose", caller);
    hdf5.type = late_find("H5Dget_type", caller);
    hdf5.type_size = late_find("H5Tget_size", caller);
    hdf5.close_type = late_find("H5Tclose", caller);
    hdf5.its_space = late_find("H5Aget_space", caller);
    hdf5.its_type = late_find("H5Aget_type", caller);
    hdf5.on = on && !strcmp(on, "1") && hdf5.file_name && hdf5.space && hdf5.points &&
              hdf5.close_space && hdf5.type && hdf5.type_size && hdf5.close_type &&
              hdf5.its_space && hdf5.its_type;
    __atomic_store_n(&hdf5.known, true, __ATOMIC_RELEASE);
}

static intptr_t no_hdf5(WORDS, STACK)
{
    (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5;
    (void)a6, (void)a7, (void)a8, (void)a9, (void)a10;
    return -1;
}

static hdf5_function *calls_hdf5_find(struct hdf5_call *c, const void *caller)
{
    if (!__atomic_load_n(&hdf5.known, __ATOMIC_ACQUIRE))
        find_hdf5(caller);
    hdf5_function *f = (hdf5_function *)late_of(&c->next, c->name, caller);
    return f ? f : no_hdf5;
}

/* True if the caller's library is recorded. If a process has two HDF5 libraries, it is
 * the one that is called first. The identifiers of the other mean nothing to it. */
static bool is_recorded(const void *caller)
{
    static struct late_cache its;
    return late_of(&its, "H5Fget_name", caller) == hdf5.file_name;
}

static uint32_t calls_hdf5_file_of(intptr_t id)
{
    ROOM(path);
    return path && id > 0 && hdf5.file_name(id, (intptr_t)path, PATH_BYTES, 0, 0, 0) > 0
               ? name_of_path(path, -1)
               : 0;
}

/* Returns the bytes of the selected elements of a space in a type. Closes the type, and
 * the space if it is ours. */
static int64_t calls_hdf5_size(intptr_t space, bool ours, intptr_t type)
{
    int64_t points = space > 0 ? hdf5.points(space, 0, 0, 0, 0, 0) : 0;
    int64_t size = type > 0 ? hdf5.type_size(type, 0, 0, 0, 0, 0) : 0;
    if (ours && space > 0)
        hdf5.close_space(space, 0, 0, 0, 0, 0);
    if (type > 0)
        hdf5.close_type(type, 0, 0, 0, 0, 0);
    return points > 0 ? points * size : 0;
}

/* Returns the bytes of a dataset's selection in the given file space; 0: all of the
 * dataset. */
static int64_t calls_hdf5_of_dataset(intptr_t dataset, intptr_t space)
{
    bool whole = space == 0;
    if (whole)
        space = hdf5.space(dataset, 0, 0, 0, 0, 0);
    return calls_hdf5_size(space, whole, hdf5.type(dataset, 0, 0, 0, 0, 0));
}

/* Returns the bytes of a call with arguments (dataset, memory type, memory space, file
 * space, ...), (attribute, ...), or (count, datasets, memory types, memory spaces, file
 * spaces, ...). */
static int64_t calls_hdf5_bytes_of(const struct hdf5_call *c, const intptr_t *a)
{
    const int64_t *datasets = (const int64_t *)a[1], *spaces = (const int64_t *)a[4];
    int64_t sum = 0;
    if (c->kind == MOVES)
        return calls_hdf5_of_dataset(a[0], a[3]);
    if (c->kind == ATTRIBUTE)
        return calls_hdf5_size(hdf5.its_space(a[0], 0, 0, 0, 0, 0), true,
                               hdf5.its_type(a[0], 0, 0, 0, 0, 0));
    for (intptr_t i = 0; c->kind == SEVERAL && i < a[0]; i++)
        sum += calls_hdf5_of_dataset(datasets[i], spaces[i]);
    return sum;
}

static uint32_t calls_hdf5_name_of(const struct hdf5_call *c, const intptr_t *a)
{
    if (c->kind == SEVERAL)
        return a[0] > 0 ? calls_hdf5_file_of(*(const int64_t *)a[1]) : 0;
    return c->kind == NAMED ? 0 : calls_hdf5_file_of(a[0]);
}

static intptr_t calls_hdf5_call(hdf5_function *f, const intptr_t *a)
{
    return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]);
}

/* Records a call. An identifier has 64 bits, a verdict 32: the sign is at the same
 * place in both. What _async only begins counts at once: nothing tells when it ends. */
static intptr_t calls_hdf5_record(const struct hdf5_call *c, hdf5_function *f,
                                  const intptr_t *a)
{
    const intptr_t *own = a + c->first;
    int64_t bytes = calls_hdf5_bytes_of(c, own);
    uint32_t file = calls_hdf5_name_of(c, own);
    struct event e = event_now();
    level++;
    intptr_t rc = calls_hdf5_call(f, a);
    level--;
    event_over(&e);
    e.file = c->kind == NAMED ? name_of_path((const char *)own[0], -1) : file;
    bool failed = c->kind == NAMED || c->kind == MAKES ? rc < 0 : (int32_t)rc < 0;
    event_put(&e, c->op, -1, bytes, failed ? -EIO : bytes);
    return rc;
}

static intptr_t calls_hdf5_pass(struct hdf5_call *c, const intptr_t *a,
                                const void *caller)
{
    hdf5_function *f = calls_hdf5_find(c, caller);
    if (!hdf5.on || inside || !is_recorded(caller))
        return calls_hdf5_call(f, a);
    inside = true;
    intptr_t rc = calls_hdf5_record(c, f, a);
    inside = false;
    return rc;
}

#define WRAP_HDF5_AT(x, op, kind, first)                                               \
    static struct hdf5_call call_##x = {#x, op, kind, first, {0}};                     \
    EXPORT intptr_t wrap_##x(WORDS, STACK) __asm__(#x);                                \
    intptr_t wrap_##x(WORDS, STACK)                                                    \
    {                                                                                  \
        const intptr_t a[WORDS_MOST] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10};  \
        return calls_hdf5_pass(&call_##x, a, __builtin_return_address(0));             \
    }
#define WRAP_HDF5(x, op, kind) WRAP_HDF5_AT(x, op, kind, 0)
/* Wraps a function and its _async form, whose first arguments are the caller's file,
 * function and line. */
#define WITH_ASYNC(x, op, kind)                                                        \
    WRAP_HDF5(x, op, kind)                                                             \
    WRAP_HDF5_AT(x##_async, op, kind, 3)

WITH_ASYNC(H5Fcreate, OP_H5FCREATE, NAMED)
WITH_ASYNC(H5Fopen, OP_H5FOPEN, NAMED)
WITH_ASYNC(H5Fclose, OP_H5FCLOSE, ABOUT)
WITH_ASYNC(H5Fflush, OP_H5FFLUSH, ABOUT)
WRAP_HDF5(H5Dcreate1, OP_H5DCREATE, MAKES)
WRAP_HDF5(H5Dcreate2, OP_H5DCREATE, MAKES)
WRAP_HDF5_AT(H5Dcreate_async, OP_H5DCREATE, MAKES, 3)
WRAP_HDF5(H5Dopen1, OP_H5DOPEN, MAKES)
WRAP_HDF5(H5Dopen2, OP_H5DOPEN, MAKES)
WRAP_HDF5_AT(H5Dopen_async, OP_H5DOPEN, MAKES, 3)
WITH_ASYNC(H5Dclose, OP_H5DCLOSE, ABOUT)
WITH_ASYNC(H5Dread, OP_H5DREAD, MOVES)
WITH_ASYNC(H5Dwrite, OP_H5DWRITE, MOVES)
WITH_ASYNC(H5Dread_multi, OP_H5DREAD, SEVERAL)
WITH_ASYNC(H5Dwrite_multi, OP_H5DWRITE, SEVERAL)
WRAP_HDF5(H5Acreate1, OP_H5ACREATE, MAKES)
WRAP_HDF5(H5Acreate2, OP_H5ACREATE, MAKES)
WRAP_HDF5_AT(H5Acreate_async, OP_H5ACREATE, MAKES, 3)
WITH_ASYNC(H5Aopen, OP_H5AOPEN, MAKES)
WITH_ASYNC(H5Aclose, OP_H5ACLOSE, ABOUT)
WITH_ASYNC(H5Aread, OP_H5AREAD, ATTRIBUTE)
WITH_ASYNC(H5Awrite, OP_H5AWRITE, ATTRIBUTE)
