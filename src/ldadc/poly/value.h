// The interpreter's knowledge at a place of the program: values of variables, and the
// conditions under which the place is reached.
#ifndef LDADC_POLY_VALUE_H
#define LDADC_POLY_VALUE_H

#include "ldadc/poly/poly.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ldadc
{

struct Place {
    std::string file;
    unsigned line = 0, column = 0;
};

// The entry of a path for element 0 of a table.
enum { ELEMENT = 1000000 };

// A variable or a part of one: fields and elements by number, outermost first.
struct Cell {
    int object = -1;
    std::vector<int> path;
    bool operator<(const Cell &o) const
    {
        return object != o.object ? object < o.object : path < o.path;
    }
    bool operator==(const Cell &o) const
    {
        return object == o.object && path == o.path;
    }
    bool begins(const Cell &o) const
    {
        return object == o.object && path.size() <= o.path.size() &&
               std::equal(path.begin(), path.end(), o.path.begin());
    }
};

struct Value {
    enum Kind {
        UNKNOWN,
        INT,
        POINTER, // to `to`, or anywhere in that object
        TAG,     // a pointer to an object that is not followed, such as a string
        FILE,    // number of an opening
        TYPE,    // number of a derived datatype
        COMM     // number of a communicator
    };
    Kind kind = UNKNOWN;
    Poly p;
    Cell to;
    bool anywhere = false;
    int number = 0;
    std::string text; // text of a tag; of an unknown value, the reason
    Place where;      // place of the reason
    // It is unknown, but the same on all ranks, as it comes from the arguments.
    bool uniform = false;
    // Number of the unknown value or text; 0: none. Equal numbers mean equal values, on
    // each rank.
    int one = 0;
    std::set<int> products; // products of 32 bits that it contains

    bool is_int() const
    {
        return kind == INT;
    }
    bool is_int(int64_t v) const
    {
        return kind == INT && p == Poly(v);
    }
    bool same(const Value &o) const;

    static Value unknown(const std::string &why, const Place &where,
                         bool uniform = false);
    static Value integer(const Poly &p);
    static Value pointer(const Cell &to, bool anywhere = false);
    static Value tag(const std::string &text);
    static Value handle(Kind kind, int number);
};

// A condition on the way to a place. A comparison means that p < 0, or that p is, or is
// not, 0.
struct Condition {
    enum Kind { FALSE, TRUE, LESS, ZERO, NOT_ZERO, OTHER };
    Kind kind = OTHER;
    Poly p;
    std::string text;
    Place where;
    // the same on all ranks, as for unknown values; comparisons: see p
    bool uniform = false;
    int id = 0; // common number of a condition and its opposite
    bool opposite = false;
    int made_of = 0; // number of the list of its variables and their origins; 0: none
    Condition negated() const;
    // Returns 1 if it holds, else 0, as a polynomial; false: it is no comparison.
    bool number(Poly *out) const;
};

struct State {
    std::map<Cell, Value> cells;
    std::vector<Condition> conditions;
    // Types stored through a pointer to an unknown place; "*": an unseen function was
    // called.
    std::set<std::string> stored;
    // Nodes of the control flow; one of them is the last that was passed.
    std::set<int> last;
};

} // namespace ldadc

#endif
