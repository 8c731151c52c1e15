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
     .help = "C sources of one program", \
     .text = "All source files of the program. After *--*, flags for the compiler, " \
             "which are placed before those of the MPI compiler: *-I*, *-D* and so on."}
#define SOURCE_MPICC(o) \
    {.kind = OPT_TEXT, .name = "mpicc", .value = &(o).mpicc, .preset = LDADC_MPICC, \
     .arg = "NAME", .help = "the MPI compiler whose headers are used", \
     .text = "The MPI compiler whose headers are used: it is asked for its flags " \
             "with *-show*."}
#define SOURCE_COMMANDS(o) \
    {.kind = OPT_TEXT, .name = "commands", .letter = 'p', .value = &(o).commands, \
     .arg = "DIR", \
     .help = "read the sources as DIR/compile_commands.json has them; without FILE, " \
             "all of them that use MPI_File_", \
     .text = "Read the sources with the flags in _DIR/compile_commands.json_. " \
             "Other sources have the flags of the source nearest to them. Without " \
             "_FILE_, the program consists of all sources in it that use MPI_File_."}
#define SOURCE_NPS "24,64"
#define SOURCE_NP(o, what) \
    {.kind = OPT_TEXT, .name = "np", .value = &(o).np, .preset = SOURCE_NPS, \
     .arg = "N[,N...]", .help = what}
#define SOURCE_ASSUME(o) \
    {.kind = OPT_LIST, .name = "assume", .value = &(o).assume, .arg = "RELATION", \
     .help = "what holds of the program's variables, such as 'n % nprocs == 0' or " \
             "'a <= b', no-overlap or no-view; may be repeated", \
     .text = "A relation of the program's variables that its source does not tell. " \
             "It may be repeated, and is listed with the assumptions.\n\n" \
             "*A % B == 0* makes the variable A a multiple of B, which is a " \
             "variable, nprocs or a number; it is then B times *A_by_B*. Two sums of " \
             "products of variables, nprocs, rank and numbers may have *<*, *<=*, " \
             "*==*, *>=* or *>* between them. *no-overlap* says that ranks share no " \
             "byte of a call's transfers, if its descriptor is known and this is " \
             "not. *no-view* says that files from unseen callers have no view. If " \
             "the program does not keep to a relation, the results may be wrong."}
#define SOURCE_SET(o) \
    {.kind = OPT_LIST, .name = "set", .value = &(o).set, .arg = "NAME=N", \
     .help = "the value of a variable of the program, as analyse names it; may be " \
             "repeated", \
     .text = "Count with _N_ for the variable _NAME_ of the descriptors or the " \
             "program, as analyse names it. May be repeated."}
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
