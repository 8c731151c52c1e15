// Compares predicted with observed transfers. Those of one rank to one file by calls of
// one name are summed up, and so are those that all sites of that name predict: they
// agree if the sums do. A file of the program is matched with the file of the trace
// with which most agrees.
#include "ldadc/check.h"
#include "ldadc/describe/bind.h"
#include "ldadc/report/agree.h"
#include "ldadc/report/analysis.h"
#include "ldadc/report/template.h"
#include "ldadc/report/trace.h"

using namespace ldadc;

namespace
{

enum Outcome { AGREES, DIFFERS, NOT_REACHED, UNRESOLVED, MIXED, NO_VALUE };

const char *const outcome_text[] = {
    "agrees",     "differs",      "not reached in this run",
    "unresolved", "not compared", "not compared"};

struct Verdict {
    Outcome outcome = AGREES;
    std::string why;
    Tally predicted, observed; // over all ranks
};

using Streams = std::map<std::pair<int64_t, std::string>, Tally>;

class Checker
{
  public:
    Checker(const Trace &t, const Report &report, const analyse_request *r)
        : trace(t), report(report)
    {
        for (int i = 0; i < r->sets; i++)
            bind_named(&b.value, r->set[i].name, r->set[i].value);
        b.nprocs = t.ranks;
    }

    // Judges a file's calls against one file of the trace.
    std::vector<Verdict> judge(const File &f, const Streams &seen)
    {
        std::vector<Verdict> out(f.calls.size());
        b.comm = f.opening ? f.opening->comm : -1;
        bool self = f.opening && f.opening->alone;
        b.nprocs = self ? 1 : trace.ranks;
        if (f.opening && f.opening->apart && !self)
            return not_compared(f, "a part of the ranks has opened it");
        std::set<std::string> names;
        for (const Description &d : f.calls)
            names.insert(d.site->call.name);
        for (const std::string &name : names) {
            own = f.calls.size();
            judge_name(f, seen, name, &out);
            if (!seen.empty() && differs(f, name, out))
                judge_with_others(f, seen, name, &out);
        }
        return out;
    }

  private:
    static bool differs(const File &f, const std::string &name,
                        const std::vector<Verdict> &v)
    {
        for (size_t i = 0; i < f.calls.size(); i++)
            if (f.calls[i].site->call.name == name && v[i].outcome == DIFFERS)
                return true;
        return false;
    }

    // Judges again with calls of files that may be the same: the stream may contain
    // these, too.
    void judge_with_others(const File &f, const Streams &seen, const std::string &name,
                           std::vector<Verdict> *out)
    {
        File all = f;
        const File *unclear = nullptr;
        for (const File &o : report.files)
            for (const Description &d : o.calls) {
                if (&o == &f || sameness(f, o) < PERHAPS || d.site->call.name != name)
                    continue;
                bool known = d.resolved && o.opening && f.opening &&
                             o.opening->comm == f.opening->comm;
                unclear = known ? unclear : &o;
                all.calls.push_back(d);
            }
        if (all.calls.size() == own)
            return;
        std::vector<Verdict> v(all.calls.size());
        judge_name(all, seen, name, &v);
        bool still = differs(f, name, v), many = all.calls.size() - own > OPEN_MAX;
        for (size_t i = 0; i < own; i++) {
            if (f.calls[i].site->call.name != name || (still && !unclear && !many))
                continue;
            (*out)[i] = v[i];
            if (still || unclear) {
                (*out)[i].outcome = MIXED;
                (*out)[i].why = "\"" + (unclear ? *unclear : f).name +
                                "\" and others may be the same file";
            }
        }
    }
    static std::vector<Verdict> not_compared(const File &f, const std::string &why)
    {
        Verdict v;
        v.outcome = MIXED;
        v.why = why;
        return std::vector<Verdict>(f.calls.size(), v);
    }

    // Judges all calls of a name: they share a stream on each rank.
    void judge_name(const File &f, const Streams &seen, const std::string &name,
                    std::vector<Verdict> *out)
    {
        std::vector<size_t> sites;
        bool resolved = true;
        for (size_t i = 0; i < f.calls.size(); i++)
            if (f.calls[i].site->call.name == name) {
                sites.push_back(i);
                resolved = resolved && f.calls[i].resolved;
            }
        if (!resolved)
            return not_all(f, sites, out);
        if (unplaced(seen, name))
            return not_placed(sites, out);
        for (int64_t r = 0; r < trace.ranks; r++)
            if (!judge_rank(f, seen, name, sites, r, out))
                return;
    }

    void not_all(const File &f, const std::vector<size_t> &sites,
                 std::vector<Verdict> *out)
    {
        for (size_t i : sites) {
            Verdict &v = (*out)[i];
            v.outcome = f.calls[i].resolved ? MIXED : UNRESOLVED;
            v.why = f.calls[i].resolved ? "other calls of this name are unresolved"
                                        : f.calls[i].reason;
        }
    }

    bool unplaced(const Streams &seen, const std::string &name) const
    {
        for (int64_t r = 0; r < trace.ranks; r++)
            if (stream(seen, r, name).unplaced)
                return true;
        return false;
    }

    static void not_placed(const std::vector<size_t> &sites, std::vector<Verdict> *out)
    {
        for (size_t i : sites) {
            (*out)[i].outcome = MIXED;
            (*out)[i].why =
                "the run does not tell at which places: its view has gaps, or "
                "its file pointer is shared";
        }
    }

    static const Tally &stream(const Streams &seen, int64_t rank,
                               const std::string &name)
    {
        static const Tally nothing;
        auto at = seen.find({rank, name});
        return at == seen.end() ? nothing : at->second;
    }

    bool judge_rank(const File &f, const Streams &seen, const std::string &name,
                    const std::vector<size_t> &sites, int64_t rank,
                    std::vector<Verdict> *out)
    {
        const Tally &observed = stream(seen, rank, name);
        std::vector<Tally> predicted(sites.size());
        b.world_rank = rank;
        b.rank = b.nprocs == 1 ? 0 : rank;
        for (size_t i = 0; i < sites.size(); i++) {
            Verdict &v = (*out)[sites[i]];
            if (predict(f.calls[sites[i]], &predicted[i], &v.why))
                continue;
            for (size_t k : sites)
                (*out)[k].outcome = k == sites[i] ? NO_VALUE : MIXED;
            return false;
        }
        std::vector<bool> taken = subset(f, sites, predicted, observed);
        for (size_t i = 0; i < sites.size(); i++)
            note(&(*out)[sites[i]], rank, taken.empty(),
                 taken.empty() || taken[i] ? predicted[i] : Tally(), observed);
        return true;
    }

    bool predict(const Description &d, Tally *out, std::string *why)
    {
        Transfers n;
        if (!transfers_of(d, b, &n, why))
            return false;
        each_chunk(n, [&](int64_t at, int64_t bytes) { out->add(at, bytes); });
        return true;
    }

    // Finds the sites behind conditions that were reached, so that the sum is the
    // observed one. Each may be reached or not. Empty: no choice fits.
    std::vector<bool> subset(const File &f, const std::vector<size_t> &sites,
                             const std::vector<Tally> &predicted, const Tally &observed)
    {
        std::vector<size_t> open;
        for (size_t i = 0; i < sites.size() && open.size() < OPEN_MAX; i++)
            if (sites[i] >= own || !f.calls[sites[i]].site->conditions.empty())
                open.push_back(i);
        for (size_t without = 0; without < (size_t)1 << open.size(); without++) {
            std::vector<bool> taken(sites.size(), true);
            for (size_t k = 0; k < open.size(); k++)
                taken[open[k]] = !(without >> k & 1);
            Tally sum;
            for (size_t i = 0; i < sites.size(); i++)
                if (taken[i])
                    sum.add(predicted[i]);
            if (sum == observed)
                return taken;
        }
        return {};
    }

    static void note(Verdict *v, int64_t rank, bool differs, const Tally &predicted,
                     const Tally &observed)
    {
        v->predicted.add(predicted);
        v->observed.add(observed);
        if (!differs || v->outcome == DIFFERS)
            return;
        v->outcome = DIFFERS;
        v->why = "on rank " + std::to_string(rank) + " " +
                 std::to_string(predicted.calls) + " transfers of " +
                 std::to_string(predicted.bytes) +
                 " bytes in all were predicted, and " + std::to_string(observed.calls) +
                 " of " + std::to_string(observed.bytes) + " observed";
        if (predicted.calls == observed.calls && predicted.bytes == observed.bytes)
            v->why += ", at other places";
    }

    enum { OPEN_MAX = 10 }; // calls that may have been reached or not
    const Trace &trace;
    const Report &report;
    size_t own = 0; // calls up to here are the file's; the others may be
    Binding b;
};

struct Matched {
    const File *file;
    std::string path;
    std::vector<Verdict> verdicts;
};

// Scores a match. A file in which more agrees is more likely; then, one that received
// calls of these names.
int score(const File &f, const std::vector<Verdict> &all, const Streams &seen)
{
    int agree = 0, called = 0;
    for (const Verdict &v : all)
        agree += v.outcome == AGREES && v.predicted.calls > 0;
    for (auto &[key, tally] : seen)
        for (const Description &d : f.calls)
            called |= d.site->call.name == key.second;
    return 2 * agree + called;
}

Matched match(const File &f, const Trace &t, Checker *checker)
{
    Matched best = {&f, "", checker->judge(f, {})};
    int most = INT32_MIN;
    for (auto &[path, streams] : t.files) {
        if (!names_path(f, path))
            continue;
        std::vector<Verdict> v = checker->judge(f, streams);
        if (score(f, v, streams) > most) {
            most = score(f, v, streams);
            best = {&f, path, v};
        }
    }
    for (Verdict &v : best.verdicts)
        if (v.outcome == AGREES && !v.predicted.calls)
            v.outcome = NOT_REACHED;
    return best;
}

void put_text(const Matched &m, FILE *out)
{
    fprintf(out, "file %s: %s\n", m.file->name.c_str(),
            m.path.empty() ? "not in the trace" : m.path.c_str());
    for (size_t i = 0; i < m.verdicts.size(); i++) {
        const Verdict &v = m.verdicts[i];
        const Site &s = *m.file->calls[i].site;
        fprintf(out, "  %s:%u %s: %s", s.where.file.c_str(), s.where.line,
                s.call.name.c_str(), outcome_text[v.outcome]);
        if (v.outcome == AGREES)
            fprintf(out, ", %lld transfers of %lld bytes in all",
                    (long long)v.predicted.calls, (long long)v.predicted.bytes);
        fprintf(out, "%s%s\n", v.why.empty() ? "" : ": ", v.why.c_str());
    }
}

} // namespace

check_result check_program(const analyse_request *r, const check_request *c)
{
    Analysis a;
    Trace trace;
    if (a.make(r))
        return CHECK_BROKEN;
    if (c->trace && !trace_read(c->iotrace, c->trace, &trace))
        return CHECK_NO_TRACE;
    Numbers with;
    with.np.assign(r->np, r->np + r->nps);
    if (c->trace)
        with.np = {trace.ranks};
    for (int i = 0; i < r->sets; i++)
        bind_named(&with.set, r->set[i].name, r->set[i].value);
    if (a.found->tired)
        fputs("The program has too many paths to follow, and not all of its calls may "
              "be known.\n",
              c->out);
    report_pairs(*a.found, a.report, with, c->out);
    if (!c->trace)
        return CHECK_GOOD;
    Checker checker(trace, a.report, r);
    int agree = 0, differ = 0, other = 0;
    for (const File &f : a.report.files) {
        Matched m = match(f, trace, &checker);
        put_text(m, c->out);
        for (const Verdict &v : m.verdicts)
            (v.outcome == AGREES ? agree : v.outcome == DIFFERS ? differ : other)++;
    }
    fprintf(c->out,
            "%d calls agree with the run of %lld ranks, %d differ, %d are not "
            "compared\n",
            agree, (long long)trace.ranks, differ, other);
    return differ ? CHECK_DIFFERS : CHECK_GOOD;
}
