// Groups calls by file, and lists assumptions.
#include "ldadc/report/report.h"
#include "ldadc/poly/assume.h"
#include "ldadc/poly/prove.h"
#include <algorithm>

extern "C" {
#include "base/err.h"
}

namespace ldadc
{

static bool same_file(const Opening &a, const Opening &b)
{
    return !a.path_key.empty() && a.path_key == b.path_key && a.comm == b.comm;
}

Sameness sameness(const File &a, const File &b)
{
    if (!a.opening || !b.opening)
        return PERHAPS;
    return sameness(a.opening->path_key, b.opening->path_key);
}

static File &report_file_of(Report *r, const Found &i, const Site &s)
{
    const Opening *o = s.opening >= 0 ? &i.openings[s.opening] : nullptr;
    for (File &f : r->files)
        if (o == f.opening && (o || f.name == s.handle))
            return f;
        else if (o && f.opening && same_file(*o, *f.opening))
            return f;
    File f;
    f.opening = o;
    f.name = o ? o->name : s.handle;
    r->files.push_back(f);
    return r->files.back();
}

static void all_symbols(const Poly &p, std::set<int> *out)
{
    for (auto &[m, c] : p.terms())
        for (int id : m) {
            if (atom(id).kind == Atom::SYMBOL)
                out->insert(atom(id).number);
            for (const Poly &q : atom(id).of)
                all_symbols(q, out);
        }
}

std::set<int> symbols_of(const Report &r)
{
    std::set<int> out;
    for (const File &f : r.files)
        for (const Description &d : f.calls) {
            for (const Poly &p : {d.start, d.size, d.clip})
                all_symbols(p, &out);
            for (const Level &l : d.levels) {
                all_symbols(l.stride, &out);
                all_symbols(l.count, &out);
            }
            for (const Loop &l : d.site->loops)
                all_symbols(l.count, &out);
        }
    return out;
}

// Makes an entry for a program that was given up: calls may not have been reached, and
// that must not look like a program without any.
static File given_up(const std::string &input)
{
    static Site nowhere;
    nowhere.where = {input, 1, 1};
    nowhere.call.name = "any call";
    Description d;
    d.site = &nowhere;
    d.reason = "the program has too many paths or calls to follow, and not all of its "
               "calls may "
               "be listed";
    d.reason_where = nowhere.where;
    File f;
    f.name = "any";
    f.calls.push_back(d);
    return f;
}

static bool assumes_names(const Found &in)
{
    for (const Opening &o : in.openings) {
        for (const Opening &other : in.openings)
            if (sameness(o.path_key, other.path_key) == ASSUMED)
                return true;
        for (const Touch &t : in.touches)
            if (sameness(o.path_key, t.path_key) == ASSUMED)
                return true;
    }
    return false;
}

Described by_site(const Report &r)
{
    Described out;
    for (const File &f : r.files)
        for (const Description &d : f.calls)
            out[d.site].push_back(&d);
    return out;
}

Report report_make(const Found &i, const std::vector<std::string> &inputs)
{
    Report r;
    r.inputs = inputs;
    r.found = &i;
    for (const Site &s : i.sites) {
        if (!s.call.moves)
            continue;
        for (const Description &d : describe(i, s))
            report_file_of(&r, i, s).calls.push_back(d);
    }
    if (i.tired || i.deep)
        r.files.push_back(given_up(inputs[0]));
    r.assumptions = {"nprocs >= 1 and 0 <= rank < nprocs",
                     "named variables are not negative, and the same on all ranks",
                     "no arithmetic in int overflows, and no conversion to int loses "
                     "bits",
                     "reads are not cut short by the end of a file"};
    for (const std::string &a : i.assumptions)
        r.assumptions.push_back(a);
    for (const std::string &a : assumed_texts())
        r.assumptions.push_back(
            (a == "no-overlap" ? "where it is not certain, ranks share no byte"
             : a == "no-view"
                 ? "files that callers have opened have no view of their own"
                 : a) +
            " (--assume)");
    if (assumes_names(i))
        r.assumptions.push_back("an argument of the program names no file that another "
                                "argument, or the program itself, names");
    for (int id : assumed_positive())
        r.assumptions.push_back(Poly::atom(id).text() + " >= 1");
    return r;
}

static bool numbers_of(const analyse_request &with, Numbers *out)
{
    out->np.assign(with.np, with.np + with.nps);
    for (int64_t n : out->np)
        if (n > 1 << 20)
            return err_usage("--np: bytes are counted for up to %d processes",
                             1 << 20) == 0;
    for (int i = 0; i < with.sets; i++)
        if (!bind_named(&out->set, with.set[i].name, with.set[i].value))
            return err_usage("--set=%.100s=%lld: the program has no variable of that "
                             "name",
                             with.set[i].name, (long long)with.set[i].value) == 0;
    return true;
}

bool report_decide(Report *r, const analyse_request &with)
{
    Numbers numbers;
    if (!numbers_of(with, &numbers))
        return false;
    for (File &f : r->files)
        decide(&f, numbers);
    for (File &f : r->files)
        reconsider(&f, *r, numbers);
    return true;
}

std::vector<Ingredient> unknown_in(const Description &d)
{
    std::vector<Ingredient> all, out;
    auto take = [&](const std::vector<Ingredient> &some) {
        all.insert(all.end(), some.begin(), some.end());
    };
    if (d.relation != "unresolved")
        return out;
    take(d.site->variables);
    take(d.site->other_variables);
    for (const Loop &l : d.site->loops)
        if (!l.counted)
            take(l.made_of);
    for (const Ingredient &one : all) {
        bool given = d.resolved && !one.given.empty();
        if (one.origin.empty() || (one.value_class != "not resolvable" && !given))
            continue;
        auto same = [&](const Ingredient &o) {
            return o.origin == one.origin && o.where.line == one.where.line &&
                   o.where.file == one.where.file;
        };
        out.erase(std::remove_if(out.begin(), out.end(), same), out.end());
        out.push_back(one);
    }
    return out;
}

std::string sentence_of(const Description &d)
{
    static const std::map<std::string, std::string> about = {
        {"segmented", "each rank has a region of its own"},
        {"interleaved", "ranks take turns, and share no byte"},
        {"disjoint", "ranks share no byte"},
        {"overlapped", "some bytes are several ranks'"},
        {"halo", "each rank's region reaches into its neighbours'"},
        {"alone", "one rank does it"}};
    auto at = about.find(d.relation);
    std::string out = at == about.end() ? d.reason : at->second;
    if (!out.empty())
        out[0] = toupper((unsigned char)out[0]);
    if (d.clipped)
        out += "; what is beyond the end is left out";
    return out + ".";
}

} // namespace ldadc
