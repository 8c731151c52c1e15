/* The last block is as short as the file's end wants it.
 * trap: the last chunk has another size than the others
 * args: 1000 300; 900 300
 * symbols: total=1000 block=300; total=900 block=300
 * expect: any */
#include "corpus.h"

int main(int argc, char **argv)
{
    START;
    MPI_Offset total = atoll(argv[2]), block = atoll(argv[3]);
    char *buf = calloc(block, 1);
    for (MPI_Offset at = rank * block; at < total; at += nprocs * block) {
        MPI_Offset left = total - at;
        int bytes = left < block ? left : block;
        WRITE_BYTES(at, buf, bytes);
    }
    free(buf);
    END;
}
