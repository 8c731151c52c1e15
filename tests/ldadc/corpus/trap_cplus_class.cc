/* Members that change where the call does not show it.
 * trap: constructors, methods and initial values change members and other variables
 * args: 2
 * expect: resolved segmented; unresolved; unresolved; any; any; unresolved */
#include "corpus.h"
#include <cstdlib>
#include <string>
#include <vector>

static int made = 4, started = 6;

struct Counter {
    Counter()
    {
        made++;
    }
    int start = started++;
};

class Sizes
{
  public:
    explicit Sizes(int n) : one(n), two(n)
    {
        one += 2;
    }

    int &changed()
    {
        return two;
    }

    Sizes bigger(int by) const
    {
        Sizes s(one + by);
        return s;
    }

    int one, two;
};

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
    Sizes s(3);
    write(fh, rank, s.one);
    Counter all[3];
    MPI_File_write_at(fh, rank * 64, buf, made, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, rank * 64, buf, started + all[1].start - 5, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    s.changed() = 9;
    MPI_File_write_at(fh, rank * 64, buf, s.two, MPI_BYTE, MPI_STATUS_IGNORE);
    Sizes t = s;
    t = s.bigger(1);
    s.one = 7;
    MPI_File_write_at(fh, rank * 64, buf, t.one, MPI_BYTE, MPI_STATUS_IGNORE);
    std::vector<Sizes *> kept(1, &s);
    kept[0]->two = rank + 1;
    MPI_File_write_at(fh, rank * 64, buf, s.two, MPI_BYTE, MPI_STATUS_IGNORE);
    END;
}
