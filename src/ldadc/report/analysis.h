// A program, read, run with polynomials and described.
#ifndef LDADC_REPORT_ANALYSIS_H
#define LDADC_REPORT_ANALYSIS_H

#include "ldadc/report/analyse.h"
#include "ldadc/report/report.h"

namespace ldadc
{

struct Analysis {
    Program program;
    std::unique_ptr<Interp> interp;
    Report report;
    // False where it does not compile; the compiler has said why.
    bool make(const analyse_request *r);
};

} // namespace ldadc

#endif
