// How the ranks' bytes lie to each other: what is said is certain.
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

// Whether rows, innermost first, lie within each other without touching twice.
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

// Ranks take turns: what they repeat leaves no gap.
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

// The length of a region without gaps; false: there are gaps, or nobody knows.
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

// Each rank's part ends at the latest where that of the next one begins.
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

std::string relation_of(const Description &d, const Opening &o, std::string *reason)
{
    int comm = o.comm, id = rank(comm).terms().begin()->first[0];
    Poly step;
    if (o.apart && !o.alone) {
        *reason = "ranks that are not in \"" + o.comm_text + "\" may use the file, too";
        return "unresolved";
    }
    if (!d.ranks.empty())
        return "alone";
    *reason = "whether ranks share bytes is not certain";
    if (comm < 0 || (o.alone && !o.path_alike)) {
        *reason = "whether all ranks open the same file is not certain";
        return "unresolved";
    }
    if (!d.start.linear_in(id, &step) || has_rank(d.size, comm))
        return "unresolved";
    std::vector<Row> times;
    Supposed here;
    suppose_positive(d.size); // of nothing there is nothing to say
    for (const Level &l : d.levels) {
        if (l.stride.is_zero())
            continue;
        if (has_rank(l.stride, comm))
            return "unresolved";
        suppose_positive(l.count);
        Poly stride = not_negative(-l.stride) ? -l.stride : l.stride;
        times.insert(times.begin(), {stride, l.count, false, !has_rank(l.count, comm)});
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
    if (found.empty())
        found = by_step(d, width, times);
    return found.empty() ? "unresolved" : found;
}

} // namespace ldadc
