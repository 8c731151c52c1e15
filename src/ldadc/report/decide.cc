// Decides whether to partition a file by its ranks. The file's writes and reads form a
// graph, whose edges lead from a write to the reads of its bytes; the weight of an edge
// is its bytes as often as they are read. The heaviest edge has the template, and
// partitioning is worthwhile if ranks mostly read what they have written.
#include "ldadc/describe/shell.h"
#include "ldadc/poly/prove.h"
#include "ldadc/report/report.h"
#include <algorithm>

namespace ldadc
{

bool same_bytes(const Description &a, const Description &b)
{
    if (!(a.start == b.start && a.size == b.size && a.ranks == b.ranks &&
          a.clipped == b.clipped && (!a.clipped || a.clip == b.clip)))
        return false;
    std::vector<std::pair<Poly, Poly>> levels[2]; // except levels that only repeat
    for (const Level &l : a.levels)
        if (!l.stride.is_zero())
            levels[0].push_back({l.stride, l.count});
    for (const Level &l : b.levels)
        if (!l.stride.is_zero())
            levels[1].push_back({l.stride, l.count});
    return levels[0] == levels[1];
}

bool ranks_apart(const Description &d)
{
    return d.resolved && (d.relation == "segmented" || d.relation == "interleaved" ||
                          d.relation == "disjoint");
}

// Returns the bytes of all calls of one rank together, however often they are made.
static Poly weight(const Description &d)
{
    Poly bytes = d.size;
    for (const Level &l : d.levels)
        bytes = bytes * l.count;
    return bytes;
}

static bool in_turns(const Description &a, const Description &b)
{
    for (const Loop &l : a.site->loops)
        for (const Loop &m : b.site->loops)
            if (l.k == m.k)
                return true;
    return false;
}

// Returns the category. A write and a read in one loop alternate (b); else the first of
// them decides between a file that is made and then read (a), and one that is read and
// then written (c).
static char category_of(const File &f)
{
    bool writes = false, reads = false;
    for (const Description &d : f.calls)
        (d.site->call.write ? writes : reads) = true;
    if (!writes || !reads)
        return 0;
    for (const Description &w : f.calls)
        for (const Description &r : f.calls)
            if (w.site->call.write && !r.site->call.write && in_turns(w, r))
                return 'b';
    return f.calls[0].site->call.write ? 'a' : 'c';
}

// Sums over the reads of one write.
struct Sums {
    Poly own, all;                 // bytes read by their writer, and by any rank
    bool known = true;             // the bytes of all reads are known
    std::vector<Weight> counted;   // weights as numbers, if all edges have them
    std::set<std::string> missing; // variables without a number
    std::pair<double, int> heaviest = {-1,
                                       // weight and edge for its first number of
                                       // processes
                                       -1};
};

static void decide_add(const Edge &e, Sums *s)
{
    s->missing.insert(e.missing.begin(), e.missing.end());
    for (size_t i = 0; i < s->counted.size() && i < e.weights.size(); i++) {
        s->counted[i].bytes += e.weights[i].bytes;
        s->counted[i].own += e.weights[i].own;
    }
    if (e.weights.size() < s->counted.size())
        s->counted.clear();
}

static Sums reads_of(const File &f, int write, const Numbers &with)
{
    Sums s;
    for (int64_t np : with.np) {
        s.counted.push_back(Weight());
        s.counted.back().nprocs = np;
    }
    for (const Description &d : f.calls) {
        if (d.site->call.write)
            continue;
        s.known = s.known && d.resolved;
        if (!d.resolved)
            continue;
        s.all = s.all + weight(d);
        if (same_bytes(f.calls[write], d))
            s.own = s.own + weight(d);
    }
    for (const Edge &e : f.edges)
        if (e.write == write) {
            decide_add(e, &s);
            if (!e.weights.empty() && e.weights[0].bytes > s.heaviest.first)
                s.heaviest = {e.weights[0].bytes, e.read};
        }
    return s;
}

// True if a weighs more. The heaviest edge has the template; without numbers, it is the
// write of which the writer certainly reads most.
static bool outweighs(const Sums &a, const Sums &b)
{
    if (a.heaviest.first >= 0 && b.heaviest.first >= 0)
        return a.heaviest.first > b.heaviest.first;
    return positive(a.own - b.own);
}

static void decide_answer(Decision *d, const char *what, const std::string &why)
{
    d->answer = what;
    d->because = why;
}

// True for the two branches of an if, of which one is taken.
static bool zero_or_not(const Condition &a, const Condition &b)
{
    return a.kind == Condition::ZERO && b.kind == Condition::NOT_ZERO && a.p == b.p;
}

static bool exclude(const Description &a, const Description &b)
{
    for (const Condition &c : a.site->conditions)
        for (const Condition &e : b.site->conditions)
            if ((c.id == e.id && c.opposite != e.opposite) || zero_or_not(c, e) ||
                zero_or_not(e, c))
                return true;
    return false;
}

// Finds a write that does not fit the template, though both may happen.
static const Description *misfit(const File &f, const Description &fits)
{
    for (const Description &d : f.calls)
        if (d.site->call.write && !same_bytes(d, fits) && !exclude(d, fits))
            return &d;
    return nullptr;
}

static void by_numbers(const Sums &s, Decision *d)
{
    std::string why;
    bool most = true, read = false;
    for (const Weight &w : s.counted) {
        double share = w.bytes > 0 ? w.own / w.bytes : 0;
        char text[100];
        snprintf(text, sizeof text, "%s%.1f %% with %lld processes",
                 why.empty() ? "" : ", ", 100 * share, (long long)w.nprocs);
        why += text;
        d->own_share.push_back({w.nprocs, share});
        most = most && 2 * w.own >= w.bytes;
        read = read || w.bytes > 0;
    }
    if (!read)
        return decide_answer(d, "do not transform",
                             "nothing that is read has been written");
    decide_answer(d, most ? "partition" : "do not transform",
                  "of the bytes that are read, by the rank that wrote them: " + why);
}

static void by_descriptors(const Sums &s, Decision *d)
{
    std::string hint;
    for (const std::string &name : s.missing)
        hint += (hint.empty() ? "; to count it, " : " ") + set_option(name);
    if (s.own == s.all) {
        d->own_share = {{0, 1}};
        return decide_answer(d, "partition", "each rank reads back what it wrote");
    }
    if (s.own.is_zero())
        return decide_answer(d, "do not transform",
                             "no read has the descriptor of what was written" + hint);
    if (not_negative(s.own * Poly(2) - s.all))
        return decide_answer(
            d, "partition",
            "at least half of what is read has the descriptor of the write");
    decide_answer(
        d, "do not transform",
        "less than half of what is read has certainly the descriptor of a write" +
            hint);
}

// Draws the edges. Reads before writes have none.
static void draw_edges(File *f, const Numbers &with)
{
    if (!f->opening || f->opening->apart)
        return;
    for (size_t w = 0; w < f->calls.size(); w++)
        for (size_t r = 0; r < f->calls.size(); r++) {
            const Description &write = f->calls[w], &read = f->calls[r];
            if (write.site->call.write && !read.site->call.write && write.resolved &&
                read.resolved && !exclude(write, read) &&
                (w < r || in_turns(write, read)))
                f->edges.push_back(weigh(f->calls, w, r, f->opening->comm, with));
        }
}

void decide(File *f, const Numbers &with)
{
    Decision *d = &f->decision;
    Sums best;
    bool writes = false, reads = false;
    f->category = category_of(*f);
    draw_edges(f, with);
    for (size_t i = 0; i < f->calls.size(); i++) {
        const Description &call = f->calls[i];
        (call.site->call.write ? writes : reads) = true;
        if (!call.site->call.write)
            continue;
        if (!ranks_apart(call))
            return decide_answer(d, "keep shared",
                                 "the write in line " +
                                     std::to_string(call.site->where.line) + " is " +
                                     call.relation);
        Sums sums = reads_of(*f, i, with);
        if (d->template_call < 0 || outweighs(sums, best)) {
            best = sums;
            d->template_call = i;
        }
    }
    if (!writes)
        return;
    if (const Description *other = misfit(*f, f->calls[d->template_call]))
        return decide_answer(d, "keep shared",
                             "the write in line " +
                                 std::to_string(other->site->where.line) +
                                 " has another descriptor than the heaviest");
    if (!reads)
        return decide_answer(d, "partition",
                             f->opening->called || f->opening->foreign
                                 ? "ranks share no byte; who reads it is not seen"
                                 : "ranks share no byte, and nothing is read back");
    if (!f->calls[0].site->call.write)
        return decide_answer(d, "keep shared",
                             "what is read in line " +
                                 std::to_string(f->calls[0].site->where.line) +
                                 " was in the file before");
    if (!best.known)
        return decide_answer(d, "keep shared",
                             "some of what is read back is unresolved");
    if (best.counted.empty())
        by_descriptors(best, d);
    else
        by_numbers(best, d);
}

// ---- files that may be the same -------------------------------------

static std::string lines_of(const std::vector<const Description *> &calls)
{
    std::string out;
    for (const Description *d : calls)
        out +=
            (out.empty() ? "line " : ", line ") + std::to_string(d->site->where.line);
    return out;
}

// Joins the file with those that may be the same. False: ranks are counted in another
// way there, or the file is not known; `which` is that one.
static bool decide_join(const File &f, const std::vector<const File *> &others,
                        File *out, const File **which)
{
    *out = f;
    out->edges.clear();
    out->decision = Decision();
    for (const File *o : others) {
        *which = o;
        if (!o->opening || o->opening->comm != f.opening->comm)
            return false;
        out->calls.insert(out->calls.end(), o->calls.begin(), o->calls.end());
    }
    std::sort(
        out->calls.begin(), out->calls.end(),
        [](const Description &a, const Description &b) { return a.site < b.site; });
    return true;
}

// Names the other file in a sentence.
static std::string who(const File &f)
{
    return "\"" + f.name + "\" (" + lines_of({&f.calls[0]}) + ") may be the same file";
}

// Finds a call between the file's calls that may change the file or its name.
static const Touch *changed_by(const File &f, const Found &in)
{
    size_t first = SIZE_MAX, last = 0;
    for (const Description &d : f.calls) {
        size_t n = d.site - in.sites.data();
        first = std::min(first, n);
        last = std::max(last, n);
    }
    for (const Touch &t : in.touches) {
        bool in_turns = false;
        for (const Description &d : f.calls)
            for (const Loop &l : d.site->loops)
                in_turns =
                    in_turns || std::count(t.loops.begin(), t.loops.end(), l.k) > 0;
        bool apart = t.ordered && !in_turns &&
                     (t.after <= first || (t.after > last && !t.renames));
        if (t.changes && !apart &&
            (t.any || sameness(t.path_key, f.opening->path_key) >= PERHAPS))
            return &t;
    }
    return nullptr;
}

// Changes the decision if the file may change: then reads may not get what was written.
static void look_for_changes(File *f, const Report &r)
{
    Decision *d = &f->decision;
    const Touch *t = f->opening && (d->answer == "partition" || !d->own_share.empty())
                         ? changed_by(*f, *r.found)
                         : nullptr;
    if (!t)
        return;
    d->own_share.clear();
    decide_answer(d, "keep shared",
                  t->function + "() in line " + std::to_string(t->where.line) +
                      " may change the file, so that what is read need not be what was "
                      "written");
}

// Checks the decision again: it must be right whether or not others are the same file.
// A function's caller that is not seen chooses the files.
void reconsider(File *f, const Report &r, const Numbers &with)
{
    Decision *d = &f->decision;
    std::vector<const File *> others;
    std::vector<const Description *> reads, assumed;
    look_for_changes(f, r);
    if (d->answer != "partition" || f->opening->called || f->opening->foreign)
        return;
    for (const File &o : r.files) {
        Sameness same = sameness(*f, o);
        if (&o == f || same == DIFFERENT || (o.opening && o.opening->called))
            continue;
        if (same != ASSUMED)
            others.push_back(&o);
        for (const Description &c : o.calls)
            if (!c.site->call.write)
                (same == ASSUMED ? assumed : reads).push_back(&c);
    }
    File both;
    const File *which = nullptr;
    if (!decide_join(*f, others, &both, &which))
        return decide_answer(d, "keep shared",
                             who(*which) +
                                 (which->opening ? ", used by other ranks" : ""));
    if (!others.empty()) {
        decide(&both, with);
        if (both.decision.answer != "partition")
            return decide_answer(d, both.decision.answer.c_str(),
                                 both.decision.because + "; " + who(*others[0]));
    }
    bool read = std::any_of(f->calls.begin(), f->calls.end(),
                            [](const Description &c) { return !c.site->call.write; });
    if (!reads.empty())
        d->because = (read ? d->because : "ranks share no byte") +
                     "; and if what is read in " + lines_of(reads) +
                     " is this file: " + both.decision.because;
    else if (!read && !assumed.empty())
        d->because = "ranks share no byte, and nothing is read back, unless " +
                     lines_of(assumed) + " reads the same file by another name";
}

} // namespace ldadc
