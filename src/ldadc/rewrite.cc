// Decides which files are partitioned, and changes the words of the sources. Unproven
// files stay as they are, except that files which may be partitioned are read
// accordingly.
#include "ldadc/rewrite.h"
#include "ldadc/ctext.h"
#include "ldadc/difference.h"
#include "ldadc/handles.h"
#include "ldadc/poly/assume.h"
#include "ldadc/report/analysis.h"
#include "ldadc/report/template.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Rewrite/Core/Rewriter.h"
#include <algorithm>

extern "C" {
#include "base/err.h"
#include "base/format/outfile.h"
}

using namespace clang;
using namespace ldadc;

namespace
{

// A file of the report, and the decision about it.
struct Fate {
    const File *file;
    Template plan;
    bool written = false;
    bool partitioned = false; // or read as one that may be partitioned
    std::string why;          // the reason why it is not
    Place where;
    std::set<int> openings;
    std::set<size_t> groups;
};

using Known = std::vector<std::pair<std::string, Poly>>;

SourceLocation name_at(const Use &u)
{
    return written_at(*u.context, u.call->getCallee()->getBeginLoc(), u.name);
}

// Returns the values that can be named where a file is opened: also those that
// parameters point to, if they have not changed by then.
Known known_at(const Opening &o)
{
    Known out = o.known;
    std::set<std::string> parameters;
    for (unsigned i = 0; o.entered && i < o.in->getNumParams(); i++)
        parameters.insert(o.in->getParamDecl(i)->getNameAsString());
    for (int n = 0; n < symbols(); n++) {
        const Symbol &s = symbol(n);
        size_t end = s.text.find_first_of("->.[");
        if (s.foreign && parameters.count(s.text.substr(0, end)) &&
            !o.changed.count(s.text))
            out.push_back({s.text, Poly::atom(atom_id({Atom::SYMBOL, n, {}}))});
    }
    const ASTContext &context = o.in->getASTContext();
    out.push_back({"ldad_file_ranks(" + text_of(context, bare(o.call->getArg(0))) + ")",
                   nprocs(o.comm)});
    return out;
}

// A plan as arguments of printf. If there are several patterns, the conditions choose
// each number; so all get the same shape, with levels that repeat once.
class PlanWords
{
  public:
    PlanWords(const std::vector<Pattern> &all, const Known &known)
        : all(all), known(known)
    {
        for (const Pattern &p : all) {
            levels = std::max(levels, p.levels.size());
            ends = ends || p.ends;
        }
    }

    std::string missing;

    bool make(std::string *out)
    {
        std::string format = "step=%lld ";
        bool good = conditions() && value([](const Pattern &p) { return p.step; });
        if (ends) {
            format += "end=%lld ";
            good = good && value([](const Pattern &p) {
                       return p.ends ? p.end : Poly(INT64_MAX);
                   });
        }
        format += "start=%lld ";
        good = good && value([](const Pattern &p) { return p.start; });
        for (size_t i = 0; i < levels; i++) {
            format += "[span=%lld stride=%lld ";
            good = good && value([&](const Pattern &p) { return span(p, i); }) &&
                   value([&](const Pattern &p) { return stride(p, i); });
        }
        format += levels ? "size=%lld" : "[size=%lld";
        format += std::string(std::max<size_t>(1, levels), ']');
        good = good && value([](const Pattern &p) { return p.size; });
        *out = std::string(separator) + "\"" + format + "\"" + values;
        return good;
    }

  private:
    static constexpr const char *separator = ",\n                        ";

    // Writes the condition for each pattern but the last.
    bool conditions()
    {
        for (size_t i = 0; i + 1 < all.size(); i++) {
            std::string both, one;
            for (const Condition &c : all[i].of->site->conditions) {
                const char *is = c.kind == Condition::LESS       ? " < 0"
                                 : c.kind == Condition::ZERO     ? " == 0"
                                 : c.kind == Condition::NOT_ZERO ? " != 0"
                                                                 : nullptr;
                if (!is)
                    continue;
                if (!c_text(c.p, known, &one, &missing))
                    return false;
                both += (both.empty() ? "" : " && ") + one + is;
            }
            guards.push_back(both.empty() ? "1" : both);
        }
        return true;
    }

    template <class F> bool value(F of)
    {
        std::string text, one;
        bool same = true;
        for (const Pattern &p : all)
            same = same && of(p) == of(all[0]);
        for (size_t i = 0; i < (same ? 1 : all.size()); i++) {
            if (!c_text(of(all[i]), known, &one, &missing))
                return false;
            bool last = same || i + 1 == all.size();
            text += last ? one : guards[i] + " ? " + one + " : ";
        }
        values += separator + text;
        return true;
    }

    // Returns a stride. Inner levels correspond; the outer ones may be missing.
    Poly stride(const Pattern &p, size_t i) const
    {
        size_t lacks = levels - p.levels.size();
        if (i >= lacks)
            return p.levels[i - lacks].stride;
        return p.levels.empty() ? p.size : p.levels[0].stride * p.levels[0].count;
    }

    Poly span(const Pattern &p, size_t i) const
    {
        size_t lacks = levels - p.levels.size();
        return i < lacks ? stride(p, i)
                         : p.levels[i - lacks].stride * p.levels[i - lacks].count;
    }

    const std::vector<Pattern> &all;
    const Known &known;
    size_t levels = 0;
    bool ends = false;
    std::vector<std::string> guards;
    std::string values;
};

class Chooser
{
  public:
    Chooser(const Analysis &a, bool all)
        : a(a), handles(handles_of(*a.program)), all(all)
    {
        for (const File &f : a.report.files)
            fates.push_back(fate_of(f));
        find_groups();
        for (Fate &f : fates)
            prepare(&f);
        for (Fate &f : fates)
            if (f.partitioned)
                look_around(&f);
        while (spread())
            ;
    }

    const Analysis &a;
    Handles handles;
    std::vector<Fate> fates;
    bool all;

    bool any() const
    {
        return std::any_of(fates.begin(), fates.end(),
                           [](const Fate &f) { return f.partitioned && f.written; });
    }

    // Writes the arguments that follow those of the call that opens the file.
    bool arguments(const Fate &f, const Opening &o, std::string *out, std::string *why)
    {
        Known known = known_at(o);
        PlanWords text(f.plan.patterns, known);
        bool good = text.make(out);
        if (!good)
            *why = "the value of " + text.missing +
                   " is not in a variable where the "
                   "file is opened";
        return good;
    }

  private:
    Fate fate_of(const File &f)
    {
        Fate out;
        out.file = &f;
        for (const Description &d : f.calls) {
            out.written = out.written || d.site->call.write;
            if (d.site->opening >= 0)
                out.openings.insert(d.site->opening);
        }
        if (out.written) {
            out.plan = template_of(*a.found, f);
            out.why = out.plan.why;
            out.where = out.plan.where;
        }
        return out;
    }

    // Finds the groups whose variables hold it.
    void find_groups()
    {
        for (size_t g = 0; g < handles.groups.size(); g++)
            for (const Use &u : handles.groups[g].uses)
                for (Fate &f : fates)
                    for (int o : f.openings)
                        if (a.found->openings[o].call == u.call)
                            f.groups.insert(g);
    }

    void prepare(Fate *f)
    {
        f->partitioned = f->written && !f->plan.patterns.empty();
        const Decision &d = f->file->decision;
        if (f->partitioned && !all && d.answer == "do not transform")
            refuse(f, d.because + " (--all does it)", {});
        if (f->partitioned && a.found->tired)
            refuse(f, "the program has too many paths to follow", {});
        if (f->partitioned && f->groups.empty())
            refuse(f, "it is not opened in these sources", f->file->opening->where);
        for (size_t g : f->groups)
            if (!handles.groups[g].why.empty())
                refuse(f, handles.groups[g].why, handles.groups[g].where);
        std::string text, why;
        for (int o : f->openings)
            if (f->partitioned && !arguments(*f, a.found->openings[o], &text, &why))
                refuse(f, why, a.found->openings[o].where);
    }

    static void refuse(Fate *f, const std::string &why, const Place &where)
    {
        if (f->why.empty() || f->partitioned) {
            f->why = why;
            f->where = where;
        }
        f->partitioned = false;
    }

    // Finds other uses of the file that libldad cannot do or does not see.
    void look_around(Fate *f)
    {
        const std::string &key = f->file->opening->path_key;
        for (const Touch &t : a.found->touches)
            if (t.by_handle)
                continue; // libldad does it
            else if (t.any)
                refuse(f, t.function + "() may use the file", t.where);
            else if (sameness(t.path_key, key) >= PERHAPS && !deletes(t))
                refuse(f,
                       t.function + "() may be given its name, and a partitioned file "
                                    "is a directory",
                       t.where);
        for (const Opening &o : a.found->openings)
            if (unused(o) && sameness(o.path_key, key) >= PERHAPS && !changes(*f, o))
                refuse(f,
                       "\"" + o.name +
                           "\" may be the same file, and is only opened "
                           "and closed",
                       o.where);
    }

    // True if the call deletes the file by name: libldad's function removes a
    // partitioned file, and any other one.
    bool deletes(const Touch &t) const
    {
        return t.function == "MPI_File_delete" &&
               std::all_of(handles.deletes.begin(), handles.deletes.end(),
                           [](const Use &u) { return name_at(u).isValid(); });
    }

    // True if no transfer uses this opening.
    bool unused(const Opening &o) const
    {
        int n = &o - a.found->openings.data();
        return o.call && std::none_of(fates.begin(), fates.end(), [n](const Fate &f) {
                   return f.openings.count(n);
               });
    }

    // True if it is opened with variables that the file's calls change, too.
    bool changes(const Fate &f, const Opening &o) const
    {
        for (size_t g : f.groups)
            for (const Use &u : handles.groups[g].uses)
                if (u.call == o.call)
                    return true;
        return false;
    }

    static bool may_be_same(const Fate &a, const Fate &b)
    {
        return sameness(*a.file, *b.file) >= PERHAPS;
    }

    // Propagates consequences once; false: there were none.
    bool spread()
    {
        bool changed = false;
        for (Fate &f : fates)
            for (Fate &other : fates) {
                if (&f == &other || !f.partitioned)
                    continue;
                bool shares =
                    std::any_of(f.groups.begin(), f.groups.end(),
                                [&](size_t g) { return other.groups.count(g); });
                if (other.partitioned || (!shares && !may_be_same(f, other)))
                    continue;
                if (!other.written && other.why.empty()) {
                    other.partitioned = changed = true;
                } else if (shares || f.written) {
                    refuse(&f,
                           "\"" + other.file->name +
                               "\" may be the same file, or is "
                               "opened with the same variable, and stays: " +
                               other.why,
                           other.where);
                    changed = true;
                }
            }
        return changed;
    }
};

class Edits
{
  public:
    Edits(Chooser &c) : c(c)
    {
    }

    bool make()
    {
        std::set<size_t> groups;
        for (const Fate &f : c.fates)
            if (f.partitioned)
                groups.insert(f.groups.begin(), f.groups.end());
        for (size_t g : groups)
            change(c.handles.groups[g]);
        for (const Use &u : c.handles.deletes)
            if (name_at(u).isValid())
                replace({u.context, name_at(u), u.name}, "ldad_file_delete");
        return good;
    }

    std::string old_text(size_t unit) const
    {
        const SourceManager &s = c.a.program->sources[unit]->getSourceManager();
        return s.getBufferData(s.getMainFileID()).str();
    }

    // Returns the new text of a unit's file.
    std::string text(size_t unit)
    {
        ASTContext &context = *c.a.program->sources[unit];
        SourceManager &s = context.getSourceManager();
        FileID file = s.getMainFileID();
        std::string old = old_text(unit);
        auto at = rewriters.find(&context);
        if (at == rewriters.end())
            return old;
        SourceLocation begin = s.getLocForStartOfFile(file);
        at->second.InsertTextBefore(begin.getLocWithOffset(after_include(old)),
                                    "#include <ldad.h>\n");
        const RewriteBuffer *b = at->second.getRewriteBufferFor(file);
        return b ? std::string(b->begin(), b->end()) : old;
    }

  private:
    // Returns the place behind the line that includes <mpi.h>, or the begin of the
    // text.
    static int after_include(const std::string &text)
    {
        size_t line = 0;
        for (; line < text.size(); line = text.find('\n', line) + 1) {
            size_t end = text.find('\n', line);
            if (end == std::string::npos)
                break;
            std::string one = text.substr(line, end - line);
            size_t hash = one.find_first_not_of(" \t");
            if (hash != std::string::npos && one[hash] == '#' &&
                one.find("include") != std::string::npos &&
                one.find("mpi.h") != std::string::npos)
                return (int)end + 1;
        }
        return 0;
    }

    Rewriter &rewriter(const ASTContext *context)
    {
        auto made = rewriters.emplace(context, Rewriter());
        if (made.second)
            made.first->second.setSourceMgr(
                const_cast<SourceManager &>(context->getSourceManager()),
                context->getLangOpts());
        return made.first->second;
    }

    void replace(const Word &w, const std::string &text)
    {
        const SourceManager &s = w.context->getSourceManager();
        good = good && w.at.isFileID() && s.isInMainFile(w.at) &&
               !rewriter(w.context).ReplaceText(w.at, w.text.size(), text);
    }

    void change(const Handles::Group &g)
    {
        for (const Word &w : g.types)
            replace(w, "ldad_file");
        for (const Word &w : g.nulls)
            replace(w, "(ldad_file)0");
        for (const Use &u : g.uses) {
            bool opens = u.name == "MPI_File_open";
            std::string name = "ldad_file" + u.name.substr(8);
            SourceLocation at = name_at(u);
            if (!seen.insert({u.context, at.getRawEncoding()}).second)
                continue; // a macro has it twice
            replace({u.context, at, u.name}, name + (opens ? "_plan" : ""));
            if (opens)
                open(u);
        }
    }

    void open(const Use &u)
    {
        std::string plan = ", \"none\"", why;
        for (const Fate &f : c.fates)
            for (int o : f.openings)
                if (f.partitioned && f.written && c.a.found->openings[o].call == u.call)
                    c.arguments(f, c.a.found->openings[o], &plan, &why);
        SourceLocation end = written_at(*u.context, u.call->getRParenLoc(), ")");
        good =
            good && end.isFileID() && !rewriter(u.context).InsertTextBefore(end, plan);
    }

    Chooser &c;
    std::set<std::pair<const ASTContext *, unsigned>> seen;
    std::map<const ASTContext *, Rewriter> rewriters;
    bool good = true;
};

void say(const Fate &f, FILE *out)
{
    fprintf(out, "%s: ", f.file->name.c_str());
    if (f.partitioned && f.written) {
        speak_of_communicator(f.file->opening->comm);
        fputs("partitioned", out);
        for (const Pattern &p : f.plan.patterns)
            fprintf(out, "%s %s, line %u of %s, %s",
                    &p == &f.plan.patterns[0] ? ":" : "; or", p.of->relation.c_str(),
                    p.of->site->where.line, p.of->site->where.file.c_str(),
                    descriptor_text(*p.of).c_str());
        fputs("\n", out);
    } else if (f.partitioned) {
        fputs("read by libldad, as it may be partitioned\n", out);
    } else {
        fprintf(out, "stays as it is: %s",
                f.why.empty() ? "the program writes nothing to it" : f.why.c_str());
        if (f.where.line)
            fprintf(out, " (%s:%u)", f.where.file.c_str(), f.where.line);
        fputs("\n", out);
    }
}

bool write_file(const char *path, const std::string &text)
{
    struct outfile out;
    int rc = outfile_open(&out, path, OUTFILE_STREAM);
    if (!rc)
        fwrite(text.data(), 1, text.size(), out.file); // outfile_close checks it
    return !outfile_close(&out, rc);
}

} // namespace

rewrite_result rewrite_program(const analyse_request *r, const rewrite_request *w)
{
    Analysis a;
    if (a.make(r))
        return REWRITE_BROKEN;
    if (!a.program->beyond_c.empty()) {
        err_usage("%s where a program is rewritten", a.program->beyond_c.c_str());
        return REWRITE_BROKEN;
    }
    report_decide(&a.report, *r);
    Chooser c(a, w->all);
    Edits edits(c);
    bool made = c.any() && edits.make();
    for (const Fate &f : c.fates)
        if (w->said)
            say(f, w->said);
    for (const std::string &text : assumed_texts())
        if (w->said)
            fprintf(w->said, "assumed: %s\n", text.c_str());
    if (!made)
        return REWRITE_NOTHING;
    for (int i = 0; i < r->files; i++) {
        std::string text = edits.text(i);
        if (w->said && !w->out && text != edits.old_text(i))
            put_difference(r->file[i], edits.old_text(i), text, w->said);
        if (!w->out)
            continue;
        if (w->lines)
            text = "#line 1 \"" + std::string(r->file[i]) + "\"\n" + text;
        if (!write_file(w->out[i], text))
            return REWRITE_UNWRITTEN;
    }
    return REWRITE_GOOD;
}
