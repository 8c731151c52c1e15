// Arithmetic of polynomials; every overflow of a coefficient is detected.
#include "ldadc/poly/poly.h"
#include <algorithm>

namespace ldadc
{

Poly::Poly(int64_t constant)
{
    add({}, constant);
}

Poly Poly::atom(int id)
{
    Poly p;
    p.add({id}, 1);
    return p;
}

void Poly::add(const Monomial &m, int64_t c)
{
    int64_t &here = terms_[m];
    if (__builtin_add_overflow(here, c, &here))
        valid_ = false;
    if (!here)
        terms_.erase(m);
}

// Returns the number of extents of a grid, if the atom is one of them, else 0.
static int dims_of(const Atom &a)
{
    return a.kind == Atom::DIM ? (int)a.of[1].constant() : 0;
}

static bool take_factor(Monomial *m, int id)
{
    auto at = std::find(m->begin(), m->end(), id);
    if (at == m->end())
        return false;
    m->erase(at);
    return true;
}

static bool is_extent(int id)
{
    return atom(id).kind == Atom::DIM;
}

// Replaces the product of all extents of a grid by its processes.
static bool contract(const Monomial &m, Monomial *rest, Poly *processes)
{
    auto extents = std::count_if(m.begin(), m.end(), is_extent);
    for (int id : m) {
        if (!is_extent(id) || dims_of(atom(id)) > extents)
            continue;
        const Atom &a = atom(id);
        bool all = dims_of(a) > 0;
        *rest = m;
        for (int i = 0; all && i < dims_of(a); i++)
            all =
                take_factor(rest, atom_id({Atom::DIM, 0, {a.of[0], a.of[1], Poly(i)}}));
        if (all) {
            *processes = a.of[0];
            return true;
        }
    }
    return false;
}

// Simplifies conditions: the square of one is itself, and no rank is both 0 and
// something else.
static bool collapse(Monomial *m)
{
    for (size_t i = 0; i < m->size(); i++) {
        const Atom &a = atom((*m)[i]);
        if (a.kind != Atom::BELOW)
            continue;
        while (i + 1 < m->size() && (*m)[i + 1] == (*m)[i])
            m->erase(m->begin() + i);
        for (int id : *m)
            if (atom(id).kind == Atom::RANK && a.of[0] == Poly::atom(id) - Poly(1))
                return false;
    }
    return true;
}

void Poly::add_simplified(Monomial m, int64_t c)
{
    Monomial rest;
    Poly processes;
    if (!collapse(&m))
        return;
    if (!contract(m, &rest, &processes))
        return add(m, c);
    Poly other(c);
    for (int id : rest)
        other = other * atom(id);
    *this = *this + other * processes;
}

bool Poly::valid() const
{
    return valid_;
}

bool Poly::is_constant() const
{
    return valid_ && (terms_.empty() || (terms_.size() == 1 && terms_.count({})));
}

bool Poly::is_zero() const
{
    return valid_ && terms_.empty();
}

int64_t Poly::constant() const
{
    auto at = terms_.find({});
    return at == terms_.end() ? 0 : at->second;
}

const std::map<Monomial, int64_t> &Poly::terms() const
{
    return terms_;
}

Poly Poly::operator+(const Poly &o) const
{
    Poly out = *this;
    out.valid_ = valid_ && o.valid_;
    for (auto &[m, c] : o.terms_)
        out.add(m, c);
    return out;
}

Poly Poly::operator-() const
{
    return *this * Poly(-1);
}

Poly Poly::operator-(const Poly &o) const
{
    return *this + -o;
}

Poly Poly::operator*(const Poly &o) const
{
    Poly out;
    out.valid_ = valid_ && o.valid_ && terms_.size() * o.terms_.size() < 2000;
    if (!out.valid_)
        return out;
    for (auto &[m, c] : terms_)
        for (auto &[n, d] : o.terms_) {
            Monomial both;
            int64_t product;
            std::merge(m.begin(), m.end(), n.begin(), n.end(),
                       std::back_inserter(both));
            if (__builtin_mul_overflow(c, d, &product))
                out.valid_ = false;
            if (m.empty() || n.empty())
                out.add(both, product); // the other one is simplified
            else
                out.add_simplified(both, product);
        }
    return out;
}

bool Poly::operator==(const Poly &o) const
{
    return valid_ && o.valid_ && terms_ == o.terms_;
}

bool Poly::operator!=(const Poly &o) const
{
    return !(*this == o);
}

bool Poly::operator<(const Poly &o) const
{
    return terms_ < o.terms_;
}

bool Poly::has(const std::function<bool(int)> &which) const
{
    for (auto &[m, c] : terms_)
        for (int id : m) {
            if (which(id))
                return true;
            for (const Poly &p : ldadc::atom(id).of)
                if (p.has(which))
                    return true;
        }
    return false;
}

bool Poly::has(int id) const
{
    return has([id](int other) { return other == id; });
}

bool Poly::linear_in(int id, Poly *factor) const
{
    *factor = Poly();
    for (auto &[m, c] : terms_) {
        Monomial rest = m;
        auto at = std::find(rest.begin(), rest.end(), id);
        if (at == rest.end())
            continue;
        rest.erase(at);
        factor->add(rest, c);
    }
    Poly without = *this - *factor * atom(id);
    return valid_ && !factor->has(id) && !without.has(id);
}

static Poly atom_with(int id, int old, const Poly &value)
{
    const Atom &a = atom(id);
    if (id == old)
        return value;
    if (a.of.empty())
        return Poly::atom(id);
    std::vector<Poly> of;
    for (const Poly &p : a.of)
        of.push_back(p.with(old, value));
    if (a.kind == Atom::FLOORDIV)
        return floordiv(of[0], of[1]);
    if (a.kind == Atom::MOD)
        return mod(of[0], of[1]);
    if (a.kind == Atom::BELOW)
        return below_zero(of[0]);
    if (a.kind == Atom::ROOT)
        return root(of[0]);
    if (a.kind == Atom::DIM)
        return dim(of[0], of[1].constant(), of[2].constant());
    Poly out = of[0];
    for (size_t i = 1; i < of.size(); i++)
        out = a.kind == Atom::MIN ? least(out, of[i]) : most(out, of[i]);
    return out;
}

Poly Poly::with(int id, const Poly &value) const
{
    if (!has(id))
        return *this;
    Poly out;
    out.valid_ = valid_;
    for (auto &[m, c] : terms_) {
        Poly product(c);
        for (int other : m)
            product = product * atom_with(other, id, value);
        out = out + product;
    }
    return out;
}

// Divides a grid's processes by one of its extents, which gives the others.
static bool divide_by_extent(Monomial *m, int extent)
{
    const Atom &a = atom(extent);
    if (a.kind != Atom::DIM || a.of[0].terms().size() != 1 ||
        a.of[0].terms().begin()->second != 1 ||
        a.of[0].terms().begin()->first.size() != 1 ||
        !take_factor(m, a.of[0].terms().begin()->first[0]))
        return false;
    for (int i = 0; i < dims_of(a); i++)
        if (a.of[2] != Poly(i))
            m->push_back(atom_id({Atom::DIM, 0, {a.of[0], a.of[1], Poly(i)}}));
    std::sort(m->begin(), m->end());
    return true;
}

static bool divide_monomial(Monomial m, const Monomial &by, Monomial *rest)
{
    for (int id : by)
        if (!take_factor(&m, id) && !divide_by_extent(&m, id))
            return false;
    *rest = m;
    return true;
}

// Divides by monomials only: strides and sizes consist of them.
bool Poly::divide(const Poly &divisor, Poly *out) const
{
    if (!valid_ || divisor.terms_.size() != 1) {
        *out = Poly(1);
        return *this == divisor;
    }
    auto &[by, c] = *divisor.terms_.begin();
    *out = Poly();
    for (auto &[m, d] : terms_) {
        Monomial rest;
        if (d % c || !divide_monomial(m, by, &rest))
            return false;
        out->add_simplified(rest, d / c);
    }
    return true;
}

static std::string term_text(const Monomial &m, int64_t c)
{
    std::string out;
    if (c != 1 || m.empty())
        out = std::to_string(c);
    if (c == -1 && !m.empty())
        out = "-1";
    for (int id : m)
        out += (out.empty() ? "" : "*") + atom_text(id);
    return out;
}

std::string Poly::text() const
{
    std::string out;
    std::vector<std::pair<Monomial, int64_t>> order(terms_.begin(), terms_.end());
    std::stable_sort(order.begin(), order.end(), [](auto &a, auto &b) {
        if ((a.second > 0) != (b.second > 0))
            return a.second > 0;
        return a.first.size() > b.first.size();
    });
    for (auto &[m, c] : order) {
        if (!out.empty())
            out += c < 0 ? " - " : " + ";
        bool minus = c < 0 && !out.empty() && c != INT64_MIN;
        out += term_text(m, minus ? -c : c);
    }
    return out.empty() ? "0" : out;
}

} // namespace ldadc
