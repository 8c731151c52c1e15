/* Containers by plans and writes that a seed draws, and the same writes to flat files:
 *
 *     drawn FOLDER SEED COUNT
 *     drawn CONTAINER FILE
 *
 * The second makes a container of FILE. The first makes FOLDER/0, FOLDER/0.flat and so
 * on. Most writes are of chunks that the plan gives the rank, whole or in part; some
 * chunks stay holes, and some writes are anywhere. A byte's value follows from its
 * offset, so ranks may write the same ones. */
#include <fcntl.h>
#include <ldad.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHAPES = 5, SIZE_MOST = 9000, ANYWHERE = 3 };

static int rank, ranks;
static char text[4096];
static uint64_t state;

static int64_t draw(int64_t least, int64_t most)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((state >> 33) % (uint64_t)(most - least + 1));
}

/* This rank's chunks: count[1] in each of count[0]. */
static struct {
    int64_t start, size, count[2], stride[2], high;
} mine;

/* Prints the part of a plan's text after start=, for rank 0. */
static int put_each(char *out, int room, int64_t start)
{
    return snprintf(out, (size_t)room,
                    "start=%lld [span=%lld stride=%lld [span=%lld stride=%lld "
                    "size=%lld]]",
                    (long long)start, (long long)(mine.count[0] * mine.stride[0]),
                    (long long)mine.stride[0],
                    (long long)(mine.count[1] * mine.stride[1]),
                    (long long)mine.stride[1], (long long)mine.size);
}

/* Ranks take turns, with gaps: upwards, downwards, or within an outer repeat. */
static void draw_turns(int shape)
{
    int64_t start = draw(0, 5000), step = mine.size + draw(0, 1) * draw(0, 500);
    int64_t first = shape == 1 ? start + (ranks - 1) * step : start;
    mine.count[0] = draw(1, 4);
    mine.count[1] = draw(1, 5);
    mine.stride[1] = step * ranks + draw(0, 1) * draw(0, 500);
    mine.stride[0] = mine.stride[1] * mine.count[1] + draw(0, 1) * draw(0, 900);
    step = shape == 1 ? -step : step;
    mine.start = first + rank * step;
    mine.high = start + mine.count[0] * mine.stride[0];
    int n = snprintf(text, sizeof text, "ranks=%d step=%lld ", ranks, (long long)step);
    if (shape == 2)
        n += snprintf(text + n, sizeof text - (size_t)n, "end=%lld ",
                      (long long)draw(start + 1, mine.high));
    put_each(text + n, (int)sizeof text - n, first);
}

/* A grid of processes: the first digit of a rank's number selects a region, the second
 * one takes turns. */
static void draw_grid(void)
{
    int64_t start = draw(0, 5000), fast = ranks % 2 ? ranks : ranks / 2;
    mine.count[0] = 1;
    mine.count[1] = draw(1, 6);
    mine.stride[1] = mine.size * fast + draw(0, 200);
    mine.stride[0] = mine.stride[1] * mine.count[1];
    mine.start = start + rank / fast * mine.stride[0] + rank % fast * mine.size;
    mine.high = start + 2 * mine.stride[0];
    int n = snprintf(text, sizeof text, "ranks=%lldx%lld step=%lld,%lld ",
                     (long long)(ranks / fast), (long long)fast,
                     (long long)mine.stride[0], (long long)mine.size);
    put_each(text + n, (int)sizeof text - n, start);
}

/* Regions of all sizes. */
static void draw_table(void)
{
    int64_t start = draw(0, 5000), at = 0;
    int n = snprintf(text, sizeof text, "ranks=%d starts=", ranks);
    for (int r = 0; r < ranks; r++) {
        int64_t size = draw(1, SIZE_MOST);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld", r ? "," : "",
                      (long long)at);
        if (r == rank) {
            mine.start = start + at;
            mine.size = size;
        }
        at += size;
    }
    mine.count[0] = mine.count[1] = mine.stride[0] = mine.stride[1] = 1;
    mine.high = start + at;
    snprintf(text + n, sizeof text - (size_t)n, " start=%lld [size=%d]",
             (long long)start, SIZE_MOST);
}

static void write_both(ldad_file fh, int fd, int64_t at, int64_t bytes)
{
    static unsigned char data[SIZE_MOST];
    for (int64_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)((uint64_t)(at + i) * 2654435761u >> 13 | 1);
    if (ldad_file_write_at(fh, at, data, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE) ||
        pwrite(fd, data, (size_t)bytes, at) != bytes) {
        printf("rank %d cannot write at %lld\n", rank, (long long)at);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void write_chunk(ldad_file fh, int fd, int64_t at)
{
    int64_t how = draw(0, 9), from = draw(0, mine.size - 1);
    if (how < 7)
        write_both(fh, fd, at, mine.size);
    else if (how < 9)
        write_both(fh, fd, at + from, draw(1, mine.size - from));
}

static void write_all(ldad_file fh, int fd)
{
    for (int64_t i = 0; i < mine.count[0]; i++)
        for (int64_t j = 0; j < mine.count[1]; j++)
            write_chunk(fh, fd, mine.start + i * mine.stride[0] + j * mine.stride[1]);
    for (int64_t n = draw(0, 1) * draw(0, ANYWHERE); n > 0; n--)
        write_both(fh, fd, draw(0, mine.high + 1000), draw(1, 200));
}

static ldad_file open_planned(const char *path)
{
    ldad_file fh;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ldad_method", "partitioned");
    MPI_Info_set(info, "ldad_plan", text);
    int rc = ldad_file_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info,
                            &fh);
    MPI_Info_free(&info);
    if (rc) {
        printf("rank %d cannot open %s by %s\n", rank, path, text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return fh;
}

static void make(const char *folder, int64_t seed, int i)
{
    char path[4096], flat[4096];
    state = (uint64_t)(seed * 1000 + i);
    int shape = (int)((seed + i) % SHAPES);
    mine.size = draw(1, draw(0, 1) ? 64 : SIZE_MOST);
    if (shape < 3)
        draw_turns(shape);
    else if (shape == 3)
        draw_grid();
    else
        draw_table();
    snprintf(path, sizeof path, "%s/%d", folder, i);
    snprintf(flat, sizeof flat, "%s/%d.flat", folder, i);
    ldad_file fh = open_planned(path);
    int fd = open(flat, O_WRONLY | O_CREAT, 0644);
    state += (uint64_t)rank * 7919;
    write_all(fh, fd);
    close(fd);
    if (ldad_file_close(&fh))
        printf("rank %d cannot close %s\n", rank, path);
}

/* Makes a container that deals chunks to the ranks in turn. */
static void make_of(const char *path, const char *from)
{
    enum { CHUNK = 1000 };
    char data[CHUNK];
    FILE *in = fopen(from, "rb");
    snprintf(text, sizeof text, "ranks=%d step=%d start=0 [span=%d stride=%d size=%d]",
             ranks, CHUNK, 100 * CHUNK * ranks, CHUNK * ranks, CHUNK);
    ldad_file fh = open_planned(path);
    for (int i = 0, n; in && (n = (int)fread(data, 1, CHUNK, in)) > 0; i++)
        if (i % ranks == rank)
            ldad_file_write_at(fh, (MPI_Offset)i * CHUNK, data, n, MPI_BYTE,
                               MPI_STATUS_IGNORE);
    if (!in || ldad_file_close(&fh))
        printf("rank %d cannot read %s, or not close\n", rank, from);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 3)
        make_of(argv[1], argv[2]);
    for (int i = 0; argc == 4 && i < atoi(argv[3]); i++)
        make(argv[1], atoll(argv[2]), i);
    MPI_Finalize();
    return argc != 3 && argc != 4;
}
