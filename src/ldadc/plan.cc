// Prints a file's plan: proven from the source, or else taken from a run, unproven.
#include "ldadc/plan.h"
#include "ldadc/report/analysis.h"
#include "ldadc/report/template.h"
#include "ldadc/report/trace.h"
#include "llvm/Support/JSON.h"

using namespace ldadc;

namespace
{

std::string text_in(const llvm::json::Object &o, const char *key)
{
    auto v = o.getString(key);
    return v ? v->str() : "";
}

int64_t number_in(const llvm::json::Object &o, const char *key, int64_t other = 0)
{
    auto v = o.getInteger(key);
    return v ? *v : other;
}

class Planner
{
  public:
    Planner(const analyse_request *r, const plan_request *p, std::string *why)
        : r(r), p(p), why(*why)
    {
    }

    bool run(const Analysis &a)
    {
        for (int i = 0; i < r->sets; i++)
            bind_named(&b.value, r->set[i].name, r->set[i].value);
        const File *f = choose(a);
        Template t = f ? template_of(*a.found, *f) : Template();
        if (f && !t.patterns.empty())
            return proven(*f, t);
        if (f && p->trace && t.unknown)
            return from_run(*f, t);
        if (f)
            why = "there is no plan for " + f->name + ": " + t.why + place(t.where);
        return false;
    }

  private:
    static std::string place(const Place &at)
    {
        return at.line ? " (" + at.file + ":" + std::to_string(at.line) + ")" : "";
    }

    static bool writes(const File &f)
    {
        for (const Description &d : f.calls)
            if (d.site->call.write)
                return true;
        return false;
    }

    // Chooses the named file, or the only one that is written.
    const File *choose(const Analysis &a)
    {
        const File *one = nullptr;
        std::string names;
        for (const File &f : a.report.files) {
            std::string path = f.opening ? f.opening->path : "";
            if (p->file ? f.name != p->file && path != p->file : !writes(f))
                continue;
            names += (names.empty() ? "" : ", ") + f.name;
            if (one) {
                why = "several files are written (" + names +
                      ", ...): name one with "
                      "--file";
                return nullptr;
            }
            one = &f;
        }
        if (!one)
            why = p->file ? "the program has no file " + std::string(p->file)
                          : "the program writes no file with MPI-IO";
        return one;
    }

    bool proven(const File &f, const Template &t)
    {
        std::string lines;
        b.comm = f.opening->comm;
        for (int i = 0; i < r->nps; i++) {
            b.nprocs = r->np[i];
            std::string line = plan_text(t, b, &why);
            if (line.empty())
                return false;
            lines += line + "\n";
        }
        const Description &d = *t.patterns[0].of;
        fprintf(p->out, "# %s, written in line %u of %s\n%s", f.name.c_str(),
                d.site->where.line, d.site->where.file.c_str(), lines.c_str());
        return true;
    }

    // Takes the pattern that iotrace finds in the run, if it is regular and the same
    // for all ranks.
    bool from_run(const File &f, const Template &t)
    {
        std::string text;
        if (!trace_patterns(p->iotrace, p->trace, &text)) {
            why = "the trace cannot be read with " + std::string(p->iotrace);
            return false;
        }
        auto all = llvm::json::parse(text);
        if (!all) {
            llvm::consumeError(all.takeError());
            why = std::string(p->iotrace) + " does not write the JSON that is expected";
            return false;
        }
        std::string line = observed(f, *all);
        if (line.empty() || !plan_sound(line, &why))
            return false;
        fprintf(p->out, "# %s: unproven, from %s (in the source: %s%s)\n%s\n",
                f.name.c_str(), p->trace, t.why.c_str(), place(t.where).c_str(),
                line.c_str());
        return true;
    }

    std::string observed(const File &f, const llvm::json::Value &all)
    {
        const llvm::json::Object *found = nullptr, *o = all.getAsObject();
        const llvm::json::Array *files = o ? o->getArray("files") : nullptr;
        for (size_t i = 0; files && i < files->size(); i++) {
            const llvm::json::Object *one = (*files)[i].getAsObject();
            std::string name = text_in(*one, "name");
            if (text_in(*one, "direction") != "write" || !name.compare(0, 5, "/dev/") ||
                !name.compare(0, 6, "/proc/") || !names_path(f, name))
                continue;
            if (!found || number_in(*one, "bytes") > number_in(*found, "bytes"))
                found = one;
        }
        if (!found)
            why = "the run wrote no file that this could be";
        return found ? of_ranks(*found) : "";
    }

    std::string of_ranks(const llvm::json::Object &file)
    {
        const llvm::json::Array *all = file.getArray("processes");
        std::map<int64_t, std::pair<int64_t, std::string>> ranks;
        why = "what the ranks of the run wrote is no pattern that differs from rank to "
              "rank by where it begins";
        for (size_t i = 0; all && i < all->size(); i++) {
            const llvm::json::Object *one = (*all)[i].getAsObject();
            const llvm::json::Array *found = one->getArray("descriptors");
            if (!found || found->size() != 1 ||
                number_in(*one, "explained_bytes") != number_in(*one, "bytes"))
                return "";
            const llvm::json::Object *d = (*found)[0].getAsObject();
            std::string text = text_in(*d, "text");
            size_t bracket = text.find('[');
            if (bracket == std::string::npos)
                return "";
            ranks[number_in(*one, "rank", -1)] = {number_in(*d, "start"),
                                                  text.substr(bracket)};
        }
        int64_t n = ranks.size();
        if (!n || ranks.begin()->first != 0 || ranks.rbegin()->first != n - 1)
            return "";
        int64_t first = ranks[0].first, step = n > 1 ? ranks[1].first - first : 0;
        for (auto &[r, d] : ranks)
            if (d.first != first + r * step || d.second != ranks[0].second)
                return "";
        why.clear();
        return "ranks=" + std::to_string(n) + " step=" + std::to_string(step) +
               " start=" + std::to_string(first) + " " + ranks[0].second;
    }

    const analyse_request *r;
    const plan_request *p;
    std::string &why;
    Binding b;
};

} // namespace

plan_result plan_program(const analyse_request *r, const plan_request *p, char *why,
                         int room)
{
    Analysis a;
    std::string text;
    if (a.make(r))
        return PLAN_BROKEN;
    bool good = Planner(r, p, &text).run(a);
    snprintf(why, room, "%s", text.c_str());
    return good ? PLAN_GOOD : PLAN_NONE;
}
