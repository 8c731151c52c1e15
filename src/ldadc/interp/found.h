// What has been found in a program: its calls of MPI-IO, the files that it opens, and
// how it goes from one to the other. Nothing here needs the compiler's headers, so that
// what describes and reports is compiled without them.
#ifndef LDADC_INTERP_FOUND_H
#define LDADC_INTERP_FOUND_H

#include "ldadc/poly/value.h"

namespace clang
{
class CallExpr;
class FunctionDecl;
} // namespace clang

namespace ldadc
{

enum { WORLD = 0, SELF = 1 }; // communicators; others are numbered on

// A variable that something is made of.
struct Ingredient {
    std::string name, value_class;
    // Where its value comes from, as the end of a sentence; empty: the class says it.
    std::string origin;
    Place where;
    std::string given; // not empty: the name by which --set gives it a value
};

struct Opening {
    Place where;
    std::string function, name, path;
    std::string path_key;    // see sameness()
    bool path_alike = false; // certainly one path on all ranks and in all iterations
    bool foreign = false;    // opened by a caller who is not seen
    int comm = -1;           // -1: not known
    std::string comm_text;
    bool alone = false;  // by MPI_COMM_SELF
    bool apart = false;  // other ranks may open it, too, by themselves
    bool called = false; // in a function whose callers are not seen
    bool append = false;
    bool mode_known = false;
    int64_t mode = 0;
    bool handed_on = false;  // to a function that is not seen
    std::vector<Poly> loops; // around it, by their iterations
    const clang::CallExpr *call = nullptr;
    const clang::FunctionDecl *in = nullptr; // opened there
    bool entered = false;                    // which no function calls that is seen
    // Variables that can be named there, with their values, and what parameters point
    // to that is not any more what it was.
    std::vector<std::pair<std::string, Poly>> known;
    std::set<std::string> changed;
    std::vector<Ingredient> view_variables; // of its views' places
};

// Bytes of a datatype, and where the next one begins: blocks at equal distances, levels
// of them, outermost first.
struct Datatype {
    Poly size, extent, lower, block;
    std::vector<std::pair<Poly, Poly>> levels; // how many, at what distance
    bool open = false;                         // where the next one begins is not known
    bool loose = false;                        // nor where its bytes lie
    // Where they are no such levels: each block's place and length; few of them.
    std::vector<std::pair<Poly, Poly>> list;
    bool shifted = false; // it begins elsewhere than its first byte
    bool placed() const;
    bool dense() const;
    bool operator==(const Datatype &o) const;
};

struct Loop {
    Place where;
    std::string variable;
    Poly k, count;
    bool counted = false, until_break = false;
    std::string why;
    Place why_where;
    std::vector<Ingredient> made_of; // why it is not counted, by variables
};

struct Product { // of 32 bits
    Poly p;
    std::string text;
    Place where;
};

struct Step {
    Place where;
    std::string function;
};

struct IoCall {
    std::string name;
    bool write = false, at = false, collective = false, nonblocking = false;
    bool shared = false, ended = false;
    bool ordered = false; // one rank after the other
    bool moves = false;   // bytes; else it opens, closes or syncs
};

struct Site {
    Place where;
    std::string function, handle;
    IoCall call;
    std::vector<Step> via;
    std::vector<Loop> loops;
    std::vector<Condition> conditions;
    int opening = -1;
    bool called = false; // in a function whose callers are not seen
    Value at;            // in units of the view
    Value bytes;         // of one transfer
    Value view_start, view_unit, view_type, file;
    // What place and size are made of, with the classes of the values; and the view's
    // place, and the conditions that are not followed.
    std::vector<Ingredient> variables, other_variables;
    std::string at_text, count_text; // as the call has them
};

// How a program goes from call to call. A way leads from one node to another that may
// be the next one; it goes back where it begins another iteration, jumps, or leaves it
// to callers that are not seen what comes next.
struct FlowNode {
    enum Kind { START, END, CALLERS, CALL, LOOP, JUMPS };
    Kind kind;
    int site = -1; // of a call
    Place where;
};

struct Flow {
    std::vector<FlowNode> nodes = {{FlowNode::START, -1, {}},
                                   {FlowNode::END, -1, {}},
                                   {FlowNode::CALLERS, -1, {}}};
    std::map<std::pair<int, int>, bool> ways; // true: it goes back
};

// A file that is used by its name, in another way than by opening it with MPI.
struct Touch {
    Place where;
    std::string function, path_key;
    bool any = false;       // whatever files it likes: another program is run
    bool by_handle = false; // of a file that MPI has open
    bool changes = true;    // the file, or what it is called
    bool renames = false;   // from then on the file may have another name
    bool ordered = false;   // it comes after the first `after` sites
    size_t after = 0;
    std::vector<Poly> loops; // around it, by their iterations
};

// Whether two names, by their keys, are one file's. ASSUMED: they are not, unless an
// argument of the program names a file that another argument names, or the program
// itself.
enum Sameness { DIFFERENT, ASSUMED, PERHAPS, SAME };
Sameness sameness(const std::string &key, const std::string &other);

struct Found {
    std::vector<Site> sites;
    std::vector<Opening> openings;
    std::vector<Touch> touches;
    std::vector<Datatype> types;
    std::vector<Product> products;
    std::set<std::string> assumptions;
    std::vector<std::vector<Ingredient>> made_of = {
        {}}; // conditions that no one follows
    Flow flow;
    bool tired = false;
    bool deep = false; // calls within too many others are not followed
};

// Of a rank in a grid of these extents.
std::vector<Poly> coordinates(const std::vector<Poly> &extents, const Poly &rank);

} // namespace ldadc

#endif
