// The findings in a program: its calls of MPI-IO, the files that it opens, and its ways
// from one to the other. Nothing here needs the compiler's headers, so that the code
// that describes and reports is compiled without them.
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

enum { WORLD = 0, SELF = 1 }; // communicators; further numbers are for others

// A variable that determines a value.
struct Ingredient {
    std::string name, value_class;
    // The origin of its value, as the end of a sentence; empty: the class tells it.
    std::string origin;
    Place where;
    std::string given; // not empty: the name with which --set gives it a value
};

struct Opening {
    Place where;
    std::string function, name, path;
    std::string path_key;    // see sameness()
    bool path_alike = false; // certainly one path on all ranks and in all iterations
    bool foreign = false;    // an unseen caller has opened it
    int comm = -1;           // -1: not known
    std::string comm_text;
    bool alone = false;  // opened with MPI_COMM_SELF
    bool apart = false;  // other ranks may also open it, by themselves
    bool called = false; // its function has unseen callers
    bool append = false;
    bool mode_known = false;
    int64_t mode = 0;
    bool handed_on = false;  // passed to an unseen function
    std::vector<Poly> loops; // loops around it, by their iterations
    const clang::CallExpr *call = nullptr;
    const clang::FunctionDecl *in = nullptr; // the function that opens it
    bool entered = false;                    // no visible function calls that one
    // Variables that can be named there, with their values; and parameters whose
    // targets have changed.
    std::vector<std::pair<std::string, Poly>> known;
    std::set<std::string> changed;
    std::vector<Ingredient> view_variables; // variables of its views' places
};

// Bytes of a datatype, and the begin of the next one: blocks at equal distances, and
// levels of them, outermost first.
struct Datatype {
    Poly size, extent, lower, block;
    std::vector<std::pair<Poly, Poly>> levels; // numbers and distances
    bool open = false;                         // the begin of the next one is not known
    bool loose = false;                        // nor are the places of its bytes
    // If it has no such levels: each block's place and length; few of them.
    std::vector<std::pair<Poly, Poly>> list;
    bool shifted = false; // does not begin at its first byte
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
    std::vector<Ingredient> made_of; // variables that prevent counting
};

struct Product { // a product of 32 bits
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
    bool ordered = false; // the ranks take turns
    bool moves = false;   // moves bytes; else opens, closes or syncs
};

struct Site {
    Place where;
    std::string function, handle;
    IoCall call;
    std::vector<Step> via;
    std::vector<Loop> loops;
    std::vector<Condition> conditions;
    int opening = -1;
    bool called = false; // its function has unseen callers
    Value at;            // place in units of the view
    Value bytes;         // bytes of one transfer
    Value view_start, view_unit, view_type, file;
    // Variables of place and size, with the classes of their values; and those of the
    // view's place, and of the conditions that are not followed.
    std::vector<Ingredient> variables, other_variables;
    std::string at_text, count_text; // the call's own text
};

// A program's ways from call to call. A way leads from one node to a possible next one.
// It goes back if it begins another iteration, jumps, or returns to unseen callers,
// which decide what is next.
struct FlowNode {
    enum Kind { START, END, CALLERS, CALL, LOOP, JUMPS };
    Kind kind;
    int site = -1; // number of the call's site
    Place where;
};

struct Flow {
    std::vector<FlowNode> nodes = {{FlowNode::START, -1, {}},
                                   {FlowNode::END, -1, {}},
                                   {FlowNode::CALLERS, -1, {}}};
    std::map<std::pair<int, int>, bool> ways; // true: it goes back
};

// A use of a file by its name, other than opening it with MPI.
struct Touch {
    Place where;
    std::string function, path_key;
    bool any = false;       // may use any file: another program is run
    bool by_handle = false; // a file that MPI has open
    bool changes = true;    // changes the file, or its name
    bool renames = false;   // afterwards the file may have another name
    bool ordered = false;   // comes after the first `after` sites
    size_t after = 0;
    std::vector<Poly> loops; // loops around it, by their iterations
};

// Tells whether two names, by their keys, are those of one file. ASSUMED: they are not,
// unless an argument of the program names a file that another argument names, or the
// program itself.
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
        {}}; // variables of conditions that are not followed
    Flow flow;
    bool tired = false;
    bool deep = false; // too deeply nested calls are not followed
};

// Returns the coordinates of a rank in a grid of these extents.
std::vector<Poly> coordinates(const std::vector<Poly> &extents, const Poly &rank);

} // namespace ldadc

#endif
