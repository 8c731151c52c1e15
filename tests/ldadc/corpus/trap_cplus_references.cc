/* References that change a variable under another name.
 * trap: what is known of a variable before does not hold after
 * args: 2; 2 3
 * expect: resolved segmented; unresolved; unresolved; unresolved; any; unresolved */
#include "corpus.h"
#include <algorithm>
#include <cstdlib>
#include <tuple>

static int kept = 4;

static int &the_kept()
{
    return kept;
}

static void twice(int &a, const int &b)
{
    a += b;
    a += b;
}

static void put(MPI_File fh, int rank, int size)
{
    char buf[64] = "";
    MPI_File_write_at(fh, rank * size, buf, size, MPI_BYTE, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int a = 4, b = 8, c = 5, d = 6, e = 7, f = 9;
    char buf[64] = "";
    BEGIN;
    OPEN;
    twice(a, a); // 4 times
    put(fh, rank, a);
    int &either = argc > 3 ? b : c;
    either = rank + 2;
    MPI_File_write_at(fh, rank * 64, buf, b, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 64, buf, c, MPI_BYTE, MPI_STATUS_IGNORE);
    auto both = std::tie(d, e);
    both = std::make_tuple(rank + 1, rank + 2);
    MPI_File_write_at(fh, rank * 64, buf, d, MPI_BYTE, MPI_STATUS_IGNORE);
    the_kept() = 3;
    MPI_File_write_at(fh, rank * 64, buf, kept, MPI_BYTE, MPI_STATUS_IGNORE);
    int table[2] = {f, e};
    std::fill(table, table + 2, rank + 3);
    MPI_File_write_at(fh, rank * 64, buf, table[0], MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
