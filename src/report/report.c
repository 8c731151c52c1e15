#include "report/report.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/sink.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_KEPT 256 /* up to this many ranks, the report has each rank's seconds */

static int parse_series(struct report *r, const char *text)
{
    struct model *m = r->model;
    const char *comma = text ? strchr(text, ',') : NULL;
    const char *last = text ? strrchr(text, ',') : NULL;
    if (!text)
        return 0;
    if (!comma || comma == text || last <= comma + 1 ||
        memchr(comma + 1, ',', (size_t)(last - comma - 1)) ||
        units_parse_int(last + 1, &m->series_round) || m->series_round < 0)
        return err_usage("series \"%s\" is not ID,CONFIG,ROUND with a whole number as "
                         "its round",
                         text);
    m->series_id = strndup(text, (size_t)(comma - text));
    m->series_config = strndup(comma + 1, (size_t)(last - comma - 1));
    return m->series_id && m->series_config ? 0 : mem_none(NULL, 0, "the report");
}

static int copy_hosts(struct report *r, const struct world_host *hosts)
{
    struct model *m = r->model;
    size_t nodes = (size_t)r->world->nodes, size = (size_t)r->world->size;
    m->node_of = mem_new(size, sizeof *m->node_of, "the report");
    if (r->per_rank)
        r->row = mem_new(size * SAMPLE_ROWS, sizeof *r->row, "the report");
    if (!m->node_of || (r->per_rank && !r->row))
        return r->rc = -ENOMEM;
    if (!hosts)
        return 0;
    m->host = mem_new(nodes, sizeof *m->host, "the report");
    m->load1_end = mem_new(nodes, sizeof *m->load1_end, "the report");
    if (!m->host || !m->load1_end)
        return r->rc = -ENOMEM;
    memcpy(m->host, hosts, nodes * sizeof *m->host);
    for (size_t i = 0; i < nodes; i++)
        m->load1_end[i] = NAN;
    m->hosts = (int)nodes;
    return 0;
}

static int fill_model(struct report *r, const struct report_open *o)
{
    struct model *m = r->model;
    m->world = o->world;
    m->program = o->program;
    m->argc = o->argc;
    m->argv = o->argv;
    m->quiet = o->quiet;
    m->seed = o->seed;
    m->start_ns = clock_ns();
    clock_utc(m->start_utc);
    m->wall_s = m->split_error = NAN;
    m->arm = -1;
    m->run_id = model_text(r, o->run_id);
    m->label = model_text(r, o->label ? o->label : "");
    m->json_path = model_text(r, o->json_path);
    m->csv_path = model_text(r, o->csv_path);
    m->why = model_text(r, "did not finish");
    m->err = (struct err){.rank = -1, .offset = -1};
    int rc = copy_hosts(r, o->hosts);
    return rc ? rc : r->rc ? r->rc : parse_series(r, o->series);
}

static int open_root(struct report *r, const struct report_open *o)
{
    r->model = mem_new(1, sizeof *r->model, "the report");
    int rc = r->model ? fill_model(r, o) : -ENOMEM;
    if (rc == 0)
        rc = output_check(r->model);
    return rc ? rc : output_write(r->model, false);
}

static void free_report(struct report *r)
{
    if (!r)
        return;
    model_free(r->model);
    reduce_close(r);
    free(r->row);
    free(r);
}

int report_open(struct report **out, const struct report_open *o)
{
    const struct world *w = o->world;
    struct report *r = mem_new(1, sizeof *r, "the report");
    int rc = r ? 0 : -ENOMEM;
    *out = NULL;
    if (r) {
        r->world = w;
        r->per_rank = o->per_rank || w->size <= RANKS_KEPT;
        rc = reduce_open(r);
        if (rc == 0 && w->rank == 0)
            rc = open_root(r, o);
    }
    rc = err_agree(w->comm, rc);
    if (rc == 0 && MPI_Gather(&w->node, 1, MPI_INT, r->model ? r->model->node_of : NULL,
                              1, MPI_INT, 0, w->comm))
        r->rc = err_set(-EIO, NULL, -1, "the ranks' nodes cannot be gathered");
    if (rc)
        free_report(r);
    else
        *out = r;
    return rc;
}

/* The report's verdict on a run that its program considers good. */
static int own_verdict(struct report *r)
{
    const struct model *m = r->model;
    if (r->rc == 0 && m && m->checked && m->checks.blocks_bad > 0)
        return err_set(-EIO, NULL, -1, "%lld of %lld block%s verified were wrong",
                       (long long)m->checks.blocks_bad,
                       (long long)m->checks.blocks_checked,
                       units_s(m->checks.blocks_checked));
    return model_verdict(r);
}

static void end_model(struct report *r, const struct world_host *now, int rc)
{
    struct model *m = r->model;
    clock_utc(m->end_utc);
    m->wall_s = (double)(clock_ns() - m->start_ns) / 1e9;
    for (int i = 0; now && i < m->hosts; i++)
        m->load1_end[i] = now[i].load1 >= 0 ? now[i].load1 : NAN;
    m->valid = rc == 0;
    free(m->why);
    m->why = NULL;
    if (rc == 0)
        return;
    m->err = *err_get();
    m->err.code = rc;
    if (!m->err.text[0])
        snprintf(m->err.text, sizeof m->err.text, "the run failed: %s", strerror(-rc));
    m->why = model_text(r, m->err.text);
}

/* Writes the report of a failed run. The first sentence stays recorded: the user must
 * see why the run failed, and also that the file still says "did not finish". */
static int write_failed_run(const struct model *m)
{
    struct err first = *err_get();
    err_clear();
    if (output_write(m, true))
        err_print(stderr, m->program->name, err_get());
    err_put(&first);
    return 0;
}

int report_close(struct report **out, int rc)
{
    struct report *r = *out;
    struct world_host *now = NULL;
    if (!r)
        return rc;
    int hosts_rc = world_hosts(r->world, &now);
    if (rc == 0)
        rc = err_agree(r->world->comm, hosts_rc ? hosts_rc : own_verdict(r));
    int written = 0;
    if (r->model) {
        end_model(r, now, rc);
        written = rc ? write_failed_run(r->model) : output_write(r->model, true);
        r->model->valid = rc == 0 && written == 0;
        sink_text_close(r->model);
    }
    if (rc == 0)
        rc = err_agree(r->world->comm, written);
    free(now);
    free_report(r);
    *out = NULL;
    return rc;
}
