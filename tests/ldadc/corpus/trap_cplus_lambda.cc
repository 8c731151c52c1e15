/* Lambdas that change variables, of which they have a copy or not.
 * trap: a lambda's call shows neither what it reads nor what it changes
 * args: 2
 * symbols: m=10
 * expect: resolved segmented; any; resolved unresolved; any; resolved segmented
 * expect: resolved segmented; any */
#include "corpus.h"

static char buf[4096];

static int count(int n)
{
    int kept = 0;
    auto add = [&kept](int by) { kept += by; };
    if (n > 0) {
        add(count(n - 1));
        add(3);
    }
    return kept;
}

struct Size {
    int n = 4;

    void more(int by)
    {
        auto add = [&] {
            if (by < 0)
                return;
            n += by;
        };
        add();
        add();
    }
};

int main(int argc, char **argv)
{
    int n = 4, m = 4, k = 4, l = 4, s = 4;
    BEGIN;
    OPEN;
    auto copied = [n] { return n; };
    auto seen = [&n] { return n; };
    n = 9;
    MPI_File_write_at(fh, rank * 64, buf, 10 * copied() - seen(), MPI_BYTE,
                      MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        auto add = [&m, i] { m += 2 * i; };
        add();
    }
    MPI_File_write_at(fh, rank * 64, buf, m, MPI_BYTE, MPI_STATUS_IGNORE);
    auto by_rank = [&] {
        if (rank)
            k += rank;
    };
    by_rank();
    MPI_File_write_at(fh, rank * 64, buf, k, MPI_BYTE, MPI_STATUS_IGNORE);
    int *to = &l;
    auto through = [to](int to_add) { *to += to_add; };
    through(1);
    to = &s;
    through(2);
    MPI_File_write_at(fh, rank * 64, buf, l, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 64, buf, s, MPI_BYTE, MPI_STATUS_IGNORE);
    Size size;
    size.more(3);
    MPI_File_write_at(fh, rank * 64, buf, size.n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 64, buf, count(argc), MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
