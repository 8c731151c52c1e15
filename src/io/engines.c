/* The table of engines: an engine is a file and a line here. */
#include "base/err.h"
#include "base/format/json.h"
#include "base/units.h"
#include "io/engine.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

extern const struct io_engine io_engine_null, io_engine_posix, io_engine_mpiio,
    io_engine_mpiio_nb, io_engine_threads, io_engine_uring, io_engine_libaio,
    io_engine_aio, io_engine_hdf5, io_engine_mmap, io_engine_part, io_engine_stdio;

/* Engines whose library is missing or was not wanted: the table says why. */
#ifndef HAVE_LIBURING
const struct io_engine io_engine_uring = {
    .name = "uring",
    .reason = "liburing was not there when Leadline was configured",
};
#endif
#ifndef HAVE_LIBAIO
const struct io_engine io_engine_libaio = {
    .name = "libaio",
    .reason = "libaio was not there when Leadline was configured",
};
#endif
#ifndef HAVE_HDF5
const struct io_engine io_engine_hdf5 = {
    .name = "hdf5",
    .can = IO_OWN_FORMAT,
    .reason = "parallel HDF5 of this MPI was not there when Leadline was configured",
};
#endif

const struct io_engine *const io_engines[] = {
    &io_engine_posix,
    &io_engine_mmap,
    &io_engine_stdio,
    &io_engine_mpiio,
    &io_engine_mpiio_nb,
    &io_engine_threads,
    &io_engine_uring,
    &io_engine_libaio,
    &io_engine_aio,
    &io_engine_hdf5,
    &io_engine_part,
    &io_engine_null,
    NULL,
};

static const struct io_engine *engines_find(const char *spec)
{
    size_t n = strcspn(spec, ":");
    for (int i = 0; io_engines[i]; i++)
        if (strlen(io_engines[i]->name) == n && !strncmp(io_engines[i]->name, spec, n))
            return io_engines[i];
    return NULL;
}

/* True for engines that a user chooses by IOMETHOD: not those that FILETYPE chooses. */
static bool is_method(const struct io_engine *e)
{
    return e && !(e->can & IO_WRAPS);
}

/* True for those that `without` (enum io_engine_kind) does not exclude. */
static bool is_left(const struct io_engine *e, int without)
{
    int kind = (e->can & IO_HAS_NO_FILE ? IO_STORES_NOTHING : 0) |
               (e->can & IO_OWN_FORMAT ? IO_STORES_FORMAT : 0);
    return is_method(e) && !(kind & without);
}

/* The user's name for it. */
static const char *title(const struct io_engine *e, char out[IO_ENGINE_TITLE])
{
    if (is_method(e))
        snprintf(out, IO_ENGINE_TITLE, "I/O engine %s", e->name);
    else
        snprintf(out, IO_ENGINE_TITLE, "FILETYPE=PARTITIONED");
    return out;
}

const char *io_engine_title(const char *spec, char out[IO_ENGINE_TITLE])
{
    return title(engines_find(spec), out);
}

static void list_built(char *out, size_t size, int without)
{
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; io_engines[i]; i++)
        if (is_left(io_engines[i], without) && !io_engines[i]->reason && n < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "",
                                  io_engines[i]->name);
}

enum { ASYNC_MOST = 2 };

/* IOMETHODs as in MADbench2: their synchronous engine, and their asynchronous engines
 * in the order of choice. */
static const struct method {
    const char *name, *engine, *async[ASYNC_MOST];
    const char *no_async; /* reason why there is none */
} methods[] = {
    {.name = "POSIX", .engine = "posix", .async = {"uring", "threads"}},
    {.name = "MPI", .engine = "mpiio", .async = {"mpiio-nb"}},
    {.name = "HDF5",
     .engine = "hdf5",
     .no_async =
         "HDF5 has no asynchronous transfers before 1.14, and there they "
         "overlap only with its asynchronous VOL connector: take IOMETHOD POSIX "
         "or MPI"},
};

static const struct method *method_of(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (!strcasecmp(name, methods[i].name))
            return &methods[i];
    return NULL;
}

/* Lists the methods: "POSIX, MPI or HDF5". */
static void list_methods(char *out, size_t size, int without)
{
    size_t n = 0, left = 0, last = 0, all = sizeof methods / sizeof methods[0];
    for (size_t i = 0; i < all; i++)
        if (is_left(engines_find(methods[i].engine), without))
            last = i;
    for (size_t i = 0; i < all && n < size; i++)
        if (is_left(engines_find(methods[i].engine), without))
            n += (size_t)snprintf(out + n, size - n, "%s%s",
                                  !left++     ? ""
                                  : i == last ? " or "
                                              : ", ",
                                  methods[i].name);
}

const char *io_engine_choices(char *out, size_t size, int without)
{
    char names[256], known[64];
    list_built(names, sizeof names, without);
    list_methods(known, sizeof known, without);
    snprintf(out, size, "%s, or an I/O engine (%s)", known, names);
    return out;
}

int io_engine_of_method(const char *method, int without, const char **spec)
{
    const struct method *m = method_of(method);
    char choices[IO_ENGINE_CHOICES];
    *spec = m ? m->engine : method;
    const struct io_engine *e = engines_find(*spec);
    if (e && is_left(e, without))
        return 0;
    return err_usage("IOMETHOD \"%s\" is not one of %s", method,
                     io_engine_choices(choices, sizeof choices, without));
}

int io_engine_usable(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    int rc = io_engine_check(spec, 0);
    return rc || !e->usable ? rc : e->usable();
}

/* Refuses a synchronous engine, and says what to take instead. */
static int refuse_synchronous(const char *spec)
{
    return err_usage(
        "IOMODE=ASYNC needs an asynchronous I/O engine, and %s is not: take "
        "IOMETHOD POSIX or MPI, or uring, threads, libaio, aio or mpiio-nb",
        spec);
}

int io_engine_of_method_async(const char *method, int i, const char **spec)
{
    const struct method *m = method_of(method);
    if (!m) {
        *spec = i ? NULL : method;
        return io_engine_asynchronous(method) ? 0 : refuse_synchronous(method);
    }
    if (m->no_async)
        return err_usage("IOMODE=ASYNC with IOMETHOD=%s: %s", m->name, m->no_async);
    *spec = i < ASYNC_MOST ? m->async[i] : NULL;
    return 0;
}

int io_engine_partitioned(const char *inner, char *spec, size_t room)
{
    size_t name = strcspn(inner, ":");
    const char *options = inner + name;
    int n = snprintf(spec, room, "%s:inner=%.*s%s%s", io_engine_part.name, (int)name,
                     inner, *options ? "," : "", *options ? options + 1 : "");
    return n < (int)room ? 0 : err_usage("I/O engine \"%s\" is too long a name", inner);
}

/* Finds the entry of the n bytes at `name` in "a|b=word/word|c[=1]"; NULL: none. */
static const char *find_option(const char *list, const char *name, size_t n)
{
    while (list && *list) {
        size_t len = strcspn(list, "|");
        if (strcspn(list, "|=[") == n && !strncmp(list, name, n))
            return list;
        list += len + (list[len] == '|');
    }
    return NULL;
}

const char *io_engine_inner(const char *options)
{
    for (const char *at = options; *at; at += at[0] == ',') {
        if (!strncmp(at, "inner=", 6))
            return at + 6;
        at += strcspn(at, ",");
    }
    return "posix";
}

/* Finds the inner engine, and checks that it can be one. */
static const struct io_engine *find_inner(const char *options)
{
    char name[32];
    const char *inner = io_engine_inner(options);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(inner, ","), inner);
    const struct io_engine *found = engines_find(name);
    if (found && (found->can & IO_CAN_BE_INNER))
        return found;
    err_usage("FILETYPE=PARTITIONED does not work with I/O engine %s: take IOMETHOD "
              "POSIX or MPI",
              name);
    return NULL;
}

/* True if `word` is one of "word/word" up to a '|'. */
static bool is_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    while (*words && *words != '|') {
        size_t len = strcspn(words, "/|");
        if (len == n && !strncmp(words, word, n))
            return true;
        words += len + (words[len] == '/');
    }
    return false;
}

/* Checks an option "name=value" of `len` bytes against its entry in the engine's
 * list: "name" takes a number, "name=word/word" one of the words, "name[=1]" may
 * stand alone. */
static int check_value(const struct io_engine *e, const char *entry, const char *text,
                       size_t len)
{
    char value[32] = "", what[IO_ENGINE_TITLE];
    size_t name = strcspn(text, "=,"), list = strcspn(entry, "|=[");
    const char *words = entry[list] == '=' ? entry + list + 1 : NULL;
    int64_t v;
    if (name < len)
        snprintf(value, sizeof value, "%.*s", (int)(len - name - 1), text + name + 1);
    else if (entry[list] == '[')
        return 0;
    if (words ? is_word(words, value) : !units_parse_bytes(value, &v) && v >= 1)
        return 0;
    title(e, what);
    if (words)
        return err_usage("option %.*s of %s: \"%s\" is not one of %.*s", (int)name,
                         text, what, value, (int)strcspn(words, "|"), words);
    return err_usage("option %.*s of %s: \"%s\" is not a number of at least 1",
                     (int)name, text, what, value);
}

/* Checks "name=value,name=value": misspelt options are errors. */
static int check_options(const struct io_engine *e, const char *text)
{
    bool wraps = e->can & IO_WRAPS;
    const struct io_engine *inner = wraps ? find_inner(text) : NULL;
    char what[IO_ENGINE_TITLE], has[256];
    if (wraps && !inner)
        return -EINVAL;
    snprintf(has, sizeof has, "%s%s%s", e->options ? e->options : "none",
             inner && inner->options ? "|" : "",
             inner && inner->options ? inner->options : "");
    while (*text) {
        size_t len = strcspn(text, ","), name = strcspn(text, "=,");
        const char *entry = find_option(has, text, name);
        if (wraps && !strncmp(text, "inner=", 6))
            entry = NULL;
        else if (!entry)
            return err_usage("%s has no option \"%.*s\"; it has %s", title(e, what),
                             (int)name, text, has);
        int rc = entry ? check_value(e, entry, text, len) : 0;
        if (rc)
            return rc;
        text += len + (text[len] == ',');
    }
    return 0;
}

int io_engine_check(const char *spec, int flags)
{
    char names[256], what[IO_ENGINE_TITLE];
    const struct io_engine *e = engines_find(spec);
    list_built(names, sizeof names, 0);
    if (!e)
        return err_usage("there is no I/O engine \"%s\"; there are %s", spec, names);
    if (e->reason)
        return err_usage("I/O engine %s is not built: %s; there are %s", e->name,
                         e->reason, names);
    title(e, what);
    if ((flags & IO_COLLECTIVE) && !(e->can & IO_CAN_COLLECTIVE))
        return err_usage("%s has no collective transfers: leave out --collective, or "
                         "take mpiio",
                         what);
    if ((flags & IO_DIRECT) && !(e->can & IO_CAN_DIRECT))
        return err_usage("%s does no direct I/O: take another --cache, or posix, "
                         "threads, uring, libaio or aio%s",
                         what, is_method(e) ? "" : " with another FILETYPE");
    if ((flags & IO_WRITE_BACK) && !(e->can & IO_CAN_WRITE_BACK))
        return err_usage("%s does not wait for written bytes to leave the page cache: "
                         "take threads, uring or aio",
                         what);
    if ((flags & (IO_DSYNC | IO_OSYNC)) && !(e->can & IO_CAN_DSYNC))
        return err_usage("%s does not write by calls that wait for the storage: take "
                         "posix, threads, uring, libaio or aio",
                         what);
    if ((flags & IO_DATA_SYNC) && !(e->can & IO_CAN_DATA_SYNC))
        return err_usage("%s does not call fdatasync: take posix, threads, uring, "
                         "libaio, aio or mmap",
                         what);
    return spec[strcspn(spec, ":")] ? check_options(e, strchr(spec, ':') + 1) : 0;
}

const struct io_engine *io_engine_find(const char *spec)
{
    return engines_find(spec);
}

bool io_engine_takes_hints(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && (e->can & IO_CAN_HINTS);
}

bool io_engine_asynchronous(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && e->reap;
}

bool io_engine_needs_direct(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && (e->can & IO_NEEDS_DIRECT);
}

bool io_engine_in_kernel(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && (e->can & IO_IN_KERNEL);
}

bool io_engine_writes_back(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && (e->can & IO_CAN_WRITE_BACK);
}

bool io_engine_calls_mpi(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && (e->can & IO_CALLS_MPI);
}

bool io_engine_holds_back(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && e->flush;
}

bool io_engine_shares_queue(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && (!e->reap || (e->can & IO_CAN_SHARE));
}

bool io_engine_stores(const char *spec)
{
    const struct io_engine *e = engines_find(spec);
    return e && !(e->can & IO_HAS_NO_FILE);
}

const char *io_engine_name(int i, const char **reason)
{
    if (!io_engines[i])
        return NULL;
    if (reason)
        *reason = io_engines[i]->reason ? io_engines[i]->reason : "";
    return io_engines[i]->name;
}

/* ---- --list-engines -------------------------------------------------------------- */

/* --list-engines: the table of engines. */

static const struct {
    int can;
    const char *name, *key; /* in the text ("": left out), and in JSON */
} abilities[] = {{IO_CAN_COLLECTIVE, "collective", "collective"},
                 {IO_CAN_DIRECT, "direct", "direct"},
                 {IO_CAN_HINTS, "hints", "hints"},
                 {IO_CALLS_MPI, "no threads", "calls_mpi"},
                 {IO_HAS_NO_FILE, "stores nothing", "stores_nothing"},
                 {IO_WRAPS, "FILETYPE=PARTITIONED", "partitions"}};

enum { ABILITIES = sizeof abilities / sizeof *abilities };

/* The reason why the engine cannot be used in this build, or with this kernel; "":
 * it can. */
static const char *why_not(const struct io_engine *e, char *out, size_t size)
{
    out[0] = 0;
    if (e->reason)
        snprintf(out, size, "not built: %s", e->reason);
    else if (e->usable && e->usable())
        snprintf(out, size, "not usable here: %s", err_get()->text);
    err_clear();
    return out;
}

static void print_text(const struct io_engine *e, FILE *out)
{
    char why[1200];
    const char *between = "";
    if (*why_not(e, why, sizeof why)) {
        fprintf(out, "%-10s %s\n", e->name, why);
        return;
    }
    fprintf(out, "%-10s %-13s", e->name, e->reap ? "asynchronous" : "synchronous");
    for (int i = 0; i < ABILITIES; i++)
        if (e->can & abilities[i].can) {
            fprintf(out, "%s %s", between, abilities[i].name);
            between = ",";
        }
    if (e->options)
        fprintf(out, "%s options %s", between, e->options);
    fputc('\n', out);
}

static void print_json(struct json *j, const struct io_engine *e)
{
    char why[1200];
    json_object_flat(j, NULL);
    json_text(j, "name", e->name);
    json_bool(j, "asynchronous", e->reap);
    for (int i = 0; i < ABILITIES; i++)
        json_bool(j, abilities[i].key, e->can & abilities[i].can);
    json_text(j, "options", e->options);
    why_not(e, why, sizeof why);
    json_text(j, "unusable", *why ? why : NULL);
    json_end_object(j);
}

void io_engine_list(bool json, FILE *out)
{
    struct json j;
    if (!json) {
        for (int i = 0; io_engines[i]; i++)
            print_text(io_engines[i], out);
        return;
    }
    json_start(&j, out);
    json_array(&j, NULL);
    for (int i = 0; io_engines[i]; i++)
        print_json(&j, io_engines[i]);
    json_end_array(&j);
    json_finish(&j);
}
