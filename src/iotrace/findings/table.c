/* The table of findings: its limits in words, and the list of all that there are. */
#include "base/format/json.h"
#include "iotrace/findings/inside.h"
#include <string.h>

const struct finding_kind finding_kind[IDS] = {
#define FINDING(name, judges, text, ...)                                               \
    [ID_##name] = {.judge = judges, .id = (text), __VA_ARGS__},
#define LIMIT(...)
#include "iotrace/findings/table.def"
#undef FINDING
#undef LIMIT
};

const struct limit finding_limit[LIMITS] = {
#define FINDING(...)
#define LIMIT(finding, limit, relation, value, unit, what)                             \
    [finding##_##limit] = {ID_##finding, #limit, relation, unit, what, value},
#include "iotrace/findings/table.def"
#undef FINDING
#undef LIMIT
};

double limit_of(enum limit_id id)
{
    return finding_limit[id].value;
}

/* Prints a limit as a reader writes it: 10 %, 64 KiB, 5 ms, 16. */
static void put_limit(const struct limit *l, char *out, size_t room)
{
    static const char *const bytes[] = {"B", "KiB", "MiB", "GiB"};
    static const char *const times[] = {"ns", "us", "ms", "s"};
    bool is_bytes = !strcmp(l->unit, "bytes"), ns = !strcmp(l->unit, "ns");
    double v = strcmp(l->unit, "s") ? l->value : l->value * 1e9;
    int at = 0;
    if (!strcmp(l->unit, "share")) {
        snprintf(out, room, "%g %%", 100 * v);
        return;
    }
    if (!is_bytes && !ns && strcmp(l->unit, "s")) {
        snprintf(out, room, "%g", v);
        return;
    }
    for (double step = is_bytes ? 1024 : 1000; at < 3 && v >= step; at++)
        v /= step;
    snprintf(out, room, "%g %s", v, is_bytes ? bytes[at] : times[at]);
}

/* Returns the finding's limit of a name of `n` characters; NULL: it has none. */
static const struct limit *limit_named(enum id id, const char *name, size_t n)
{
    for (int i = 0; i < LIMITS; i++) {
        const struct limit *l = &finding_limit[i];
        if (l->of == id && strlen(l->name) == n && !strncmp(l->name, name, n))
            return l;
    }
    return NULL;
}

const char *finding_words(enum id id, const char *text, char *out, size_t room)
{
    size_t at = 0;
    while (*text && at + 1 < room) {
        size_t n = *text == '{' ? strcspn(text + 1, "}") : 0;
        const struct limit *l = n ? limit_named(id, text + 1, n) : NULL;
        if (l) {
            put_limit(l, out + at, room - at);
            at += strlen(out + at);
            text += n + 2;
        } else
            out[at++] = *text++;
    }
    out[at] = 0;
    return out;
}

/* ---- the list --------------------------------------------------------------- */

static void list_text(FILE *out)
{
    for (int risk = 0; risk < 2; risk++) {
        fprintf(out, "%s%-22s %-8s %s\n", risk ? "\n" : "", risk ? "risk" : "finding",
                risk ? "" : "highest", "condition");
        for (int i = 0; i < IDS; i++) {
            const struct finding_kind *k = &finding_kind[i];
            char condition[256];
            if (k->risk == risk)
                fprintf(out, "%-22s %-8s %s\n", k->id,
                        risk ? "" : severity_name(k->cap),
                        finding_words((enum id)i, k->condition, condition,
                                      sizeof condition));
        }
    }
}

static void put_limits(struct json *j, enum id id)
{
    json_array(j, "limits");
    for (int i = 0; i < LIMITS; i++) {
        const struct limit *l = &finding_limit[i];
        char what[64];
        if (l->of != id)
            continue;
        json_object_flat(j, NULL);
        json_text(j, "what", finding_words(id, l->what, what, sizeof what));
        json_text(j, "relation", l->relation);
        if (l->value > 0)
            json_real(j, "limit", l->value);
        else
            json_null(j, "limit");
        json_text(j, "unit", l->unit);
        json_end_object(j);
    }
    json_end_array(j);
}

static void list_json(FILE *out)
{
    struct json j;
    json_start(&j, out);
    json_object(&j, NULL);
    json_text(&j, "schema", "leadline-iotrace-finding-list");
    json_int(&j, "schema_version", 1);
    json_array(&j, "findings");
    for (int i = 0; i < IDS; i++) {
        const struct finding_kind *k = &finding_kind[i];
        char condition[256];
        json_object(&j, NULL);
        json_text(&j, "id", k->id);
        json_text(&j, "kind", k->risk ? "risk" : "cost");
        json_text(&j, "title", k->title);
        json_text(&j, "condition",
                  finding_words((enum id)i, k->condition, condition, sizeof condition));
        put_limits(&j, (enum id)i);
        json_text(&j, "highest_severity", k->risk ? "" : severity_name(k->cap));
        json_text(&j, "class", k->time ? k->time : "");
        json_text(&j, "remedy", k->remedy);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
    json_finish(&j);
}

void findings_list(bool json, FILE *out)
{
    if (json)
        list_json(out);
    else
        list_text(out);
}
