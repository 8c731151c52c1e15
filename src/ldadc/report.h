// What has been found, for a person and as JSON.
#ifndef LDADC_REPORT_H
#define LDADC_REPORT_H

#include "ldadc/describe.h"
#include <cstdio>

namespace ldadc
{

struct File {
    const Opening *opening = nullptr; // none: nobody knows which file it is
    std::string name;
    std::vector<Description> calls;
};

struct Report {
    std::vector<std::string> inputs, assumptions;
    std::vector<File> files;
};

Report report_make(const Interp &i, const std::vector<std::string> &inputs);
std::string sentence_of(const Description &d);
std::set<int> symbols_of(const Report &r); // that occur in descriptors

void report_text(const Report &r, FILE *out);
void report_json(const Report &r, FILE *out);

} // namespace ldadc

#endif
