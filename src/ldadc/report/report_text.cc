// Prints the report as text.
#include "ldadc/describe/shell.h"
#include "ldadc/report/report.h"

namespace ldadc
{

// Prints variables by class, in the order of the paper.
static void put_variables(const Site &s, FILE *out)
{
    std::string line;
    for (const char *one :
         {"constant", "set once", "modified, resolved", "not resolvable"}) {
        std::string names;
        for (const Ingredient &v : s.variables)
            if (v.value_class == one)
                names += (names.empty() ? "" : ", ") + v.name;
        if (!names.empty())
            line += (line.empty() ? "" : "; ") + names + ": " + one;
    }
    if (!line.empty())
        fprintf(out, "    made of %s\n", line.c_str());
}

// Prints the origins of unknown values, the farthest known one of each; and variables
// to give a value to.
static void put_origins(const Description &d, FILE *out)
{
    for (const Ingredient &v : unknown_in(d)) {
        std::string at = std::to_string(v.where.line);
        if (!v.where.file.empty() && v.where.file != d.site->where.file)
            at += " of " + v.where.file;
        fprintf(out, "    \"%s\" %s%s%s%s\n", v.name.c_str(), v.origin.c_str(),
                v.where.line ? " in line " : "", v.where.line ? at.c_str() : "",
                v.given.empty()
                    ? ""
                    : ("; to count with it: " + set_option(v.given)).c_str());
    }
}

static void report_text_put_call(const Description &d, FILE *out)
{
    const Site &s = *d.site;
    fprintf(out, "  %s:%u %s in %s()\n", s.where.file.c_str(), s.where.line,
            s.call.name.c_str(), s.function.c_str());
    for (const Step &v : s.via)
        fprintf(out, "    called in line %u of %s, %s()\n", v.where.line,
                v.where.file.c_str(), v.function.c_str());
    for (const Loop &l : s.loops)
        fprintf(out, "    loop in line %u%s%s: %s\n", l.where.line,
                l.variable.empty() ? "" : " over ", l.variable.c_str(),
                l.counted ? (l.count.text() + " times").c_str()
                          : "nobody knows how often");
    for (const Condition &c : s.conditions)
        fprintf(out, "    where %s (line %u)\n", c.text.c_str(), c.where.line);
    put_variables(s, out);
    if (d.resolved && d.parts > 1)
        fprintf(out, "    part %d of %d: ", d.part + 1, d.parts);
    if (d.resolved)
        fprintf(out, "%s%s\n", d.parts > 1 ? "" : "    ", descriptor_text(d).c_str());
    fprintf(out, "    %s: %s", d.relation.c_str(), sentence_of(d).c_str());
    if (d.relation == "unresolved")
        fprintf(out, " (%s:%u)", d.reason_where.file.c_str(), d.reason_where.line);
    fputs("\n", out);
    put_origins(d, out);
    if (d.relation == "unresolved")
        fprintf(out, "    to go on: %s\n", help_of(d).c_str());
    for (const Warning &w : d.warnings)
        fprintf(out, "    warning, line %u: %s\n", w.line, w.text.c_str());
}

static void put_edge(const File &f, const Edge &e, FILE *out)
{
    for (const Weight &w : e.weights)
        fprintf(
            out,
            "  line %u is read in line %u with %lld processes: %.0f bytes, %.1f %% by "
            "the rank that wrote them%s\n",
            f.calls[e.write].site->where.line, f.calls[e.read].site->where.line,
            (long long)w.nprocs, w.bytes, w.bytes > 0 ? 100 * w.own / w.bytes : 0,
            w.sampled ? (" (as " + std::to_string(w.sampled) + " of them show)").c_str()
                      : "");
}

void report_text(const Report &r, FILE *out)
{
    if (r.files.empty())
        fputs("There is no MPI-IO in this program.\n", out);
    for (const File &f : r.files) {
        speak_of_communicator(f.opening ? f.opening->comm : -1);
        if (!f.opening)
            fprintf(out, "file %s, which is not known\n", f.name.c_str());
        else if (f.opening->foreign)
            fprintf(out, "file %s, opened elsewhere\n", f.name.c_str());
        else
            fprintf(out, "file %s: %s, opened in %s:%u%s\n", f.name.c_str(),
                    f.opening->path.c_str(), f.opening->where.file.c_str(),
                    f.opening->where.line,
                    f.opening->apart
                        ? (", whose ranks are those of " + f.opening->comm_text).c_str()
                        : "");
        for (const Description &d : f.calls)
            report_text_put_call(d, out);
        for (const Edge &e : f.edges)
            put_edge(f, e, out);
        if (!f.decision.answer.empty())
            fprintf(out, "  %s: %s\n", f.decision.answer.c_str(),
                    f.decision.because.c_str());
    }
    if (r.files.empty())
        return;
    fputs("assumed:\n", out);
    for (const std::string &a : r.assumptions)
        fprintf(out, "  %s\n", a.c_str());
    for (int n : symbols_of(r))
        if (symbol(n).text != symbol(n).id)
            fprintf(out, "  %s stands for %s\n", symbol(n).id.c_str(),
                    symbol(n).text.c_str());
}

} // namespace ldadc
