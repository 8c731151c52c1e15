// The user's assumptions about the program's numbers, which allow more conclusions.
#ifndef LDADC_POLY_ASSUME_H
#define LDADC_POLY_ASSUME_H

#include "ldadc/poly/poly.h"

namespace ldadc
{

// Reads an assumption: "a % b == 0" with a name for a; "a < b", also with <=, >, >= and
// ==, of sums and products of names and numbers; "no-overlap": no two ranks share a
// byte of one call; or "no-view": files that unseen callers have opened have no view of
// their own. Names are those of the program, nprocs and rank. False: it is none of
// these.
bool assume(const std::string &text);

// Returns a new variable, or the product that it is assumed to be.
Poly named_symbol(const Symbol &s);
// Does the same for a variable that has just been named and was `p` before.
Poly part_of_named(const Symbol &s, const Poly &p);

// Returns polynomials that are assumed not to be negative, for the current variables.
const std::vector<Poly> &assumed_facts();

bool assumed_apart();
bool assumed_no_view();

const std::vector<std::string> &assumed_texts();
// Returns an assumption with a name that the program does not have; empty: there is
// none.
std::string assumed_in_vain();

} // namespace ldadc

#endif
