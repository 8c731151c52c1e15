/* The common part of commands that take the sources of a program. */
#ifndef LDADC_SOURCE_H
#define LDADC_SOURCE_H

#include "ldadc/commands.h"
#include "ldadc/report/analyse.h"

struct source_options {
    struct opt_rest files;
    struct opt_list set, assume;
    const char *np, *mpicc, *commands;
};

/* Entries of option tables. */
/* clang-format off */
#define SOURCE_FILES(o) \
    {.kind = OPT_REST, .name = "FILE", .value = &(o).files, \
     .help = "C sources of one program"}
#define SOURCE_MPICC(o) \
    {.kind = OPT_TEXT, .name = "mpicc", .value = &(o).mpicc, .preset = LDADC_MPICC, \
     .arg = "NAME", .help = "the MPI compiler whose headers are used"}
#define SOURCE_COMMANDS(o) \
    {.kind = OPT_TEXT, .name = "commands", .letter = 'p', .value = &(o).commands, \
     .arg = "DIR", \
     .help = "read the sources as DIR/compile_commands.json has them; without FILE, " \
             "all of them that use MPI_File_"}
#define SOURCE_NPS "24,64"
#define SOURCE_NP(o, what) \
    {.kind = OPT_TEXT, .name = "np", .value = &(o).np, .preset = SOURCE_NPS, \
     .arg = "N[,N...]", .help = what}
#define SOURCE_ASSUME(o) \
    {.kind = OPT_LIST, .name = "assume", .value = &(o).assume, .arg = "RELATION", \
     .help = "what holds of the program's variables, such as 'n % nprocs == 0' or " \
             "'a <= b', no-overlap or no-view; may be repeated"}
#define SOURCE_SET(o) \
    {.kind = OPT_LIST, .name = "set", .value = &(o).set, .arg = "NAME=N", \
     .help = "the value of a variable of the program, as analyse names it; may be " \
             "repeated"}
/* clang-format on */

/* Local. Takes the assumptions about a program. Returns 0, or -errno with a
 * sentence. */
int source_assume(const struct opt_list *relations);

/* Local. Does all of a command: reads options, up to "--", and the compiler's flags
 * after it; then calls `run` with both. `run` returns 0, -errno with a sentence, or an
 * exit status that needs no sentence. Returns the exit status. */
int source_command(const struct opt_program *p, const struct source_options *o,
                   int argc, char **argv, int (*run)(struct analyse_request *r));

#endif
