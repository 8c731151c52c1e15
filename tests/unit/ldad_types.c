/* ranks: 1; limit: 60; mpi: each */
/* Datatypes decoded as runs, compared with the result of MPI_Pack: random ones, within
 * each other. */
#include "tap.h"

#include "ldad/lib/types.h"
#include <mpi.h>

enum { ROOM = 1 << 20, MIDDLE = ROOM / 2, LEVELS = 3, TIMES = 1500 };

static unsigned char memory[ROOM], flat[ROOM], packed[ROOM];

static int any(int low, int high)
{
    return low + rand() % (high - low + 1);
}

/* Wraps *t in another datatype, and frees it. */
static void wrap(MPI_Datatype *t)
{
    MPI_Datatype out, two[2] = {*t, MPI_SHORT_INT};
    int n = any(1, 3), length[3] = {any(0, 2), 1, any(0, 3)}, at[3] = {any(0, 2), 3, 7};
    int size[2] = {any(2, 5), any(2, 5)}, sub[2] = {1, any(1, 2)}, start[2] = {1, 0};
    int how[2] = {any(0, 1) ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC,
                  MPI_DISTRIBUTE_NONE};
    int arg[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 1};
    int order = any(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    MPI_Aint low, extent, far[3] = {any(-9, 9), 300, 500};
    MPI_Type_get_extent(*t, &low, &extent);
    int code;
    switch (any(0, 9)) {
    case 0:
        code = MPI_Type_contiguous(n, *t, &out);
        break;
    case 1:
        code = MPI_Type_vector(n, any(1, 2), any(-3, 4), *t, &out);
        break;
    case 2:
        /* With a distance of -1 byte, Open MPI packs differently from all others. */
        code = MPI_Type_create_hvector(n, 1, 2 * any(-25, 45), *t, &out);
        break;
    case 3:
        code = MPI_Type_indexed(n, length, at, *t, &out);
        break;
    case 4:
        code = MPI_Type_create_hindexed(n, length, far, *t, &out);
        break;
    case 5:
        code = MPI_Type_create_struct(2, length, far, two, &out);
        break;
    case 6:
        code = MPI_Type_create_subarray(2, size, sub, start, order, *t, &out);
        break;
    case 7:
        code = MPI_Type_create_darray(2, any(0, 1), 2, size, how, arg, grid, order, *t,
                                      &out);
        break;
    case 8:
        code = MPI_Type_create_indexed_block(n, any(1, 2), at, *t, &out);
        break;
    default:
        code = MPI_Type_create_resized(*t, low, extent + any(0, 9), &out);
    }
    if (code != MPI_SUCCESS) /* Open MPI makes no arrays of some types */
        return;
    MPI_Type_free(t);
    *t = out;
}

static bool small(MPI_Datatype t)
{
    MPI_Aint low, extent;
    int size;
    MPI_Type_get_true_extent(t, &low, &extent);
    MPI_Type_size(t, &size);
    return size < ROOM / 8 && labs(low) + extent < ROOM / 16;
}

/* True if the bytes of two copies come in MPI's order of packing. */
static bool same(MPI_Datatype type)
{
    struct types *t;
    int at = 0;
    if (types_of(type, &t))
        return false;
    MPI_Pack(memory + MIDDLE, 2, type, packed, ROOM, &at, MPI_COMM_SELF);
    bool good = 2 * t->size == at;
    for (int64_t pos = 0; pos < 2 * t->size && good;) {
        struct types_run r = types_at(t, pos, 2 * t->size - pos);
        good = r.bytes > 0;
        memcpy(flat + pos, memory + MIDDLE + r.at, (size_t)r.bytes);
        pos += r.bytes;
    }
    good = good && !memcmp(flat, packed, (size_t)at);
    types_release(t);
    return good;
}

static void test_random(void)
{
    int bad = 0, seen = 0;
    for (int i = 0; i < TIMES; i++) {
        MPI_Datatype t;
        MPI_Type_dup(any(0, 1) ? MPI_INT : MPI_SHORT_INT, &t);
        for (int k = any(0, LEVELS); k > 0; k--)
            wrap(&t);
        MPI_Type_commit(&t);
        seen += small(t);
        bad += small(t) && !same(t);
        MPI_Type_free(&t);
    }
    tap_ok(seen > TIMES / 2 && !bad, "%d of %d random datatypes differ from MPI_Pack's",
           bad, seen);
}

/* A vector of 10^9 elements needs no memory for each. */
static void test_large(void)
{
    MPI_Datatype v;
    struct types *t;
    MPI_Type_vector(1000000000, 1, 2, MPI_INT, &v);
    MPI_Type_commit(&v);
    tap_ok(types_of(v, &t) == 0, "a vector of 10^9 elements");
    struct types_run r = types_at(t, 4 * INT64_C(999999999), 100);
    tap_ok(r.at == 8 * INT64_C(999999999) && r.bytes == 8,
           "its last element, and the next "
           "copy's first");
    tap_ok(types_before(t, 8 * INT64_C(500000000)) == 4 * INT64_C(500000000),
           "how much is before a byte");
    types_release(t);
    MPI_Type_free(&v);
}

static void test_judged(void)
{
    const int at[2] = {4, 0}, twice[2] = {0, 0};
    MPI_Datatype t;
    struct types *x;
    MPI_Type_create_indexed_block(2, 1, at, MPI_INT, &t);
    types_of(t, &x);
    tap_ok(x->descending, "one that goes back");
    types_release(x);
    MPI_Type_free(&t);
    MPI_Type_create_indexed_block(2, 1, twice, MPI_INT, &t);
    types_of(t, &x);
    tap_ok(!x->descending && x->overlapping, "one that has bytes twice");
    types_release(x);
    MPI_Type_free(&t);
    types_of(MPI_DOUBLE, &x);
    tap_ok(x->row && x->size == 8, "a basic one is a row");
    types_release(x);
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < ROOM; i++)
        memory[i] = (unsigned char)(rand() >> 7);
    test_random();
    test_large();
    test_judged();
    return tap_end();
}
