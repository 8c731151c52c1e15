/* Lambdas that change variables, of which they have a copy or not.
 * trap: a lambda's call shows neither what it reads nor what it changes
 * args: 2
 * symbols: m=10
 * expect: resolved segmented; any; resolved unresolved; any; resolved segmented
 * expect: resolved segmented; any */
#include "corpus.h"

static char buf[4096];

static int count(int n)
{
    int kept = 0;
    auto add = [&kept](int by) { kept += by; };
    if (n > 0) {
        add(count(n - 1));
        add(3);
    }
    return kept;
}

struct Size {
    int n = 4;

    void more(int by)
    {
        auto add = [&] {
            if (by < 0)
                return;
            n += by;
        };
        add();
        add();
    }
};

int main(int argc, char **argv)
{
    int n = 4, m = 4, k = 4, l = 4, s = 4;
    START;
    auto copied = [n] { return n; };
    auto seen = [&n] { return n; };
    n = 9;
    WRITE_BYTES(rank * 64, buf, 10 * copied() - seen());
    for (int i = 0; i < 3; i++) {
        auto add = [&m, i] { m += 2 * i; };
        add();
    }
    WRITE_BYTES(rank * 64, buf, m);
    auto by_rank = [&] {
        if (rank)
            k += rank;
    };
    by_rank();
    WRITE_BYTES(rank * 64, buf, k);
    int *to = &l;
    auto through = [to](int to_add) { *to += to_add; };
    through(1);
    to = &s;
    through(2);
    WRITE_BYTES(rank * 64, buf, l);
    WRITE_BYTES(rank * 64, buf, s);
    Size size;
    size.more(3);
    WRITE_BYTES(rank * 64, buf, size.n);
    WRITE_BYTES(rank * 64, buf, count(argc));
    END;
}
