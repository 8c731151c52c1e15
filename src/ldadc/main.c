/* ldadc: finds access patterns in the source of a program. */
#include "ldadc/commands.h"

static const struct command command[] = {
    {"analyse", command_analyse, "what each call of MPI-IO transfers"}};

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
