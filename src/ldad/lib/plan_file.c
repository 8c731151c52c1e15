/* Files of plans, as ldadc plan writes them: each line is the plan of a number of
 * ranks. */
#include "base/err.h"
#include "base/units.h"
#include "ldad/lib/libldad.h"
#include "world/world.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of ranks of a line's plan; 0: there is none. */
static long ranks_of(const char *line)
{
    long ranks, more;
    if (strncmp(line, "ranks=", 6))
        return 0;
    char *end;
    ranks = strtol(line + 6, &end, 10);
    while (*end == 'x') {
        more = strtol(end + 1, &end, 10);
        ranks = more > 0 && ranks < (1L << 40) / more ? ranks * more : 0;
    }
    return ranks;
}

/* Reads past the rest of a line that did not fit; true if there was one. */
static bool is_cut(FILE *in, const char *line)
{
    bool cut = false;
    if (!strchr(line, '\n'))
        for (int c; (c = fgetc(in)) != EOF && c != '\n';)
            cut = true;
    return cut;
}

static int plan_file_find(const char *file, int ranks, char *plan, int room)
{
    bool found = false, cut = false;
    FILE *in = fopen(file, "re");
    if (!in)
        return err_set(-errno, file, -1, "the file of plans cannot be opened: %s",
                       strerror(errno));
    while (!found && fgets(plan, room, in)) {
        found = ranks_of(plan) == ranks;
        cut = is_cut(in, plan);
    }
    int failed = ferror(in);
    fclose(in);
    if (failed)
        return err_set(-EIO, file, -1, "the file of plans cannot be read");
    if (found && cut)
        return err_set(-E2BIG, file, -1,
                       "the plan of %d rank%s has more than %d characters", ranks,
                       units_s(ranks), room - 1);
    plan[strcspn(plan, "\n")] = 0;
    return found ? 0
                 : err_set(-ENOENT, file, -1,
                           "the file has no plan of %d rank%s: write one for them",
                           ranks, units_s(ranks));
}

int libldad_plan_of(MPI_Comm comm, const char *file, char *plan, int room)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int rc = err_agree(comm, rank ? 0 : plan_file_find(file, ranks, plan, room));
    if (!rc)
        MPI_Bcast(plan, room, MPI_CHAR, 0, comm);
    return rc;
}
