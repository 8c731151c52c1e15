#include "ldadc/report/agree.h"
#include "ldadc/describe/shell.h"
#include "ldadc/report/dot.h"
#include "ldadc/report/flow.h"
#include <algorithm>
#include <cstring>

namespace ldadc
{

namespace
{

enum Verdict { AGREES, DIFFERS, NOTHING, OVERWRITTEN, NOT_COMPARED };

const char *const verdict_text[] = {"agrees", "differs", "has nothing in common",
                                    "overwritten before", "not compared"};

struct Pair {
    const File *in[2]; // file of the write, and of the read
    const Description *write, *read;
    Verdict verdict = NOT_COMPARED;
    std::string why;
    std::vector<Way> way;
};

class Pairs
{
  public:
    Pairs(const Found &in, const Report &r, const Numbers &with, FILE *out)
        : in(in), with(with), files(logical_files(in, r)), described(by_site(r)),
          out(out)
    {
    }

    void put()
    {
        for (const Logical &l : files)
            for (const Logical &other : files)
                if (&l == &other || sameness(*l.files[0], *other.files[0]) == PERHAPS)
                    compare(l, other);
        fprintf(out,
                "%d pairs of a write and a later read: %d agree, %d differ, %d have "
                "nothing in common, %d are overwritten before, %d are not compared\n",
                count[0] + count[1] + count[2] + count[3] + count[4], count[AGREES],
                count[DIFFERS], count[NOTHING], count[OVERWRITTEN],
                count[NOT_COMPARED]);
    }

  private:
    void compare(const Logical &writes, const Logical &reads)
    {
        std::set<int> sites = writes.sites;
        sites.insert(reads.sites.begin(), reads.sites.end());
        Ways ways(in.flow, sites);
        bool titled = false;
        for (const File *w : writes.files)
            for (const File *r : reads.files)
                for (const Description &write : w->calls)
                    for (const Description &read : r->calls) {
                        Pair p = {{w, r}, &write, &read, NOT_COMPARED, "", {}};
                        if (!write.site->call.write || read.site->call.write ||
                            write.part || read.part ||
                            !follows(ways, writes, reads, &p))
                            continue;
                        if (!titled)
                            put_title(writes, reads);
                        titled = true;
                        put_pair(p);
                    }
    }

    // Returns the number of its site; -1: it has none.
    int number(const Description &d) const
    {
        bool has =
            d.site >= in.sites.data() && d.site < in.sites.data() + in.sites.size();
        return has ? d.site - in.sites.data() : -1;
    }

    // ---- ways -------------------------------------------------------

    // Finds writes that overwrite all of this write's bytes, once they are passed.
    std::set<int> covers(const Ways &ways, const Logical &l, const Description &d) const
    {
        std::set<int> out;
        for (const File *f : l.files)
            for (const Description &c : f->calls)
                if (c.site != d.site && c.site->call.write && c.resolved &&
                    d.resolved && c.parts == 1 && d.parts == 1 &&
                    c.site->loops.empty() && c.site->opening >= 0 &&
                    d.site->opening >= 0 &&
                    in.openings[c.site->opening].comm ==
                        in.openings[d.site->opening].comm &&
                    same_bytes(c, d))
                    out.insert(ways.node_of(number(c)));
        return out;
    }

    // Finds other writes; with `share`, only those that may write bytes of the read.
    std::set<int> replaced_by(const Ways &ways, const Logical &writes,
                              const Logical &reads, const Pair &p, bool share) const
    {
        std::set<int> out;
        for (const Logical *l : {&writes, &reads})
            for (const File *f : l->files)
                for (const Description &c : f->calls)
                    if (c.site != p.write->site && c.site->call.write &&
                        (!share || may_share(*f, c, *p.in[1], *p.read)))
                        out.insert(ways.node_of(number(c)));
        return out;
    }

    bool may_share(const File &f, const Description &write, const File &g,
                   const Description &read) const
    {
        if (!write.resolved || !read.resolved || write.parts > 1 || read.parts > 1 ||
            f.opening->comm != g.opening->comm || f.opening->apart)
            return true;
        Edge e = weigh({write, read}, 0, 1, f.opening->comm, with);
        return e.weights.empty() ||
               std::any_of(e.weights.begin(), e.weights.end(),
                           [](const Weight &w) { return w.bytes > 0 || w.sampled; });
    }

    static bool by_rank(const Condition &c)
    {
        if (c.kind == Condition::OTHER)
            return !c.uniform;
        return c.p.has([](int id) {
            return atom(id).kind == Atom::RANK || atom(id).kind == Atom::BEFORE;
        });
    }

    // Returns a condition by which some ranks write and others read.
    static const Condition *parting(const Description &a, const Description &b)
    {
        for (const Condition &c : a.site->conditions)
            for (const Condition &e : b.site->conditions)
                if (c.id == e.id && c.opposite != e.opposite && by_rank(c))
                    return &c;
        return nullptr;
    }

    // True if the read can follow the write; fills in the pair.
    bool follows(const Ways &ways, const Logical &writes, const Logical &reads,
                 Pair *p) const
    {
        int from = ways.node_of(number(*p->write)), to = ways.node_of(number(*p->read));
        if (from < 0 || to < 0)
            return false;
        std::set<int> others = replaced_by(ways, writes, reads, *p, false);
        p->way = ways.path(from, to, others);
        if (p->way.empty() && !others.empty())
            p->way = ways.path(from, to, replaced_by(ways, writes, reads, *p, true));
        if (!p->way.empty()) {
            judge(p);
            return true;
        }
        p->way = ways.path(from, to, covers(ways, writes, *p->write));
        if (!p->way.empty()) {
            judge(p);
            if (p->verdict == AGREES || p->verdict == DIFFERS) {
                p->verdict = NOT_COMPARED;
                p->why = "what is written on the way may be read in its place";
            }
            return true;
        }
        p->way = ways.path(from, to, {});
        if (!p->way.empty()) {
            p->verdict = OVERWRITTEN;
            return true;
        }
        const Condition *c = parting(*p->write, *p->read);
        if (c)
            p->why = "some ranks write and others read (line " +
                     std::to_string(c->where.line) +
                     "); their messages decide what comes first";
        return c != nullptr;
    }

    // ---- the bytes --------------------------------------------------

    void judge(Pair *p) const
    {
        const Description &w = *p->write, &r = *p->read;
        for (const Description *d : {&w, &r})
            if (!d->resolved) {
                p->why = std::string("the ") + (d == &w ? "write" : "read") +
                         " is unresolved: " + d->reason;
                return;
            }
        const Opening &a = *p->in[0]->opening, &b = *p->in[1]->opening;
        if (a.comm != b.comm || a.apart) {
            p->why = a.comm != b.comm ? "other ranks have the file open for the read"
                                      : "each part of the ranks has the file open for "
                                        "itself";
            return;
        }
        if (all_the_same(w, r) && (w.one_rank || ranks_apart(w))) {
            p->verdict = AGREES;
            p->why =
                w.one_rank ? "it reads what it wrote" : "each rank reads what it wrote";
        } else if (w.parts > 1 || r.parts > 1) {
            p->why = "it is in pieces that follow no rule";
        } else {
            by_bytes(weigh({w, r}, 0, 1, a.comm, with), p);
        }
    }

    bool all_the_same(const Description &w, const Description &r) const
    {
        const std::vector<const Description *> &a = described.at(w.site),
                                               &b = described.at(r.site);
        if (a.size() != b.size())
            return false;
        for (size_t i = 0; i < a.size(); i++)
            if (!same_bytes(*a[i], *b[i]) || (a.size() > 1 && !ranks_apart(*a[i])))
                return false;
        return true;
    }

    static void by_bytes(const Edge &e, Pair *p)
    {
        std::string names;
        for (const std::string &name : e.missing)
            names += " " + set_option(name);
        if (e.weights.empty()) {
            p->why = names.empty() ? "its bytes cannot be counted"
                                   : "to count its bytes:" + names;
            return;
        }
        bool own = true, any = false;
        std::string counted;
        for (const Weight &w : e.weights) {
            counted += (counted.empty() ? "with " : ", ") + std::to_string(w.nprocs);
            char text[120];
            snprintf(text, sizeof text,
                     "with %lld processes %.0f bytes of it are read, %.1f %% by the "
                     "rank that wrote them",
                     (long long)w.nprocs, w.bytes,
                     w.bytes > 0 ? 100 * w.own / w.bytes : 0.0);
            if (w.bytes > 0)
                p->why += (p->why.empty() ? "" : "; ") + std::string(text);
            any = any || w.bytes > 0;
            own = own && w.own == w.bytes;
            if (w.sampled)
                p->why += " (as " + std::to_string(w.sampled) + " ranks show)";
        }
        if (!any)
            p->why = counted + " processes";
        p->verdict = !any ? NOTHING : own ? AGREES : DIFFERS;
    }

    // ---- texts ------------------------------------------------------

    void put_title(const Logical &writes, const Logical &reads) const
    {
        const File &f = *writes.files[0], &g = *reads.files[0];
        fprintf(out, "file %s%s%s%s\n", f.name.c_str(),
                f.opening && !f.opening->path.empty() ? (": " + f.opening->path).c_str()
                                                      : "",
                &f == &g ? "" : ", if it is the same file as ",
                &f == &g ? "" : g.name.c_str());
    }

    static std::string place(const Site &s, const Site &beside)
    {
        std::string line = std::to_string(s.where.line);
        return s.where.file == beside.where.file ? line
                                                 : name_in(s.where.file) + ":" + line;
    }

    std::string way_text(const Pair &p) const
    {
        std::string text = std::to_string(p.write->site->where.line);
        for (const Way &w : p.way) {
            const FlowNode &to = in.flow.nodes[w.to];
            if (w.back >= 0 && in.flow.nodes[w.back].kind == FlowNode::LOOP)
                text += ", next iteration of the loop in line " +
                        std::to_string(in.flow.nodes[w.back].where.line);
            else if (w.back >= 0 && in.flow.nodes[w.back].kind == FlowNode::JUMPS)
                text += ", a jump";
            if (to.kind == FlowNode::CALLERS) {
                text += ", callers, who are not seen";
                continue;
            }
            const Site &s = in.sites[to.site];
            text += ", " + place(s, *p.write->site);
            if (!s.call.moves || to.site != number(*p.read))
                text += " (" + s.call.name.substr(strlen("MPI_File_")) + ")";
        }
        return text;
    }

    void put_pair(const Pair &p)
    {
        const Site &w = *p.write->site, &r = *p.read->site;
        count[p.verdict]++;
        fprintf(out, "  line %u, %s, and line %s, %s: %s", w.where.line,
                w.call.name.c_str(), place(r, w).c_str(), r.call.name.c_str(),
                verdict_text[p.verdict]);
        fprintf(out, "%s%s\n", p.why.empty() ? "" : ": ", p.why.c_str());
        if (!p.way.empty())
            fprintf(out, "    by lines %s\n", way_text(p).c_str());
    }

    const Found &in;
    const Numbers &with;
    std::vector<Logical> files;
    const Described described;
    FILE *out;
    int count[5] = {0, 0, 0, 0, 0};
};

} // namespace

void report_pairs(const Found &in, const Report &r, const Numbers &with, FILE *out)
{
    fputs("Of what is written, what is read later:\n", out);
    Pairs(in, r, with, out).put();
}

} // namespace ldadc
