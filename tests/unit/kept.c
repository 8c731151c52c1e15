/* ranks: 1; mpi: any */
/* Descriptions of kept files: they read back as they were written, and no other file is
 * accepted as one. */
#include "run/kept.h"
#include "tap.h"

static char folder[] = "kept-XXXXXX";

static struct kept sample(void)
{
    struct kept k;
    memset(&k, 0, sizeof k);
    strcpy(k.program, "blocktransfer");
    strcpy(k.version, "0.1-3-gabc");
    strcpy(k.run_id, "20261122T101112-42-0123456789ab");
    strcpy(k.file, "blocktransfer-1.blocks");
    strcpy(k.filetype, "UNIQUE");
    strcpy(k.layout, "SEGMENTED");
    k.writers = 4;
    k.blocks = 3;
    k.block_bytes = 4096;
    k.misalign = 100;
    k.bytes = 4 * (3 * 4096 + 100);
    k.modified_ns = -5;
    k.seed = UINT64_MAX;
    k.repetition = k.stamp = 1;
    k.compress = 30;
    k.stamped = true;
    return k;
}

static char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Returns the text on disk; the caller frees it. */
static char *text_of(const char *path, size_t *n)
{
    char *text = calloc(1, KEPT_MOST + 1);
    FILE *f = fopen(path, "r");
    *n = f && text ? fread(text, 1, KEPT_MOST, f) : 0;
    if (f)
        fclose(f);
    return text;
}

static void test_round_trip(void)
{
    struct kept k = sample(), back;
    const char *path = path_of("blocktransfer-1.blocks.json");
    tap_ok(!kept_write(&k, path), "a description is written");
    tap_ok(!kept_read(&back, path), "and read");
    tap_ok(!memcmp(&k, &back, sizeof k), "every field is as it was");
    k.writers = 5;
    k.bytes = 5 * (3 * 4096 + 100);
    tap_ok(!kept_write(&k, path) && !kept_read(&back, path) && back.writers == 5,
           "another one replaces it");
    strcat(strcpy(back.file, path), ".tmp");
    tap_ok(access(back.file, F_OK), "nothing is left beside it");
    k = sample();
    kept_write(&k, path);
}

/* True if the text is refused, with `why` in the sentence, after `from` is changed to
 * `to`. */
static int refused(const char *text, const char *from, const char *to, const char *why)
{
    char changed[KEPT_MOST];
    struct kept k;
    const char *at = strstr(text, from);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at ? at - text : 0), text, to,
             at ? at + strlen(from) : "");
    int rc = kept_parse(&k, "x.json", changed, strlen(changed));
    int said = at && rc < 0 && strstr(err_get()->text, why) != NULL;
    if (!said)
        printf("# %s -> %s: %d \"%s\"\n", from, to, rc, err_get()->text);
    err_clear();
    return said;
}

static void test_refused(void)
{
    static const struct {
        const char *from, *to, *why;
    } row[] = {
        {"kept/1", "kept/2", "its format is \"leadline-kept/2\""},
        {"\"format\"", "\"seed\"", "does not begin with its format"},
        {"\"pass\": 0", "\"pass\": 0, \"folded\": 50", "a field not known here"},
        {"\"pass\": 0", "\"pass\": 0, \"pass\": 0", "more than one \"pass\""},
        {"\"pass\": 0,", "", "it lacks \"pass\""},
        {"\"pass\": 0", "\"pass\": \"0\"", "may stand at \"pass\""},
        {"\"pass\": 0", "\"pass\": 00", "may stand at \"pass\""},
        {"\"pass\": 0", "\"pass\": 1e3", "may stand at \"pass\""},
        {"\"pass\": 0", "\"pass\": -1", "may stand at \"pass\""},
        {"\"pass\": 0", "\"pass\": 99999999999999999999", "may stand at \"pass\""},
        {"\"writers\": 4", "\"writers\": 0", "may stand at \"writers\""},
        {"\"writers\": 4", "\"writers\": 5", "make not as many \"bytes\""},
        {"\"block_bytes\": 4096", "\"block_bytes\": 9223372036854775807",
         "files cannot have that many blocks"},
        {"\"UNIQUE\"", "\"unique\"", "may stand at \"filetype\""},
        {"\"UNIQUE\"", "\"E|SHARED\"", "may stand at \"filetype\""},
        {"\"stamped\": true", "\"stamped\": 1", "may stand at \"stamped\""},
        {"\"blocktransfer-1.blocks\"", "\"../x\"",
         "not the name of a file in its directory"},
        {"\"blocktransfer-1.blocks\"", "\"..\"",
         "not the name of a file in its directory"},
        {"\"blocktransfer-1.blocks\"", "\"\"", "may stand at \"file\""},
        {"\"blocktransfer-1.blocks\"", "\"a\\u0041\"", "may stand at \"file\""},
        {"\n}", "\n} x", "does not end"},
        {"\n}", "", "does not end"},
        {"\"seed\": ", "\"seed\" ", "no field where one is due"},
        {"18446744073709551615", "18446744073709551616", "may stand at \"seed\""},
        {"18446744073709551615", "-1", "may stand at \"seed\""},
    };
    size_t n;
    char *text = text_of(path_of("blocktransfer-1.blocks.json"), &n);
    int all = n > 0;
    for (size_t i = 0; i < sizeof row / sizeof *row && all; i++)
        all = refused(text, row[i].from, row[i].to, row[i].why);
    tap_ok(all, "what is no description is refused, with what is wrong");
    int short_ones = 1;
    for (size_t i = 0; i + 2 < n; i++) { /* the last character ends a line */
        struct kept k;
        short_ones &= kept_parse(&k, "x.json", text, i) < 0;
        err_clear();
    }
    tap_ok(short_ones, "and so is every beginning of one");
    free(text);
}

static int finds(const char *name, const char *description)
{
    char out[KEPT_PATH], due[KEPT_PATH];
    snprintf(due, sizeof due, "%s", path_of(description));
    int rc = kept_find(path_of(name), out);
    err_clear();
    return !rc && !strcmp(out, due);
}

static void test_paths(void)
{
    const char *json = "blocktransfer-1.blocks.json";
    struct kept k = sample();
    char out[KEPT_PATH];
    tap_ok(finds(json, json) && finds("blocktransfer-1.blocks", json) &&
               finds("blocktransfer-1.blocks/", json) &&
               finds("blocktransfer-1.blocks.000002", json) &&
               finds("blocktransfer-1.blocks.1000002", json),
           "a description is found by its name, and by those of its files");
    tap_ok(!finds("blocktransfer-1", json) && !finds("blocktransfer-1.blocks.2", json),
           "and by no other");
    tap_ok(!kept_file(&k, "/a/b/x.json", 3, out) &&
               !strcmp(out, "/a/b/blocktransfer-1.blocks.000003") &&
               kept_files(&k) == 4,
           "files of ranks are in its folder");
    strcpy(k.filetype, "SHARED");
    tap_ok(!kept_file(&k, "x.json", 0, out) && !strcmp(out, "blocktransfer-1.blocks") &&
               kept_files(&k) == 1,
           "and so is one of all");
    tap_ok(kept_read(&k, folder) < 0 && err_get()->text[0], "a folder is none");
    err_clear();
}

int main(int argc, char **argv)
{
    tap_start(&argc, &argv, 0);
    if (!mkdtemp(folder))
        return 1;
    test_round_trip();
    test_refused();
    test_paths();
    unlink(path_of("blocktransfer-1.blocks.json"));
    rmdir(folder);
    return tap_end();
}
