// The descriptors by which a file can be partitioned: those of calls that write it,
// with what a rank's number adds to the start.
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
    std::vector<Level> levels; // of rank 0, outermost first
};

// A file is partitioned only where all that is written to it is known, and no byte of
// it is two ranks'.
struct Template {
    // Most transfers first. Which one it is, where there are several, depends on the
    // conditions of their calls. None: the file cannot be partitioned.
    std::vector<Pattern> patterns;
    std::string why; // not
    Place where;
    bool unknown = false; // as the source does not tell what is written
};

Template template_of(const Found &in, const File &f);

// The plan of so many ranks, as algebra/descriptor.h has it, if one can be made. Else
// empty, and why.
std::string plan_text(const Template &t, const Binding &b, std::string *why);

// Whether the text is a plan that files can be partitioned by.
bool plan_sound(const std::string &text, std::string *why);

// Whether a file of this path can be it: where the program has the name in quotes, that
// is what the path ends with.
bool names_path(const File &f, const std::string &path);

} // namespace ldadc

#endif
