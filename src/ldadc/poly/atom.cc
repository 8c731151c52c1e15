// The table of atoms, of named variables, and functions of polynomials.
#include "ldadc/poly/poly.h"
#include "ldadc/poly/prove.h"
#include <algorithm>
#include <cctype>

namespace ldadc
{

static std::vector<Atom> table;
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

Poly nprocs(int comm)
{
    return Poly::atom(atom_id({Atom::NPROCS, comm, {}}));
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

std::string atom_text(int id)
{
    static const char *const function[] = {"floordiv", "mod", "min", "max"};
    const Atom &a = table[id];
    std::string other =
        a.number == spoken ? "" : "_of_communicator_" + std::to_string(a.number);
    switch (a.kind) {
    case Atom::NPROCS:
        return "nprocs" + other;
    case Atom::RANK:
        return "rank" + other;
    case Atom::SYMBOL:
        return names[a.number].id;
    case Atom::ITERATION:
    case Atom::BEFORE:
        return "iteration_" + std::to_string(a.number);
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

// What of `a` the divisor divides goes out of the function.
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

Poly floordiv(const Poly &a, const Poly &b)
{
    Poly whole, rest;
    if (b == Poly(1))
        return a;
    atom_split(a, b, &whole, &rest);
    if (rest.is_constant() && b.is_constant() && b.constant() > 0)
        return whole + Poly(floor_of(rest.constant(), b.constant()));
    if (rest.is_zero())
        return whole;
    // what is left should be what everybody can see not to be negative
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
    if (rest.is_zero())
        return Poly();
    return function_of(Atom::MOD, {rest, b});
}

static void gather(Atom::Kind kind, const Poly &p, std::vector<Poly> *out)
{
    if (p.terms().size() == 1 && p.terms().begin()->second == 1 &&
        p.terms().begin()->first.size() == 1 &&
        atom(p.terms().begin()->first[0]).kind == kind) {
        std::vector<Poly> of = atom(p.terms().begin()->first[0]).of;
        out->insert(out->end(), of.begin(), of.end());
    } else {
        out->push_back(p);
    }
}

// Of arguments that differ by a number only one can be the answer.
static Poly atom_extreme(Atom::Kind kind, const Poly &a, const Poly &b)
{
    std::vector<Poly> all, keep;
    gather(kind, a, &all);
    gather(kind, b, &all);
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

} // namespace ldadc
