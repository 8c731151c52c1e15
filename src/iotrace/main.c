/* iotrace: starts programs under libiotrace.so, and reads what it recorded. */
#include "base/err.h"
#include "base/version.h"
#include "iotrace/commands.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} command[] = {
    {"run", command_run, "run a command and record its I/O"},
    {"summary", command_summary, "counts, bytes and times by call, file and process"},
    {"dump", command_dump, "all events as a table (tab-separated)"},
    {"merge", command_merge, "the events of all processes in one table"},
    {"export", command_export, "events for Perfetto, or as CSV"},
    {"compare", command_compare, "what changed between two runs"},
    {"ldad", command_ldad, "access patterns: LDAD(start, span, stride, size)"},
    {"plot", command_plot, "pictures (needs matplotlib)"},
    {"bins", command_bins, "what plot draws, as JSON"},
    {"recover", command_recover, "finish the logs of killed processes"}};

enum { COMMANDS = sizeof command / sizeof command[0] };

static void help(FILE *out)
{
    fputs("usage: iotrace COMMAND [options] ...\n\n"
          "Records and shows what programs ask of their files. RUN is a run's folder,\n"
          "or one log (.bin, .part or .tsv).\n\n",
          out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-9s %s\n", command[i].name, command[i].about);
    fputs(
        "\n  -h, --help              this text; of a command: iotrace COMMAND --help\n"
        "  --version               the version\n",
        out);
}

bool command_options(const struct opt_program *p, int argc, char **argv, int *status)
{
    *status = EXIT_GOOD;
    if (opt_early(p, leadline_version, argc, argv))
        return false;
    if (!opt_parse(p, argc, argv))
        return true;
    err_print(stderr, p->name, err_get());
    *status = (int)err_exit_status(err_get());
    return false;
}

FILE *command_create(const char *path, bool replace)
{
    if (!strcmp(path, "-"))
        return stdout;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL);
    int fd = open(path, flags, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        err_set(-errno, path, -1, "it cannot be written: %s", strerror(errno));
    return out;
}

int command_finish(FILE *out, const char *path)
{
    bool bad = ferror(out) || fflush(out);
    int e = errno;
    if (out != stdout)
        bad |= fclose(out) != 0;
    return bad ? err_set(-e, path, -1, "it cannot be written: %s", strerror(e)) : 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(command[i].name, name))
            return command[i].run(argc - 1, argv + 1);
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        help(stdout);
        return EXIT_GOOD;
    }
    if (!strcmp(name, "--version")) {
        printf("iotrace (Leadline) %s\n", leadline_version);
        return EXIT_GOOD;
    }
    if (name[0])
        err_usage("\"%s\" is not one of its commands; see iotrace --help", name);
    else
        err_usage("it needs a command, as in iotrace summary RUN; see iotrace --help");
    err_print(stderr, "iotrace", err_get());
    return EXIT_USAGE;
}
