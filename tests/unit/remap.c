/* ranks: 1 2 4 6 */
/* Moves of matrices from the big grid to gangs, and around the gangs, compared with the
 * global index of every element. */
#include "madbench/linalg.h"
#include "tap.h"

static int world_rank, world_size;

/* Names matrix m's element (p, q) exactly. */
static double name(const struct grid *g, int m, int64_t p, int64_t q)
{
    return (double)((m * g->npix + p) * g->npix + q + 1);
}

static void share_fill(const struct grid *g, int m, double *a)
{
    for (int64_t j = 0; j < g->local_cols; j++)
        for (int64_t i = 0; i < g->local_rows; i++)
            a[i + j * g->local_rows] =
                name(g, m, grid_global_row(g, i), grid_global_col(g, j));
}

static int share_good(const struct grid *g, int m, const double *a)
{
    for (int64_t j = 0; j < g->local_cols; j++)
        for (int64_t i = 0; i < g->local_rows; i++)
            if (a[i + j * g->local_rows] !=
                name(g, m, grid_global_row(g, i), grid_global_col(g, j)))
                return 0;
    return 1;
}

/* Allocates a share of exactly its size, so that a sanitizer detects one element too
 * many. */
static double *share_new(int64_t bytes)
{
    double *a = malloc((size_t)bytes + 1);
    if (a == NULL)
        abort();
    memset(a, 0xa5, (size_t)bytes);
    return a;
}

struct grids {
    MPI_Comm big_comm, gang_comm;
    struct linalg *big, *gang;
    struct remap r;
};

/* Opens grids; with `reverse`, on a communicator with ranks in reverse order. */
static int grids_open(struct grids *s, int64_t npix, int64_t block, int ngang,
                      enum remap_method method, int reverse)
{
    int rank;
    MPI_Comm_split(MPI_COMM_WORLD, 0, reverse ? -world_rank : world_rank, &s->big_comm);
    MPI_Comm_rank(s->big_comm, &rank);
    MPI_Comm_split(s->big_comm, rank / (world_size / ngang), rank, &s->gang_comm);
    if (linalg_open(&s->big, s->big_comm, npix, block) != 0 ||
        linalg_open(&s->gang, s->gang_comm, npix, block) != 0)
        return -1;
    return remap_open(&s->r, s->big_comm, npix, block, ngang, method, s->big, s->gang);
}

static void grids_close(struct grids *s)
{
    linalg_close(&s->gang);
    linalg_close(&s->big);
    MPI_Comm_free(&s->gang_comm);
    MPI_Comm_free(&s->big_comm);
}

/* Moves one matrix to every gang in turn. */
static int moves_good(const struct remap *r)
{
    int good = 1;
    double *from = share_new(grid_share_bytes(&r->big));
    double *to = share_new(grid_share_bytes(&r->small));
    double *pack = share_new(remap_pack_bytes(r));
    double *receive = share_new(remap_receive_bytes(r));
    for (int gang = 0; gang < r->ngang; gang++) {
        int ours = gang == r->gang;
        share_fill(&r->big, gang, from);
        good = remap_matrix(r, gang, from, ours ? to : NULL, pack,
                            ours ? receive : NULL) == 0 &&
               good;
        good = good && share_good(&r->big, gang, from);
    }
    good = good && share_good(&r->small, r->gang, to);
    free(from), free(to), free(pack), free(receive);
    return good;
}

static void tick_count(void *arg)
{
    ++*(int *)arg;
}

/* Moves all the way around, as inner matrices go in the C phase. */
static int rotations_good(const struct remap *r)
{
    int good = 1, ticks = 0;
    struct tick t = {tick_count, &ticks, 0};
    double *a = share_new(grid_share_bytes(&r->small));
    double *b = share_new(grid_share_bytes(&r->small));
    share_fill(&r->small, r->gang, a);
    for (int step = 1; step <= r->ngang; step++) {
        good = remap_rotate(r, a, b, step % 2 ? &t : NULL) == 0 && good;
        int m = (r->gang - step + r->ngang) % r->ngang;
        good = good && share_good(&r->small, m, b);
        double *swap = a;
        a = b;
        b = swap;
    }
    free(a), free(b);
    return good;
}

static void test_matrix(int64_t npix, int64_t block, int ngang,
                        enum remap_method method, int64_t message_max, int reverse)
{
    struct grids s;
    int good = grids_open(&s, npix, block, ngang, method, reverse) == 0;
    if (message_max > 0)
        s.r.message_max = message_max;
    good = good && moves_good(&s.r) && rotations_good(&s.r);
    tap_ok(good, "%s, %d pixels in blocks of %d, %d gangs%s%s",
           method == REMAP_CUSTOM ? "custom" : "scalapack", (int)npix, (int)block,
           ngang, message_max ? ", split messages" : "",
           reverse ? ", ranks reversed" : "");
    grids_close(&s);
}

static void test_refusals(void)
{
    struct remap r;
    int rc =
        remap_open(&r, MPI_COMM_WORLD, 64, 8, world_size + 1, REMAP_CUSTOM, NULL, NULL);
    tap_ok(rc != 0 && strstr(err_get()->text, "gangs") != NULL,
           "gangs that do not divide the ranks are refused");
    err_clear();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (int ngang = 1; ngang <= world_size; ngang++) {
        if (world_size % ngang != 0)
            continue;
        test_matrix(37, 3, ngang, REMAP_CUSTOM, 0, 0);
        test_matrix(24, 1, ngang, REMAP_CUSTOM, 24, 1);
        test_matrix(37, 3, ngang, REMAP_SCALAPACK, 0, 1);
    }
    test_refusals();
    return tap_end();
}
