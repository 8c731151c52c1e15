/* A file as a random program makes it: random PATH SEED NP,NP,... write|read
 * [KEY=VALUE...]. Each stage is a run of NP ranks that opens the file and writes;
 * `write` does the last stage, `read` checks the result of all, with any number of
 * ranks. The data follow from the seed alone, so each process knows all of them.
 *
 * The file consists of islands with holes between them, some of them behind 1 TB. In a
 * round each rank writes in islands of its own, sometimes over what others have written
 * before; between rounds all sync. In every third round they write by views, all in one
 * island. */
#include "hints.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ISLANDS = 12, ISLAND = 40000, ROUNDS = 3, WRITES = 6, STAGES = 8 };

static unsigned char model[ISLANDS][ISLAND], buf[ISLAND + 200];
static MPI_Offset base[ISLANDS], end;
static uint64_t seed;
static int rank, ranks;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static void lay_out(void)
{
    int far = draw(4) == 0;
    MPI_Offset at = draw(3) ? 0 : draw(5000);
    for (int i = 0; i < ISLANDS; i++) {
        base[i] = at;
        at += ISLAND + (draw(2) ? 0 : draw(100000));
        if (far && i == ISLANDS / 2)
            at += (MPI_Offset)1 << 40;
    }
}

/* Writes to the model; and to the file, if it is this run's and this rank's turn. */
static int put(MPI_File *fh, int island, int at, int n, int whose)
{
    unsigned char *to = model[island] + at;
    for (int i = 0; i < n; i++)
        to[i] = (unsigned char)draw(256);
    if (base[island] + at + n > end)
        end = base[island] + at + n;
    if (!fh || whose != rank)
        return 0;
    return MPI_File_write_at(*fh, base[island] + at, to, n, MPI_BYTE,
                             MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static int write_round(MPI_File *fh, int round, int np)
{
    int failed = 0;
    for (int i = 0; i < np * WRITES; i++) {
        int whose = i % np, island = (int)draw(ISLANDS);
        int n = 1 + (int)draw(draw(3) ? 900 : ISLAND), at;
        while ((island + round) % np != whose)
            island = (island + 1) % (ISLANDS / np * np);
        at = (int)draw(ISLAND);
        failed |= put(fh, island, at, n < ISLAND - at ? n : ISLAND - at, whose);
    }
    return failed;
}

/* Writes blocks of all ranks in turn, each through a view that shows its own. */
static int write_by_view(MPI_File *fh, int np)
{
    int island = (int)draw(ISLANDS), block = 1 + (int)draw(700), failed = 0;
    int times = ISLAND / (np * block), whole = times * block;
    unsigned char *mine = malloc((size_t)whole + 1);
    MPI_Datatype view;
    for (int i = 0; i < times * np; i++) {
        put(NULL, island, i * block, block, 0);
        if (i % np == rank)
            memcpy(mine + (size_t)(i / np) * block, model[island] + (size_t)i * block,
                   (size_t)block);
    }
    if (fh && times) {
        MPI_Type_vector(times, block, np * block, MPI_BYTE, &view);
        MPI_Type_commit(&view);
        failed |= MPI_File_set_view(*fh, base[island] + rank * block, MPI_BYTE, view,
                                    "native", MPI_INFO_NULL);
        failed |= MPI_File_write_all(*fh, mine, whole, MPI_BYTE, MPI_STATUS_IGNORE);
        failed |=
            MPI_File_set_view(*fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
        MPI_Type_free(&view);
    }
    free(mine);
    return failed != 0;
}

static int stage(MPI_File *fh, int np)
{
    int failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        failed |= draw(3) ? write_round(fh, round, np) : write_by_view(fh, np);
        if (fh) {
            failed |= MPI_File_sync(*fh) != MPI_SUCCESS;
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    return failed;
}

/* Checks an island, with some of the holes around it. */
static int look(MPI_File fh)
{
    MPI_Offset size = 0;
    MPI_Status status;
    int wrong = MPI_File_get_size(fh, &size) != MPI_SUCCESS || size != end, got;
    if (wrong && rank == 0)
        printf("%lld bytes, and not %lld\n", (long long)size, (long long)end);
    for (int i = rank; i < ISLANDS; i += ranks) {
        int due = base[i] >= end           ? 0
                  : end - base[i] > ISLAND ? ISLAND
                                           : (int)(end - base[i]);
        memset(buf, 1, sizeof buf);
        if (MPI_File_read_at(fh, base[i], buf, ISLAND, MPI_BYTE, &status))
            return 1;
        MPI_Get_count(&status, MPI_BYTE, &got);
        if (got == due && !memcmp(buf, model[i], (size_t)due))
            continue;
        printf("island %d at %lld: %d bytes, and not %d, or others\n", i,
               (long long)base[i], got, due);
        wrong = 1;
    }
    for (int i = 1 + rank; i < ISLANDS; i += ranks) {
        int n = base[i] - base[i - 1] - ISLAND < 200 ? 0 : 200;
        memset(buf, 1, sizeof buf);
        if (base[i] >= end || !n)
            continue;
        wrong |= MPI_File_read_at(fh, base[i] - n, buf, n, MPI_BYTE, &status);
        for (int k = 0; k < n; k++)
            wrong |= buf[k] != 0;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_File fh;
    bool together;
    int np[STAGES], stages = 0, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info info = hints_of(argc, argv, 5, &together);
    for (char *at = argv[3]; *at && stages < STAGES;
         at += strcspn(at, ","), at += *at == ',')
        np[stages++] = atoi(at);
    int reads = !strcmp(argv[4], "read");
    seed = (uint64_t)atoll(argv[2]);
    lay_out();
    for (int s = 0; s < stages - !reads; s++)
        stage(NULL, np[s]);
    int mode = reads ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_RDWR;
    if (MPI_File_open(MPI_COMM_WORLD, argv[1], mode, info, &fh) != MPI_SUCCESS) {
        printf("it cannot be opened\n");
        failed = 1;
    } else {
        failed |= reads ? look(fh) : stage(&fh, np[stages - 1]);
        failed |= MPI_File_close(&fh) != MPI_SUCCESS;
    }
    MPI_Info_free(&info);
    MPI_Finalize();
    return failed;
}
