// How a program goes from one of some calls to another: its control flow, with all
// other calls left out.
#ifndef LDADC_REPORT_FLOW_H
#define LDADC_REPORT_FLOW_H

#include "ldadc/report/report.h"

namespace ldadc
{

// To the node that comes next.
struct Way {
    int to;
    int back = -1; // the node of the loop, or of the jumps, that is begun again
};

class Ways
{
  public:
    // Of these calls, by their sites' numbers.
    Ways(const Flow &flow, const std::set<int> &sites);

    // From a call, the start or the callers, each once; a way that does not go back
    // goes before one that does.
    const std::vector<Way> &from(int node) const;
    int node_of(int site) const;

    // On which a read may follow a write: what comes after `from`, up to `to`. It goes
    // back as seldom as it can, and else passes as few calls as it can. It does not
    // pass these nodes. Empty: there is none.
    std::vector<Way> path(int from, int to, const std::set<int> &but) const;

  private:
    void find(const Flow &flow, int node);
    std::map<int, std::vector<Way>> ways;
    std::map<int, int> nodes; // by site
    std::set<int> ours;
};

// Files of a report that are one and the same, though other ranks may have them open.
struct Logical {
    std::vector<const File *> files;
    std::set<int> sites; // also of calls that open, close and sync
};

std::vector<Logical> logical_files(const Found &in, const Report &r);

} // namespace ldadc

#endif
