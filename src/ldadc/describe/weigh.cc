// Counts the bytes that a read has in common with a write: all ranks' writes, or that
// of the rank which reads. Where pieces are very many, some ranks stand for all.
#include "ldadc/describe/weigh.h"
#include <algorithm>

namespace ldadc
{

enum {
    MOST_PIECES = 1 << 20, // of one rank
    MOST_STEPS = 4000000   // for one edge and number of processes
};

// ---- what one rank transfers ----------------------------------------

using Run = Transfers::Repeat;

struct Pieces {
    int64_t start = 0, size = 0, end = INT64_MAX, times = 1;
    std::vector<Run> runs; // the widest stride first
    bool none = false;

    int64_t many() const
    {
        int64_t n = 1;
        for (const Run &r : runs)
            if (__builtin_mul_overflow(n, r.count, &n))
                return INT64_MAX;
        return n;
    }

    // Whether what is repeated never reaches the next repetition; then the bytes that
    // lie before a place can be computed.
    bool nested() const
    {
        int64_t extent = size;
        for (size_t i = runs.size(); i-- > 0;) {
            if (runs[i].stride < extent)
                return false;
            extent += runs[i].stride * (runs[i].count - 1);
        }
        return true;
    }

    int64_t before(int64_t place) const
    {
        int64_t at = std::min(place, end) - start, all = size * many(), found = 0;
        for (const Run &r : runs) {
            if (at <= 0)
                break;
            int64_t k = std::min(at / r.stride, r.count - 1);
            all /= r.count;
            found += k * all;
            at -= k * r.stride;
        }
        return none ? 0 : found + std::max<int64_t>(0, std::min(at, size));
    }
};

static bool pieces_of(const Description &d, const Binding &b, Pieces *out)
{
    Transfers t;
    std::string why;
    *out = Pieces();
    if (!transfers_of(d, b, &t, &why))
        return false;
    out->start = t.start;
    out->size = t.size;
    out->end = t.end;
    out->none = t.none || t.size <= 0;
    for (Run r : t.levels) {
        out->none = out->none || r.count <= 0;
        if (out->none || r.count == 1)
            continue;
        if (r.stride < 0) {
            out->start += r.stride * (r.count - 1);
            r.stride = -r.stride;
        }
        if (r.stride)
            out->runs.push_back(r);
        else
            out->times *= r.count;
    }
    std::stable_sort(out->runs.begin(), out->runs.end(),
                     [](const Run &a, const Run &b) { return a.stride > b.stride; });
    while (!out->runs.empty() && out->runs.back().stride == out->size) {
        out->size *= out->runs.back().count; // pieces that touch are one
        out->runs.pop_back();
    }
    return true;
}

// ---- a write and a read ---------------------------------------------

struct Common {
    double own, all;
};

// Of the pieces that a rank reads.
static Common common(const Pieces &read, const Pieces &own,
                     const std::vector<Pieces> &all)
{
    Common sum = {0, 0};
    std::vector<int64_t> k(read.runs.size());
    for (int64_t left = read.none ? 0 : read.many(); left > 0; left--) {
        int64_t at = read.start, end;
        for (size_t i = 0; i < k.size(); i++)
            at += k[i] * read.runs[i].stride;
        end = std::min(at + read.size, read.end);
        if (end > at) {
            sum.own += own.before(end) - own.before(at);
            for (const Pieces &w : all)
                sum.all += w.before(end) - w.before(at);
        }
        for (size_t i = k.size(); i-- > 0;) {
            if (++k[i] < read.runs[i].count)
                break;
            k[i] = 0;
        }
    }
    return {sum.own * read.times, sum.all * read.times};
}

static bool weigh_for(const Description &write, const Description &read, Binding s,
                      Weight *out)
{
    std::vector<Pieces> writes(s.nprocs);
    Pieces mine;
    int64_t most = 0;
    for (s.rank = 0; s.rank < s.nprocs; s.rank++) {
        s.world_rank = s.rank;
        if (!pieces_of(write, s, &writes[s.rank]) || !pieces_of(read, s, &mine) ||
            !writes[s.rank].nested() || mine.many() > MOST_PIECES)
            return false;
        most = std::max(most, mine.many());
    }
    int64_t looks = MOST_STEPS / (most * s.nprocs);
    looks = std::min(s.nprocs, std::max<int64_t>(looks, 1));
    out->nprocs = s.nprocs;
    out->sampled = looks < s.nprocs ? looks : 0;
    for (int64_t i = 0; i < looks; i++) {
        s.rank = looks > 1 ? i * (s.nprocs - 1) / (looks - 1) : s.nprocs / 2;
        s.world_rank = s.rank;
        pieces_of(read, s, &mine);
        Common c = common(mine, writes[s.rank], writes);
        out->own += c.own * s.nprocs / looks;
        out->bytes += c.all * s.nprocs / looks;
    }
    return true;
}

static void missing_in(const Poly &p, const Numbers &with, std::set<std::string> *out)
{
    p.has([&](int id) {
        if (atom(id).kind == Atom::SYMBOL && !with.set.count(atom(id).number) &&
            !with.set.count(-1 - atom(id).number))
            out->insert(given_name(symbol(atom(id).number)));
        return false;
    });
}

Edge weigh(const std::vector<Description> &calls, int write, int read, int comm,
           const Numbers &with)
{
    Edge e = {write, read, {}, {}};
    std::set<std::string> missing;
    for (int call : {write, read}) {
        const Description &d = calls[call];
        for (const Poly &p : {d.start, d.size, d.clip, d.only})
            missing_in(p, with, &missing);
        for (const Level &l : d.levels) {
            missing_in(l.stride, with, &missing);
            missing_in(l.count, with, &missing);
        }
    }
    e.missing.assign(missing.begin(), missing.end());
    for (int64_t np : with.np) {
        Weight w;
        Binding b;
        b.comm = comm;
        b.nprocs = np;
        b.value = with.set;
        if (missing.empty() && weigh_for(calls[write], calls[read], b, &w))
            e.weights.push_back(w);
    }
    return e;
}

} // namespace ldadc
