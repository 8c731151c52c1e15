/* MPI-IO. Bytes are those moved by the library's status; without one, those requested.
 * An offset is the byte in the file where the call begins, through the view; -1 with a
 * shared pointer, which only the library knows.
 *
 * A call that only begins a transfer (nonblocking, split) has TRACE_ASYNC and no bytes.
 * They count when it completes: in MPI_Wait_read, MPI_Wait_write, the _end of a split
 * one. */
#include "iotrace/preload/mpi/mpi.h"
#include <string.h>

struct mpi_flavour mpi;

enum at { EXPLICIT, INDIVIDUAL, SHARED };
enum kind { BLOCKS, SUBMITS, BEGINS, ENDS };
enum { LARGE = 128 }; /* a flag: the count is an MPI_Count, not an int */

/* Returns which argument of a transfer is the count. */
static int mpi_count_at(const struct mpi_call *c)
{
    return c->at == EXPLICIT ? 3 : 2;
}

/* ---- passing through ---- */

static __thread bool inside; /* the call is recorded already */

static late_function *must_find(const char *name, const void *caller)
{
    late_function *f = late_find(name, caller);
    return f ? f : late_find(name + 1, caller); /* first PMPI_X, then MPI_X */
}

/* Finds the kind of MPI. MPI_BYTE and MPI_COMM_WORLD are addresses in Open MPI, and
 * numbers in MPICH and libraries with its binary interface. */
static void find_flavour(const void *caller)
{
    intptr_t world = (intptr_t)late_find_data("ompi_mpi_comm_world", caller);
    bool open_mpi = world != 0;
    mpi.world = open_mpi ? world : 0x44000000;
    mpi.byte =
        open_mpi ? (intptr_t)late_find_data("ompi_mpi_byte", caller) : 0x4c00010d;
    mpi.status_bytes = open_mpi ? 24 : 20;
    mpi.request_bytes = open_mpi ? 8 : 4;
    mpi.type_size = must_find("PMPI_Type_size_x", caller);
    mpi.elements = must_find("PMPI_Get_elements_x", caller);
    mpi.byte_offset = must_find("PMPI_File_get_byte_offset", caller);
    mpi.position = must_find("PMPI_File_get_position", caller);
    mpi.comm_rank = must_find("PMPI_Comm_rank", caller);
    mpi.comm_size = must_find("PMPI_Comm_size", caller);
    mpi.isend = must_find("PMPI_Isend", caller);
    mpi.irecv = must_find("PMPI_Irecv", caller);
    mpi.test = must_find("PMPI_Test", caller);
    mpi.cancel = must_find("PMPI_Cancel", caller);
    mpi.wait = must_find("PMPI_Wait", caller);
    mpi.file_info = must_find("PMPI_File_get_info", caller);
    mpi.info_keys = must_find("PMPI_Info_get_nkeys", caller);
    mpi.info_key = must_find("PMPI_Info_get_nthkey", caller);
    mpi.info_value = must_find("PMPI_Info_get", caller);
    mpi.info_free = must_find("PMPI_Info_free", caller);
    __atomic_store_n(&mpi.known, true, __ATOMIC_RELEASE);
}

static intptr_t not_there(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e,
                          intptr_t f)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    return 16; /* MPI_ERR_OTHER or near it: a program never gets here */
}

/* Finds the next MPI_X, or PMPI_X; `name` is the latter. */
static late_function *late_mpi(const char *name, int profiling, const void *caller)
{
    late_function *f = profiling ? NULL : late_find(name + 1, caller);
    return f ? f : late_find(name, caller);
}

/* Finds the next function. A program may ask by dlsym for a function with large counts
 * (_c), and finds ours. If the library has none, the one without _c does what it
 * can. */
static late_function *find_next(struct mpi_call *c, int profiling, const void *caller)
{
    char name[64] = "P";
    if (!__atomic_load_n(&mpi.known, __ATOMIC_ACQUIRE))
        find_flavour(caller);
    strcpy(name + 1, c->name);
    late_function *f = late_mpi(name, profiling, caller);
    if (!f && c->flags & LARGE) {
        name[strlen(name) - 2] = 0;
        f = late_mpi(name, profiling, caller);
        c->plain = f != NULL;
    }
    if (!f)
        f = not_there;
    __atomic_store_n(&c->next[profiling], f, __ATOMIC_RELEASE);
    return f;
}

int mpi_pass(struct mpi_call *c, int profiling, const intptr_t *a, const void *caller)
{
    late_function *f = __atomic_load_n(&c->next[profiling], __ATOMIC_ACQUIRE);
    if (UNLIKELY(!f))
        f = find_next(c, profiling, caller);
    if (UNLIKELY(c->plain) && a[mpi_count_at(c)] > INT32_MAX)
        return 2; /* MPI_ERR_COUNT of MPICH and of Open MPI */
    if (inside)
        return (int)late_call(f, a);
    inside = true;
    int rc = c->around(c, f, a);
    inside = false;
    return rc;
}

int mpi_invoke(late_function *f, const intptr_t *a)
{
    level++;
    int rc = (int)late_call(f, a);
    level--;
    return rc;
}

/* ---- handles ---- */

enum { FILES = 1 << 12, TRIES = 64, SEQUENTIAL = 256 /* MPI_MODE_ */ };
#define GONE ((intptr_t)-1)

static struct mpi_file {
    intptr_t handle; /* 0: never used; GONE: free again */
    uint32_t file;
    bool sequential;
    int64_t etype; /* bytes of the view's elementary type; 0: no view */
    int64_t split; /* bytes that a split call has requested */
    int64_t split_at;
} files[FILES];

static struct mpi_file *calls_mpi_place_of(intptr_t handle, unsigned try)
{
    uint64_t h = (uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return &files[((h >> 40) + try) % FILES];
}

/* Finds a file; NULL: it was opened before our start, or the table is full. Such a file
 * has the number 0, and its calls are recorded like others. */
static struct mpi_file *calls_mpi_file_of(intptr_t handle)
{
    for (unsigned i = 0; i < TRIES; i++) {
        struct mpi_file *f = calls_mpi_place_of(handle, i);
        intptr_t is = __atomic_load_n(&f->handle, __ATOMIC_ACQUIRE);
        if (is == handle)
            return f;
        if (!is)
            return NULL;
    }
    return NULL;
}

/* Forgets numbers of names, which differ in another log. */
static void mpi_forget_names(void)
{
    for (unsigned i = 0; i < FILES; i++)
        files[i].file = 0;
    mpi_forget_names_of_requests();
}

static void file_opened(intptr_t handle, uint32_t file, intptr_t amode)
{
    names_kept(mpi_forget_names);
    for (unsigned i = 0; i < TRIES; i++) {
        struct mpi_file *f = calls_mpi_place_of(handle, i);
        intptr_t is = __atomic_load_n(&f->handle, __ATOMIC_RELAXED);
        if ((is && is != GONE) ||
            !__atomic_compare_exchange_n(&f->handle, &is, handle, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        f->file = file;
        f->sequential = amode & SEQUENTIAL;
        f->etype = 0;
        f->split = 0;
        return;
    }
}

static struct event event_of(const struct mpi_file *f, int flags)
{
    struct event e = event_now();
    e.file = f ? f->file : 0;
    e.flags = flags;
    return e;
}

/* ---- offsets and bytes ---- */

/* Returns a byte offset; -1: not known. */
static int64_t byte_of(intptr_t handle, int64_t etypes)
{
    int64_t byte = -1;
    return mpi.byte_offset(handle, etypes, (intptr_t)&byte, 0, 0, 0) ? -1 : byte;
}

/* Returns the offset of a transfer of so many bytes; -1: it is not known, or the view
 * puts gaps between them. Places rise in a view: without gaps the last byte is where
 * one contiguous range would end. */
static int64_t offset_of(enum at at, intptr_t handle, const struct mpi_file *f,
                         intptr_t offset, int64_t bytes)
{
    int64_t here = offset;
    if (at == SHARED || !f || f->sequential)
        return -1;
    if (at == INDIVIDUAL && mpi.position(handle, (intptr_t)&here, 0, 0, 0, 0))
        return -1;
    if (!f->etype || here < 0)
        return here;
    int64_t first = byte_of(handle, here);
    if (first < 0 || bytes <= f->etype)
        return first;
    int64_t last = byte_of(handle, here + bytes / f->etype - 1);
    return last + f->etype == first + bytes ? first : -1;
}

static int64_t size_of_type(intptr_t type)
{
    int64_t bytes = 0;
    return mpi.type_size(type, (intptr_t)&bytes, 0, 0, 0, 0) || bytes < 0 ? 0 : bytes;
}

int64_t mpi_moved(intptr_t status, int64_t asked)
{
    int64_t n = -1;
    if (!mpi_is_status(status) ||
        mpi.elements(status, mpi.byte, (intptr_t)&n, 0, 0, 0) || n < 0 || n > asked)
        return asked;
    return n;
}

/* ---- transfers ---- */

static enum trace_op completion_of(enum trace_op op)
{
    return op_class[op] == CLASS_READ ? OP_MPI_WAIT_READ : OP_MPI_WAIT_WRITE;
}

/* Records a blocking call, and asks for the status even if the program ignores it. */
static int blocks(const struct mpi_call *c, late_function *f, intptr_t *a, int last,
                  struct event *e, int64_t at, int64_t asked)
{
    int64_t own[16] = {0};
    if (!mpi_is_status(a[last]))
        a[last] = (intptr_t)own;
    int rc = mpi_invoke(f, a);
    event_over(e);
    event_put(e, c->op, at, asked, mpi_outcome(rc, rc ? 0 : mpi_moved(a[last], asked)));
    return rc;
}

/* Records a call that submits. One that will not be recognised when it completes counts
 * at once. */
static int calls_mpi_submits(const struct mpi_call *c, late_function *f,
                             const intptr_t *a, int last, struct event *e, int64_t at,
                             int64_t asked)
{
    int rc = mpi_invoke(f, a);
    event_over(e);
    struct mpi_request r = {.offset = at,
                            .asked = asked,
                            .file = e->file,
                            .op = completion_of(c->op),
                            .flags = e->flags};
    bool later = rc || mpi_expect((const void *)a[last], &r);
    e->flags |= later ? TRACE_ASYNC : 0;
    event_put(e, c->op, at, asked, mpi_outcome(rc, later ? 0 : asked));
    return rc;
}

static int begin_transfer(const struct mpi_call *c, late_function *f, const intptr_t *a,
                          struct mpi_file *file, struct event *e, int64_t at,
                          int64_t asked)
{
    if (file) {
        file->split = asked;
        file->split_at = at;
        e->flags |= TRACE_ASYNC;
    }
    int rc = mpi_invoke(f, a);
    event_put(e, c->op, at, asked, mpi_outcome(rc, file ? 0 : asked));
    return rc;
}

static int calls_mpi_transfer(const struct mpi_call *c, late_function *f,
                              const intptr_t *given)
{
    intptr_t a[6];
    memcpy(a, given, sizeof a);
    int count = mpi_count_at(c), last = count + 2;
    struct mpi_file *file = calls_mpi_file_of(a[0]);
    int64_t elements = c->flags & LARGE ? a[count] : (int32_t)a[count];
    int64_t asked = elements > 0 ? elements * size_of_type(a[count + 1]) : 0;
    int64_t at = offset_of(c->at, a[0], file, a[1], asked);
    struct event e = event_of(file, c->flags & ~LARGE);
    if (c->kind == SUBMITS)
        return calls_mpi_submits(c, f, a, last, &e, at, asked);
    if (c->kind == BEGINS)
        return begin_transfer(c, f, a, file, &e, at, asked);
    return blocks(c, f, a, last, &e, at, asked);
}

static int split_ends(const struct mpi_call *c, late_function *f, const intptr_t *given)
{
    intptr_t a[6];
    memcpy(a, given, sizeof a);
    struct mpi_file *file = calls_mpi_file_of(a[0]);
    struct event e = event_of(file, c->flags);
    int64_t asked = file ? file->split : 0, at = file ? file->split_at : -1;
    if (file)
        file->split = 0;
    return blocks(c, f, a, 2, &e, at, asked);
}

#define C TRACE_COLLECTIVE
#define TRANSFER(x, op, kind, at, flags)                                               \
    WRAP_MPI(File_##x, calls_mpi_transfer, OP_MPI_##op, kind, at, flags)               \
    WRAP_MPI(File_##x##_c, calls_mpi_transfer, OP_MPI_##op, kind, at, (flags) | LARGE)
#define ENDING(x, op) WRAP_MPI(File_##x, split_ends, OP_MPI_##op, ENDS, SHARED, C)
#define EACH_WAY(x, OP)                                                                \
    TRANSFER(x##_at, OP##_AT, BLOCKS, EXPLICIT, 0)                                     \
    TRANSFER(x##_at_all, OP##_AT_ALL, BLOCKS, EXPLICIT, C)                             \
    TRANSFER(x, OP, BLOCKS, INDIVIDUAL, 0)                                             \
    TRANSFER(x##_all, OP##_ALL, BLOCKS, INDIVIDUAL, C)                                 \
    TRANSFER(x##_shared, OP##_SHARED, BLOCKS, SHARED, 0)                               \
    TRANSFER(x##_ordered, OP##_ORDERED, BLOCKS, SHARED, C)                             \
    TRANSFER(i##x##_at, I##OP##_AT, SUBMITS, EXPLICIT, 0)                              \
    TRANSFER(i##x##_at_all, I##OP##_AT_ALL, SUBMITS, EXPLICIT, C)                      \
    TRANSFER(i##x, I##OP, SUBMITS, INDIVIDUAL, 0)                                      \
    TRANSFER(i##x##_all, I##OP##_ALL, SUBMITS, INDIVIDUAL, C)                          \
    TRANSFER(i##x##_shared, I##OP##_SHARED, SUBMITS, SHARED, 0)                        \
    TRANSFER(x##_at_all_begin, OP##_AT_ALL_BEGIN, BEGINS, EXPLICIT, C)                 \
    TRANSFER(x##_all_begin, OP##_ALL_BEGIN, BEGINS, INDIVIDUAL, C)                     \
    TRANSFER(x##_ordered_begin, OP##_ORDERED_BEGIN, BEGINS, SHARED, C)                 \
    ENDING(x##_at_all_end, OP##_AT_ALL_END)                                            \
    ENDING(x##_all_end, OP##_ALL_END)                                                  \
    ENDING(x##_ordered_end, OP##_ORDERED_END)

EACH_WAY(read, READ)
EACH_WAY(write, WRITE)

/* ---- other calls ---- */

/* Skips a prefix: "ufs:/scratch/file" is /scratch/file in ROMIO's file system ufs. */
static const char *without_prefix(const char *path)
{
    static const char *const systems[] = {
        "ufs:", "nfs:", "xfs:", "panfs:", "lustre:", "gpfs:", "testfs:", "pvfs2:"};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (!strncmp(path, systems[i], strlen(systems[i])))
            return path + strlen(systems[i]);
    return path;
}

static uint32_t calls_mpi_name_of(intptr_t path)
{
    return name_of_path(without_prefix((const char *)path), -1);
}

/* Records (communicator, path, mode, info, &handle). */
static int opens(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    struct event e = event_now();
    int rc = mpi_invoke(f, a);
    event_over(&e);
    e.file = calls_mpi_name_of(a[1]);
    e.flags = c->flags;
    if (!rc) {
        file_opened(*(const intptr_t *)a[4], e.file, a[2]);
        mpi_opened(a[0], *(const intptr_t *)a[4], e.file);
    }
    event_put(&e, c->op, -1, (int32_t)a[2], mpi_outcome(rc, 0));
    return rc;
}

/* Records (&handle). The handle is forgotten before: another thread may be given the
 * same one at once. */
static int closes(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    struct mpi_file *file = calls_mpi_file_of(*(const intptr_t *)a[0]);
    struct event e = event_of(file, c->flags);
    if (file)
        __atomic_store_n(&file->handle, GONE, __ATOMIC_RELEASE);
    int rc = mpi_invoke(f, a);
    event_put(&e, c->op, -1, 0, mpi_outcome(rc, 0));
    return rc;
}

/* Records (path, info). */
static int deletes(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    struct event e = event_now();
    int rc = mpi_invoke(f, a);
    event_over(&e);
    e.file = calls_mpi_name_of(a[0]);
    event_put(&e, c->op, -1, 0, mpi_outcome(rc, 0));
    return rc;
}

/* Records (handle, displacement, etype, filetype, ...). */
static int views(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    struct mpi_file *file = calls_mpi_file_of(a[0]);
    int64_t etype = size_of_type(a[2]), bytes = size_of_type(a[3]);
    struct event e = event_of(file, c->flags);
    int rc = mpi_invoke(f, a);
    if (file && !rc)
        file->etype = etype;
    event_put(&e, c->op, a[1], bytes, mpi_outcome(rc, 0));
    return rc;
}

enum asks { NOTHING, BYTES, ANSWER, WHENCE };

/* Records (handle), (handle, bytes), (handle, &bytes) or (handle, offset, whence). */
static int asks(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    struct event e = event_of(calls_mpi_file_of(a[0]), c->flags);
    int rc = mpi_invoke(f, a);
    event_over(&e);
    int64_t answer = c->kind == ANSWER && !rc ? *(const int64_t *)a[1] : 0;
    event_put(&e, c->op, c->kind == WHENCE ? a[1] : -1,
              c->kind == BYTES    ? a[1]
              : c->kind == WHENCE ? (int32_t)a[2]
                                  : 0,
              mpi_outcome(rc, answer));
    return rc;
}

WRAP_MPI(File_open, opens, OP_MPI_OPEN, 0, 0, C)
WRAP_MPI(File_close, closes, OP_MPI_CLOSE, 0, 0, C)
WRAP_MPI(File_delete, deletes, OP_MPI_DELETE, 0, 0, 0)
WRAP_MPI(File_set_view, views, OP_MPI_SET_VIEW, 0, 0, C)
WRAP_MPI(File_seek, asks, OP_MPI_SEEK, WHENCE, 0, 0)
WRAP_MPI(File_seek_shared, asks, OP_MPI_SEEK_SHARED, WHENCE, 0, C)
WRAP_MPI(File_sync, asks, OP_MPI_SYNC, NOTHING, 0, C)
WRAP_MPI(File_set_size, asks, OP_MPI_SET_SIZE, BYTES, 0, C)
WRAP_MPI(File_preallocate, asks, OP_MPI_PREALLOCATE, BYTES, 0, C)
WRAP_MPI(File_get_size, asks, OP_MPI_GET_SIZE, ANSWER, 0, 0)

/* ---- begin and end ---- */

/* Records MPI_Init. The library's own reads and writes are one level deeper, like all
 * calls within a traced one: the program did not ask for them. */
static int inits(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    int32_t rank = -1, ranks = -1;
    struct event e = event_now();
    int rc = mpi_invoke(f, a);
    event_put(&e, c->op, -1, 0, mpi_outcome(rc, 0));
    if (rc || !recorder.header ||
        mpi.comm_rank(mpi.world, (intptr_t)&rank, 0, 0, 0, 0) ||
        mpi.comm_size(mpi.world, (intptr_t)&ranks, 0, 0, 0, 0))
        return rc;
    recorder.header->rank = rank;
    recorder.header->ranks = ranks;
    mpi_clock_begin(rank, ranks);
    facts_waited("init_waited_ns");
    return rc;
}

static int finalizes(const struct mpi_call *c, late_function *f, const intptr_t *a)
{
    if (recorder.header)
        facts_waited("final_waited_ns");
    mpi_clock_end();
    struct event e = event_now();
    int rc = mpi_invoke(f, a);
    event_put(&e, c->op, -1, 0, mpi_outcome(rc, 0));
    return rc;
}

WRAP_MPI(Init, inits, OP_MPI_INIT, 0, 0, 0)
WRAP_MPI(Init_thread, inits, OP_MPI_INIT_THREAD, 0, 0, 0)
WRAP_MPI(Finalize, finalizes, OP_MPI_FINALIZE, 0, 0, 0)
