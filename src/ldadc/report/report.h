// What has been found, for a person and as JSON.
#ifndef LDADC_REPORT_REPORT_H
#define LDADC_REPORT_REPORT_H

#include "ldadc/describe/weigh.h"
#include "ldadc/report/analyse.h"

namespace ldadc
{

struct Decision {
    std::string answer, because; // empty: there is nothing to decide
    // Of the bytes that are read, by who wrote them: for each number of processes that
    // was counted with, or what holds for all (nprocs 0).
    std::vector<std::pair<int64_t, double>> own_share;
    int template_call = -1; // whose descriptor it is to be stored by
};

struct File {
    const Opening *opening = nullptr; // none: nobody knows which file it is
    std::string name;
    std::vector<Description> calls;
    std::vector<Edge> edges;
    char category = 0; // of the paper's Figure 4; 0: none of them
    Decision decision;
};

struct Report {
    std::vector<std::string> inputs, assumptions;
    std::vector<File> files;
    const Found *found = nullptr; // what it is made of
};

// What the weighted graphs of the files' writes and reads say. False: a number or
// variable to count with is none (err_get).
bool report_decide(Report *r, const analyse_request &with);
// Whether two calls certainly transfer the same bytes on each rank; whether no two
// ranks share a byte of what a call transfers.
bool same_bytes(const Description &a, const Description &b);
bool ranks_apart(const Description &d);
void decide(File *f, const Numbers &with);
// What else the file may be changes an answer that says to partition it.
void reconsider(File *f, const Report &r, const Numbers &with);
// The least that is certain of two files being one.
Sameness sameness(const File &a, const File &b);

Report report_make(const Found &i, const std::vector<std::string> &inputs);
// What is said of each site that moves bytes; valid as long as the report is.
using Described = std::map<const Site *, std::vector<const Description *>>;
Described by_site(const Report &r);
std::string sentence_of(const Description &d);
// Where the values come from that keep a call unresolved; of those with one origin, the
// one that is nearest to it.
std::vector<Ingredient> unknown_in(const Description &d);
std::set<int> symbols_of(const Report &r); // that occur in descriptors

void report_text(const Report &r, FILE *out);
void report_json(const Report &r, FILE *out);
void report_dot(const Report &r, FILE *out);
// False: they cannot be made of this program (err_get).
bool report_graph(const Found &in, const Report &r, FILE *out);
bool report_skeleton(const Found &in, const Report &r, FILE *out);

} // namespace ldadc

#endif
