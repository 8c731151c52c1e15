// Shows the changes to a source as diff -u does.
#ifndef LDADC_DIFFERENCE_H
#define LDADC_DIFFERENCE_H

#include <cstdio>
#include <string>

namespace ldadc
{

void put_difference(const std::string &path, const std::string &old,
                    const std::string &fresh, FILE *out);

} // namespace ldadc

#endif
