// A program that was read, run with polynomials and described.
#ifndef LDADC_REPORT_ANALYSIS_H
#define LDADC_REPORT_ANALYSIS_H

#include "ldadc/report/analyse.h"
#include "ldadc/report/report.h"
#include <memory>

namespace ldadc
{

struct Program;

struct Analysis {
    std::shared_ptr<Program> program;
    std::shared_ptr<const Found> found;
    Report report;
    // Makes it. Returns 0, or -EINVAL with a sentence: it does not compile (the
    // compiler's messages are on stderr), or lacks variables of assumptions.
    int make(const analyse_request *r);
};

} // namespace ldadc

#endif
