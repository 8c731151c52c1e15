/* Numbers and files that functions of C++ give back by references.
 * args: 100; 7
 * symbols: n=100; n=7
 * expect: resolved segmented; resolved segmented; unresolved */
#include "corpus.h"
#include <algorithm>

namespace parts
{

void mine(int rank, int size, MPI_Offset &begin, int &length)
{
    begin = (MPI_Offset)rank * size;
    length = size;
}

int &larger(int &a, int &b)
{
    if (a > b)
        return a;
    return b;
}

} // namespace parts

static void open_file(const char *name, MPI_File &file)
{
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
}

int main(int argc, char **argv)
{
    int length, three = 3;
    MPI_Offset begin;
    MPI_File fh;
    BEGIN;
    int n = atoi(argv[2]);
    char *buf = new char[n];
    parts::mine(rank, n, begin, length);
    open_file(argv[1], fh);
    WRITE_BYTES(begin, buf, length);
    int &chosen = parts::larger(three, ++length);
    int least = std::min(n, 5), step = rank;
    int &same = step;
    same *= least;
    MPI_File_read_at(fh, step, buf, least, MPI_BYTE, MPI_STATUS_IGNORE);
    chosen = 1;
    MPI_File_read_at(fh, (MPI_Offset)n * rank, buf, three, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    delete[] buf;
    MPI_Finalize();
    return 0;
}
