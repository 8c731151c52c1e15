/* A class that has the file, with its methods, and a template of a function.
 * args: 100
 * symbols: n=100
 * expect: resolved segmented; resolved segmented; resolved segmented,overlapped */
#include "corpus.h"
#include <string>
#include <vector>

namespace
{

template <typename T> MPI_Datatype type_of();

template <> MPI_Datatype type_of<int>()
{
    return MPI_INT;
}

template <> MPI_Datatype type_of<double>()
{
    return MPI_DOUBLE;
}

class Output
{
  public:
    Output(MPI_Comm comm, const std::string &name) : rank(0)
    {
        MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh);
        MPI_Comm_rank(comm, &rank);
    }

    void close()
    {
        MPI_File_close(&fh);
    }

    void write(const std::vector<char> &data)
    {
        MPI_File_write_at(this->fh, begin(data.size()), data.data(), (int)data.size(),
                          MPI_CHAR, MPI_STATUS_IGNORE);
        count++;
    }

    void read(std::vector<char> &data)
    {
        MPI_File_read_at(fh, begin(data.size()), &data[0], (int)data.size(), MPI_CHAR,
                         MPI_STATUS_IGNORE);
    }

    template <typename T> void write_at(MPI_Offset at, const std::vector<T> &data)
    {
        MPI_File_write_at(fh, at * sizeof(T), data.data(), data.size(), type_of<T>(),
                          MPI_STATUS_IGNORE);
    }

    int count = 0;

  private:
    MPI_Offset begin(MPI_Offset size) const
    {
        return rank * size;
    }

    MPI_File fh;
    int rank;
};

} // namespace

int main(int argc, char **argv)
{
    BEGIN;
    int n = atoi(argv[2]);
    Output out(MPI_COMM_WORLD, argv[1]);
    std::vector<char> data(n);
    out.write(data);
    out.read(data);
    std::vector<int> numbers(4, rank);
    std::vector<double> more;
    more.resize(8);
    out.write_at(rank * 4, numbers);
    out.write_at(rank * 4 + out.count, more);
    out.close();
    MPI_Finalize();
    return 0;
}
