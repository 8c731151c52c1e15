// Merges the states of two ways that meet.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/prove.h"

using namespace clang;

namespace ldadc
{

bool Interp::alike(const Value &v) const
{
    if (v.kind == Value::UNKNOWN)
        return v.uniform;
    if (v.kind == Value::COMM)
        return !parted.count(v.number); // it may be null on some ranks
    if (v.kind != Value::INT)
        return true;
    return !v.p.has([this](int id) {
        Atom::Kind k = atom(id).kind;
        return k == Atom::RANK || (k == Atom::BEFORE && !alike_before.count(id));
    });
}

bool Interp::alike(const Condition &c) const
{
    if (c.kind == Condition::OTHER)
        return c.uniform;
    return alike(Value::integer(c.p));
}

static bool same_condition(const Condition &a, const Condition &b)
{
    return a.id == b.id && a.opposite == b.opposite;
}

// Finds which of a (if less < 0) and b (if less >= 0) is always the smaller one, or the
// larger one.
static bool merge_extreme(const Poly &a, const Poly &b, const Poly &less, Poly *out)
{
    Poly gap = a - b, below = -less - Poly(1);
    if (not_negative(-gap, {below}) && not_negative(gap, {less}))
        *out = least(a, b);
    else if (not_negative(gap, {below}) && not_negative(-gap, {less}))
        *out = most(a, b);
    else
        return false;
    return true;
}

// Turns the condition into one that q is 0, or that it is not.
static bool by_zero(const Condition &c, Poly *q, bool *is)
{
    *is = c.kind == Condition::ZERO;
    *q = c.p;
    if (c.kind != Condition::LESS)
        return *is || c.kind == Condition::NOT_ZERO;
    if (not_negative(-c.p))
        return true;
    *is = true;
    *q = c.p + Poly(1);
    return not_negative(*q);
}

// Recognises a neighbour in a ring, as in rank == 0 ? nprocs - 1 : rank - 1: the
// remainder of b, since a is the value of b except for a whole round, and both are
// ranks.
static bool merge_ring(Poly a, Poly b, const Condition &which, Poly *out)
{
    Poly q;
    bool is;
    if (!by_zero(which, &q, &is))
        return false;
    if (!is)
        std::swap(a, b);
    Poly elsewhere = (not_negative(q) ? q : -q) - Poly(1);
    if (!not_negative(elsewhere + Poly(1)))
        return false;
    std::set<int> sizes;
    for (const Poly *p : {&a, &b, &q})
        p->has([&](int id) {
            if (atom(id).kind == Atom::NPROCS)
                sizes.insert(id);
            return false;
        });
    for (int id : sizes)
        for (const Poly &round : {Poly::atom(id), -Poly::atom(id)}) {
            Poly n = Poly::atom(id), gap = a - b - round;
            if ((gap.is_zero() || gap == q || gap == -q) && not_negative(a, {q, -q}) &&
                not_negative(n - Poly(1) - a, {q, -q}) &&
                not_negative(b, {elsewhere}) &&
                not_negative(n - Poly(1) - b, {elsewhere})) {
                *out = mod(b, n);
                return true;
            }
        }
    return false;
}

// True if the reason of an unknown value is a possible change, not the choice of a way.
static bool perhaps_changed(const Value &v)
{
    return v.kind == Value::UNKNOWN &&
           v.text.find("may be changed ") != std::string::npos;
}

Value Interp::choose(const Cell &c, const Value &a, const Value &b,
                     const Condition *which, bool uniform)
{
    Value out;
    if (a.is_int() && b.is_int() && which &&
        ((which->kind == Condition::LESS &&
          merge_extreme(a.p, b.p, which->p, &out.p)) ||
         merge_ring(a.p, b.p, *which, &out.p))) {
        out.kind = Value::INT;
        out.products = a.products;
        out.products.insert(b.products.begin(), b.products.end());
        return out;
    }
    bool filling = objects[c.object].kind == Object::OPENING && c.path.size() == 1 &&
                   c.path[0] == FILLED;
    if (filling && !uniform) // bytes that some ranks have written are there for all
        return Value::integer(1);
    if (a.is_int() && b.is_int() && which && !alike(*which) && which->number(&out.p)) {
        enum { MOST_TERMS = 24 };
        out.p = b.p + (a.p - b.p) * out.p;
        if (out.p.valid() && out.p.terms().size() <= MOST_TERMS) {
            out.kind = Value::INT;
            out.products = a.products;
            out.products.insert(b.products.begin(), b.products.end());
            return out;
        }
    }
    escape(a);
    escape(b);
    bool changed = perhaps_changed(a) || perhaps_changed(b);
    const Value &lost = a.kind == Value::UNKNOWN && !perhaps_changed(b) ? a : b;
    std::string why = "\"" + cell_text(c) + "\" depends on a condition";
    if (lost.kind == Value::UNKNOWN && !lost.text.empty() && (!which || changed))
        why = lost.text;
    // A store through either pointer must not count as one through an argument.
    bool pointer = a.kind == Value::POINTER || b.kind == Value::POINTER;
    out = Value::unknown(why, which && !changed ? which->where : lost.where,
                         uniform && !pointer && alike(a) && alike(b));
    return settle(c, itself(out));
}

State Interp::merge(State a, State b)
{
    size_t n = 0;
    while (n < a.conditions.size() && n < b.conditions.size() &&
           same_condition(a.conditions[n], b.conditions[n]))
        n++;
    const Condition *which = nullptr;
    if (n < a.conditions.size() && n < b.conditions.size() &&
        a.conditions[n].id == b.conditions[n].id)
        which = &a.conditions[n];
    bool uniform = true;
    for (const State *s : {&a, &b})
        for (size_t i = n; i < s->conditions.size(); i++)
            uniform = uniform && alike(s->conditions[i]);
    // A third condition also tells which way was taken.
    bool plain = which && a.conditions.size() == n + 1 && b.conditions.size() == n + 1;
    std::set<Cell> cells;
    for (const State *s : {&a, &b})
        for (auto &[c, v] : s->cells)
            cells.insert(c);
    steps += cells.size() / 4; // this is work, too
    State out;
    std::map<Cell, Value> merged;
    for (const Cell &c : cells) {
        Value va = read(a, c), vb = read(b, c);
        if (va.same(vb)) {
            va.products.insert(vb.products.begin(), vb.products.end());
            merged[c] = settle(c, va);
        } else {
            merged[c] = choose(c, va, vb, plain ? which : nullptr, uniform);
            if (!plain && which && merged[c].kind == Value::UNKNOWN)
                merged[c].where = which->where;
        }
    }
    out.cells = merged;
    out.stored = a.stored;
    out.stored.insert(b.stored.begin(), b.stored.end());
    out.last = a.last;
    out.last.insert(b.last.begin(), b.last.end());
    out.conditions.assign(a.conditions.begin(), a.conditions.begin() + n);
    return out;
}

void Interp::join(std::vector<State> states)
{
    if (alive)
        states.push_back(now);
    alive = !states.empty();
    if (!alive)
        return;
    now = states.back(); // the ways of the last condition are merged first
    for (size_t i = states.size() - 1; i-- > 0;)
        now = merge(states[i], now);
}

} // namespace ldadc
