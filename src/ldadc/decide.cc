// Whether to store a file by its ranks. The file's writes and reads are a graph, whose
// edges lead from a write to the reads of what it wrote; an edge weighs its bytes as
// often as they are read. The heaviest edge has the template, and the file is worth
// storing so where most of what is read was written by the rank that reads it.
#include "ldadc/prove.h"
#include "ldadc/report.h"

namespace ldadc
{

static bool same_bytes(const Description &a, const Description &b)
{
    if (!(a.start == b.start && a.size == b.size && a.ranks == b.ranks &&
          a.clipped == b.clipped && (!a.clipped || a.clip == b.clip)))
        return false;
    std::vector<std::pair<Poly, Poly>> levels[2]; // but those that only repeat
    for (const Level &l : a.levels)
        if (!l.stride.is_zero())
            levels[0].push_back({l.stride, l.count});
    for (const Level &l : b.levels)
        if (!l.stride.is_zero())
            levels[1].push_back({l.stride, l.count});
    return levels[0] == levels[1];
}

static bool apart(const Description &d)
{
    return d.resolved && (d.relation == "segmented" || d.relation == "interleaved" ||
                          d.relation == "disjoint");
}

// Bytes of all calls of one rank together, however often.
static Poly weight(const Description &d)
{
    Poly bytes = d.size;
    for (const Level &l : d.levels)
        bytes = bytes * l.count;
    return bytes;
}

// A write and a read in one loop go on in turns (b), else what comes first says whether
// the file is made and then read (a), or read and then written (c).
static char category_of(const File &f)
{
    const Description *first = nullptr, *write = nullptr, *read = nullptr;
    for (const Description &d : f.calls) {
        first = first ? first : &d;
        (d.site->call.write ? write : read) = &d;
        if (!write || !read)
            continue;
        for (const Loop &l : write->site->loops)
            for (const Loop &m : read->site->loops)
                if (l.k == m.k)
                    return 'b';
    }
    if (!write || !read)
        return 0;
    return first->site->call.write ? 'a' : 'c';
}

struct Sums {
    Poly own, all;     // bytes that are read, by who wrote them, and by anybody
    bool known = true; // of all reads
};

static Sums reads_of(const File &f, const Description &write)
{
    Sums s;
    for (const Description &d : f.calls) {
        if (d.site->call.write)
            continue;
        s.known = s.known && d.resolved;
        if (!d.resolved)
            continue;
        s.all = s.all + weight(d);
        if (same_bytes(write, d))
            s.own = s.own + weight(d);
    }
    return s;
}

static void answer(Decision *d, const char *what, const std::string &why)
{
    d->answer = what;
    d->because = why;
}

// Of an if, one way is taken.
static bool exclude(const Description &a, const Description &b)
{
    for (const Condition &c : a.site->conditions)
        for (const Condition &e : b.site->conditions)
            if (c.id == e.id && c.opposite != e.opposite)
                return true;
    return false;
}

// A write that the template does not fit, though both may happen.
static const Description *misfit(const File &f, const Description &fits)
{
    for (const Description &d : f.calls)
        if (d.site->call.write && !same_bytes(d, fits) && !exclude(d, fits))
            return &d;
    return nullptr;
}

void decide(File *f)
{
    Decision *d = &f->decision;
    Sums best;
    bool writes = false, reads = false;
    f->category = category_of(*f);
    for (size_t i = 0; i < f->calls.size(); i++) {
        const Description &call = f->calls[i];
        (call.site->call.write ? writes : reads) = true;
        if (!call.site->call.write)
            continue;
        if (!apart(call))
            return answer(d, "keep shared",
                          "the write in line " + std::to_string(call.site->where.line) +
                              " is " + call.relation);
        Sums sums = reads_of(*f, call);
        if (d->template_call < 0 || positive(sums.own - best.own)) {
            best = sums;
            d->template_call = i;
        }
    }
    if (!writes)
        return;
    if (const Description *other = misfit(*f, f->calls[d->template_call]))
        return answer(d, "keep shared",
                      "the write in line " + std::to_string(other->site->where.line) +
                          " has another descriptor than the heaviest");
    if (!reads)
        return answer(d, "partition", "ranks share no byte, and nothing is read back");
    if (!best.known)
        return answer(d, "keep shared", "some of what is read back is unresolved");
    if (best.own == best.all) {
        d->own_share = 1;
        return answer(d, "partition", "each rank reads back what it wrote");
    }
    if (best.own.is_zero())
        return answer(d, "do not transform",
                      "no read has the descriptor of what was written");
    bool most = not_negative(best.own * Poly(2) - best.all);
    answer(d, most ? "partition" : "do not transform",
           most ? "at least half of what is read has the descriptor of the write"
                : "less than half of what is read has certainly the descriptor of a "
                  "write");
}

} // namespace ldadc
