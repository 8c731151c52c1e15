/* verify: checks the header and the lengths, then all bytes that carry stamps. */
#include "base/buf.h"
#include "base/err.h"
#include "base/plain.h"
#include "base/stamp.h"
#include "base/units.h"
#include "ldad/commands.h"
#include <string.h>

#define PIECE (INT64_C(4) << 20)

/* Counts of what the bytes are. */
struct found {
    int64_t stamped, right, blank, other; /* bytes */
    int64_t bad;                          /* stamped units that have changed */
    int64_t first_bad, first_other;       /* offsets; -1: none */
};

static int64_t run_of_zeros(const char *at, int64_t n)
{
    int64_t i = 0;
    while (i < n && !at[i])
        i++;
    return i;
}

/* Judges the unit at `at` and returns its bytes. n >= STAMP_UNIT except at the end. */
static int64_t verify_judge(struct found *f, const char *at, int64_t n, int64_t offset)
{
    int64_t wrong, bytes = stamp_unit(at, n, &wrong);
    if (bytes) {
        f->stamped += bytes;
        f->right += wrong < 0 ? bytes : 0;
        f->bad += wrong >= 0;
        if (wrong >= 0 && f->first_bad < 0)
            f->first_bad = offset + wrong;
        return bytes;
    }
    bytes = run_of_zeros(at, n);
    f->blank += bytes;
    if (bytes)
        return bytes;
    f->other++;
    if (f->first_other < 0)
        f->first_other = offset;
    return 1;
}

static int verify_read_all(struct io_file *f, int64_t bytes, char *buf,
                           struct found *found)
{
    /* offset of the next byte to read; bytes in buf; place in buf */
    int64_t offset = 0, have = 0, at = 0;
    while (offset < bytes || have > at) {
        memmove(buf, buf + at, (size_t)(have - at));
        have -= at;
        at = 0;
        int64_t n = bytes - offset < PIECE - have ? bytes - offset : PIECE - have;
        struct io_req r = {
            .op = IO_OP_READ, .buf = buf + have, .offset = offset, .bytes = n};
        int rc = io_file_transfer(f, &r);
        if (rc)
            return rc;
        offset += n;
        have += n;
        int64_t keep = offset < bytes ? STAMP_UNIT : 0;
        while (have - at > keep)
            at += verify_judge(found, buf + at, have - at, offset - have + at);
    }
    return 0;
}

/* Reports the result; true if the bytes are right. */
static bool report(const struct found *f, const char *path)
{
    char shown[PLAIN_PATH];
    printf("%s: %lld bytes stamped and right, %lld zero",
           plain(shown, sizeof shown, path), (long long)f->right, (long long)f->blank);
    if (!f->stamped && f->other)
        printf(", %lld without stamps, of which nothing can be told",
               (long long)f->other);
    puts("");
    if (f->bad)
        printf("%lld stamped units were changed, the first at offset %lld\n",
               (long long)f->bad, (long long)f->first_bad);
    if (f->stamped && f->other)
        printf("%lld bytes carry no stamp while others do, the first at offset %lld\n",
               (long long)f->other, (long long)f->first_other);
    return !f->bad && (!f->stamped || !f->other);
}

static int verify_data(const char *path, int64_t bytes, bool *good)
{
    struct found found = {.first_bad = -1, .first_other = -1};
    struct io_file *f = NULL;
    void *buf = NULL;
    int rc = buf_alloc(&buf, PIECE, "the container's bytes");
    if (!rc)
        rc = parts_open(&f, MPI_COMM_SELF, path, false, PIECE);
    if (!rc)
        rc = verify_read_all(f, bytes, buf, &found);
    int closed = io_file_close(&f);
    buf_free(buf);
    if (!rc)
        *good = report(&found, path);
    return rc ? rc : closed;
}

/* ---- checksums ------------------------------------------------------------------- */

/* Reports differences in partition r; true if there are any. */
static bool differs(const struct container *c, const char *path, int64_t r)
{
    char part[CONTAINER_PATH], file[CONTAINER_PATH], shown[sizeof err_get()->text];
    struct sums_of of = container_sums_of(c, r);
    struct sums_found found = {.first = -1};
    struct sums *s = NULL;
    int rc = container_part_path(c, path, r, part);
    rc = rc ? rc : container_sums_path(c, path, r, file);
    rc = rc ? rc : sums_load(&s, file, &of, c->part[r].sums);
    rc = rc ? rc : sums_check(s, part, of.bytes, &found);
    sums_free(s);
    if (rc)
        printf("partition %lld: %s (%s)\n", (long long)r,
               plain(shown, sizeof shown, err_get()->text),
               plain(part, sizeof part, err_get()->file));
    err_clear();
    if (!found.bad)
        return rc != 0;
    int64_t at = found.first * SUMS_BLOCK;
    printf(
        "partition %lld: %lld block%s of %lld bytes differ%s from the checksums, the "
        "first at its byte %lld, which is offset %lld of the file (%s)\n",
        (long long)r, (long long)found.bad, units_s(found.bad), (long long)SUMS_BLOCK,
        found.bad == 1 ? "s" : "", (long long)at,
        (long long)ldad_map_offset(&c->map, r, at), plain(part, sizeof part, part));
    return true;
}

static bool verify_sums(const struct container *c, const char *path)
{
    int64_t bad = 0, none = 0, bytes = 0;
    for (int64_t r = 0; r < c->parts; r++) {
        if (!c->part[r].summed)
            none += c->part[r].bytes > 0;
        else if (differs(c, path, r))
            bad++;
        else
            bytes += c->part[r].bytes;
    }
    if (bytes)
        printf("%lld bytes of partitions are as their checksums say\n",
               (long long)bytes);
    if (none)
        printf("%lld partitions have no checksums\n", (long long)none);
    return !bad;
}

static int verify_container(const char *path, bool *good)
{
    struct container c;
    int rc = container_read(&c, path);
    if (rc)
        return rc;
    int64_t bytes = c.bytes;
    bool there = parts_missing(&c, path, stdout) == 0;
    bool as_summed = there && verify_sums(&c, path);
    container_free(&c);
    if (there)
        rc = verify_data(path, bytes, good);
    else
        puts("its bytes are not looked at, as it is not all there");
    *good = *good && as_summed;
    return rc;
}

int command_verify(int argc, char **argv)
{
    const char *path = NULL;
    double io_timeout = WATCHDOG_LIMIT_S;
    struct opt table[] = {COMMAND_CONTAINER(path), WORLD_TIMEOUT(io_timeout)};
    const struct opt_program p = {"ldad verify", "CONTAINER",
                                  "Holds a container against its header: checksums, "
                                  "the length of each partition, "
                                  "and all bytes, where the suite's benchmarks have "
                                  "stamped them. The exit status "
                                  "is 1 where something is wrong or missing.",
                                  table, sizeof table / sizeof table[0]};
    struct world w;
    bool good = false;
    int status;
    if (world_early(&p, argc, argv, &status))
        return status;
    int rc = opt_parse(&p, argc, argv);
    watchdog_limit(io_timeout);
    rc = world_open(&w, &argc, &argv, &p, rc, true);
    bool asked = rc == OPT_ASKED;
    if (!rc && w.rank == 0)
        rc = verify_container(path, &good);
    rc = err_agree(w.comm, rc < 0 ? rc : 0);
    MPI_Bcast(&good, 1, MPI_C_BOOL, 0, w.comm);
    status = world_close(&w, p.name);
    good |= asked;
    return rc || status ? status : good ? EXIT_GOOD : EXIT_FAILED;
}
