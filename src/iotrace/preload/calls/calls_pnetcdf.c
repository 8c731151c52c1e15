/* PnetCDF, with IOTRACE_PNETCDF=1: a level above MPI-IO. The bytes of a transfer are
 * those that the library itself counts for its file, in the type that they have there.
 * A call that only queues (ncmpi_iput_*, _iget_*, _bput_*) moves nothing; its bytes
 * count in the wait that moves them. */
#include "iotrace/preload/late.h"
#include "iotrace/preload/recorder.h"
#include "iotrace/preload/sys.h"
#include <string.h>

/* Words of a call. Of 11 the last five come on the stack: if a call has fewer, they are
 * arbitrary, and do no harm. */
enum { WORDS_MOST = 11 };
#define STACK intptr_t a6, intptr_t a7, intptr_t a8, intptr_t a9, intptr_t a10
typedef intptr_t pnetcdf_function(WORDS, STACK);

struct pnetcdf_call {
    const char *name;
    uint16_t op;
    /* Its arguments begin with a communicator and a path, or with a file. */
    enum { PATH, FILE_ONLY, TRANSFER, WAITS } kind;
    int flags;
    struct late_cache next;
};

static struct {
    bool known, on;
    late_function *path, *bytes[2]; /* counters of an open file: read, written */
} pnetcdf;

static __thread bool inside;

static void calls_pnetcdf_find_all(const void *caller)
{
    const char *on = environment("IOTRACE_PNETCDF");
    pnetcdf.path = late_find("ncmpi_inq_path", caller);
    pnetcdf.bytes[0] = late_find("ncmpi_inq_get_size", caller);
    pnetcdf.bytes[1] = late_find("ncmpi_inq_put_size", caller);
    pnetcdf.on =
        on && !strcmp(on, "1") && pnetcdf.path && pnetcdf.bytes[0] && pnetcdf.bytes[1];
    __atomic_store_n(&pnetcdf.known, true, __ATOMIC_RELEASE);
}

static intptr_t pnetcdf_not_there(WORDS, STACK)
{
    (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5;
    (void)a6, (void)a7, (void)a8, (void)a9, (void)a10;
    return -1;
}

static pnetcdf_function *calls_pnetcdf_find(struct pnetcdf_call *c, const void *caller)
{
    if (!__atomic_load_n(&pnetcdf.known, __ATOMIC_ACQUIRE))
        calls_pnetcdf_find_all(caller);
    pnetcdf_function *f = (pnetcdf_function *)late_of(&c->next, c->name, caller);
    return f ? f : pnetcdf_not_there;
}

static uint32_t calls_pnetcdf_file_of(intptr_t file)
{
    ROOM(path);
    int length = 0;
    if (!path)
        return 0;
    memset(path, 0, PATH_BYTES);
    if (pnetcdf.path(file, (intptr_t)&length, 0, 0, 0, 0) || length <= 0 ||
        length >= PATH_BYTES ||
        pnetcdf.path(file, (intptr_t)&length, (intptr_t)path, 0, 0, 0))
        return 0;
    return name_of_path(path, -1);
}

static void calls_pnetcdf_bytes_of(intptr_t file, int64_t bytes[2])
{
    for (int write = 0; write < 2; write++)
        if (pnetcdf.bytes[write](file, (intptr_t)&bytes[write], 0, 0, 0, 0))
            bytes[write] = 0;
}

static intptr_t calls_pnetcdf_call(pnetcdf_function *f, const intptr_t *a)
{
    level++;
    intptr_t rc = f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]);
    level--;
    return rc;
}

/* Records moved bytes. A number out of range is an error, but the others are moved. */
static void put_moved(struct event *e, int op, int64_t bytes, bool failed)
{
    bytes = bytes > 0 ? bytes : 0;
    event_put(e, op, -1, bytes, failed && !bytes ? -EIO : bytes);
    e->start = e->end; /* the first one has the call's time */
}

static void put_waited(struct event *e, const int64_t moved[2], bool failed)
{
    if (moved[1] > 0)
        put_moved(e, OP_NC_WAIT_WRITE, moved[1], failed);
    if (moved[0] > 0)
        put_moved(e, OP_NC_WAIT_READ, moved[0], failed);
    if (moved[0] <= 0 && moved[1] <= 0)
        put_moved(e, OP_NC_WAIT, 0, failed);
}

static intptr_t calls_pnetcdf_record(const struct pnetcdf_call *c, pnetcdf_function *f,
                                     const intptr_t *a)
{
    int64_t before[2] = {0, 0}, after[2] = {0, 0};
    bool moves = c->kind == TRANSFER || c->kind == WAITS;
    uint32_t file = c->kind == PATH ? 0 : calls_pnetcdf_file_of((int)a[0]);
    if (moves)
        calls_pnetcdf_bytes_of((int)a[0], before);
    struct event e = event_now();
    intptr_t rc = calls_pnetcdf_call(f, a);
    event_over(&e);
    bool failed = (int32_t)rc != 0;
    e.file = c->kind == PATH ? name_of_path((const char *)a[1], -1) : file;
    e.flags = c->flags;
    if (moves)
        calls_pnetcdf_bytes_of((int)a[0], after);
    const int64_t moved[] = {after[0] - before[0], after[1] - before[1]};
    if (c->kind == WAITS)
        put_waited(&e, moved, failed);
    else
        put_moved(&e, c->op, moves ? moved[op_class[c->op] == CLASS_WRITE] : 0, failed);
    return rc;
}

static intptr_t calls_pnetcdf_pass(struct pnetcdf_call *c, const intptr_t *a,
                                   const void *caller)
{
    pnetcdf_function *f = calls_pnetcdf_find(c, caller);
    static struct late_cache its;
    if (!pnetcdf.on || inside ||
        late_of(&its, "ncmpi_inq_path", caller) != pnetcdf.path)
        return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]);
    inside = true;
    intptr_t rc = calls_pnetcdf_record(c, f, a);
    inside = false;
    return rc;
}

#define WRAP_NC(x, op, kind, flags)                                                    \
    static struct pnetcdf_call call_##x = {#x, op, kind, flags, {0}};                  \
    EXPORT intptr_t wrap_##x(WORDS, STACK) __asm__(#x);                                \
    intptr_t wrap_##x(WORDS, STACK)                                                    \
    {                                                                                  \
        const intptr_t a[WORDS_MOST] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10};  \
        return calls_pnetcdf_pass(&call_##x, a, __builtin_return_address(0));          \
    }

/* Wraps the functions of all types. `end` is empty or _all. The first form has the type
 * in memory as an argument. */
#define EACH_TYPE(x, end, op, kind, flags)                                             \
    WRAP_NC(x##end, op, kind, flags)                                                   \
    WRAP_NC(x##_text##end, op, kind, flags)                                            \
    WRAP_NC(x##_schar##end, op, kind, flags)                                           \
    WRAP_NC(x##_uchar##end, op, kind, flags)                                           \
    WRAP_NC(x##_short##end, op, kind, flags)                                           \
    WRAP_NC(x##_ushort##end, op, kind, flags)                                          \
    WRAP_NC(x##_int##end, op, kind, flags)                                             \
    WRAP_NC(x##_uint##end, op, kind, flags)                                            \
    WRAP_NC(x##_long##end, op, kind, flags)                                            \
    WRAP_NC(x##_float##end, op, kind, flags)                                           \
    WRAP_NC(x##_double##end, op, kind, flags)                                          \
    WRAP_NC(x##_longlong##end, op, kind, flags)                                        \
    WRAP_NC(x##_ulonglong##end, op, kind, flags)

#define TRANSFERS(x, op)                                                               \
    EACH_TYPE(x, , op, TRANSFER, 0)                                                    \
    EACH_TYPE(x, _all, op, TRANSFER, TRACE_COLLECTIVE)

/* Wraps the functions that move at once in the direction `way` (put, get), for one
 * variable or several. */
#define EACH_SHAPE(way, OP, several, SEVERAL)                                          \
    TRANSFERS(ncmpi_##way##_var1, OP_NC_##OP##_VAR1)                                   \
    TRANSFERS(ncmpi_##way##_var, OP_NC_##OP##_VAR)                                     \
    TRANSFERS(ncmpi_##way##_vara, OP_NC_##OP##_VARA)                                   \
    TRANSFERS(ncmpi_##way##_vars, OP_NC_##OP##_VARS)                                   \
    TRANSFERS(ncmpi_##way##_varm, OP_NC_##OP##_VARM)                                   \
    TRANSFERS(ncmpi_##way##_varn, OP_NC_##OP##_VARN)                                   \
    WRAP_NC(ncmpi_##way##_vard, OP_NC_##OP##_VARD, TRANSFER, 0)                        \
    WRAP_NC(ncmpi_##way##_vard_all, OP_NC_##OP##_VARD, TRANSFER, TRACE_COLLECTIVE)     \
    TRANSFERS(ncmpi_##several##way##_var1, OP_NC_##SEVERAL##OP)                        \
    TRANSFERS(ncmpi_##several##way##_var, OP_NC_##SEVERAL##OP)                         \
    TRANSFERS(ncmpi_##several##way##_vara, OP_NC_##SEVERAL##OP)                        \
    TRANSFERS(ncmpi_##several##way##_vars, OP_NC_##SEVERAL##OP)                        \
    TRANSFERS(ncmpi_##several##way##_varm, OP_NC_##SEVERAL##OP)

#define LATER(later, way, OP)                                                          \
    EACH_TYPE(ncmpi_##later##way##_var1, , OP, FILE_ONLY, 0)                           \
    EACH_TYPE(ncmpi_##later##way##_var, , OP, FILE_ONLY, 0)                            \
    EACH_TYPE(ncmpi_##later##way##_vara, , OP, FILE_ONLY, 0)                           \
    EACH_TYPE(ncmpi_##later##way##_vars, , OP, FILE_ONLY, 0)                           \
    EACH_TYPE(ncmpi_##later##way##_varm, , OP, FILE_ONLY, 0)                           \
    EACH_TYPE(ncmpi_##later##way##_varn, , OP, FILE_ONLY, 0)

EACH_SHAPE(put, PUT, m, M)
EACH_SHAPE(get, GET, m, M)
LATER(i, put, OP_NC_QUEUE_PUT)
LATER(i, get, OP_NC_QUEUE_GET)
LATER(b, put, OP_NC_QUEUE_COPY)
WRAP_NC(ncmpi_wait, OP_NC_WAIT, WAITS, 0)
WRAP_NC(ncmpi_wait_all, OP_NC_WAIT, WAITS, TRACE_COLLECTIVE)

WRAP_NC(ncmpi_create, OP_NC_CREATE, PATH, 0)
WRAP_NC(ncmpi_open, OP_NC_OPEN, PATH, 0)
WRAP_NC(ncmpi_enddef, OP_NC_ENDDEF, FILE_ONLY, 0)
WRAP_NC(ncmpi__enddef, OP_NC_ENDDEF, FILE_ONLY, 0)
WRAP_NC(ncmpi_redef, OP_NC_REDEF, FILE_ONLY, 0)
WRAP_NC(ncmpi_sync, OP_NC_SYNC, FILE_ONLY, 0)
WRAP_NC(ncmpi_flush, OP_NC_SYNC, FILE_ONLY, 0)
WRAP_NC(ncmpi_close, OP_NC_CLOSE, FILE_ONLY, 0)
WRAP_NC(ncmpi_abort, OP_NC_CLOSE, FILE_ONLY, 0)
