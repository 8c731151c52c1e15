// The transfers of a call, as a descriptor of polynomials, and the relation of the
// ranks' bytes.
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
    int64_t from_nprocs = 0; // 0: it depends on more
};

struct Description {
    const Site *site = nullptr;
    bool resolved = false;
    Poly start, size, clip;
    bool clipped = false;
    std::vector<Level> levels; // outermost first
    std::string ranks;         // the ranks that take part; empty: all
    bool one_rank = false;     // only the rank `only` takes part
    Poly only;
    // they count in MPI_COMM_WORLD, not in the file's communicator
    bool ranks_of_all = false;
    std::string relation = "unresolved";
    std::string reason;
    Place reason_where;
    std::vector<Warning> warnings;
    int part = 0, parts = 1; // part of a transfer whose pieces are irregular
};

// Describes each part of a call's transfers.
std::vector<Description> describe(const Found &i, const Site &s);

// The reason why a relation is not certain, if there is no other one.
#define NOT_CERTAIN "whether ranks share bytes is not certain"

// Returns the relation; "unresolved" with a reason if it is not certain.
std::string relation_of(const Description &d, const Opening &o, std::string *reason);

std::string product_text(const Poly &a, const Poly &b);
std::string descriptor_text(const Description &d);

// Returns what the user could do to resolve a call.
std::string help_of(const Description &d);

} // namespace ldadc

#endif
