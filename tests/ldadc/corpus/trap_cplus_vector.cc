/* Vectors whose length or elements change.
 * trap: how long a vector was made is not how long it is
 * args: 2
 * expect: resolved segmented; unresolved; unresolved; unresolved; unresolved
 * expect: unresolved */
#include "corpus.h"
#include <cstdlib>
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
    MPI_File_write_at(fh, rank * 64, buf, n, MPI_BYTE, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    char buf[64] = "";
    BEGIN;
    OPEN;
    std::vector<char> one(4), two(8), list{4, 5};
    grow(one);
    MPI_File_write_at(fh, rank * 64, buf, one.size(), MPI_BYTE, MPI_STATUS_IGNORE);
    std::swap(one, two);
    MPI_File_write_at(fh, rank * 64, buf, one.size(), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 64, buf, list.size(), MPI_BYTE, MPI_STATUS_IGNORE);
    std::vector<int> sizes(3, 4);
    sizes[1] = rank + 1;
    MPI_File_write_at(fh, rank * 64, buf, sizes[1], MPI_BYTE, MPI_STATUS_IGNORE);
    std::vector<int> copy(sizes);
    copy.insert(copy.end(), 3);
    MPI_File_write_at(fh, rank * 64, buf, copy.size(), MPI_BYTE, MPI_STATUS_IGNORE);
    write(fh, rank, sizes.size());
    END;
}
