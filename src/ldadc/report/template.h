// The descriptors by which a file can be partitioned: those of calls that write it,
// with the addition to the start for a rank's number.
#ifndef LDADC_REPORT_TEMPLATE_H
#define LDADC_REPORT_TEMPLATE_H

#include "ldadc/describe/bind.h"
#include "ldadc/report/report.h"

namespace ldadc
{

struct Pattern {
    const Description *of = nullptr;
    Poly start, step, size, end;
    bool ends = false;
    std::vector<Level> levels; // levels of rank 0, outermost first
};

// A file is partitioned only if all writes to it are known, and no two ranks share a
// byte.
struct Template {
    // Patterns with most transfers first. If there are several, the conditions of their
    // calls choose one. None: the file cannot be partitioned.
    std::vector<Pattern> patterns;
    std::string why; // the reason why it is not
    Place where;
    bool unknown = false; // the source does not tell what is written
};

Template template_of(const Found &in, const File &f);

// Returns the plan for a number of ranks, as algebra/descriptor.h has it; empty, and
// why, if there is none.
std::string plan_text(const Template &t, const Binding &b, std::string *why);

// True if the text is a plan by which files can be partitioned.
bool plan_sound(const std::string &text, std::string *why);

// True if the path may be the file's: if the program has the name in quotes, the path
// must end with it.
bool names_path(const File &f, const std::string &path);

} // namespace ldadc

#endif
