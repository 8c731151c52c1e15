// Evaluation of polynomials, with numbers for their atoms.
#ifndef LDADC_DESCRIBE_BIND_H
#define LDADC_DESCRIBE_BIND_H

#include "ldadc/describe/describe.h"
#include <functional>

namespace ldadc
{

struct Binding {
    int64_t nprocs = 1, rank = 0; // in the communicator that opened the file
    int64_t world_rank = 0;
    int comm = -1;
    std::map<int, int64_t> value; // values of named variables
};

// Gives a value to all variables with the name, as analyse prints it or as its JSON has
// it. False: there is none.
bool bind_named(std::map<int, int64_t> *value, const std::string &name, int64_t v);

// Returns the name by which the user gives a variable its value.
const std::string &given_name(const Symbol &s);

// Evaluates a polynomial. False, and why, if a variable has no value, a number exceeds
// 63 bits, or a divisor is not positive.
bool evaluate(const Poly &p, const Binding &b, int64_t *out, std::string *why);

// The transfers of one rank, as numbers.
struct Transfers {
    int64_t start = 0, size = 0, end = INT64_MAX;
    struct Repeat {
        int64_t stride, count;
    };
    std::vector<Repeat> levels; // outermost first
    bool none = false;          // this rank does not take part
};
bool transfers_of(const Description &d, const Binding &b, Transfers *out,
                  std::string *why);

// Calls f(offset, bytes) for each transfer, in order.
void each_chunk(const Transfers &n, const std::function<void(int64_t, int64_t)> &f);

} // namespace ldadc

#endif
