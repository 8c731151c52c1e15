// A program's ways from one of some calls to another: its control flow, with all other
// calls left out.
#ifndef LDADC_REPORT_FLOW_H
#define LDADC_REPORT_FLOW_H

#include "ldadc/report/report.h"

namespace ldadc
{

// A way to the next node.
struct Way {
    int to;
    int back = -1; // node of the loop or of the jumps that it repeats
};

class Ways
{
  public:
    // Makes the ways between these calls, by their sites' numbers.
    Ways(const Flow &flow, const std::set<int> &sites);

    // Returns the ways from a call, the start or the callers, each once; one that does
    // not go back is preferred.
    const std::vector<Way> &from(int node) const;
    int node_of(int site) const;

    // Finds a way on which a read may follow a write: the nodes after `from`, up to
    // `to`. It goes back as rarely as possible, and then passes as few calls as
    // possible. It does not pass the nodes in `but`. Empty: there is none.
    std::vector<Way> path(int from, int to, const std::set<int> &but) const;

  private:
    void find(const Flow &flow, int node);
    std::map<int, std::vector<Way>> ways;
    std::map<int, int> nodes; // node of each site
    std::set<int> ours;
};

// Files of a report that are one and the same, even if other ranks have them open.
struct Logical {
    std::vector<const File *> files;
    std::set<int> sites; // also of calls that open, close and sync
};

std::vector<Logical> logical_files(const Found &in, const Report &r);

} // namespace ldadc

#endif
