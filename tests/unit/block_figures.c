/* ranks: 1 2 4 */
/* blocktransfer's figures against sums done by hand: which bytes, seconds and processor
 * time each is made of. */
#include "block/block.h"
#include "tap.h"

static struct {
    const char *name, *unit, *better;
    double value;
} told[8];
static int figures;

/* In place of the report's. */
void report_figure(struct report *r, const char *name, const char *unit,
                   const char *better, const char *formula, double value)
{
    (void)r;
    (void)formula;
    told[figures].name = name;
    told[figures].unit = unit;
    told[figures].better = better;
    told[figures++].value = value;
}

static void is(int i, const char *name, const char *unit, const char *better,
               double value)
{
    tap_ok(i < figures && !strcmp(told[i].name, name) && !strcmp(told[i].unit, unit) &&
               !strcmp(told[i].better, better) &&
               fabs(told[i].value / value - 1) < 1e-12,
           "%s is %g %s (%g)", name, value, unit, told[i].value);
}

/* 50 blocks were written in 4 s and 25 read in 5 s; rank k took 1000 + k us of its
 * processor to write, 300 + 2k to sync and 500 + 3k to read. */
static void set_run(struct run *r, struct block *b)
{
    b->set.block = 4096;
    r->context = b;
    MPI_Comm_rank(MPI_COMM_WORLD, &r->world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->world.size);
    r->world.comm = MPI_COMM_WORLD;
    r->cpu_ns[ACT_WRITE] = 1000 * (1000 + r->world.rank);
    r->cpu_ns[ACT_SYNC] = 1000 * (300 + 2 * r->world.rank);
    r->cpu_ns[ACT_READ] = 1000 * (500 + 3 * r->world.rank);
    r->rates = (struct run_rates){.write_bytes = 50 * 4096,
                                  .write_s = 4,
                                  .read_bytes = 25 * 4096,
                                  .read_s = 5,
                                  .wall_s = 20};
}

int main(int argc, char **argv)
{
    static struct run r;
    static struct block b;
    tap_start(&argc, &argv, 1);
    set_run(&r, &b);
    int n = r.world.size, sum = n * (n - 1) / 2;
    block_figures(&r);
    tap_ok(figures == 4, "there are four figures");
    is(0, "write_iops", "1/s", "higher", 12.5);
    is(1, "write_cpu_us", "us", "lower", (1300 * n + 3 * sum) / 50.);
    is(2, "read_iops", "1/s", "higher", 5);
    is(3, "read_cpu_us", "us", "lower", (500 * n + 3 * sum) / 25.);
    figures = 0;
    r.rates.write_bytes = 0;
    block_figures(&r);
    tap_ok(figures == 2, "where nothing was written, two");
    is(0, "read_iops", "1/s", "higher", 5);
    figures = 0;
    r.rates.read_bytes = 0;
    block_figures(&r);
    tap_ok(figures == 0, "where nothing was moved, none");
    return tap_end();
}
