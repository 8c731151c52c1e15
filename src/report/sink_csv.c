/* Writes the samples, one row each (RFC 4180 quoting); unknown values are empty. The
 * histogram and the single ranks' seconds are in the JSON only. */
#include "base/format/json.h"
#include "base/plain.h"
#include "report/sink.h"
#include <errno.h>
#include <math.h>

static void next_text(FILE *out, const char *text)
{
    fputc(',', out);
    csv_text(out, text);
}

static void next_real(FILE *out, double x)
{
    char text[JSON_REAL_SIZE];
    fputc(',', out);
    if (isfinite(x))
        fputs(json_real_text(text, x), out);
}

static void next_count(FILE *out, int64_t n)
{
    fputc(',', out);
    if (n >= 0)
        fprintf(out, "%lld", (long long)n);
}

static void put_latency(FILE *out, const struct latency *l)
{
    next_real(out, l ? l->p50_s : NAN);
    next_real(out, l ? l->p90_s : NAN);
    next_real(out, l ? l->p95_s : NAN);
    next_real(out, l ? l->p99_s : NAN);
    next_real(out, l ? l->p999_s : NAN);
    next_real(out, l ? l->max_s : NAN);
}

static void put_run(FILE *out, const struct model *m)
{
    csv_text(out, m->run_id);
    next_text(out, m->program->name);
    next_text(out, m->label);
    next_text(out, m->series_id);
    next_text(out, m->series_config);
    next_count(out, m->series_id ? m->series_round : -1);
    next_text(out, m->valid ? "true" : "false");
}

static void sink_csv_put_row(FILE *out, const struct model *m, const struct sample *s)
{
    put_run(out, m);
    next_count(out, s->rep);
    next_text(out, s->at.name);
    if (s->at.text[0])
        next_text(out, s->at.text);
    else
        next_real(out, s->at.name[0] ? s->at.value : NAN);
    next_text(out, s->phase);
    next_text(out, sample_act_name(s->act));
    next_text(out, s->start_utc);
    next_text(out, s->end_utc);
    next_real(out, s->start_s);
    next_count(out, s->calls);
    next_count(out, s->bytes);
    next_count(out, s->device_bytes);
    next_real(out, s->min_s);
    next_real(out, s->mean_s);
    next_real(out, s->max_s);
    next_count(out, s->max_rank);
    next_text(out, s->max_host);
    next_real(out, s->submit_mean_s);
    next_real(out, s->wait_mean_s);
    put_latency(out, s->latency);
    fputc('\n', out);
}

int sink_csv(const struct model *m, FILE *out)
{
    fputs("run_id,program,label,series,config,round,valid,rep,at_name,at_value,phase,"
          "act,start_utc,end_utc,start_s,calls,bytes,device_bytes,min_s,mean_s,max_s,"
          "max_rank,max_host,submit_mean_s,wait_mean_s,latency_p50_s,latency_p90_s,"
          "latency_p95_s,latency_p99_s,latency_p999_s,latency_max_s\n",
          out);
    for (int i = 0; i < m->samples; i++)
        sink_csv_put_row(out, m, &m->sample[i]);
    return fflush(out) || ferror(out) ? -EIO : 0;
}
