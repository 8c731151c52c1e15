/* libFuzzer target: any text is a list of input files for pfmload, among files and
 * lists that it can name. MPI is that of stub/mpi.h. */
#include "pfmload/input/list.h"
#include "fuzz.h"

static void make_folder(void)
{
    fuzz_folder("lists");
    fuzz_put("lists/a", "a", 1);
    fuzz_put("lists/b c", "bc", 2);
    fuzz_put("lists/more", "b c 121 1\nlist -1\n", 18);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct list *l;
    struct opt_rest files = {0};
    struct opt_list lists = {1, {"lists/list"}};
    int rank[4];
    static bool made;
    if (!made)
        make_folder();
    made = true;
    fuzz_put("lists/list", data, size);
    int rc = list_open(&l, 0, &files, &lists, size % 2);
    fuzz_ended(rc);
    if (rc)
        return 0;
    for (int64_t i = 0; i < l->n; i++)
        fuzz_demand(l->file[i].path &&
                    (l->file[i].bad || l->file[i].bytes <= l->bytes));
    if (l->n <= 4)
        fuzz_ended(list_deal(l, 2, rank));
    list_close(&l);
    return 0;
}
