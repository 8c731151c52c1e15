// Prints the control flow of each file's calls for Graphviz.
#include "ldadc/report/dot.h"
#include "ldadc/report/flow.h"
#include <algorithm>
#include <cstring>

extern "C" {
#include "base/err.h"
}

namespace ldadc
{

namespace
{

std::string short_text(const std::string &s, size_t most)
{
    return s.size() <= most ? s : s.substr(0, most - 3) + "...";
}

class Drawing
{
  public:
    Drawing(const Found &in, const Report &r, FILE *out)
        : in(in), files(logical_files(in, r)), described(by_site(r)), out(out)
    {
    }

    void put()
    {
        fputs("digraph calls {\n  compound=true;\n"
              "  node [fontname=\"sans-serif\", fontsize=10];\n"
              "  edge [fontname=\"sans-serif\", fontsize=9];\n"
              "  graph [fontname=\"sans-serif\", fontsize=11, nodesep=0.4];\n",
              out);
        for (size_t n = 0; n < files.size(); n++)
            put_file(n);
        put_perhaps();
        fputs("}\n", out);
    }

  private:
    // Names a node. A call can belong to several files, if its file is not known.
    std::string name(int node) const
    {
        return "f" + std::to_string(file) + "_" + std::to_string(node);
    }

    std::string title(const Logical &l) const
    {
        const File &f = *l.files[0];
        std::string text = "file " + f.name;
        if (!f.opening)
            return text + ", which is not known";
        text += f.opening->foreign ? ", opened elsewhere" : ": " + f.opening->path;
        std::string lines;
        int opens = 0;
        for (int n : l.sites)
            if (in.sites[n].call.name == "MPI_File_open") {
                lines += (opens++ ? ", " : "") + std::to_string(in.sites[n].where.line);
            }
        return opens ? text + "\n" +
                           dot_broken("opened in line" +
                                          std::string(opens > 1 ? "s " : " ") + lines,
                                      60)
                     : text;
    }

    void put_file(size_t n)
    {
        const Logical &l = files[n];
        Ways ways(in.flow, l.sites);
        file = n;
        fprintf(out, "  subgraph cluster_%zu {\n    label=%s;\n", n,
                dot_quoted(title(l)).c_str());
        std::vector<int> sites(l.sites.begin(), l.sites.end());
        put_nodes(sites, 0, sites.size(), 0, ways);
        std::set<int> ends;
        for (int from : {(int)FlowNode::START, (int)FlowNode::CALLERS})
            put_ways(from, ways, &ends);
        for (int site : sites)
            put_ways(ways.node_of(site), ways, &ends);
        for (int end : ends)
            put_end(end);
        fputs("  }\n", out);
    }

    // Prints the nodes. Calls of a loop are neighbours, in a box.
    void put_nodes(const std::vector<int> &sites, size_t from, size_t to, size_t depth,
                   const Ways &ways)
    {
        for (size_t i = from, end; i < to; i = end) {
            const std::vector<Loop> &loops = in.sites[sites[i]].loops;
            end = i + 1;
            if (loops.size() <= depth) {
                put_call(sites[i], ways.node_of(sites[i]));
                continue;
            }
            const Loop &l = loops[depth];
            while (end < to && in.sites[sites[end]].loops.size() > depth &&
                   in.sites[sites[end]].loops[depth].k == l.k)
                end++;
            std::string label =
                "loop in line " + std::to_string(l.where.line) +
                (l.variable.empty() ? "" : " over " + l.variable) + ": " +
                (l.counted ? l.count.text() + " times" : "it is not known how often");
            fprintf(out,
                    "    subgraph cluster_loop_%d {\n    style=rounded; color=gray50; "
                    "label=%s;\n",
                    clusters++,
                    dot_quoted(dot_broken(short_text(label, 120), 50)).c_str());
            put_nodes(sites, i, end, depth + 1, ways);
            fputs("    }\n", out);
        }
    }

    std::string bytes(const Site &s) const
    {
        auto at = described.find(&s);
        if (at == described.end())
            return "";
        const Description &d = *at->second[0];
        const Opening *o = s.opening >= 0 ? &in.openings[s.opening] : nullptr;
        speak_of_communicator(o ? o->comm : -1);
        std::string text = d.resolved ? descriptor_text(d) : "unresolved: " + d.reason;
        text = dot_broken(short_text(text, 160), 40);
        if (d.parts > 1)
            text += "\nand " + std::to_string(d.parts - 1) + " more parts";
        return "\n" + text;
    }

    void put_call(int site, int node) const
    {
        const Site &s = in.sites[site];
        const char *prefix = "MPI_File_";
        std::string call = s.call.name;
        if (!call.compare(0, strlen(prefix), prefix))
            call = call.substr(strlen(prefix));
        std::string label =
            call + ", " + name_in(s.where.file) + ":" + std::to_string(s.where.line);
        for (size_t i = s.via.size(); i-- > 0;)
            label += "\ncalled in line " + std::to_string(s.via[i].where.line);
        for (const Condition &c : s.conditions)
            label += "\n" + dot_broken("where " + short_text(c.text, 80) + " (line " +
                                           std::to_string(c.where.line) + ")",
                                       40);
        std::string moved = bytes(s);
        label += moved;
        bool known = s.opening >= 0 && moved.compare(0, 12, "\nunresolved:");
        fprintf(out, "    %s [shape=%s, style=\"%s%s\", label=%s];\n",
                name(node).c_str(), s.call.moves ? "box" : "plaintext",
                s.call.moves && !s.call.write ? "rounded" : "solid",
                s.call.moves && !known ? ",dashed" : "", dot_quoted(label).c_str());
    }

    void put_ways(int node, const Ways &ways, std::set<int> *ends) const
    {
        for (const Way &w : ways.from(node)) {
            bool outside[2] = {node <= FlowNode::CALLERS, w.to <= FlowNode::CALLERS};
            if (outside[0] && outside[1])
                continue; // neither call is made
            std::string label;
            if (w.back == FlowNode::CALLERS || node == FlowNode::CALLERS)
                label = "";
            else if (w.back >= 0 && in.flow.nodes[w.back].kind == FlowNode::LOOP)
                label = "next iteration, line " +
                        std::to_string(in.flow.nodes[w.back].where.line);
            else if (w.back >= 0)
                label = "jumps";
            bool back = w.back >= 0 && w.back != FlowNode::CALLERS;
            fprintf(out, "    %s -> %s [%slabel=%s];\n", name(node).c_str(),
                    name(w.to).c_str(), back ? "style=dashed, " : "",
                    dot_quoted(label).c_str());
            for (int side = 0; side < 2; side++)
                if (outside[side])
                    ends->insert(side ? w.to : node);
        }
    }

    void put_end(int node) const
    {
        static const char *const what[] = {"start", "end", "callers, who are not seen"};
        fprintf(out, "    %s [shape=ellipse, fontsize=9, label=\"%s\"];\n",
                name(node).c_str(), what[node]);
    }

    // Links files that may be the same one.
    void put_perhaps() const
    {
        for (size_t a = 0; a < files.size(); a++)
            for (size_t b = a + 1; b < files.size(); b++)
                if (sameness(*files[a].files[0], *files[b].files[0]) == PERHAPS)
                    fprintf(out,
                            "  f%zu_%d -> f%zu_%d [dir=none, style=dotted, "
                            "ltail=cluster_%zu, lhead=cluster_%zu, "
                            "label=\"may be the same file\"];\n",
                            a, middle(a), b, middle(b), a, b);
    }

    int middle(size_t n) const
    {
        Ways ways(in.flow, files[n].sites);
        return ways.node_of(*files[n].sites.begin());
    }

    const Found &in;
    std::vector<Logical> files;
    const Described described;
    FILE *out;
    size_t file = 0;
    int clusters = 0;
};

} // namespace

bool report_graph(const Found &in, const Report &r, FILE *out)
{
    if (in.tired)
        return err_usage("--graph: the program has too many paths to follow, and not "
                         "all of its calls may be known") == 0;
    Drawing(in, r, out).put();
    return true;
}

} // namespace ldadc
