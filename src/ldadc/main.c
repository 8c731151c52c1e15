/* ldadc: finds access patterns in the source of a program. */
#include "ldadc/commands.h"

static const struct command command[] = {
    {"analyse", command_analyse, "what each call of MPI-IO transfers"},
    {"check", command_check, "... and whether a run did"},
    {"plan", command_plan, "by which descriptor libldad partitions a file"},
    {"rewrite", command_rewrite, "the program with its files partitioned"},
    {"build", command_build, "... compiled, in one step"}};

static const struct command_set ldadc = {
    .program = "ldadc",
    .about = "Finds the access patterns of C programs that use MPI-IO, at compile "
             "time.\n",
    .example = "analyse FILE.c",
    .command = command,
    .n = sizeof command / sizeof command[0]};

int main(int argc, char **argv)
{
    return commands_run(&ldadc, argc, argv);
}
