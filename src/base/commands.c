#include "base/commands.h"
#include "base/err.h"
#include "base/program.h"
#include "base/version.h"
#include <string.h>

/* Prints the error on one process of a launch. */
static int commands_refuse(const char *name)
{
    if (opt_speaks())
        err_print(stderr, name, err_get());
    return (int)err_exit_status(err_get());
}

static int help(const struct command_set *s)
{
    printf("usage: %s COMMAND [options] ...\n\n%s\n", s->program, s->about);
    for (int i = 0; i < s->n; i++)
        printf("  %-10s %s\n", s->command[i].name, s->command[i].about);
    printf("\n  -h, --help              this text; of a command: %s COMMAND --help\n"
           "  --version               the version\n",
           s->program);
    return EXIT_GOOD;
}

static int run(const struct command_set *s, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->command[i].name, name))
            return s->command[i].run(argc - 1, argv + 1);
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        return help(s);
    if (!strcmp(name, "--version")) {
        printf("%s (Leadline) %s\n", s->program, leadline_version);
        return EXIT_GOOD;
    }
    if (name[0])
        err_usage("\"%s\" is not one of its commands; see %s --help", name, s->program);
    else
        err_usage("it needs a command, as in %s %s; see %s --help", s->program,
                  s->example, s->program);
    return commands_refuse(s->program);
}

int commands_run(const struct command_set *s, int argc, char **argv)
{
    program_begin();
    return program_end(s->program, run(s, argc, argv));
}

bool command_options(const struct opt_program *p, int argc, char **argv, int *status)
{
    if (opt_early(p, leadline_version, argc, argv, status))
        return false;
    if (!opt_parse(p, argc, argv))
        return true;
    *status = commands_refuse(p->name);
    return false;
}
