// Facts about polynomials that are certain, given that named variables, ranks and
// numbers of iterations are not negative, that a rank is below the number of processes,
// and the assumptions. "false" means: cannot tell.
#ifndef LDADC_POLY_PROVE_H
#define LDADC_POLY_PROVE_H

#include "ldadc/poly/poly.h"

namespace ldadc
{

// True if p >= 0, given that all of `given` are >= 0.
bool not_negative(const Poly &p, const std::vector<Poly> &given = {});
bool positive(const Poly &p, const std::vector<Poly> &given = {});
// Tries harder, for questions that are asked only once for a call.
bool not_negative_in_cases(const Poly &p, const std::vector<Poly> &given);

// Notes a number that cannot be negative, as it is stored without a sign.
void know_not_negative(const Poly &atom);

// Assumes that named variables are at least 1 if 0 would end the program, or never let
// it end. It assumes this of all factors of p, if that can make p positive; returns
// whether p is.
bool assume_positive(const Poly &p);
const std::set<int> &assumed_positive();

// Supposes p > 0, and so the same of its factors.
void suppose_positive(const Poly &p);

// Suppositions and assumptions are forgotten when this ends.
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
