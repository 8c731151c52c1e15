// What has been found, for a person and as JSON.
#ifndef LDADC_REPORT_H
#define LDADC_REPORT_H

#include "ldadc/describe.h"
#include <cstdio>

namespace ldadc
{

struct Decision {
    std::string answer, because; // empty: there is nothing to decide
    double own_share = -1;  // of bytes that are read, by who wrote them; -1: unknown
    int template_call = -1; // whose descriptor it is to be stored by
};

struct File {
    const Opening *opening = nullptr; // none: nobody knows which file it is
    std::string name;
    std::vector<Description> calls;
    char category = 0; // of the paper's Figure 4; 0: none of them
    Decision decision;
};

// What the weighted graph of a file's writes and reads says.
void decide(File *f);

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
