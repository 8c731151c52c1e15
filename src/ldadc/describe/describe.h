// What a call transfers, as a descriptor of polynomials, and how the ranks' bytes lie
// to each other.
#ifndef LDADC_DESCRIBE_DESCRIBE_H
#define LDADC_DESCRIBE_DESCRIBE_H

#include "ldadc/interp/found.h"

namespace ldadc
{

struct Level {
    Poly stride, count;
};

struct Warning {
    unsigned line = 0;
    std::string text;
    int64_t from_nprocs = 0; // 0: depends on more
};

struct Description {
    const Site *site = nullptr;
    bool resolved = false;
    Poly start, size, clip;
    bool clipped = false;
    std::vector<Level> levels; // outermost first
    std::string ranks;         // empty: all
    bool one_rank = false;     // this one
    Poly only;
    bool ranks_of_all = false; // they count in MPI_COMM_WORLD, not in the file's
    std::string relation = "unresolved";
    std::string reason;
    Place reason_where;
    std::vector<Warning> warnings;
    int part = 0, parts = 1; // of a transfer whose pieces follow no rule
};

// One for each part of what the call transfers.
std::vector<Description> describe(const Found &i, const Site &s);

// Why a relation is not certain, if nothing else is.
#define NOT_CERTAIN "whether ranks share bytes is not certain"

// The relation; "unresolved" with a reason where it is not certain.
std::string relation_of(const Description &d, const Opening &o, std::string *reason);

std::string product_text(const Poly &a, const Poly &b);
std::string descriptor_text(const Description &d);

// What the user could give to go on, where something is unresolved.
std::string help_of(const Description &d);

} // namespace ldadc

#endif
