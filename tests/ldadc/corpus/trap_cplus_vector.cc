/* Vectors whose length or elements change.
 * trap: how long a vector was made is not how long it is
 * args: 2
 * expect: resolved segmented; unresolved; unresolved; unresolved; unresolved
 * expect: unresolved */
#include "corpus.h"
#include <string>
#include <utility>
#include <vector>

static void grow(std::vector<char> &v)
{
    v.push_back('x');
}

static void write(MPI_File fh, int rank, int n)
{
    char buf[64] = "";
    WRITE_BYTES(rank * 64, buf, n);
}

int main(int argc, char **argv)
{
    char buf[64] = "";
    START;
    std::vector<char> one(4), two(8), list{4, 5};
    grow(one);
    WRITE_BYTES(rank * 64, buf, one.size());
    std::swap(one, two);
    WRITE_BYTES(rank * 64, buf, one.size());
    WRITE_BYTES(rank * 64, buf, list.size());
    std::vector<int> sizes(3, 4);
    sizes[1] = rank + 1;
    WRITE_BYTES(rank * 64, buf, sizes[1]);
    std::vector<int> copy(sizes);
    copy.insert(copy.end(), 3);
    WRITE_BYTES(rank * 64, buf, copy.size());
    write(fh, rank, sizes.size());
    END;
}
