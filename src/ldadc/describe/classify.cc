// Classifies how the ranks' bytes relate to each other; every result is certain.
#include "ldadc/describe/describe.h"
#include "ldadc/poly/prove.h"
#include <algorithm>

namespace ldadc
{

struct Row { // a level, or the ranks
    Poly stride, count;
    bool ranks, bounded;
};

static bool has_rank(const Poly &p, int comm)
{
    int id = rank(comm).terms().begin()->first[0];
    return p.has(id);
}

// True if rows, innermost first, lie within each other without touching twice.
static bool nested(const std::vector<Row> &rows, const Poly &size, Poly *before_ranks)
{
    Poly extent = size;
    for (const Row &r : rows) {
        if (r.ranks)
            *before_ranks = extent;
        if (!not_negative(r.stride - extent))
            return false;
        if (!r.bounded && &r != &rows.back())
            return false;
        extent = (r.count - Poly(1)) * r.stride + extent;
    }
    return true;
}

// True if ranks take turns without a gap between their repeats.
static bool in_turns(const std::vector<Row> &rows, const Poly &size, const Poly &inner)
{
    for (size_t i = 0; i + 1 < rows.size(); i++)
        if (rows[i].ranks) {
            Poly block = i ? rows[i - 1].stride * rows[i - 1].count : size;
            return (rows[i].stride == inner || rows[i].stride == block) &&
                   rows[i + 1].stride == rows[i].stride * rows[i].count;
        }
    return false;
}

static std::string classify_apart(std::vector<Row> rows, const Poly &size)
{
    std::vector<int> order(rows.size());
    for (size_t i = 0; i < order.size(); i++)
        order[i] = i;
    if (order.size() > 5)
        return "";
    std::string found;
    do {
        std::vector<Row> sorted;
        Poly inner;
        for (int i : order)
            sorted.push_back(rows[i]);
        if (!nested(sorted, size, &inner))
            continue;
        if (sorted.back().ranks)
            return "segmented";
        if (in_turns(sorted, size, inner))
            return "interleaved";
        found = "disjoint";
    } while (std::next_permutation(order.begin(), order.end()));
    return found;
}

// Finds the length of a region without gaps; false: there are gaps, or it is not known.
static bool region(const std::vector<Row> &rows, const Poly &size, Poly *length)
{
    *length = size;
    for (size_t i = 0; i < rows.size(); i++) { // innermost first
        if (!rows[i].bounded || rows[i].stride != *length)
            return false;
        *length = *length * rows[i].count;
    }
    return true;
}

static std::string by_step(const Description &d, const Poly &step,
                           const std::vector<Row> &times)
{
    Poly length;
    bool whole = region(times, d.size, &length);
    if (!whole)
        length = d.size;
    if (d.clipped || !not_negative(step) || !positive(length - step))
        return "";
    bool fixed = !(length - step).has([](int id) {
        return atom(id).kind == Atom::NPROCS || atom(id).kind == Atom::RANK;
    });
    return whole && fixed && !d.site->call.write ? "halo" : "overlapped";
}

static bool of_a_caller(const Poly &p)
{
    return p.has([](int id) {
        return atom(id).kind == Atom::SYMBOL && symbol(atom(id).number).foreign;
    });
}

// Returns the part of p that is not a whole number of strides.
static Poly rest_of_strides(const Poly &p, const Poly &stride)
{
    Poly rest;
    for (auto &[m, c] : p.terms()) {
        Poly term(c), whole;
        for (int id : m)
            term = term * Poly::atom(id);
        if (!term.divide(stride, &whole))
            rest = rest + term;
    }
    return rest;
}

// True if ranks share no byte even if all of them go on for ever; then the stride at
// which a rank begins, and its number of repeats, do not matter.
static bool apart_for_ever(const Description &d, int comm)
{
    int id = rank(comm).terms().begin()->first[0];
    for (const Level &ever : d.levels) {
        Poly step;
        std::vector<Row> rows;
        if (ever.stride.is_zero() || !not_negative(ever.stride) ||
            !rest_of_strides(d.start, ever.stride).linear_in(id, &step) ||
            step.is_zero() || has_rank(step, comm))
            continue;
        bool known = true;
        for (const Level &l : d.levels) {
            Poly stride = not_negative(-l.stride) ? -l.stride : l.stride;
            known = known && (&l == &ever || !has_rank(l.count, comm));
            if (!l.stride.is_zero())
                rows.push_back({stride, l.count, false, &l != &ever});
        }
        rows.push_back({not_negative(-step) ? -step : step, nprocs(comm), true, true});
        if (known && !classify_apart(rows, d.size).empty())
            return true;
    }
    return false;
}

// True if each rank's part ends at the latest where that of the next one begins.
static bool cut_apart(const Description &d, const Poly &step, int comm)
{
    Poly next = d.start + step;
    for (const Level &l : d.levels)
        if (!not_negative(l.stride))
            return false;
    if (!d.clipped || !not_negative(step) || has_rank(step, comm))
        return false;
    return not_negative(next - d.clip);
}

// True if each rank's bytes end before those of the next one begin.
static bool in_order(const Description &d, int comm)
{
    enum { MOST_TERMS = 12 }; // more would take long, and are not proven anyway
    int id = rank(comm).terms().begin()->first[0];
    Poly end = d.start + d.size;
    Supposed here;
    for (const Level &l : d.levels) {
        if (!has_rank(l.count, comm)) // without repeats there are no bytes to compare
            suppose_positive(l.count);
        if (!not_negative(l.stride) || (has_rank(l.count, comm) && !positive(l.count)))
            return false;
        end = end + l.stride * (l.count - Poly(1));
    }
    Poly gap = d.start.with(id, rank(comm) + Poly(1)) - end;
    if (gap.terms().size() > MOST_TERMS)
        return false;
    return not_negative_in_cases(gap, {d.size, nprocs(comm) - rank(comm) - Poly(2)});
}

// ---- grids of ranks -------------------------------------------------

struct Digit { // a quotient or remainder of the rank
    int id;
    Poly factor;
};

// Returns the number of values of p, from 0 on, if p is the rank or a digit; 0: not
// known.
static Poly values_of(const Poly &p, int comm)
{
    bool one = p.terms().size() == 1 && p.terms().begin()->first.size() == 1;
    int id = one ? p.terms().begin()->first[0] : -1;
    if (!one || p != Poly::atom(id))
        return Poly();
    if (p == rank(comm))
        return nprocs(comm);
    const Atom &a = atom(id);
    if (a.kind == Atom::MOD)
        return a.of[1];
    if (a.kind != Atom::FLOORDIV)
        return Poly();
    Poly of = values_of(a.of[0], comm);
    return of.is_zero() ? of : ceildiv(of, a.of[1]);
}

// True if the digits determine p.
static bool determined(const Poly &p, const std::vector<Digit> &digits, int depth = 0)
{
    for (const Digit &g : digits) {
        if (p == Poly::atom(g.id))
            return true;
        const Atom &a = atom(g.id);
        if (a.kind == Atom::MOD && a.of[0] == p && depth < 5 &&
            determined(floordiv(p, a.of[1]), digits, depth + 1))
            return true;
    }
    return false;
}

// Makes a row of each direction, if ranks are dealt out in a grid.
static bool grid_rows(const Description &d, int comm, std::vector<Row> *rows)
{
    std::vector<Digit> digits;
    Poly rest = d.start;
    for (auto &[m, c] : d.start.terms())
        for (int id : m) {
            Digit g = {id, Poly()};
            if (!has_rank(Poly::atom(id), comm) || !rest.linear_in(id, &g.factor))
                continue;
            rest = rest - g.factor * Poly::atom(id);
            digits.push_back(g);
        }
    if (digits.size() < 2 || has_rank(rest, comm) || !determined(rank(comm), digits))
        return false;
    for (const Digit &g : digits) {
        Poly count = values_of(Poly::atom(g.id), comm);
        if (count.is_zero() || has_rank(g.factor, comm) || has_rank(count, comm))
            return false;
        Poly width = not_negative(-g.factor) ? -g.factor : g.factor;
        rows->push_back({width, count, true, true});
    }
    return true;
}

// Finds an order in which rows lie within each other, one without gaps if possible.
static std::string classify_grid(std::vector<Row> rows, const Poly &size)
{
    enum { MOST_ROWS = 6 };
    std::vector<int> order(rows.size());
    for (size_t i = 0; i < order.size(); i++)
        order[i] = i;
    if (order.size() > MOST_ROWS)
        return "";
    std::string found;
    do {
        std::vector<Row> sorted;
        Poly inner, length;
        for (int i : order)
            sorted.push_back(rows[i]);
        if (!nested(sorted, size, &inner))
            continue;
        bool own = true; // all repeats of a rank lie within its digits
        for (size_t i = 1; i < sorted.size(); i++)
            own = own && (sorted[i].ranks || !sorted[i - 1].ranks);
        if (own)
            return "segmented";
        found = region(sorted, size, &length) ? "interleaved" : "disjoint";
    } while (found.empty() && std::next_permutation(order.begin(), order.end()));
    return found;
}

// ---- ranks in another order -----------------------------------------

static std::vector<Poly *> parts_by_rank(Description *d)
{
    std::vector<Poly *> out = {&d->start, &d->size, &d->clip};
    for (Level &l : d->levels) {
        out.push_back(&l.stride);
        out.push_back(&l.count);
    }
    return out;
}

// Finds a shifted rank: mod(rank + a, nprocs), and mod(a - rank, nprocs), run through
// the ranks as rank does.
static int shifted_rank(const Description &d, int comm)
{
    int id = rank(comm).terms().begin()->first[0], found = -1;
    Description copy = d;
    auto shifts = [&](int a) {
        Poly factor;
        return atom(a).kind == Atom::MOD && atom(a).of[1] == nprocs(comm) &&
               atom(a).of[0].linear_in(id, &factor) &&
               (factor == Poly(1) || factor == Poly(-1));
    };
    for (Poly *p : parts_by_rank(&copy))
        p->has([&](int a) {
            found = shifts(a) ? a : found;
            return false;
        });
    return found;
}

// Replaces that rank by this one. If nothing else depends on this rank, the relation of
// ranks stays the same, each in the place of another.
static Description in_order_of_rank(const Description &d, int comm)
{
    int shifted = shifted_rank(d, comm);
    Description out = d, rest = d;
    if (shifted < 0)
        return d;
    for (Poly *p : parts_by_rank(&rest)) {
        *p = p->with(shifted, Poly());
        if (has_rank(*p, comm))
            return d;
    }
    for (Poly *p : parts_by_rank(&out))
        *p = p->with(shifted, rank(comm));
    return out;
}

static std::string relation_by_rank(const Description &d, const Opening &o,
                                    std::string *reason)
{
    int comm = o.comm, id = rank(comm).terms().begin()->first[0];
    Poly step;
    if (o.apart && !o.alone) {
        *reason = "ranks that are not in \"" + o.comm_text + "\" may use the file, too";
        return "unresolved";
    }
    if (!d.ranks.empty())
        return "alone";
    *reason = NOT_CERTAIN;
    if (comm < 0 || (o.alone && !o.path_alike)) {
        *reason = "whether all ranks open the same file is not certain";
        return "unresolved";
    }
    if (!d.clipped && in_order(d, comm) && has_rank(d.start + d.size, comm))
        return "segmented";
    bool linear = d.start.linear_in(id, &step);
    if (has_rank(d.size, comm))
        return "unresolved";
    std::vector<Row> times;
    Supposed here;
    suppose_positive(d.size); // without bytes there is nothing to compare
    for (const Level &l : d.levels) {
        if (l.stride.is_zero())
            continue;
        if (has_rank(l.stride, comm))
            return "unresolved";
        suppose_positive(l.count);
        Poly stride = not_negative(-l.stride) ? -l.stride : l.stride;
        times.insert(times.begin(), {stride, l.count, false, !has_rank(l.count, comm)});
    }
    if (!linear) {
        if (d.clipped || !grid_rows(d, comm, &times))
            return "unresolved";
        std::string found = classify_grid(times, d.size);
        return found.empty() ? "unresolved" : found;
    }
    bool alike = !has_rank(d.start, comm) && (!d.clipped || !has_rank(d.clip, comm));
    for (const Level &l : d.levels)
        alike = alike && !has_rank(l.count, comm);
    if (step.is_zero()) {
        if (!alike)
            return "unresolved";
        if (!of_a_caller(d.start))
            return "overlapped";
        *reason = "whether ranks share bytes depends on how the function is called";
        return "unresolved";
    }
    if (cut_apart(d, step, comm))
        return "segmented";
    std::vector<Row> rows = times;
    Poly width = not_negative(-step) ? -step : step;
    rows.push_back({width, nprocs(comm), true, true});
    std::string found = classify_apart(rows, d.size);
    if (found.empty() && apart_for_ever(d, comm))
        found = "disjoint";
    if (found.empty())
        found = by_step(d, width, times);
    return found.empty() ? "unresolved" : found;
}

std::string relation_of(const Description &d, const Opening &o, std::string *reason)
{
    return relation_by_rank(in_order_of_rank(d, o.comm), o, reason);
}

} // namespace ldadc
