// Texts for Graphviz.
#ifndef LDADC_REPORT_DOT_H
#define LDADC_REPORT_DOT_H

#include <string>

namespace ldadc
{

std::string dot_quoted(const std::string &s);
// Breaks a text into lines of little more than `width` characters.
std::string dot_broken(const std::string &s, size_t width);

// Returns the name in a path.
std::string name_in(const std::string &path);

} // namespace ldadc

#endif
