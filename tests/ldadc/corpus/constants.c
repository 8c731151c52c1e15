/* Constants in all their forms: macros, enums, const, sizeof, characters, octal.
 * expect: resolved segmented; resolved interleaved */
#include "corpus.h"
#include <stdint.h>
#define KIB(n) ((n)*1024ULL)
#define BLOCK (KIB(1) / 8)

enum unit { HEADER = 1 << 4, BODY = HEADER + 2, COUNT = 3 };
static const int each = BODY;

struct cell {
    int32_t id;
    double value;
};

int main(int argc, char **argv)
{
    struct cell cells[BODY] = {{0, 0}};
    const MPI_Offset span = sizeof cells;
    START;
    WRITE_BYTES(HEADER + rank * span, cells, each * sizeof(struct cell));
    for (int i = 0; i < COUNT; i++)
        WRITE_BYTES(010 + 'A' + (i * nprocs + rank) * (MPI_Offset)BLOCK, cells, BLOCK);
    END;
}
