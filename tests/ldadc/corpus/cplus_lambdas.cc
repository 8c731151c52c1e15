/* Lambdas that are called by their names or where they stand, with what they capture.
 * args: 100; 7
 * symbols: n=100; n=7
 * expect: resolved segmented; resolved segmented; resolved segmented
 * expect: resolved segmented */
#include <cstdlib>
#include <mpi.h>

class Output
{
  public:
    Output(MPI_File fh, int rank, int n) : fh(fh), rank(rank), n(n)
    {
    }

    void twice(const char *data)
    {
        auto write = [this, data](int step) {
            MPI_File_write_at(fh, (MPI_Offset)(2 * rank + step) * n, data, n, MPI_BYTE,
                              MPI_STATUS_IGNORE);
            written += n;
        };
        write(0);
        write(1);
    }

    int written = 0;

  private:
    MPI_File fh;
    int rank, n;
};

int main(int argc, char **argv)
{
    MPI_File fh;
    int rank, nprocs;
    MPI_Init(&argc, &argv);
    auto open = [&](const char *name) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh);
    };
    open(argv[1]);
    int n = atoi(argv[2]);
    char *data = static_cast<char *>(calloc(n, 2));
    Output out(fh, rank, n);
    out.twice(data);
    int size = [n] {
        int most = n + 4;
        return most - 4;
    }();
    auto begin = [=](int block) -> MPI_Offset {
        return (MPI_Offset)nprocs * size * block;
    };
    auto grow = [&size](int by) { size += by; };
    grow(n); // of a copy of size, begin() knows nothing of it
    MPI_File_read_at(fh, begin(0) + (MPI_Offset)rank * size, data, size, MPI_BYTE,
                     MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, begin(2) + rank * n, data, out.written / 2, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    int at = 0;
    for (int i = 0; i < 3; i++) {
        auto next = [&at] {
            at += 4;
            if (at > 100)
                return 0;
            return 4;
        };
        next();
    }
    MPI_File_read_at(fh, rank * at, data, at / 12, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    free(data);
    MPI_Finalize();
    return 0;
}
