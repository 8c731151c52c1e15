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
    BEGIN;
    OPEN;
    width += rank;
    MPI_File_write_at(fh, rank * Grid::width, b, Grid::width, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_write_at(fh, nprocs * 100 + rank * 64, b, width, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    END;
}
