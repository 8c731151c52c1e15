// Proves signs of polynomials: everything is written in terms that cannot be negative,
// and then a polynomial without negative coefficients cannot be negative either.
#include "ldadc/poly/prove.h"
#include "ldadc/poly/assume.h"
#include <algorithm>

namespace ldadc
{

enum { MOST_WORK = 4000 }; // steps of a proof; if it takes more, it is not certain
static int work;
static std::set<int> at_least_one, without_sign;

void suppose_positive(const Poly &p)
{
    Monomial common;
    bool first = true;
    for (auto &[m, c] : p.terms()) {
        Monomial both;
        std::set_intersection(common.begin(), common.end(), m.begin(), m.end(),
                              std::back_inserter(both));
        common = first ? m : both;
        first = false;
    }
    for (int id : common)
        if (atom(id).kind != Atom::NPROCS && not_negative(Poly::atom(id)))
            at_least_one.insert(id);
}

const std::set<int> &assumed_positive()
{
    return at_least_one;
}

Supposed::Supposed() : before(at_least_one)
{
}

Supposed::~Supposed()
{
    at_least_one = before;
}

void know_not_negative(const Poly &atom)
{
    without_sign.insert(atom.terms().begin()->first[0]);
}

// Returns the number of processes minus the asking rank minus one, as a variable.
static Poly others(int comm)
{
    static std::map<int, Poly> made;
    if (!made.count(comm))
        made[comm] = new_symbol({"others", "", "", 0});
    return made[comm];
}

static bool atom_not_negative(int id, const std::vector<Poly> &given, int depth);
static bool prove_holds(const Poly &p, const std::vector<Poly> &given, int depth);

static bool prove_plain(const Poly &p, const std::vector<Poly> &given, int depth)
{
    for (auto &[m, c] : p.terms()) {
        if (c < 0)
            return false;
        for (size_t i = 0; i < m.size(); i++) {
            if (i + 1 < m.size() && m[i] == m[i + 1])
                i++;
            else if (!atom_not_negative(m[i], given, depth))
                return false;
        }
    }
    return true;
}

// Substitutes: nprocs is rank + 1 + others, and a number of at least one is 1 +
// something.
static Poly substitute_bounds(Poly p)
{
    std::set<int> seen;
    for (auto &[m, c] : p.terms())
        seen.insert(m.begin(), m.end());
    for (int id : seen) {
        Poly value = Poly::atom(id);
        if (atom(id).kind == Atom::NPROCS)
            value = rank(atom(id).number) + Poly(1) + others(atom(id).number);
        else if (at_least_one.count(id) || atom(id).kind == Atom::DIM)
            value = value + Poly(1);
        else
            continue;
        Poly out;
        for (auto &[m, c] : p.terms()) {
            Poly term(c);
            for (int other : m)
                term = term * (other == id ? value : Poly::atom(other));
            out = out + term;
        }
        p = out;
    }
    return p;
}

static bool by_condition(const Poly &p, int id, const std::vector<Poly> &given,
                         int depth)
{
    std::vector<Poly> more = given;
    more.push_back(-atom(id).of[0] - Poly(1));
    if (!prove_holds(p.with(id, Poly(1)), more, depth - 1))
        return false;
    more.back() = atom(id).of[0];
    return prove_holds(p.with(id, Poly(0)), more, depth - 1);
}

static bool by_cases(const Poly &p, const std::vector<Poly> &given, int depth)
{
    for (auto &[m, c] : p.terms())
        for (int id : m) {
            const Atom &a = atom(id);
            if (a.kind == Atom::BELOW)
                return by_condition(p, id, given, depth);
            if (a.kind != Atom::MIN && a.kind != Atom::MAX)
                continue;
            // It is one of the arguments, and no other is beyond it.
            for (const Poly &one : a.of) {
                std::vector<Poly> more = given;
                for (const Poly &other : a.of)
                    if (other != one)
                        more.push_back(a.kind == Atom::MIN ? other - one : one - other);
                if (!prove_holds(p.with(id, one), more, depth - 1))
                    return false;
            }
            return true;
        }
    return false;
}

// Uses a - divisor < divisor * floordiv(a, divisor) <= a, if the factor is not
// negative.
static bool by_division(const Poly &p, const std::vector<Poly> &given, int depth)
{
    for (auto &[m, c] : p.terms())
        for (int id : m) {
            const Atom &a = atom(id);
            Poly factor, times;
            if (a.kind != Atom::FLOORDIV || !p.linear_in(id, &factor) ||
                !factor.divide(a.of[1], &times))
                continue;
            Poly without = p - factor * Poly::atom(id);
            bool up = prove_holds(times, given, depth - 1);
            if (!up && !prove_holds(-times, given, depth - 1))
                continue;
            Poly low = up ? a.of[0] - a.of[1] + Poly(1) : a.of[0];
            if (prove_holds(without + times * low, given, depth - 1))
                return true;
        }
    return false;
}

// Compares quotients by one divisor: that of the larger number is larger.
static bool by_quotients(const Poly &p, const std::vector<Poly> &given, int depth)
{
    std::vector<std::pair<int, Poly>> all;
    for (auto &[m, c] : p.terms())
        for (int id : m) {
            Poly factor;
            if (atom(id).kind == Atom::FLOORDIV && p.linear_in(id, &factor))
                all.push_back({id, factor});
        }
    for (auto &[up, factor] : all)
        for (auto &[down, other] : all) {
            Poly more = atom(up).of[0] - atom(down).of[0];
            if (factor != -other || atom(up).of[1] != atom(down).of[1] ||
                !prove_holds(factor, given, depth - 1) ||
                !prove_holds(more, given, depth - 1))
                continue;
            Poly rest = p - factor * (Poly::atom(up) - Poly::atom(down));
            if (prove_holds(rest, given, depth - 1))
                return true;
        }
    return false;
}

// Finds the number of ranks, if p is a rank.
static bool ranks_of(const Poly &p, Poly *out)
{
    if (p.terms().size() != 1 || p.terms().begin()->first.size() != 1)
        return false;
    const Atom &a = atom(p.terms().begin()->first[0]);
    *out = nprocs(a.number);
    return a.kind == Atom::RANK && p.terms().begin()->second == 1;
}

// Uses that a remainder is less than its divisor, and a quotient of a rank less than
// that of nprocs.
static bool by_most(const Poly &p, const std::vector<Poly> &given, int depth)
{
    for (auto &[m, c] : p.terms())
        for (int id : m) {
            const Atom &a = atom(id);
            Poly factor, top;
            if ((a.kind != Atom::MOD && a.kind != Atom::FLOORDIV) ||
                !p.linear_in(id, &factor))
                continue;
            if (a.kind == Atom::MOD)
                top = a.of[1] - Poly(1);
            else if (!ranks_of(a.of[0], &top))
                continue;
            else
                top = floordiv(top - Poly(1), a.of[1]);
            if (prove_holds(-factor, given, depth - 1) &&
                prove_holds(p + factor * (top - Poly::atom(id)), given, depth - 1))
                return true;
        }
    return false;
}

static bool by_given(const Poly &p, const std::vector<Poly> &given, int depth)
{
    for (size_t i = 0; i < given.size(); i++) {
        std::vector<Poly> less = given;
        less.erase(less.begin() + i);
        if (prove_holds(p - given[i], less, depth - 1))
            return true;
    }
    return false;
}

static bool prove_holds(const Poly &p, const std::vector<Poly> &given, int depth)
{
    if (!p.valid() || depth < 0 || p.terms().size() > 60 || ++work > MOST_WORK)
        return false;
    Poly s = substitute_bounds(p);
    if (!s.valid())
        return false;
    return prove_plain(s, given, depth) || by_cases(p, given, depth) ||
           by_quotients(p, given, depth) || by_division(p, given, depth) ||
           by_most(p, given, depth) || by_given(p, given, depth);
}

static bool atom_not_negative(int id, const std::vector<Poly> &given, int depth)
{
    const Atom &a = atom(id);
    if (at_least_one.count(id))
        return true;
    switch (a.kind) {
    case Atom::BEFORE:
        return without_sign.count(id);
    case Atom::FLOORDIV:
        return prove_holds(a.of[0], given, depth - 1);
    case Atom::MIN:
    case Atom::MAX:
        for (const Poly &p : a.of)
            if (prove_holds(p, given, depth - 1) != (a.kind == Atom::MIN))
                return a.kind == Atom::MAX;
        return a.kind == Atom::MIN;
    default:
        return true;
    }
}

// Proves it, with the user's assumptions if it does not hold without.
static bool prove(const Poly &p, const std::vector<Poly> &given, int depth)
{
    const std::vector<Poly> &facts = assumed_facts();
    work = 0;
    if (prove_holds(p, given, depth))
        return true;
    std::vector<Poly> all = given;
    all.insert(all.end(), facts.begin(), facts.end());
    work = 0;
    return !facts.empty() && prove_holds(p, all, depth);
}

bool not_negative(const Poly &p, const std::vector<Poly> &given)
{
    return prove(p, given, 4);
}

bool not_negative_in_cases(const Poly &p, const std::vector<Poly> &given)
{
    return prove(p, given, 8);
}

bool positive(const Poly &p, const std::vector<Poly> &given)
{
    return not_negative(p - Poly(1), given);
}

bool assume_positive(const Poly &p)
{
    if (positive(p))
        return true;
    if (p.terms().size() != 1 || p.terms().begin()->second < 0 || !not_negative(p))
        return false;
    for (int id : p.terms().begin()->first)
        if (atom(id).kind != Atom::NPROCS)
            at_least_one.insert(id);
    return true;
}

} // namespace ldadc
