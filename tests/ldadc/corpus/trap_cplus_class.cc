/* Members that change where the call does not show it.
 * trap: constructors, methods and initial values change members and other variables
 * args: 2
 * expect: resolved segmented; unresolved; unresolved; any; any; unresolved */
#include "corpus.h"
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
    WRITE_BYTES(rank * 64, buf, n);
}

int main(int argc, char **argv)
{
    char buf[64] = "";
    START;
    Sizes s(3);
    write(fh, rank, s.one);
    Counter all[3];
    WRITE_BYTES(rank * 64, buf, made);
    WRITE_BYTES(rank * 64, buf, started + all[1].start - 5);
    s.changed() = 9;
    WRITE_BYTES(rank * 64, buf, s.two);
    Sizes t = s;
    t = s.bigger(1);
    s.one = 7;
    WRITE_BYTES(rank * 64, buf, t.one);
    std::vector<Sizes *> kept(1, &s);
    kept[0]->two = rank + 1;
    WRITE_BYTES(rank * 64, buf, s.two);
    END;
}
