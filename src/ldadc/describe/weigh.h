// Counts the bytes of descriptors, with numbers.
#ifndef LDADC_DESCRIBE_WEIGH_H
#define LDADC_DESCRIBE_WEIGH_H

#include "ldadc/describe/bind.h"

namespace ldadc
{

struct Numbers {
    std::vector<int64_t> np;
    std::map<int, int64_t> set; // value of each symbol
};

// The bytes of a write that are read, as often as they are read.
struct Weight {
    int64_t nprocs = 0;
    double bytes = 0, own = 0; // read by any rank, and by their writer
    int64_t sampled = 0;       // number of ranks examined, if not all
};

struct Edge {
    int write, read; // calls of a file
    std::vector<Weight> weights;
    std::vector<std::string> missing; // variables that are needed to count
};

// Weighs an edge; what cannot be counted is left out.
Edge weigh(const std::vector<Description> &calls, int write, int read, int comm,
           const Numbers &with);

} // namespace ldadc

#endif
