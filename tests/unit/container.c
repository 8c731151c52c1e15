/* ranks: 1 2 4; limit: 300
 * Partitioned containers: the header, byte by byte; the same bytes as in a shared
 * file after any writes; partitions in folders that not every rank may open. */
#include "tap.h"

#include "base/scratch.h"
#include "base/stamp.h"
#include "io/io.h"
#include "io/part/container.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

static int rank, size;

/* Returns a path of all ranks; own_path one of this rank. */
static const char *shared_path(const char *name)
{
    static char path[4][TAP_PATH];
    static int i;

    i = (i + 1) % 4;
    return tap_path(path[i], name);
}

static const char *own_path(const char *name)
{
    char whole[64];

    snprintf(whole, sizeof whole, "%s.%d", name, rank);
    return shared_path(whole);
}

static void quiet_clear(const char *what, int rc)
{
    if (rc)
        tap_diag("%s: %s (%s)", what, err_get()->text, err_get()->file);
    err_clear();
}

/* Counts syncs of this process: it replaces the C library's function. */
static int syncs;

int fsync(int fd)
{
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

/* ---- the header ---------------------------------------------------------------- */

static struct ldad_plan table_plan(void)
{
    static const int64_t starts[] = {0, 4000, 5000};

    return (struct ldad_plan){
        .ranks = 3, .each = {.size = 4000}, .starts = starts, .end = 6001};
}

static struct ldad_plan cyclic_plan(int64_t ranks, int64_t chunk, int64_t chunks)
{
    struct ldad_plan p;

    ldad_plan_cyclic(&p, ranks, 0, ranks * chunk * chunks, chunk);
    return p;
}

/* True if all numbers are read as they were written. */
static bool survives(const struct ldad_plan *plan, const char *dirs)
{
    const char *path = own_path("header");
    struct container a, b;
    char file[TAP_PATH + 16];
    bool same = mkdir(path, 0700) == 0 && container_make(&a, plan, dirs) == 0;
    snprintf(file, sizeof file, "%s/header.new", path);
    same = same && symlink("victim", file) == 0; /* it must not be created */

    if (!same)
        return false;
    for (int64_t r = 0; r < a.parts; r++)
        a.part[r] = (struct container_part){.bytes = 1000 * r,
                                            .misfits = r,
                                            .node = (int)r / 2,
                                            .dir = dirs ? (int)r % 2 : -1,
                                            .host = "somewhere",
                                            .sums = 7 * (uint32_t)r,
                                            .summed = r & 1};
    a.state = CONTAINER_COMPLETE;
    a.bytes = 123456789;
    a.misfits = 3;
    a.misfit_bytes = 77;
    a.recovered = true;
    a.generation = INT64_C(1) << 40;
    a.map_ranges = 5;
    a.map_sum = 99;
    snprintf(a.writer, sizeof a.writer, "process 12 on n1");
    same = container_write(&a, path, true) == 0 && container_is(path) &&
           container_read(&b, path) == 0;
    quiet_clear("header", !same);
    if (!same)
        return false;
    same = a.state == b.state && a.id == b.id && a.bytes == b.bytes &&
           a.misfits == b.misfits && a.misfit_bytes == b.misfit_bytes &&
           a.parts == b.parts && !strcmp(a.dirs, b.dirs) && b.saved && b.recovered &&
           a.generation == b.generation && a.map_ranges == b.map_ranges &&
           a.map_sum == b.map_sum && !strcmp(a.writer, b.writer);
    for (int64_t r = 0; r < a.parts && same; r++)
        same = !memcmp(&a.part[r], &b.part[r], sizeof a.part[r]) &&
               ldad_map_bytes(&a.map, r) == ldad_map_bytes(&b.map, r) &&
               ldad_map_offset(&a.map, r, 7) == ldad_map_offset(&b.map, r, 7);
    container_free(&a);
    container_free(&b);
    snprintf(file, sizeof file, "%s/header", path);
    unlink(file);
    return rmdir(path) == 0 && same;
}

static void test_header(void)
{
    struct ldad_plan cyclic = cyclic_plan(64, 4096, 1 << 20), table = table_plan();
    struct ldad_plan overlapped = {.ranks = 2,
                                   .each = {.size = 100},
                                   .digits = 1,
                                   .digit = {{2, 50}},
                                   .end = INT64_MAX};
    struct container c;

    tap_ok(survives(&cyclic, NULL), "a header of 64 ranks is read as written");
    tap_ok(survives(&table, "/a,/b/%n/%r"), "so is one with a table and node dirs");
    tap_ok(survives(NULL, NULL), "so is one without a plan");
    tap_ok(container_make(&c, &cyclic, NULL) == 0 &&
               container_size(&c) == 4096 + 64 * 64,
           "it has 4 KiB and 64 bytes for each rank");
    container_free(&c);
    tap_ok(container_make(&c, &overlapped, NULL) == 0 && c.parts == 0 &&
               err_get()->code == 0,
           "a plan by which ranks overlap makes no partitions, and is no failure");
    container_free(&c);
    tap_ok(container_make(&c, &cyclic, "a,b") == -EINVAL && err_get()->usage,
           "node directories must be absolute");
    err_clear();
    tap_ok(container_make(&c, &cyclic, "/a/%x") == -EINVAL && err_get()->usage,
           "and may have %%n and %%r only");
    err_clear();
}

/* A header that must survive a crash of the machine is synced, and so is its folder. */
static void test_durable(void)
{
    struct container c;
    struct ldad_plan plan = cyclic_plan(2, 10, 2);
    const char *path = own_path("durable");
    char header[TAP_PATH];

    bool ready = mkdir(path, 0700) == 0 && container_make(&c, &plan, NULL) == 0;
    syncs = 0;
    int loose = ready ? container_write(&c, path, false) : -1, none = syncs;
    int firm = ready ? container_write(&c, path, true) : -1;
    tap_ok(loose == 0 && none == 0 && firm == 0 && syncs == 2,
           "a durable header is synced, with its folder (%d, %d)", none, syncs);
    snprintf(header, sizeof header, "%.*s/header", (int)sizeof header - 8, path);
    unlink(header);
    rmdir(path);
    container_free(&c);
}

static void test_node_dirs(void)
{
    struct ldad_plan plan = cyclic_plan(3, 8, 8);
    struct container c;
    char path[CONTAINER_PATH];

    tap_ok(container_make(&c, &plan, "/a,/b/%n/r%r") == 0, "two node directories");
    c.id = 0xabc;
    c.part[2] = (struct container_part){.node = 5, .dir = 1};
    tap_ok(container_part_path(&c, "/x", 2, path) == 0 &&
               !strcmp(path, "/b/5/r2/part-0000000000000abc-000002"),
           "%%n is the node and %%r the rank: %s", path);
    c.part[2].dir = 2;
    container_part_path(&c, "/x", 2, path);
    tap_ok(!strcmp(path, "/a/part-0000000000000abc-000002"),
           "ranks of a node take them in turn");
    c.part[2].dir = -1;
    container_part_path(&c, "/x", 2, path);
    tap_ok(!strcmp(path, "/x/part-0000000000000abc-000002"), "without: in the folder");
    container_free(&c);
}

/* Any changed byte is detected, with a sentence. */
static void test_damage(void)
{
    struct ldad_plan plan = table_plan();
    struct container c, d;
    int missed = 0, silent = 0;

    container_make(&c, &plan, "/a");
    c.part[0].dir = c.part[1].dir = 0;
    int64_t n = container_size(&c);
    unsigned char *raw = malloc((size_t)n);
    container_encode(&c, raw);
    for (int64_t i = 0; i < n; i++) {
        raw[i] ^= 0x10;
        int rc = container_decode(&d, "path", raw, n);
        missed += rc != -EIO && rc != -EINVAL;
        silent += !err_get()->text[0] || strcmp(err_get()->file, "path") != 0;
        err_clear();
        raw[i] ^= 0x10;
    }
    tap_ok(!missed && !silent, "a bit that flips is noticed: %d of %lld not, %d silent",
           missed, (long long)n, silent);
    int cut = 0;
    for (int64_t i = 0; i < n; i += 32) {
        cut += container_decode(&d, "path", raw, i) == 0;
        err_clear();
    }
    tap_ok(!cut, "a header that was cut is noticed");
    raw[8] = 2;
    tap_ok(container_decode(&d, "path", raw, n) == -EINVAL &&
               strstr(err_get()->text, "version 2") &&
               strstr(err_get()->text, "version 1"),
           "a newer version is refused by number");
    err_clear();
    raw[8] = 1;
    tap_ok(container_decode(&d, "path", raw, n) == 0, "and all is well without");
    container_free(&d);
    container_free(&c);
    free(raw);
}

/* ---- invalid headers with right checksums --------------------------------------- */

static void set_checksum(unsigned char *raw)
{
    uint32_t sum = ~UINT32_C(0);

    for (int i = 0; i < CONTAINER_HEAD - 4; i++) {
        sum ^= raw[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ UINT32_C(0xedb88320) : sum >> 1;
    }
    for (int i = 0; i < 4; i++)
        raw[CONTAINER_HEAD - 4 + i] = (unsigned char)(~sum >> 8 * i);
}

/* Decodes the header of three ranks after writing `bytes` over a part of it. */
static bool is_refused(int64_t at, const void *bytes, size_t n, const char *why)
{
    struct ldad_plan plan = table_plan();
    struct container c, d;
    bool refused;

    container_make(&c, &plan, NULL);
    int64_t size_of = container_size(&c);
    unsigned char *raw = malloc((size_t)size_of);
    container_encode(&c, raw);
    memcpy(raw + at, bytes, n);
    set_checksum(raw);
    int rc = container_decode(&d, "path", raw, size_of);
    refused = tap_refused(rc, -EIO, why);
    if (!rc)
        container_free(&d);
    container_free(&c);
    free(raw);
    return refused;
}

static void test_forged(void)
{
    static const char starts[] = "ranks=3 starts=0,4000,5000 start=0 [size=4000]";
    static const int64_t less = -1;
    char endless[1024];

    memset(endless, ' ', sizeof endless);
    memcpy(endless, "ranks=3 step=0 start=0 [size=4000]", 34);
    tap_ok(is_refused(64, endless, sizeof endless, "no end"),
           "a plan must end where its room does");
    tap_ok(is_refused(64, starts, sizeof starts, "table of starts"),
           "a plan has its table of starts in the records");
    for (int at = 32; at <= 48; at += 8)
        tap_ok(is_refused(at, &less, sizeof less, "less than 0"),
               "bytes and misfits are no less than 0 (at %d)", at);
}

static bool map_is_refused(int64_t a, int64_t b, int64_t c, int64_t d)
{
    struct extents_range range[] = {{a, b}, {c, d}};
    struct extents x = {.range = range, .n = 2}, y = {0};
    const char *path = own_path("map");
    struct container made;

    int rc = mkdir(path, 0700) || container_make(&made, NULL, NULL) ||
             container_save(&made, path, &x, false);
    bool refused = !rc && container_map_read(&made, path, &y) == -EIO;
    extents_free(&y);
    err_clear();
    container_free(&made);
    container_remove_common(path);
    return refused;
}

static void test_forged_map(void)
{
    tap_ok(!map_is_refused(0, 5, 6, 9), "a map of two ranges is read");
    tap_ok(map_is_refused(0, 5, 9, 6),
           "not one of which a range ends before it begins");
    tap_ok(map_is_refused(6, 9, 0, 5), "nor one in another order");
    tap_ok(map_is_refused(-6, -2, 0, 5), "nor one before the file");
    tap_ok(map_is_refused(0, 5, 4, 9), "nor one whose ranges overlap");
}

static void test_pipe(void)
{
    const char *path = own_path("pipe");
    struct container c;
    char header[TAP_PATH + 16];

    snprintf(header, sizeof header, "%s/header", path);
    int rc = mkdir(path, 0700) || mkfifo(header, 0600) ? -1 : container_read(&c, path);
    tap_ok(tap_refused(rc, -EINVAL, "no regular file"),
           "a header that is a pipe is not waited for");
    unlink(header);
    rmdir(path);
}

static void test_extents(void)
{
    enum { N = 512 };
    static unsigned char in[N];
    struct extents x = {0};
    unsigned seed = 7;
    int wrong = 0;

    for (int i = 0; i < 200; i++) {
        int64_t a = (seed = seed * 1103515245 + 12345) / 65536 % N;
        int64_t b = a + 1 + (seed = seed * 1103515245 + 12345) / 65536 % 9;
        b = b < N ? b : N;
        wrong += extents_add(&x, a, b) != 0;
        memset(in + a, 1, (size_t)(b - a));
        int64_t sum = 0;
        for (int64_t k = 0; k < N; k++) {
            const struct extents_range *e = extents_from(&x, k);
            wrong += (e && e->begin <= k) != in[k];
            sum += in[k];
        }
        wrong += sum != extents_bytes(&x);
        for (int64_t k = 1; k < x.n; k++)
            wrong += x.range[k - 1].end >= x.range[k].begin;
    }
    tap_ok(!wrong, "ranges are merged as sets of bytes are");
    extents_free(&x);
}

/* ---- the same bytes as in a shared file ------------------------------------------ */

#define BYTES 60000
#define MOST 5000

static int open_file(struct io_file **f, const char *engine, const char *path,
                     int flags, MPI_Comm comm, const struct ldad_plan *plan,
                     const char *dirs)
{
    struct io_open o = {.engine = engine,
                        .comm = comm,
                        .path = path,
                        .flags = flags,
                        .plan = plan,
                        .node_dirs = dirs,
                        .max_request = 1 << 24,
                        .depth = 1,
                        .timeout_s = 100};

    return io_file_open(f, &o);
}

static int move(struct io_file *f, enum io_op op, int64_t at, void *buf, int64_t n)
{
    struct io_req r = {.op = op, .buf = buf, .offset = at, .bytes = n};

    return io_file_transfer(f, &r);
}

/* Writes within a part of the file that belongs to the rank in this epoch and to
 * another one in the next: chunks of its own, of others, and across both. */
static int write_epoch(struct io_file *a, struct io_file *b, int epoch, unsigned *seed)
{
    static unsigned char buf[MOST];
    int64_t room = BYTES / size, from = (rank + epoch) % size * room;
    int rc = 0;

    for (int i = 0; i < 40; i++) {
        int64_t at = (*seed = *seed * 1103515245 + 12345) / 65536 % room;
        int64_t n = (*seed = *seed * 1103515245 + 12345) / 65536 % (i % 4 ? 60 : MOST);
        n = n < room - at ? n : room - at;
        memset(buf, 1 + (int)(*seed % 250), (size_t)n);
        rc = rc || move(a, IO_OP_WRITE, from + at, buf, n) ||
             move(b, IO_OP_WRITE, from + at, buf, n);
    }
    return rc;
}

static bool same_bytes(struct io_file *a, struct io_file *b, int64_t step)
{
    static unsigned char x[BYTES], y[BYTES];
    bool same = true;

    for (int64_t at = 0; at < BYTES && same; at += step) {
        int64_t n = BYTES - at < step ? BYTES - at : step;
        memset(x, 1, (size_t)n);
        memset(y, 2, (size_t)n);
        same = !move(a, IO_OP_READ, at, x, n) && !move(b, IO_OP_READ, at, y, n) &&
               !memcmp(x, y, (size_t)n);
    }
    return same;
}

static int sync_both(struct io_file *a, struct io_file *b)
{
    int rc = io_file_sync(a) || io_file_sync(b);

    MPI_Barrier(MPI_COMM_WORLD);
    return rc;
}

/* Writes the last byte, so that both files have the same length. */
static int write_end(struct io_file *a, struct io_file *b)
{
    if (rank)
        return 0;
    return move(a, IO_OP_WRITE, BYTES - 1, "z", 1) ||
           move(b, IO_OP_WRITE, BYTES - 1, "z", 1);
}

/* What does not fit the plan is in the shared part, which is looked at if asked for. */
static void look_at_shared(const char *what, const char *path)
{
    char shared[TAP_PATH + 16];
    int64_t without = -1, with = -1, n;
    struct stat st = {.st_size = -1};
    snprintf(shared, sizeof shared, "%s/shared", path);
    int rc = io_cache_part(path, 0, false, false, &without, &n) ||
             io_cache_part(path, 0, true, false, &with, &n) || stat(shared, &st);
    tap_ok(!rc && with - without == (int64_t)st.st_size,
           "%s: the shared part has %lld bytes", what, (long long)(with - without));
    quiet_clear(what, rc);
}

static void compare(const char *what, const char *engine, const struct ldad_plan *plan)
{
    const char *pa = shared_path("plain"), *pb = shared_path("parted");
    struct io_file *a = NULL, *b = NULL;
    unsigned seed = 17 + (unsigned)rank;
    int flags = IO_CREATE | IO_READ | IO_WRITE, rc = 0;
    bool same = true;

    rc = open_file(&a, "posix", pa, flags, MPI_COMM_WORLD, NULL, NULL) ||
         open_file(&b, engine, pb, flags, MPI_COMM_WORLD, plan, NULL) ||
         write_end(a, b) || sync_both(a, b);
    for (int epoch = 0; epoch < 4 && !rc; epoch++) {
        rc = write_epoch(a, b, epoch, &seed) || sync_both(a, b);
        same = same && same_bytes(a, b, 777) && same_bytes(a, b, BYTES);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    struct io_partition p = b ? io_file_partition(b) : (struct io_partition){0};
    tap_ok(!rc && same, "%s: what is read is what a shared file has", what);
    tap_ok((p.parts > 0) == (plan != NULL), "%s: %lld partitions, %lld misfits", what,
           (long long)p.parts, (long long)p.misfits);
    quiet_clear(what, rc);
    rc = io_file_close(&a) || io_file_close(&b);
    tap_ok(!rc, "%s: closed", what);
    look_at_shared(what, pb);
    rc = open_file(&a, "posix", pa, IO_READ, MPI_COMM_SELF, NULL, NULL) ||
         open_file(&b, "part", pb, IO_READ, MPI_COMM_SELF, NULL, NULL);
    tap_ok(!rc && same_bytes(a, b, 1001) && same_bytes(a, b, 33333),
           "%s: the same for one reader", what);
    quiet_clear(what, rc);
    tap_ok(b && move(b, IO_OP_READ, BYTES - 10, (char[20]){0}, 20) == -EIO,
           "%s: it ends where it ends", what);
    err_clear();
    io_file_close(&a);
    io_file_close(&b);
    MPI_Barrier(MPI_COMM_WORLD);
    rc = open_file(&a, "posix", pa, IO_READ | IO_WRITE, MPI_COMM_WORLD, NULL, NULL) ||
         open_file(&b, engine, pb, IO_READ | IO_WRITE, MPI_COMM_WORLD, NULL, NULL) ||
         write_epoch(a, b, 1, &seed) || sync_both(a, b);
    tap_ok(!rc && same_bytes(a, b, 4000), "%s: opened again, and written to", what);
    quiet_clear(what, rc);
    io_file_close(&a);
    io_file_close(&b);
    rc = io_file_remove(MPI_COMM_WORLD, pa) || io_file_remove(MPI_COMM_WORLD, pb);
    tap_ok(!rc && access(pb, F_OK), "%s: removed", what);
    quiet_clear(what, rc);
}

static void test_same(void)
{
    struct ldad_plan fine = cyclic_plan(size, 48, BYTES / 48 / size + 1);
    struct ldad_plan coarse = cyclic_plan(size, 3000, BYTES / 3000 / size + 1);
    struct ldad_plan blocks, gaps = cyclic_plan(size, 10, 100);

    ldad_plan_blocks(&blocks, size, 0, BYTES, 8);
    gaps.each.size = 5;
    compare("chunks of 48 bytes", "part", &fine);
    compare("a small buffer", "part:buffer=100,window=20000,files=1", &fine);
    compare("chunks of 3000 bytes", "part:window=16384", &coarse);
    compare("a region each", "part", &blocks);
    compare("a plan with gaps, for a part of the file", "part", &gaps);
    compare("no plan", "part", NULL);
    compare("MPI-IO within", "part:inner=mpiio", &coarse);
}

/* All ranks' 50 chunks of 100 bytes, just written, are in memory. */
static void test_cache(const char *path)
{
    int64_t bytes = -1, n = -1;
    int rc = io_cache_part(path, rank, true, false, &bytes, &n);

    tap_ok(!rc && bytes == 5000 && n == 5000, "a partition is in memory (%lld)",
           (long long)n);
    rc = io_cache_part(path, size, true, false, &bytes, &n);
    tap_ok(!rc && bytes == 0 && n == 0, "one that there is not is not");
    rc = io_cache_resident(path, 0, 0, &n);
    tap_ok(!rc && n == 5000 * size, "so is all of the container (%lld)", (long long)n);
    rc = io_cache_resident(path, 50, 5000 * size - 50, &n);
    tap_ok(!rc && n == 5000 * size, "and all but a part of the first page (%lld)",
           (long long)n);
    rc = io_cache_resident(path, 5000 * size - 30, 30, &n);
    tap_ok(!rc && n == 5000 - 4096, "and the last page of one partition (%lld)",
           (long long)n);
    quiet_clear("cache", rc);
    MPI_Barrier(MPI_COMM_WORLD);
    rc = io_cache_part(path, rank, false, true, &bytes, &n);
    tap_ok(!rc && bytes == 5000 && n >= 0, "it can be dropped");
    quiet_clear("cache", rc);
}

/* If all bytes fit, the shared part is empty, and nothing was counted. */
static void test_fits(void)
{
    struct ldad_plan plan = cyclic_plan(size, 100, 50);
    const char *path = shared_path("fits");
    char shared[TAP_PATH + 16], buf[100];
    struct container c;
    struct io_file *f;
    struct stat st;
    int rc =
        open_file(&f, "part", path, IO_CREATE | IO_WRITE, MPI_COMM_WORLD, &plan, NULL);

    for (int64_t i = 0; i < 50 && !rc; i++) {
        memset(buf, (int)i + rank, sizeof buf);
        rc = move(f, IO_OP_WRITE, (i * size + rank) * 100, buf, 100);
    }
    snprintf(shared, sizeof shared, "%s/shared", path);
    tap_ok(!rc && io_file_partition(f).misfits == 0, "writes as planned fit");
    MPI_Barrier(MPI_COMM_WORLD);
    rc = container_read(&c, path);
    tap_ok(!rc && c.state == CONTAINER_OPEN, "while it is written, its state is open");
    container_free(&c);
    MPI_Barrier(MPI_COMM_WORLD);
    rc = io_file_close(&f);
    tap_ok(!rc && !stat(shared, &st) && !st.st_size, "the shared part is empty");
    rc = container_read(&c, path);
    tap_ok(!rc && c.state == CONTAINER_COMPLETE && c.bytes == 5000 * size &&
               c.part[rank].bytes == 5000 && container_part_full(&c, rank) == 5000,
           "closed, it is complete, and each partition has its bytes");
    container_free(&c);
    quiet_clear("fits", rc);
    test_cache(path);
    MPI_Barrier(MPI_COMM_WORLD);
    io_file_remove(MPI_COMM_WORLD, path);
}

/* ---- folders of nodes ------------------------------------------------------------ */

#define CHUNK 4096
#define CHUNKS 1200 /* of a rank: they need more than one round of an exchange */

static int write_far(const char *path, const char *dirs, const struct ldad_plan *plan)
{
    static unsigned char buf[CHUNK];
    struct io_file *f;
    int rc =
        open_file(&f, "part", path, IO_CREATE | IO_WRITE, MPI_COMM_WORLD, plan, dirs);

    for (int64_t i = 0; i < CHUNKS && !rc; i++) {
        int64_t block = i * size + rank;
        stamp_fill(buf, 0, CHUNK, &(struct stamp){.seed = 5, .mat = (int)block});
        rc = move(f, IO_OP_WRITE, block * CHUNK, buf, CHUNK);
    }
    int closed = io_file_close(&f);
    return rc ? rc : closed;
}

static bool right(const unsigned char *buf, int64_t first, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (stamp_check(buf + i * CHUNK, 0, CHUNK,
                        &(struct stamp){.seed = 5, .mat = (int)(first + i)}, NULL,
                        0) >= 0)
            return false;
    return true;
}

/* Reads everything, `n` chunks at a time; ranks read different ones at a time, and the
 * last rank makes fewer reads. */
static bool read_far(struct io_file *f, int64_t n)
{
    static unsigned char buf[CHUNK * CHUNKS];
    int64_t all = (int64_t)CHUNKS * size, steps = (all + n - 1) / n;
    bool good = true;

    for (int64_t s = 0; s < steps; s++) {
        int64_t first = (s + rank) % steps * n;
        int64_t m = all - first < n ? all - first : n;
        memset(buf, 0, (size_t)(m * CHUNK));
        good = !move(f, IO_OP_READ, first * CHUNK, buf, m * CHUNK) &&
               right(buf, first, m) && good;
    }
    return good;
}

static const char *far_dir(int r)
{
    static char path[TAP_PATH];
    char name[32];

    snprintf(name, sizeof name, "node-%d", r);
    return tap_path(path, name);
}

/* Hides other ranks' folders from this process, as on other nodes: they are empty. */
static bool hide_others(void)
{
    bool hidden = unshare(CLONE_NEWNS) == 0 &&
                  mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;

    for (int r = 0; r < size && hidden; r++)
        hidden = r == rank || mount("none", far_dir(r), "tmpfs", 0, "size=1m") == 0;
    if (!hidden)
        tap_diag("hiding folders: %s", strerror(errno));
    return hidden;
}

/* The last rank's partition is too short: readers of it get an error, and all ranks
 * return from the read. */
static void test_unreadable(const char *path)
{
    static char bytes[CHUNK];
    struct container c;
    struct io_file *f;
    char part[CONTAINER_PATH];
    int rc = container_read(&c, path);

    if (!rc && rank == size - 1 && !container_part_path(&c, path, rank, part))
        rc = truncate(part, 10);
    container_free(&c);
    MPI_Barrier(MPI_COMM_WORLD);
    rc = rc || open_file(&f, "part", path, IO_READ | IO_COLLECTIVE, MPI_COMM_WORLD,
                         NULL, NULL);
    tap_ok(!rc && move(f, IO_OP_READ, (size - 1) * CHUNK, bytes, rank ? 0 : CHUNK) < 0,
           "what its owner cannot read fails on all ranks: %s", err_get()->text);
    tap_ok(strstr(err_get()->text, "was cut off") != NULL, "and they know why");
    err_clear();
    if (!rc)
        io_file_close(&f);
}

static void test_hidden(const char *path)
{
    static char bytes[CHUNK];
    struct io_file *f;
    char byte;

    MPI_Barrier(MPI_COMM_WORLD);
    tap_ok(hide_others(), "each rank sees its own directory only");
    MPI_Barrier(MPI_COMM_WORLD);
    int rc = open_file(&f, "part", path, IO_READ | IO_COLLECTIVE, MPI_COMM_WORLD, NULL,
                       NULL);
    tap_ok(!rc && read_far(f, 1) && read_far(f, 97),
           "collective reads get partitions from the ranks that can open them");
    tap_ok(!rc && read_far(f, CHUNKS), "in several rounds, too");
    quiet_clear("far", rc);
    tap_ok(move(f, IO_OP_READ, 0, bytes, rank % 2 ? CHUNK : 0) == 0,
           "or by some of the ranks only");
    io_file_close(&f);
    test_unreadable(path);
    rc = open_file(&f, "part", path, IO_READ, MPI_COMM_WORLD, NULL, NULL);
    rc = rc ? rc : move(f, IO_OP_READ, (rank + 1) % size * CHUNK, &byte, 1);
    tap_ok(rc < 0 && strstr(err_get()->text, "collective") &&
               strstr(err_get()->text, "node"),
           "an independent read is refused in a sentence: %s", err_get()->text);
    err_clear();
    io_file_close(&f);
}

static void test_far(void)
{
    struct ldad_plan plan = cyclic_plan(size, CHUNK, CHUNKS);
    const char *path = shared_path("far");
    char dirs[TAP_PATH];
    struct io_file *f;

    tap_path(dirs, "node-%r");
    int rc =
        open_file(&f, "part", path, IO_CREATE | IO_WRITE, MPI_COMM_WORLD, &plan, dirs);
    MPI_Barrier(MPI_COMM_WORLD);
    tap_ok(rc == -ENOENT && access(path, F_OK),
           "node directories that are not there: refused, and nothing is left");
    err_clear();
    if (mkdir(far_dir(rank), 0755))
        tap_diag("mkdir: %s", strerror(errno));
    rc = write_far(path, dirs, &plan);
    tap_ok(rc == 0, "written to a directory for each rank");
    quiet_clear("far", rc);
    rc = open_file(&f, "part", path, IO_READ, MPI_COMM_SELF, NULL, NULL);
    tap_ok(!rc && read_far(f, 100), "read by whoever can open them all");
    io_file_close(&f);
    if (!getenv("LEADLINE_MOUNTS") || size == 1)
        tap_skip("partitions that not every rank can open: needs two ranks that may "
                 "mount");
    else
        test_hidden(path);
    io_file_remove(MPI_COMM_WORLD, path);
    tap_ok(!rmdir(far_dir(rank)), "removed, also from the directories");
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    test_header();
    test_durable();
    test_node_dirs();
    test_damage();
    test_forged();
    test_forged_map();
    test_pipe();
    test_extents();
    test_same();
    test_fits();
    test_far();
    return tap_end();
}
