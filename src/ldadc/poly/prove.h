// What is certain about polynomials, given that named variables, ranks and numbers of
// iterations are not negative, that a rank is below the number of processes, and what
// is assumed besides. "false" is: cannot tell.
#ifndef LDADC_POLY_PROVE_H
#define LDADC_POLY_PROVE_H

#include "ldadc/poly/poly.h"

namespace ldadc
{

// p >= 0, where each of `given` is >= 0.
bool not_negative(const Poly &p, const std::vector<Poly> &given = {});
bool positive(const Poly &p, const std::vector<Poly> &given = {});
// With more patience, for what is asked but once of a call.
bool not_negative_in_cases(const Poly &p, const std::vector<Poly> &given);

// A number that cannot be negative, as it is kept without a sign.
void know_not_negative(const Poly &atom);

// Named variables that would end the program, or never let it end, if they were 0: they
// are assumed to be 1 at least. Assumes it of all factors of p, if that can make p
// positive; returns whether p is.
bool assume_positive(const Poly &p);
const std::set<int> &assumed_positive();

// What p > 0 says of its factors.
void suppose_positive(const Poly &p);

// What is supposed or assumed is forgotten when this ends.
class Supposed
{
  public:
    Supposed();
    ~Supposed();
    Supposed(const Supposed &) = delete;

  private:
    std::set<int> before;
};

} // namespace ldadc

#endif
