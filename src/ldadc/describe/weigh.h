// Bytes of descriptors, counted with numbers.
#ifndef LDADC_DESCRIBE_WEIGH_H
#define LDADC_DESCRIBE_WEIGH_H

#include "ldadc/describe/bind.h"

namespace ldadc
{

struct Numbers {
    std::vector<int64_t> np;
    std::map<int, int64_t> set; // by symbol
};

// What is read of what was written, as often as it is read.
struct Weight {
    int64_t nprocs = 0;
    double bytes = 0, own = 0; // by any rank, and by the one that wrote them
    int64_t sampled = 0;       // ranks that were looked at, if not all
};

struct Edge {
    int write, read; // calls of a file
    std::vector<Weight> weights;
    std::vector<std::string> missing; // variables without which nothing can be counted
};

// What cannot be counted is left out.
Edge weigh(const std::vector<Description> &calls, int write, int read, int comm,
           const Numbers &with);

} // namespace ldadc

#endif
