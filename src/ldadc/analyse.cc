// Reads, runs, describes, reports.
#include "ldadc/analyse.h"
#include "ldadc/report.h"

using namespace ldadc;

int analyse_program(const analyse_request *r)
{
    std::vector<std::string> files(r->file, r->file + r->files);
    std::vector<std::string> flags(r->flag, r->flag + r->flags);
    flags.push_back("-resource-dir=" LDADC_RESOURCE_DIR);
    flags.push_back("-w"); // the compiler's warnings are for who compiles
    Program program;
    if (program_read(&program, files, flags))
        return 1;
    Interp interp(program);
    interp.run();
    Report report = report_make(interp, files);
    if (!report_decide(&report, *r))
        return 2;
    if (r->text)
        report_text(report, r->text);
    if (r->json)
        report_json(report, r->json);
    if (r->dot)
        report_dot(report, r->dot);
    return 0;
}
