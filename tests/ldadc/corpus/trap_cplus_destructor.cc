/* Destructors that change what is written after a block, or within them.
 * trap: no call shows where an object ends, nor what that changes
 * symbols: l=20 s=11
 * expect: resolved segmented; any; resolved segmented; resolved segmented
 * expect: resolved unresolved; resolved segmented; any; any; resolved segmented */
#include <mpi.h>

static char buf[4096];
static MPI_File fh;
static int rank;

static void put(int n)
{
    MPI_File_write_at(fh, rank * 512, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
}

struct Adds {
    Adds(int *to, int n) : to(to), n(n)
    {
    }

    ~Adds()
    {
        *to += n;
    }

    int *to, n;
};

struct Doubles {
    explicit Doubles(int *to) : to(to)
    {
    }

    ~Doubles()
    {
        *to *= 2;
    }

    int *to;
};

// The body, and then the members, the last one first.
struct Mixed {
    explicit Mixed(int *to) : to(to), adds(to, 3), doubles(to)
    {
    }

    ~Mixed()
    {
        *to += 1;
    }

    int *to;
    Adds adds;
    Doubles doubles;
};

// Writes what is left, at each of the ways out.
struct Left {
    explicit Left(int n) : n(n)
    {
    }

    ~Left()
    {
        if (n > 0)
            MPI_File_write_at(fh, rank * 512, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    }

    int n;
};

static int before(int n)
{
    Adds adds(&n, 5);
    return n;
}

static void changed(int *n, int which)
{
    Adds one(n, 1);
    if (which == 1)
        return;
    Doubles two(n);
    if (which == 2)
        return;
    Adds three(n, 7);
}

static void leave(int which)
{
    Left left(4);
    if (which)
        return;
    left.n += 5;
    for (int i = 0; i < 3; i++) {
        Left inner(10 + i);
        if (i == 1)
            continue;
        inner.n = 0;
    }
    left.n *= 2;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    int n = 4, m = 4, k = 4, l = 4, s = 4, c = 4;
    {
        Adds adds(&n, 2);
        Doubles doubles(&n); // ends first
    }
    MPI_File_write_at(fh, rank * 64, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    {
        Mixed mixed(&n);
    }
    MPI_File_write_at(fh, rank * 64, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
    if (rank) {
        Adds adds(&m, rank);
    }
    MPI_File_write_at(fh, rank * 64, buf, m, MPI_BYTE, MPI_STATUS_IGNORE);
    changed(&k, rank % 3);
    MPI_File_write_at(fh, rank * 64, buf, k, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        Adds adds(&l, i);
        if (i == 1)
            continue;
        Doubles doubles(&l);
    }
    MPI_File_write_at(fh, rank * 64, buf, l, MPI_BYTE, MPI_STATUS_IGNORE);
    switch (argc) {
    case 1:
        break;
    default:
        Adds adds(&s, 3);
        if (argc == 3)
            break;
        Doubles doubles(&s);
    }
    MPI_File_write_at(fh, rank * 64, buf, s, MPI_BYTE, MPI_STATUS_IGNORE);
    {
        Adds adds(&c, 1);
        Adds copy = adds; // ends, too
        copy.n = 2;
    }
    MPI_File_write_at(fh, rank * 64, buf, c, MPI_BYTE, MPI_STATUS_IGNORE);
    put(before(6));
    leave(1);
    leave(0);
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
