#include "ldadc/report/template.h"
#include <algorithm>

extern "C" {
#include "algebra/descriptor.h"
#include "base/err.h"
}

namespace ldadc
{

static bool divides_ranks(const Description &d)
{
    return d.relation == "interleaved" || d.relation == "segmented" ||
           d.relation == "disjoint";
}

// Notes why a call that writes is unsuitable: it is not known, or irregular.
static bool unfit(const Description &d, Template *t)
{
    t->unknown = !d.resolved || d.relation == "unresolved";
    if (t->unknown)
        t->why = "what is written is not known: " + d.reason;
    else if (d.parts > 1)
        t->why = "what is written is in pieces that follow no rule";
    else if (!divides_ranks(d) && d.relation != "alone")
        t->why = "ranks write the same bytes";
    else
        return false;
    t->where = d.reason_where.line ? d.reason_where : d.site->where;
    return true;
}

// Finds the end, without its dependence on the rank.
static bool common_end(const Poly &end, int rank, Poly *out)
{
    if (!end.has(rank)) {
        *out = end;
        return true;
    }
    if (end.terms().size() != 1)
        return false;
    auto &[m, c] = *end.terms().begin();
    if (c != 1 || m.size() != 1 || atom(m[0]).kind != Atom::MIN)
        return false;
    for (const Poly &one : atom(m[0]).of)
        if (common_end(one, rank, out))
            return true;
    return false;
}

// Takes the pattern of rank 0. Others may have fewer chunks, but none elsewhere; and a
// plan may have more than is written. If each rank has a region, it reaches to the next
// one's.
static bool template_take(const Found &in, const Description &d, Pattern *p)
{
    int r = rank(in.openings[d.site->opening].comm).terms().begin()->first[0];
    Poly none;
    p->of = &d;
    if (!d.start.linear_in(r, &p->step) || p->step.has(r))
        return false;
    p->start = d.start.with(r, none);
    p->ends = d.clipped && common_end(d.clip, r, &p->end);
    if (d.relation == "segmented") {
        p->size = p->step;
        return true;
    }
    p->size = d.size;
    for (const Level &l : d.levels)
        if (!l.stride.is_zero()) // repeating the same bytes adds none
            p->levels.push_back({l.stride.with(r, none), l.count.with(r, none)});
    return !d.size.has(r) && p->ends == d.clipped;
}

static bool same_pattern(const Pattern &a, const Pattern &b)
{
    auto equal = [](const Level &x, const Level &y) {
        return x.stride == y.stride && x.count == y.count;
    };
    return a.start == b.start && a.step == b.step && a.size == b.size &&
           a.ends == b.ends && a.end == b.end && a.levels.size() == b.levels.size() &&
           std::equal(a.levels.begin(), a.levels.end(), b.levels.begin(), equal);
}

static void template_add(const Found &in, const Description &d, Template *t)
{
    Pattern p;
    if (!template_take(in, d, &p)) {
        t->why = "the ranks' regions differ in more than where they begin";
        t->where = d.site->where;
        return;
    }
    for (const Pattern &other : t->patterns)
        if (same_pattern(p, other))
            return;
    t->patterns.push_back(p);
}

Template template_of(const Found &in, const File &f)
{
    Template t;
    if (!f.opening)
        t.why = "it is not known which file it is";
    else if (f.opening->alone)
        t.why = "one rank alone has it open";
    for (const Description &d : f.calls) {
        if (!t.why.empty() || !d.site->call.write)
            continue;
        if (!unfit(d, &t) && divides_ranks(d))
            template_add(in, d, &t);
    }
    if (!t.why.empty())
        t.patterns.clear();
    else if (t.patterns.empty())
        t.why = "the program writes nothing to it that is divided among ranks";
    std::stable_sort(t.patterns.begin(), t.patterns.end(),
                     [](const Pattern &a, const Pattern &b) {
                         return a.of->levels.size() > b.of->levels.size();
                     });
    return t;
}

bool plan_sound(const std::string &text, std::string *why)
{
    ldad_plan p;
    ldad_map m;
    bool good = !ldad_plan_parse(text.c_str(), &p);
    if (good) {
        good = !ldad_map_make(&m, &p);
        ldad_plan_free(&p);
    }
    if (!good)
        *why = err_get()->text;
    err_clear();
    return good;
}

// Evaluates the conditions under which the call is reached. Those that are no
// comparisons are assumed to hold.
static bool template_holds(const Description &d, const Binding &b, bool *out,
                           std::string *why)
{
    *out = true;
    for (const Condition &c : d.site->conditions) {
        int64_t v;
        bool compares = c.kind == Condition::LESS || c.kind == Condition::ZERO ||
                        c.kind == Condition::NOT_ZERO;
        if (!compares)
            continue;
        if (!evaluate(c.p, b, &v, why))
            return false;
        *out = *out && (c.kind == Condition::LESS   ? v < 0
                        : c.kind == Condition::ZERO ? v == 0
                                                    : v != 0);
    }
    return true;
}

static std::string text_of_pattern(const Pattern &p, const Binding &b, std::string *why)
{
    int64_t start, step, size, end = 0;
    if (!evaluate(p.start, b, &start, why) || !evaluate(p.step, b, &step, why) ||
        !evaluate(p.size, b, &size, why) || (p.ends && !evaluate(p.end, b, &end, why)))
        return "";
    std::string out =
        "ranks=" + std::to_string(b.nprocs) + " step=" + std::to_string(step);
    if (p.ends)
        out += " end=" + std::to_string(end);
    out += " start=" + std::to_string(start) + " ";
    for (const Level &l : p.levels) {
        int64_t stride, count, span;
        if (!evaluate(l.stride, b, &stride, why) || !evaluate(l.count, b, &count, why))
            return "";
        if (__builtin_mul_overflow(stride, count, &span)) {
            *why = "a number exceeds 63 bits";
            return "";
        }
        out +=
            "[span=" + std::to_string(span) + " stride=" + std::to_string(stride) + " ";
    }
    out += (p.levels.empty() ? "[size=" : "size=") + std::to_string(size);
    return out + std::string(p.levels.empty() ? 1 : p.levels.size(), ']');
}

std::string plan_text(const Template &t, const Binding &b, std::string *why)
{
    for (const Pattern &p : t.patterns) {
        bool reached = true;
        if (t.patterns.size() > 1 && !template_holds(*p.of, b, &reached, why))
            return "";
        if (!reached)
            continue;
        std::string out = text_of_pattern(p, b, why);
        return !out.empty() && plan_sound(out, why) ? out : "";
    }
    *why = "with these values none of its calls is reached";
    return "";
}

bool names_path(const File &f, const std::string &path)
{
    std::string name = f.opening ? f.opening->path_key : "";
    if (name.size() < 2 || name[0] != '"')
        return true;
    name = name.substr(1, name.size() - 2);
    return path.size() >= name.size() &&
           !path.compare(path.size() - name.size(), name.size(), name);
}

} // namespace ldadc
