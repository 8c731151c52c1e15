/* pfmload: loads soundings from GSF files into the bins of a PFM. After the parallel
 * loader of Miller, Sarnowski and Layne (2002), whose schemes are in scheme_*.c.
 *
 * Memory of a rank: --memory; only the names of files grow with their number. */
#include "pfmload/steps.h"
#include "pfmload/store/writer.h"

/* Plans the run. The bytes to be written are not known before the input is read. */
static int pfmload_plan(struct run *r, struct run_need *n)
{
    struct load *l = r->context;
    l->r = r;
    int rc = steps_settle(l);
    if (rc)
        return rc;
    *n = (struct run_need){.memory_bytes = settings.memory,
                           .files = -1,
                           .disk_bytes = -1,
                           .write_bytes = -1,
                           .read_bytes = -1,
                           .order = l->scheme->name,
                           .depth = r->async ? 2 : 1};
    return 0;
}

int main(int argc, char **argv)
{
    static struct load load = {.set = &settings};
    static const struct stage stages[] = {{.body = steps_scan, .context = &load},
                                          {.body = steps_load, .context = &load},
                                          {.body = steps_finish, .context = &load},
                                          {.body = steps_check, .context = &load},
                                          {.body = NULL}};
    const struct workload pfmload = {
        .name = "pfmload",
        .line = "-o OUT.pfm FILE.gsf ...",
        .about = "Loads soundings of multibeam surveys (GSF) into the bins of a PFM, "
                 "by schemes with one I/O node after the parallel loader of 2002, or "
                 "with all ranks writing.",
        .table = settings_table,
        .options = settings_count,
        .run = &settings.run,
        .takes = RUN_TAKES_SHARED | RUN_TAKES_ASYNC | RUN_TAKES_NONE |
                 RUN_TAKES_COLLECTIVE | RUN_TAKES_VERIFY | RUN_TAKES_DIRECT,
        .context = &load,
        .plan = pfmload_plan,
        .open = steps_begin,
        .stages = stages,
        .figures = steps_figures,
        .put_away = steps_put_away,
        .results = steps_tell_left_out,
        .close = steps_end,
    };
    return run_main(&pfmload, argc, argv);
}
