/* a constant of a class that is defined outside of it, beside a global of its name
 * expect: resolved segmented; any */
#include "corpus.h"

class Grid
{
  public:
    static const int width;
};

const int Grid::width = 48;
int width = 3;

int main(int argc, char **argv)
{
    char b[64] = "";
    START;
    width += rank;
    WRITE_BYTES(rank * Grid::width, b, Grid::width);
    WRITE_BYTES(nprocs * 100 + rank * 64, b, width);
    END;
}
