/* HDF5, where IOTRACE_HDF5=1: a level above MPI-IO and the C library. The bytes of a
 * transfer are the selected elements in the type that they have in the file, before any
 * filter; its file is the one that the dataset is in. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/real.h"
#include "iotrace/preload/recorder.h"
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 7 };
typedef intptr_t hdf5_function(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                               intptr_t, intptr_t);

struct hdf5_call {
    const char *name;
    enum trace_op op;
    enum { NAMED, ABOUT, MAKES, MOVES } kind; /* what the first argument is */
    hdf5_function *next;
};

static struct {
    bool known, on;
    late_function *file_name, *space, *points, *close_space, *type, *type_size,
        *close_type;
} hdf5;

static __thread bool inside;

static void find_all(const void *caller)
{
    const char *on = environment("IOTRACE_HDF5");
    hdf5.file_name = late_find("H5Fget_name", caller);
    hdf5.space = late_find("H5Dget_space", caller);
    hdf5.points = late_find("H5Sget_select_npoints", caller);
    hdf5.close_space = late_find("H5Sclose", caller);
    hdf5.type = late_find("H5Dget_type", caller);
    hdf5.type_size = late_find("H5Tget_size", caller);
    hdf5.close_type = late_find("H5Tclose", caller);
    hdf5.on = on && !strcmp(on, "1") && hdf5.file_name && hdf5.space && hdf5.points &&
              hdf5.close_space && hdf5.type && hdf5.type_size && hdf5.close_type;
    __atomic_store_n(&hdf5.known, true, __ATOMIC_RELEASE);
}

static intptr_t not_there(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e,
                          intptr_t f, intptr_t g)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
    return -1;
}

static hdf5_function *calls_hdf5_find(struct hdf5_call *c, const void *caller)
{
    if (!__atomic_load_n(&hdf5.known, __ATOMIC_ACQUIRE))
        find_all(caller);
    hdf5_function *f = (hdf5_function *)late_find(c->name, caller);
    c->next = f ? f : not_there;
    return c->next;
}

static uint32_t calls_hdf5_file_of(intptr_t id)
{
    ROOM(path);
    return path && id > 0 && hdf5.file_name(id, (intptr_t)path, PATH_BYTES, 0, 0, 0) > 0
               ? name_of_path(path, -1)
               : 0;
}

/* (dataset, memory type, memory space, file space, ...); space 0: all of the dataset */
static int64_t calls_hdf5_bytes_of(const intptr_t *a)
{
    bool whole = a[3] == 0;
    intptr_t space = whole ? hdf5.space(a[0], 0, 0, 0, 0, 0) : a[3];
    intptr_t type = hdf5.type(a[0], 0, 0, 0, 0, 0);
    int64_t points = space > 0 ? hdf5.points(space, 0, 0, 0, 0, 0) : 0;
    int64_t size = type > 0 ? hdf5.type_size(type, 0, 0, 0, 0, 0) : 0;
    if (whole && space > 0)
        hdf5.close_space(space, 0, 0, 0, 0, 0);
    if (type > 0)
        hdf5.close_type(type, 0, 0, 0, 0, 0);
    return points > 0 ? points * size : 0;
}

static intptr_t invoke(hdf5_function *f, const intptr_t *a)
{
    level++;
    intptr_t rc = f(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    level--;
    return rc;
}

/* An identifier has 64 bits, a verdict 32: the sign is where both have it. */
static intptr_t calls_hdf5_record(const struct hdf5_call *c, hdf5_function *f,
                                  const intptr_t *a)
{
    int64_t bytes = c->kind == MOVES ? calls_hdf5_bytes_of(a) : 0;
    uint32_t file = c->kind != NAMED ? calls_hdf5_file_of(a[0]) : 0;
    struct event e = event_now();
    intptr_t rc = invoke(f, a);
    event_over(&e);
    e.file = c->kind == NAMED ? name_of_path((const char *)a[0], -1) : file;
    bool failed = c->kind == NAMED || c->kind == MAKES ? rc < 0 : (int32_t)rc < 0;
    event_put(&e, c->op, -1, bytes, failed ? -EIO : bytes);
    return rc;
}

static intptr_t calls_hdf5_pass(struct hdf5_call *c, const intptr_t *a,
                                const void *caller)
{
    hdf5_function *f = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE);
    if (UNLIKELY(!f))
        f = calls_hdf5_find(c, caller);
    if (!hdf5.on || inside)
        return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    inside = true;
    intptr_t rc = calls_hdf5_record(c, f, a);
    inside = false;
    return rc;
}

#define WRAP_HDF5(x, op, kind)                                                         \
    static struct hdf5_call call_##x = {#x, op, kind, NULL};                           \
    EXPORT intptr_t wrap_##x(WORDS, intptr_t a6) __asm__(#x);                          \
    intptr_t wrap_##x(WORDS, intptr_t a6)                                              \
    {                                                                                  \
        const intptr_t a[WORDS_MOST] = {a0, a1, a2, a3, a4, a5, a6};                   \
        return calls_hdf5_pass(&call_##x, a, __builtin_return_address(0));             \
    }

WRAP_HDF5(H5Fcreate, OP_H5FCREATE, NAMED)
WRAP_HDF5(H5Fopen, OP_H5FOPEN, NAMED)
WRAP_HDF5(H5Fclose, OP_H5FCLOSE, ABOUT)
WRAP_HDF5(H5Fflush, OP_H5FFLUSH, ABOUT)
WRAP_HDF5(H5Dcreate1, OP_H5DCREATE, MAKES)
WRAP_HDF5(H5Dcreate2, OP_H5DCREATE, MAKES)
WRAP_HDF5(H5Dopen1, OP_H5DOPEN, MAKES)
WRAP_HDF5(H5Dopen2, OP_H5DOPEN, MAKES)
WRAP_HDF5(H5Dclose, OP_H5DCLOSE, ABOUT)
WRAP_HDF5(H5Dread, OP_H5DREAD, MOVES)
WRAP_HDF5(H5Dwrite, OP_H5DWRITE, MOVES)
