// Polynomials as C expressions.
#ifndef LDADC_CTEXT_H
#define LDADC_CTEXT_H

#include "ldadc/poly/poly.h"

namespace ldadc
{

// Writes a polynomial in terms of variables of known values; all arithmetic is in long
// long. False, and what is missing, if that is impossible.
bool c_text(const Poly &p, const std::vector<std::pair<std::string, Poly>> &known,
            std::string *out, std::string *missing);

} // namespace ldadc

#endif
