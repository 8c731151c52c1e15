// Prints the graph of each file's writes and reads for Graphviz: bytes read from each
// write, and how many of them by the writer.
#include "ldadc/report/dot.h"
#include "ldadc/report/report.h"

namespace ldadc
{

std::string dot_quoted(const std::string &s)
{
    std::string out = "\"";
    for (char c : s)
        if (c == '\n')
            out += "\\n";
        else
            out += std::string(c == '"' || c == '\\' ? "\\" : "") + c;
    return out + "\"";
}

std::string dot_broken(const std::string &s, size_t width)
{
    std::string out, line;
    for (size_t i = 0; i <= s.size(); i++) {
        if (i < s.size() && s[i] != ' ') {
            line += s[i];
            continue;
        }
        size_t begin = out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1;
        if (!out.empty())
            out += out.size() - begin + line.size() >= width ? '\n' : ' ';
        out += line;
        line.clear();
    }
    return out;
}

std::string name_in(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

static std::string bytes_text(double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int n = 0;
    for (; bytes >= 1000 && n < 5; n++)
        bytes /= 1000;
    char out[40];
    snprintf(out, sizeof out, "%.4g %s", bytes, unit[n]);
    return out;
}

static void put_node(const Description &d, const std::string &name, bool heaviest,
                     FILE *out)
{
    std::string label = std::string(d.site->call.write ? "write" : "read") + ", " +
                        name_in(d.site->where.file) + ":" +
                        std::to_string(d.site->where.line);
    for (const Loop &l : d.site->loops)
        label +=
            "\n" + dot_broken("loop in line " + std::to_string(l.where.line) + ": " +
                                  (l.counted ? l.count.text() + " times"
                                             : "nobody knows how often"),
                              40);
    if (d.resolved)
        label += "\n" + dot_broken(descriptor_text(d), 40);
    label += "\n" + d.relation;
    fprintf(out, "    %s [shape=%s%s, label=%s];\n", name.c_str(),
            d.site->call.write ? "box" : "box, style=rounded",
            heaviest ? ", penwidth=3" : "", dot_quoted(label).c_str());
}

static void put_edge(const Edge &e, const std::string &file, FILE *out)
{
    std::string label;
    for (const Weight &w : e.weights) {
        char share[40];
        snprintf(share, sizeof share, ", %.1f %% own",
                 w.bytes > 0 ? 100 * w.own / w.bytes : 0.0);
        label += (label.empty() ? "" : "\n") + std::to_string(w.nprocs) +
                 " processes: " + bytes_text(w.bytes) + share;
    }
    fprintf(out, "    %s_%d -> %s_%d [label=%s];\n", file.c_str(), e.write,
            file.c_str(), e.read, dot_quoted(label).c_str());
}

// Prints the order of calls, except that of a write before its read.
static void put_order(const File &f, const std::string &file, FILE *out)
{
    for (const Edge &e : f.edges)
        if (f.category == 'b')
            fprintf(out,
                    "    %s_%d -> %s_%d [style=dashed, label=\"next iteration\"];\n",
                    file.c_str(), e.read, file.c_str(), e.write);
    for (size_t i = 0; f.category == 'c' && i + 1 < f.calls.size(); i++)
        if (!f.calls[i].site->call.write && f.calls[i + 1].site->call.write)
            fprintf(out, "    %s_%zu -> %s_%zu [style=dashed, label=\"then\"];\n",
                    file.c_str(), i, file.c_str(), i + 1);
}

static std::string title_of(const File &f)
{
    static const std::map<char, std::string> about = {
        {'a', "written first, then read"},
        {'b', "written and read in turns"},
        {'c', "read first, then written"}};
    std::string out = "file " + f.name;
    if (f.opening && !f.opening->path.empty())
        out += ": " + f.opening->path;
    auto at = about.find(f.category);
    if (at != about.end())
        out += std::string("\n(") + f.category + ") " + at->second;
    if (!f.decision.answer.empty())
        out += "\n" + dot_broken(f.decision.answer + ": " + f.decision.because, 70);
    return out;
}

void report_dot(const Report &r, FILE *out)
{
    fputs(
        "digraph io {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=10];\n"
        "  edge [fontname=\"sans-serif\", fontsize=9];\n"
        "  graph [fontname=\"sans-serif\", fontsize=11, nodesep=0.5, ranksep=0.9];\n",
        out);
    int number = 0;
    for (const File &f : r.files) {
        std::string name = "f" + std::to_string(number);
        speak_of_communicator(f.opening ? f.opening->comm : -1);
        fprintf(out, "  subgraph cluster_%d {\n    label=%s;\n", number++,
                dot_quoted(title_of(f)).c_str());
        for (size_t i = 0; i < f.calls.size(); i++)
            put_node(f.calls[i], name + "_" + std::to_string(i),
                     (int)i == f.decision.template_call, out);
        for (const Edge &e : f.edges)
            put_edge(e, name, out);
        put_order(f, name, out);
        fputs("  }\n", out);
    }
    fputs("}\n", out);
}

} // namespace ldadc
