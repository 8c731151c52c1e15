// The findings, as text and as JSON.
#ifndef LDADC_REPORT_REPORT_H
#define LDADC_REPORT_REPORT_H

#include "ldadc/describe/weigh.h"
#include "ldadc/report/analyse.h"

namespace ldadc
{

struct Decision {
    std::string answer, because; // empty: there is nothing to decide
    // The share of the bytes that their writer reads: for each number of processes that
    // was counted with, or for all (nprocs 0).
    std::vector<std::pair<int64_t, double>> own_share;
    int template_call = -1; // the call with the descriptor to partition by
};

struct File {
    const Opening *opening = nullptr; // null: the file is not known
    std::string name;
    std::vector<Description> calls;
    std::vector<Edge> edges;
    char category = 0; // category of the paper's Figure 4; 0: none of them
    Decision decision;
};

struct Report {
    std::vector<std::string> inputs, assumptions;
    std::vector<File> files;
    const Found *found = nullptr; // the source of the report
};

// Decides by the weighted graphs of the files' writes and reads. False: a number or
// variable to count with is not valid (err_get).
bool report_decide(Report *r, const analyse_request &with);
// same_bytes: two calls certainly transfer the same bytes on each rank. ranks_apart: no
// two ranks share a byte of a call's transfers.
bool same_bytes(const Description &a, const Description &b);
bool ranks_apart(const Description &d);
void decide(File *f, const Numbers &with);
// Revises a decision to partition, if the file may be the same as another one.
void reconsider(File *f, const Report &r, const Numbers &with);
// Returns the least certain sameness of two files.
Sameness sameness(const File &a, const File &b);

Report report_make(const Found &i, const std::vector<std::string> &inputs);
// Returns the descriptions of each site that moves bytes; valid as long as the report
// is.
using Described = std::map<const Site *, std::vector<const Description *>>;
Described by_site(const Report &r);
std::string sentence_of(const Description &d);
// Returns the origins of the values that keep a call unresolved; of those with a common
// origin, the nearest to it.
std::vector<Ingredient> unknown_in(const Description &d);
std::set<int> symbols_of(const Report &r); // those in descriptors

void report_text(const Report &r, FILE *out);
void report_json(const Report &r, FILE *out);
void report_dot(const Report &r, FILE *out);
// Return false if they cannot be made of this program (err_get).
bool report_graph(const Found &in, const Report &r, FILE *out);
bool report_skeleton(const Found &in, const Report &r, FILE *out);

} // namespace ldadc

#endif
