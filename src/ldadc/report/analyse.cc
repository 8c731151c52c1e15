// Reads, runs, describes and reports a program.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/assume.h"
#include "ldadc/report/analysis.h"
#include <cerrno>

extern "C" {
#include "base/err.h"
}

using namespace ldadc;

int Analysis::make(const analyse_request *r)
{
    std::vector<std::string> files(r->file, r->file + r->files);
    std::vector<std::string> flags(r->flag, r->flag + r->flags);
    flags.push_back("-resource-dir=" LDADC_RESOURCE_DIR);
    for (const char *mpi : {"-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX"})
        flags.push_back(mpi); // the C functions suffice in C++
    flags.push_back("-w");    // the compiler's warnings are for its users
    program = std::make_shared<Program>();
    if (program_read(program.get(), &files, flags, r->commands ? r->commands : ""))
        return err_set(-EINVAL, files.empty() ? NULL : files[0].c_str(), -1,
                       "it does not compile: give the compiler's flags after --");
    auto interp = std::make_shared<Interp>(*program);
    interp->run();
    found = interp;
    report = report_make(*found, files);
    std::string vain = assumed_in_vain();
    return vain.empty() ? 0
                        : err_usage("--assume=%.100s: the program has no variable of "
                                    "that name",
                                    vain.c_str());
}

int analyse_assume(const char *relation)
{
    if (assume(relation))
        return 0;
    return err_usage(
        "--assume=%.100s is not understood: give A %% B == 0, two sums with "
        "<, <=, ==, >= or > between them, no-overlap or no-view",
        relation);
}

int analyse_program(const analyse_request *r)
{
    Analysis a;
    if (a.make(r) || !report_decide(&a.report, *r))
        return err_get()->code;
    if (r->text)
        report_text(a.report, r->text);
    if (r->json)
        report_json(a.report, r->json);
    if (r->dot)
        report_dot(a.report, r->dot);
    if (r->graph && !report_graph(*a.found, a.report, r->graph))
        return err_get()->code;
    return r->skeleton && !report_skeleton(*a.found, a.report, r->skeleton)
               ? err_get()->code
               : 0;
}
