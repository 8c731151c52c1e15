#include "ldadc/report/trace.h"
#include "ldadc/describe/shell.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace ldadc
{

void Tally::add(int64_t offset, int64_t n)
{
    uint64_t x = (uint64_t)offset * 0x9e3779b97f4a7c15u ^ (uint64_t)n;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    mark += x ^ x >> 31;
    bytes += n;
    calls++;
}

void Tally::add(const Tally &t)
{
    calls += t.calls;
    bytes += t.bytes;
    mark += t.mark;
}

// Splits a line of CSV into fields; quotes are doubled within quotes.
static std::vector<std::string> trace_split(const std::string &line)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (size_t i = 0; i < line.size(); i++)
        if (line[i] == '"') {
            if (quoted && line[i + 1] == '"')
                out.back() += line[++i];
            else
                quoted = !quoted;
        } else if (line[i] == ',' && !quoted)
            out.emplace_back();
        else
            out.back() += line[i];
    return out;
}

namespace
{
struct Columns {
    int rank = -1, operation = -1, kind = -1, file = -1, offset = -1, request = -1;
    size_t n = 0;
    bool find(const std::vector<std::string> &head)
    {
        const std::map<std::string, int *> names = {
            {"rank", &rank}, {"operation", &operation}, {"class", &kind},
            {"file", &file}, {"offset", &offset},       {"request", &request}};
        size_t found = 0;
        for (size_t i = 0; i < head.size(); i++) {
            auto at = names.find(head[i]);
            if (at == names.end())
                continue;
            *at->second = (int)i;
            found++;
        }
        n = head.size();
        return found == names.size();
    }
};
} // namespace

static void trace_take(const Columns &c, const std::vector<std::string> &f, Trace *out)
{
    const std::string &name = f[c.operation];
    bool moves = f[c.kind] == "read" || f[c.kind] == "write";
    int64_t rank = atoll(f[c.rank].c_str());
    out->ranks = std::max(out->ranks, rank + 1);
    bool ends = name.size() > 4 && !name.compare(name.size() - 4, 4, "_end");
    if (name.compare(0, 9, "MPI_File_") || ends || rank < 0)
        return;
    int64_t offset = atoll(f[c.offset].c_str()), bytes = atoll(f[c.request].c_str());
    auto &file = out->files[f[c.file]];
    if (moves && bytes > 0 && offset < 0)
        file[{rank, name}].unplaced++;
    else if (moves && bytes > 0)
        file[{rank, name}].add(offset, bytes);
}

bool trace_read(const std::string &iotrace, const std::string &run, Trace *out)
{
    std::string command = shell_word(iotrace) + " export --csv=- " + shell_word(run),
                line;
    FILE *in = popen(command.c_str(), "r");
    Columns c;
    bool head = true, good = in;
    for (int ch = 0; good && ch != EOF;) {
        ch = getc(in);
        if (ch != '\n' && ch != EOF) {
            line += (char)ch;
            continue;
        }
        std::vector<std::string> fields = trace_split(line);
        line.clear();
        if (head)
            good = c.find(fields);
        else if (fields.size() == c.n)
            trace_take(c, fields, out);
        head = false;
    }
    return in && !pclose(in) && good;
}

bool trace_patterns(const std::string &iotrace, const std::string &run,
                    std::string *out)
{
    std::string command = shell_word(iotrace) + " ldad --json=- " + shell_word(run);
    FILE *in = popen(command.c_str(), "r");
    char block[4096];
    for (size_t n; in && (n = fread(block, 1, sizeof block, in)) > 0;)
        out->append(block, n);
    return in && !pclose(in);
}

} // namespace ldadc
