/* A plan from the ranks' views, a file that is opened with it, and how writes fit it:
 *
 *     fit FILE
 *
 * Rank r of P has each P-th group of four numbers. Prints errors. */
#include <ldad.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = 8, GROUP = 4 };

static int rank, ranks;

static void is(const char *what, long long found, long long right)
{
    if (found != right)
        printf("rank %d: %s: found %lld, expected %lld\n", rank, what, found, right);
}

static MPI_Datatype view(void)
{
    MPI_Datatype groups, t;
    MPI_Aint extent = GROUPS * GROUP * ranks * (MPI_Aint)sizeof(int);
    MPI_Type_vector(GROUPS, GROUP, GROUP * ranks, MPI_INT, &groups);
    MPI_Type_create_resized(groups, 0, extent, &t);
    MPI_Type_free(&groups);
    MPI_Type_commit(&t);
    return t;
}

static ldad_file open_with(const char *path, char *plan)
{
    ldad_file fh = NULL;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ldad_method", "partitioned");
    MPI_Info_set(info, "ldad_plan", plan);
    is("open",
       ldad_file_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh),
       MPI_SUCCESS);
    MPI_Info_free(&info);
    return fh;
}

static void check_fit(ldad_file fh, long long misfits, long long bytes)
{
    struct ldad_fit fit;
    memset(&fit, 1, sizeof fit);
    is("ldad_file_fit", ldad_file_fit(fh, &fit), MPI_SUCCESS);
    is("partitions", fit.parts, ranks);
    is("writes that do not fit", fit.misfits, misfits);
    is("their bytes", fit.misfit_bytes, bytes);
}

int main(int argc, char **argv)
{
    char plan[4096] = "";
    int data[GROUPS * GROUP], all[GROUP] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Offset disp = rank * GROUP * (MPI_Offset)sizeof(int);
    MPI_Datatype t = view();
    is("overlapping views",
       ldad_plan_from_filetypes(MPI_COMM_WORLD, 0, MPI_INT, t, plan, sizeof plan),
       ranks > 1 ? MPI_ERR_ARG : MPI_SUCCESS);
    is("ldad_plan_from_filetypes",
       ldad_plan_from_filetypes(MPI_COMM_WORLD, disp, MPI_INT, t, plan, sizeof plan),
       MPI_SUCCESS);
    ldad_file fh = open_with(argv[1], plan);
    for (int i = 0; i < GROUPS * GROUP; i++)
        data[i] = 1000 * rank + i;
    ldad_file_set_view(fh, disp, MPI_INT, t, "native", MPI_INFO_NULL);
    ldad_file_write_at_all(fh, 0, data, GROUPS * GROUP, MPI_INT, MPI_STATUS_IGNORE);
    check_fit(fh, 0, 0);
    ldad_file_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (rank == 0 && ranks > 1) /* the part of rank 1 */
        ldad_file_write_at(fh, GROUP, all, GROUP, MPI_INT, MPI_STATUS_IGNORE);
    check_fit(fh, rank == 0 && ranks > 1, rank == 0 && ranks > 1 ? sizeof all : 0);
    ldad_file_close(&fh);
    MPI_Type_free(&t);
    return MPI_Finalize();
}
