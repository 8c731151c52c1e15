// A run's requests to its files at the level of MPI-IO, summed up so that two
// descriptions of them can be compared: in any order, without keeping the transfers.
#ifndef LDADC_REPORT_TRACE_H
#define LDADC_REPORT_TRACE_H

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace ldadc
{

struct Tally {
    int64_t calls = 0, bytes = 0;
    int64_t unplaced = 0; // other transfers, at unknown places
    uint64_t mark = 0;    // sum over all transfers of a hash of each
    void add(int64_t offset, int64_t n);
    void add(const Tally &t);
    bool operator==(const Tally &t) const
    {
        return calls == t.calls && bytes == t.bytes && mark == t.mark;
    }
};

struct Trace {
    int64_t ranks = 0;
    // By file, rank and the call's name; transfers of no bytes do not count.
    std::map<std::string, std::map<std::pair<int64_t, std::string>, Tally>> files;
};

// Reads a trace. False: it cannot be read, and `iotrace` has said why.
bool trace_read(const std::string &iotrace, const std::string &run, Trace *out);

// Returns the output of "iotrace ldad" for it, as JSON.
bool trace_patterns(const std::string &iotrace, const std::string &run,
                    std::string *out);

} // namespace ldadc

#endif
