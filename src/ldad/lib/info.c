/* Reads the keys of an MPI_Info and of the environment. */
#include "base/err.h"
#include "ldad/lib/file.h"
#include "ldad/lib/libldad.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The methods: how a file is stored and its transfers are made. */
static const struct libldad_method methods[] = {
    {.name = "independent", .engine = "mpiio", .plain = true},
    {.name = "collective", .engine = "mpiio", .collective = true, .plain = true},
    {.name = "collective-nocb",
     .engine = "mpiio",
     .collective = true,
     .plain = true,
     /* those of ROMIO, then those of the MPI standard */
     .hints =
         (const char *const[]){"romio_cb_write", "disable", "romio_cb_read", "disable",
                               "romio_ds_write", "disable", "romio_ds_read", "disable",
                               "collective_buffering", "false", NULL}},
    {.name = "hdf5", .engine = "hdf5", .collective = true},
    {.name = "unique", .engine = "posix", .unique = true},
    {.name = "partitioned", .engine = "posix", .partitioned = true},
};

static void add_hint(struct libldad_wish *w, const char *key, const char *value)
{
    if (w->hints == LIBLDAD_HINTS)
        return;
    struct io_hint *h = &w->hint[w->hints++];
    snprintf(h->key, sizeof h->key, "%s", key);
    snprintf(h->value, sizeof h->value, "%s", value);
}

static int take_method(struct libldad_wish *w, const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, name)) {
            w->method = &methods[i];
            return 0;
        }
    return err_usage("ldad_method: there is no \"%s\": take independent, collective, "
                     "collective-nocb, hdf5, unique or partitioned",
                     name);
}

static int take_conflict(struct libldad_wish *w, const char *value)
{
    w->keep_plan = !strcmp(value, "keep");
    w->refuse_plan = !strcmp(value, "refuse");
    if (w->keep_plan || w->refuse_plan)
        return 0;
    return err_usage("ldad_plan_conflict: there is no \"%s\": take refuse or keep",
                     value);
}

/* Reads one key: ours, or a hint that the MPI library may know. */
static int take_key(struct libldad_wish *w, const char *key, const char *value)
{
    const struct {
        const char *key;
        char *to;
    } texts[] = {{"ldad_engine", w->engine},
                 {"ldad_plan", w->plan},
                 {"ldad_plan_file", w->plan_file},
                 {"ldad_node_dirs", w->node_dirs}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(texts[i].key, key)) {
            snprintf(texts[i].to, LIBLDAD_VALUE, "%s", value);
            return 0;
        }
    if (!strcmp(key, "ldad_method"))
        return take_method(w, value);
    if (!strcmp(key, "ldad_plan_conflict"))
        return take_conflict(w, value);
    if (!strcmp(key, "ldad_timeout_s"))
        w->timeout_s = atof(value);
    else if (!strcmp(key, LIBLDAD_SCRATCH))
        w->scratch = !strcmp(value, "yes");
    else if (!strcmp(key, "ldad_collective"))
        w->collective = !strcmp(value, "yes");
    else if (!strcmp(key, "ldad_strict"))
        w->strict = !strcmp(value, "yes");
    else if (!strcmp(key, "ldad_sums"))
        w->no_sums = !strcmp(value, "no");
    else if (!strcmp(key, "ldad_write_back"))
        w->no_write_back = !strcmp(value, "no");
    else if (!strcmp(key, "ldad_auto"))
        w->no_auto = !strcmp(value, "no");
    else if (!strncmp(key, "ldad_", 5))
        return err_usage("there is no key %s", key);
    else
        add_hint(w, key, value);
    return 0;
}

static void add_option(struct libldad_wish *w, const char *option)
{
    size_t n = strlen(w->engine);
    snprintf(w->engine + n, LIBLDAD_VALUE - n, "%c%s",
             strchr(w->engine, ':') ? ',' : ':', option);
}

/* Puts the engine that partitions around the one that moves bytes. */
static int wrap(struct libldad_wish *w)
{
    char inner[LIBLDAD_VALUE];
    int rc = 0;
    memcpy(inner, w->engine, LIBLDAD_VALUE);
    if (strncmp(inner, "part", 4))
        rc = io_engine_partitioned(inner, w->engine, LIBLDAD_VALUE);
    if (!rc && w->keep_plan)
        add_option(w, "keep_plan=1");
    if (!rc && w->no_sums)
        add_option(w, "no_sums=1");
    if (!rc && w->no_write_back)
        add_option(w, "no_write_back=1");
    if (!rc && !w->strict)
        add_option(w, "recover=1");
    return rc;
}

/* Takes the plan that the program has made itself. An impossible plan is ignored, as
 * the file is the same without. */
static void take_planned(struct libldad_wish *w, const char *plan)
{
    struct ldad_plan p;
    struct err before = *err_get();
    bool ours = w->method || w->plan[0] || w->plan_file[0];
    if (!w->method)
        take_method(w, "partitioned");
    if (ours || strlen(plan) >= LIBLDAD_VALUE)
        return;
    if (ldad_plan_parse(plan, &p)) {
        err_put(&before);
        return;
    }
    snprintf(w->plan, LIBLDAD_VALUE, "%s", plan);
    w->keep_plan = !w->refuse_plan; /* it overwrote the file even before it had plans */
    ldad_plan_free(&p);
}

/* Reads keys of the environment, "key=value;key=value", for programs that set none. */
static int take_environment(struct libldad_wish *w)
{
    const char *text = getenv("LDAD_INFO");
    int rc = 0;
    while (text && *text && !rc) {
        char item[2 * LIBLDAD_VALUE];
        size_t n = strcspn(text, ";");
        snprintf(item, sizeof item, "%.*s", (int)n, text);
        char *equals = strchr(item, '=');
        if (!equals && n)
            return err_usage("LDAD_INFO: \"%s\" is no key=value", item);
        if (n) {
            *equals = 0;
            rc = take_key(w, item, equals + 1);
        }
        text += n + (text[n] == ';');
    }
    w->as_it_is = w->method && w->method->partitioned;
    return rc;
}

static int take_keys(struct libldad_wish *w, MPI_Info info)
{
    int n = 0, found, rc = 0;
    if (info != MPI_INFO_NULL)
        MPI_Info_get_nkeys(info, &n);
    for (int i = 0; i < n && !rc; i++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[LIBLDAD_VALUE + 1] = "";
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, LIBLDAD_VALUE, value, &found);
        rc = found ? take_key(w, key, value) : 0;
    }
    return rc;
}

int libldad_take_info(struct libldad_wish *w, MPI_Info info, const char *plan)
{
    memset(w, 0, sizeof *w);
    int rc = take_environment(w);
    if (!rc)
        rc = take_keys(w, info);
    w->planned = plan != NULL;
    if (plan && !rc)
        take_planned(w, plan);
    if (!w->method)
        w->method = &methods[0];
    if (!w->engine[0])
        snprintf(w->engine, LIBLDAD_VALUE, "%s", w->method->engine);
    w->collective |= w->method->collective;
    if (w->method->partitioned && !rc)
        rc = wrap(w);
    for (const char *const *h = w->method->hints; h && *h; h += 2)
        add_hint(w, h[0], h[1]);
    return rc;
}

void libldad_take_plain(struct libldad_wish *w)
{
    w->method = &methods[0];
    w->collective = false;
    snprintf(w->engine, LIBLDAD_VALUE, "%s", w->method->engine);
}

/* Sets a key; values may be longer than MPI allows. */
static void info_set(MPI_Info info, const char *key, const char *value)
{
    if (*value && strlen(key) < MPI_MAX_INFO_KEY && strlen(value) < MPI_MAX_INFO_VAL)
        MPI_Info_set(info, key, value);
}

static void info_partition(MPI_Info info, const struct io_file *io)
{
    struct io_partition p = io_file_partition(io);
    char sync[32];
    snprintf(sync, sizeof sync, "%lld", (long long)p.recovered);
    if (p.recovered >= 0)
        info_set(info, "ldad_recovered", sync);
    if (p.unlocked)
        info_set(info, "ldad_locked", "no");
}

MPI_Info libldad_info_of(const struct libldad_wish *w, const struct io_file *io)
{
    struct io_hint hint[LIBLDAD_HINTS];
    MPI_Info info;
    int n = io ? io_file_hints(io, hint, LIBLDAD_HINTS) : 0;
    n = n < LIBLDAD_HINTS ? n : LIBLDAD_HINTS;
    MPI_Info_create(&info);
    for (int i = 0; i < w->hints; i++)
        info_set(info, w->hint[i].key, w->hint[i].value);
    for (int i = 0; i < n; i++)
        info_set(info, hint[i].key, hint[i].value);
    info_set(info, "ldad_method", w->method->name);
    info_set(info, "ldad_engine", w->engine);
    info_set(info, "ldad_plan", w->plan);
    info_set(info, "ldad_node_dirs", w->node_dirs);
    if (io && w->method->partitioned)
        info_partition(info, io);
    return info;
}
