/* report: hands the run to python/leadline/trace/iotrace_page.py, which writes a page
 * from the output of "iotrace findings" and "iotrace bins". */
#include "base/err.h"
#include "base/program.h"
#include "iotrace/commands.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
    const char *run, *out, *title, *json, *only, *fail_on, *findings;
    double floor_s;
    int64_t slices;
};

static int make_page(const struct page *p)
{
    enum { OPTIONS = 9 };
    char number[24], floor_s[32] = "";
    snprintf(number, sizeof number, "%" PRId64, p->slices);
    if (p->floor_s >= 0)
        snprintf(floor_s, sizeof floor_s, "%.9g", p->floor_s);
    const char *const option[OPTIONS][2] = {
        {"version", leadline_version}, {"slices", number}, {"out", p->out},
        {"title", p->title},           {"json", p->json},  {"only", p->only},
        {"fail-on", p->fail_on},       {"floor", floor_s}, {"findings", p->findings}};
    char text[OPTIONS][4200];
    const char *args[OPTIONS + 3];
    int n = 0;
    for (int i = 0; i < OPTIONS; i++) {
        if (!option[i][1] || !option[i][1][0])
            continue;
        snprintf(text[i], sizeof text[i], "--%s=%.4100s", option[i][0], option[i][1]);
        args[n++] = text[i];
    }
    args[n++] = "--"; /* a run may be called -n */
    args[n++] = p->run;
    args[n] = NULL;
    return python_become("trace/iotrace_page.py", args);
}

int command_report(int argc, char **argv)
{
    struct page page = {0};
    struct opt table[] = {
        {OPT_TEXT, "RUN", .value = &page.run, .required = true,
         .help = "a run's directory, or a log"},
        {OPT_TEXT, "out", 'o', .value = &page.out, .preset = "iotrace.html",
         .arg = "FILE", .help = "where the page goes"},
        {OPT_TEXT, "title", .value = &page.title, .arg = "TEXT",
         .help = "of the page [the run's name]",
         .text = "The title of the page, by default the run's name."},
        {OPT_TEXT, "json", .value = &page.json, .arg = "FILE",
         .help = "the findings as JSON, too, into this file"},
        {OPT_TEXT, "only", .value = &page.only, .arg = "ID,...",
         .help = "show findings of these names only"},
        {OPT_REAL, "floor", .value = &page.floor_s, .preset = "-1", .arg = "SECONDS",
         .min = -1, .max = 1e6,
         .help = "leave out findings in which less time is at stake; -1: what "
                 "iotrace findings leaves out by itself"},
        {OPT_CHOICE, "fail-on", .value = &page.fail_on, .choices = "high|medium|low",
         .help = "end with status 3 where there is a finding as severe as that"},
        {OPT_INT, "slices", .value = &page.slices, .preset = "200", .arg = "N",
         .min = 1, .max = 1000, .help = "parts that the time is divided into"},
        {OPT_TEXT, "findings", .value = &page.findings, .arg = "FILE",
         .help = "take the findings from this file, which --json wrote",
         .text = "Take the findings from this file, written by --json, and do not "
                 "judge the run again."}};
    const struct opt_program p = {
        "iotrace report", "RUN",
        "Writes one HTML file that needs nothing else: what is wrong and what to do "
        "about it, who did what when, where time went, files, sizes, metadata, and "
        "what "
        "the trace cannot have seen. Needs Python.",
        table, sizeof table / sizeof table[0]};
    int status;
    if (!command_options(&p, argc, argv, &status))
        return status;
    make_page(&page); /* returns only if it failed */
    err_print(stderr, "iotrace", err_get());
    return EXIT_FAILED;
}
