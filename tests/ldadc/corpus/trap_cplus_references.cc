/* References that change a variable under another name.
 * trap: what is known of a variable before does not hold after
 * args: 2; 2 3
 * expect: resolved segmented; unresolved; unresolved; unresolved; any; unresolved */
#include "corpus.h"
#include <algorithm>
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
    WRITE_BYTES(rank * size, buf, size);
}

int main(int argc, char **argv)
{
    int a = 4, b = 8, c = 5, d = 6, e = 7, f = 9;
    char buf[64] = "";
    START;
    twice(a, a); // 4 times
    put(fh, rank, a);
    int &either = argc > 3 ? b : c;
    either = rank + 2;
    WRITE_BYTES(rank * 64, buf, b);
    WRITE_BYTES(rank * 64, buf, c);
    auto both = std::tie(d, e);
    both = std::make_tuple(rank + 1, rank + 2);
    WRITE_BYTES(rank * 64, buf, d);
    the_kept() = 3;
    WRITE_BYTES(rank * 64, buf, kept);
    int table[2] = {f, e};
    std::fill(table, table + 2, rank + 3);
    WRITE_BYTES(rank * 64, buf, table[0]);
    END;
}
