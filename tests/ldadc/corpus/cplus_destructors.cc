/* Objects whose destructors write and close a file, wherever their blocks are left.
 * args: 100; 7
 * symbols: n=100; n=7
 * expect: resolved segmented; resolved segmented; resolved segmented
 * expect: resolved segmented */
#include <cstdlib>
#include <mpi.h>

namespace
{

class File
{
  public:
    explicit File(const char *name)
    {
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh);
    }

    File(const File &) = delete;
    File &operator=(const File &) = delete;

    ~File()
    {
        MPI_File_close(&fh);
    }

    MPI_File fh;
};

// Its destructor runs before that of its member.
class Output
{
  public:
    Output(const char *name, const char *data, int n) : file(name), data(data), n(n)
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    }

    ~Output()
    {
        MPI_File_write_at(file.fh, at() + (MPI_Offset)rank * 4, data, 4, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    }

    void write()
    {
        MPI_File_write_at(file.fh, at() + (MPI_Offset)rank * n, data, n, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        written += n;
    }

  private:
    MPI_Offset at() const
    {
        return (MPI_Offset)nprocs * written;
    }

    File file;
    const char *data;
    int n, rank, nprocs, written = 0;
};

// Has no destructor of its own, and two that run.
struct Pair {
    explicit Pair(int *count) : first(count), second(count)
    {
    }

    struct Adds {
        explicit Adds(int *to) : to(to)
        {
        }

        ~Adds()
        {
            *to += 8;
        }

        int *to;
    };

    Adds first, second;
};

int three_steps(int *count)
{
    for (int i = 0;; i++) {
        Pair both(count);
        if (i == 2)
            break;
    }
    Pair last(count);
    return *count; // 48, and then it is 64
}

void some(const char *name, const char *data, int n, bool early)
{
    Output out(name, data, n);
    out.write();
    if (early)
        return;
    out.write();
}

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int n = atoi(argv[2]), count = 0, rank, nprocs;
    char *data = new char[n];
    some(argv[1], data, n, true);
    some(argv[1], data, n, false);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    int before = three_steps(&count);
    {
        char buf[64] = "";
        File again(argv[1]);
        MPI_File_write_at(again.fh, rank * before, buf, before, MPI_BYTE,
                          MPI_STATUS_IGNORE);
        MPI_File_read_at(again.fh, rank * count, buf, count, MPI_BYTE,
                         MPI_STATUS_IGNORE);
    }
    delete[] data;
    MPI_Finalize();
    return 0;
}
