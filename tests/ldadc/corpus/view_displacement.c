/* The displacement is the rank's; after the header, records of a contiguous type.
 * args: 4; 1
 * symbols: n=4; n=1
 * expect: resolved segmented; resolved segmented */
#include "corpus.h"

struct particle {
    double x, y, z;
};

int main(int argc, char **argv)
{
    int n;
    MPI_Datatype type;
    BEGIN;
    n = atoi(argv[2]);
    struct particle *p = calloc(n, sizeof *p);
    MPI_Type_contiguous(3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    OPEN;
    MPI_File_set_view(fh, 16 + (MPI_Offset)rank * n * sizeof(struct particle), type,
                      type, "native", MPI_INFO_NULL);
    MPI_File_write_all(fh, p, n, type, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        MPI_File_read_at(fh, i, &p[i], 1, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(p);
    END;
}
