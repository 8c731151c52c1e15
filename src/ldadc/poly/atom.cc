// The tables of atoms and of named variables, and functions of polynomials.
#include "ldadc/poly/poly.h"
#include "ldadc/poly/prove.h"
#include <algorithm>
#include <cctype>
#include <deque>

namespace ldadc
{

static std::deque<Atom> table; // atoms must stay in place
static std::vector<Symbol> names;
static int spoken;
static int fresh;
static std::map<std::pair<std::pair<int, int>, std::vector<Poly>>, int> known;

const Atom &atom(int id)
{
    return table[id];
}

int atom_id(const Atom &a)
{
    auto made = known.emplace(std::make_pair(std::make_pair(a.kind, a.number), a.of),
                              (int)table.size());
    if (made.second)
        table.push_back(a);
    return made.first->second;
}

void speak_of_communicator(int comm)
{
    spoken = comm;
}

static std::map<int, int> as_large;

void same_size(int comm, int as)
{
    as_large[comm] = size_of(as);
}

int size_of(int comm)
{
    auto at = as_large.find(comm);
    return at == as_large.end() ? comm : at->second;
}

Poly nprocs(int comm)
{
    return Poly::atom(atom_id({Atom::NPROCS, size_of(comm), {}}));
}

Poly rank(int comm)
{
    return Poly::atom(atom_id({Atom::RANK, comm, {}}));
}

Poly new_iteration()
{
    return Poly::atom(atom_id({Atom::ITERATION, fresh++, {}}));
}

Poly new_before()
{
    return Poly::atom(atom_id({Atom::BEFORE, fresh++, {}}));
}

Poly new_symbol(const Symbol &s)
{
    names.push_back(s);
    return Poly::atom(atom_id({Atom::SYMBOL, (int)names.size() - 1, {}}));
}

Symbol &symbol(int number)
{
    return names[number];
}

int symbols()
{
    return names.size();
}

static bool taken(const std::string &id)
{
    static const std::set<std::string> words = {
        "nprocs", "rank",   "floordiv", "mod",      "min",     "max",     "and",
        "as",     "assert", "break",    "class",    "def",     "del",     "elif",
        "else",   "except", "from",     "for",      "global",  "if",      "in",
        "is",     "import", "lambda",   "None",     "not",     "or",      "pass",
        "raise",  "return", "try",      "while",    "with",    "yield",   "True",
        "False",  "async",  "await",    "nonlocal", "finally", "continue"};
    return words.count(id) ||
           std::any_of(names.begin(), names.end(), [&](auto &s) { return s.id == id; });
}

std::string symbol_id(const std::string &text)
{
    std::string id;
    for (char c : text)
        if (isalnum((unsigned char)c) || c == '_')
            id += c;
        else if (!id.empty() && id.back() != '_')
            id += '_';
    if (id.empty() || isdigit((unsigned char)id[0]))
        id = "v_" + id;
    std::string out = id;
    for (int n = 2; taken(out); n++)
        out = id + "_" + std::to_string(n);
    return out;
}

// Prints p < 0, with nothing negative on either side.
static std::string below_text(const Poly &p)
{
    Poly left, right;
    for (auto &[m, c] : p.terms()) {
        Poly term(c);
        for (int id : m)
            term = term * Poly::atom(id);
        if (c > 0)
            left = left + term;
        else
            right = right - term;
    }
    return "(" + left.text() + " < " + right.text() + ")";
}

std::string atom_text(int id)
{
    static const char *const function[] = {"floordiv", "mod",  "min", "max",
                                           "",         "root", "dim"};
    const Atom &a = table[id];
    std::string other =
        a.number == spoken ? "" : "_of_communicator_" + std::to_string(a.number);
    switch (a.kind) {
    case Atom::NPROCS:
        return "nprocs" + (a.number == size_of(spoken) ? "" : other);
    case Atom::RANK:
        return "rank" + other;
    case Atom::SYMBOL:
        return names[a.number].id;
    case Atom::ITERATION:
    case Atom::BEFORE:
        return "iteration_" + std::to_string(a.number);
    case Atom::BELOW:
        return below_text(a.of[0]);
    default:
        break;
    }
    std::string out;
    for (const Poly &p : a.of)
        out += (out.empty() ? "" : ", ") + p.text();
    return std::string(function[a.kind - Atom::FLOORDIV]) + "(" + out + ")";
}

static Poly function_of(Atom::Kind kind, const std::vector<Poly> &of)
{
    return Poly::atom(atom_id({kind, 0, of}));
}

static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

// Moves the part of `a` that the divisor divides out of the function.
static void atom_split(const Poly &a, const Poly &b, Poly *whole, Poly *rest)
{
    *whole = Poly();
    *rest = Poly();
    for (auto &[m, c] : a.terms()) {
        Poly term(c), part;
        for (int id : m)
            term = term * Poly::atom(id);
        if (term.divide(b, &part))
            *whole = *whole + part;
        else
            *rest = *rest + term;
    }
}

// Returns the atom that a polynomial is, or -1.
static int single(const Poly &p)
{
    bool one = p.terms().size() == 1 && p.terms().begin()->second == 1 &&
               p.terms().begin()->first.size() == 1;
    return one ? p.terms().begin()->first[0] : -1;
}

// True if 0 <= a < b can be seen at once.
static bool lies_within(const Poly &a, const Poly &b)
{
    return a.terms().size() <= 2 && b.terms().size() == 1 && not_negative(a) &&
           positive(b - a);
}

Poly floordiv(const Poly &a, const Poly &b)
{
    Poly whole, rest;
    if (b == Poly(1))
        return a;
    if (single(a) >= 0 && atom(single(a)).kind == Atom::FLOORDIV) {
        const std::vector<Poly> of = atom(single(a)).of;
        if (single(of[0]) >= 0 && atom(single(of[0])).kind == Atom::RANK)
            return floordiv(of[0], of[1] * b); // a rank's place in a grid
    }
    atom_split(a, b, &whole, &rest);
    if (rest.is_constant() && b.is_constant() && b.constant() > 0)
        return whole + Poly(floor_of(rest.constant(), b.constant()));
    if (rest.is_zero() || lies_within(rest, b))
        return whole;
    // The remainder should be visibly not negative.
    if (lies_within(rest + b, b))
        return whole - Poly(1);
    if (!not_negative(rest) && not_negative(rest + b))
        return whole - Poly(1) + function_of(Atom::FLOORDIV, {rest + b, b});
    return whole + function_of(Atom::FLOORDIV, {rest, b});
}

Poly mod(const Poly &a, const Poly &b)
{
    Poly whole, rest;
    atom_split(a, b, &whole, &rest);
    if (rest.is_constant() && b.is_constant() && b.constant() > 0)
        return Poly(rest.constant() -
                    floor_of(rest.constant(), b.constant()) * b.constant());
    if (rest.is_zero() || lies_within(rest, b))
        return rest;
    return function_of(Atom::MOD, {rest, b});
}

static void gather_operands(Atom::Kind kind, const Poly &p, std::vector<Poly> *out)
{
    if (single(p) >= 0 && atom(single(p)).kind == kind) {
        std::vector<Poly> of = atom(single(p)).of;
        out->insert(out->end(), of.begin(), of.end());
    } else {
        out->push_back(p);
    }
}

// Returns the least or greatest argument. Of arguments that differ by a constant only
// one can be the result.
static Poly atom_extreme(Atom::Kind kind, const Poly &a, const Poly &b)
{
    std::vector<Poly> all, keep;
    gather_operands(kind, a, &all);
    gather_operands(kind, b, &all);
    for (const Poly &p : all) {
        bool found = false;
        for (Poly &k : keep) {
            Poly gap = p - k;
            if (!gap.is_constant())
                continue;
            found = true;
            if (kind == Atom::MIN ? gap.constant() < 0 : gap.constant() > 0)
                k = p;
            break;
        }
        if (!found)
            keep.push_back(p);
    }
    std::sort(keep.begin(), keep.end());
    return keep.size() == 1 ? keep[0] : function_of(kind, keep);
}

Poly least(const Poly &a, const Poly &b)
{
    return atom_extreme(Atom::MIN, a, b);
}

Poly most(const Poly &a, const Poly &b)
{
    return atom_extreme(Atom::MAX, a, b);
}

Poly ceildiv(const Poly &a, const Poly &step)
{
    Poly whole;
    if (step == Poly(1))
        return a;
    if (a.divide(step, &whole))
        return whole;
    return floordiv(a + step - Poly(1), step);
}

// Decides between numbers that one condition alone determines: the result is the
// condition or its opposite.
static bool by_one_condition(const Poly &p, Poly *out)
{
    std::set<int> in;
    for (auto &[m, c] : p.terms())
        in.insert(m.begin(), m.end());
    if (in.size() != 1 || atom(*in.begin()).kind != Atom::BELOW)
        return false;
    Poly where = p.with(*in.begin(), Poly(1)), elsewhere = p.with(*in.begin(), Poly());
    int64_t yes = where.constant() < 0, no = elsewhere.constant() < 0;
    *out = Poly(no) + Poly(yes - no) * Poly::atom(*in.begin());
    return true;
}

Poly below_zero(const Poly &p)
{
    Poly out;
    if (by_one_condition(p, &out))
        return out;
    if (not_negative(p))
        return Poly(0);
    if (not_negative(-p - Poly(1)))
        return Poly(1);
    return function_of(Atom::BELOW, {p});
}

Poly is_zero(const Poly &p)
{
    if (not_negative(p))
        return below_zero(p - Poly(1));
    if (not_negative(-p))
        return below_zero(-p - Poly(1));
    return below_zero(p - Poly(1)) - below_zero(p);
}

static int64_t root_of(int64_t n)
{
    int64_t r = 0;
    while ((r + 1) * (r + 1) <= n)
        r++;
    return r;
}

Poly root(const Poly &p)
{
    bool known = p.is_constant() && p.constant() >= 0 && p.constant() < 1 << 30;
    return known ? Poly(root_of(p.constant())) : function_of(Atom::ROOT, {p});
}

// ---- extents of a grid of processes ---------------------------------

// Finds the most even extents: of the least range, and then the least.
static void even_extents(int64_t left, int n, std::vector<int64_t> *so_far,
                         std::vector<int64_t> *best)
{
    auto worse = [](const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
        int64_t range = a[0] - a.back(), other = b[0] - b.back();
        return range != other ? range > other : a > b;
    };
    if (n == 1) {
        so_far->push_back(left);
        if (so_far->size() < 2 || left <= (*so_far)[so_far->size() - 2])
            if (best->empty() || worse(*best, *so_far))
                *best = *so_far;
        so_far->pop_back();
        return;
    }
    for (int64_t d = left; d >= 1; d--)
        if (left % d == 0 && (so_far->empty() || d <= so_far->back())) {
            so_far->push_back(d);
            even_extents(left / d, n - 1, so_far, best);
            so_far->pop_back();
        }
}

int64_t dim_of(int64_t processes, int n, int i)
{
    enum { ALIKE = 64 }; // up to this number, all MPIs choose the same extents
    std::vector<int64_t> so_far, best;
    if (processes < 1 || processes > ALIKE)
        return 0;
    even_extents(processes, n, &so_far, &best);
    return best[i];
}

Poly dim(const Poly &processes, int n, int i)
{
    if (n == 1)
        return processes;
    if (processes.is_constant())
        if (int64_t known = dim_of(processes.constant(), n, i))
            return Poly(known);
    return function_of(Atom::DIM, {processes, Poly(n), Poly(i)});
}

} // namespace ldadc
