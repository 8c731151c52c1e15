// What the user says of the program's numbers, so that more can be told.
#ifndef LDADC_POLY_ASSUME_H
#define LDADC_POLY_ASSUME_H

#include "ldadc/poly/poly.h"

namespace ldadc
{

// "a % b == 0" with a name for a; "a < b", also with <=, >, >= and ==, of sums and
// products of names and numbers; "no-overlap": no byte is two ranks' of one call; or
// "no-view": files that unseen callers have opened have no view of their own.
// Names are those of the program, nprocs and rank. False: it is none of these.
bool assume(const std::string &text);

// A new variable, or what it is as a multiple of what it is assumed to be one of.
Poly named_symbol(const Symbol &s);
// The same of a variable that has just been named, which was `p`.
Poly part_of_named(const Symbol &s, const Poly &p);

// What is assumed not to be negative, of the variables that there are now.
const std::vector<Poly> &assumed_facts();

bool assumed_apart();
bool assumed_no_view();

const std::vector<std::string> &assumed_texts();
// One of them that names what the program does not have; empty: none.
std::string assumed_in_vain();

} // namespace ldadc

#endif
