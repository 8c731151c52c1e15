/* The peer of outcore graph --layout=csr in bench/graph.py: a breadth-first search as
 * one writes it for memory, over its files OFFSETS and NEIGHBOURS of one rank, mapped.
 * The queue and a bit for each vertex are in memory.
 *
 *     bfs_mmap OFFSETS NEIGHBOURS    prints: seconds, vertices reached, entries */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 64 / 8 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const uint64_t *mapped(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    void *at = fd < 0 || fstat(fd, &st)
                   ? MAP_FAILED
                   : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    close(fd);
    madvise(at, (size_t)st.st_size, MADV_RANDOM);
    return at;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const uint64_t *offsets = mapped(argv[1]), *neighbours = mapped(argv[2]);
    uint64_t vertices = offsets[1], entries = 0;
    uint32_t *queue = malloc(vertices * sizeof *queue);
    uint64_t *seen = calloc(vertices / 64 + 1, sizeof *seen), head = 0, tail = 1;
    if (!queue || !seen)
        return 1;
    double begin = now();
    seen[0] = 1;
    queue[0] = 0;
    while (head < tail) {
        uint64_t v = queue[head++], i = offsets[HEAD + v], end = offsets[HEAD + v + 1];
        entries += end - i;
        for (; i < end; i++) {
            uint64_t w = neighbours[HEAD + i];
            if (seen[w / 64] >> w % 64 & 1)
                continue;
            seen[w / 64] |= UINT64_C(1) << w % 64;
            queue[tail++] = (uint32_t)w;
        }
    }
    printf("%.6f %llu %llu\n", now() - begin, (unsigned long long)tail,
           (unsigned long long)entries);
    return 0;
}
