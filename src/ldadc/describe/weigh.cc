// Counts the bytes that a read has in common with a write: with all ranks' writes, or
// with that of the rank which reads. If there are very many pieces, some ranks stand
// for all.
#include "ldadc/describe/weigh.h"
#include <algorithm>

namespace ldadc
{

enum {
    MOST_PIECES = 1 << 20, // pieces of one rank
    MOST_STEPS = 4000000   // for one edge and number of processes
};

// ---- transfers of one rank ------------------------------------------

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

    // True if a repeated part never reaches its next repetition; then the bytes before
    // a place can be computed.
    bool nested() const
    {
        for (size_t i = 0; i < runs.size(); i++)
            if (runs[i].stride < extent[i + 1])
                return false;
        return true;
    }

    // Counts bytes between two places, of the runs from `run` on, which start at `at`.
    int64_t between(int64_t from, int64_t to, size_t run, int64_t at) const
    {
        return before(to - at, run) - before(from - at, run);
    }

    // Lengths from the first to the last byte, of runs from each on, and of one piece.
    std::vector<int64_t> extent;

    void measure()
    {
        extent.assign(runs.size() + 1, size);
        for (size_t i = runs.size(); i-- > 0;)
            extent[i] = extent[i + 1] + runs[i].stride * (runs[i].count - 1);
    }

  private:
    int64_t before(int64_t place, size_t run) const
    {
        int64_t all = size, found = 0;
        for (size_t i = run; i < runs.size(); i++)
            all *= runs[i].count;
        for (; run < runs.size() && place > 0; run++) {
            const Run &r = runs[run];
            int64_t k = std::min(place / r.stride, r.count - 1);
            all /= r.count;
            found += k * all;
            place -= k * r.stride;
        }
        return found + std::max<int64_t>(0, std::min(place, size));
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
    out->measure();
    return true;
}

// ---- a write and a read ---------------------------------------------

// Counts the bytes that the pieces of a read share with a write, run by run.
class Overlap
{
  public:
    Overlap(const Pieces &read, const Pieces &write)
        : read(read), write(write), limit(std::min(read.end, write.end))
    {
    }

    double bytes() const
    {
        return read.none || write.none
                   ? 0
                   : bytes(0, read.start, 0, write.start) * read.times;
    }

  private:
    // Counts those of the read's runs from `run` on, which start at `at`, shared with
    // the write's.
    double bytes(size_t run, int64_t at, size_t with, int64_t start) const
    {
        int64_t end = at + read.extent[run];
        enter(at, end, &with, &start);
        if (std::min(end, limit) <= std::max(at, start) ||
            at >= start + write.extent[with])
            return 0;
        if (run == read.runs.size())
            return write.between(at, std::min(end, limit), with, start);
        const Run &r = read.runs[run];
        int64_t piece = read.extent[run + 1];
        int64_t top = std::min(limit, start + write.extent[with]);
        int64_t k = steps(start - at - piece + 1, r), last = steps(top - at, r);
        // Between the first and the last repetition inside the repeated part, all have
        // the same.
        bool solid = with == write.runs.size();
        bool alike = solid || r.stride % write.runs[with].stride == 0;
        int64_t first = steps(start - at, r), behind = steps(top - at - piece + 1, r);
        double sum = 0;
        while (k < last) {
            int64_t same = alike && k >= first && k < behind ? behind - k : 1;
            sum += same * bytes(run + 1, at + k * r.stride, with, start);
            k += same;
        }
        return sum;
    }

    // Returns how many repetitions begin before a place.
    static int64_t steps(int64_t place, const Run &r)
    {
        return place <= 0 ? 0 : std::min((place - 1) / r.stride + 1, r.count);
    }

    // Descends into the one repetition of the write that contains the read's bytes.
    void enter(int64_t at, int64_t end, size_t *with, int64_t *start) const
    {
        for (; *with < write.runs.size(); ++*with) {
            const Run &r = write.runs[*with];
            int64_t k =
                at < *start ? 0 : std::min((at - *start) / r.stride, r.count - 1);
            if (k + 1 < r.count && end > *start + (k + 1) * r.stride)
                break;
            *start += k * r.stride;
        }
    }

    const Pieces &read, &write;
    int64_t limit;
};

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
        double all = 0;
        for (const Pieces &w : writes)
            all += Overlap(mine, w).bytes();
        out->own += Overlap(mine, writes[s.rank]).bytes() * s.nprocs / looks;
        out->bytes += all * s.nprocs / looks;
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
