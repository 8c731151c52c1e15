// Prints the report as JSON.
#include "ldadc/report/report.h"
#include <algorithm>

extern "C" {
#include "base/format/json.h"
}

namespace ldadc
{

static void put_string(json *j, const char *key, const std::string &s)
{
    json_text(j, key, s.c_str());
}

static void report_json_place(json *j, const Place &p)
{
    put_string(j, "source", p.file);
    json_int(j, "line", p.line);
}

static void report_json_put_descriptor(json *j, const Description &d)
{
    json_object(j, "descriptor");
    put_string(j, "start", d.start.text());
    put_string(j, "size", d.size.text());
    json_array(j, "levels");
    for (const Level &l : d.levels) {
        json_object_flat(j, nullptr);
        put_string(j, "span", product_text(l.stride, l.count));
        put_string(j, "stride", l.stride.text());
        put_string(j, "count", l.count.text());
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
    if (d.clipped)
        put_string(j, "clip", d.clip.text());
}

static void put_loops(json *j, const Site &s)
{
    json_array(j, "loops");
    for (const Loop &l : s.loops) {
        json_object_flat(j, nullptr);
        json_int(j, "line", l.where.line);
        put_string(j, "variable", l.variable);
        if (l.counted)
            put_string(j, "count", l.count.text());
        else
            json_null(j, "count");
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_way(json *j, const Description &d)
{
    const Site &s = *d.site;
    json_array(j, "via");
    for (const Step &v : s.via) {
        json_object_flat(j, nullptr);
        report_json_place(j, v.where);
        put_string(j, "function", v.function);
        json_end_object(j);
    }
    json_end_array(j);
    put_loops(j, s);
    json_array(j, "conditions");
    for (const Condition &c : s.conditions)
        put_string(j, nullptr, c.text);
    json_end_array(j);
    if (d.ranks.empty())
        json_null(j, "ranks");
    else
        put_string(j, "ranks", d.ranks);
    if (d.ranks_of_all)
        put_string(j, "ranks_of", "MPI_COMM_WORLD");
}

static void put_variables(json *j, const char *key, const std::vector<Ingredient> &all)
{
    json_array(j, key);
    for (const Ingredient &one : all) {
        json_object_flat(j, nullptr);
        put_string(j, "name", one.name);
        put_string(j, "class", one.value_class);
        if (!one.origin.empty()) {
            put_string(j, "origin", one.origin);
            json_int(j, "origin_line", one.where.line);
        }
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_warnings(json *j, const Description &d)
{
    json_array(j, "warnings");
    for (const Warning &w : d.warnings) {
        json_object(j, nullptr);
        json_int(j, "line", w.line);
        put_string(j, "text", w.text);
        if (w.from_nprocs)
            json_int(j, "from_nprocs", w.from_nprocs);
        json_end_object(j);
    }
    json_end_array(j);
}

static void report_json_put_call(json *j, const Description &d)
{
    const Site &s = *d.site;
    json_object(j, nullptr);
    report_json_place(j, s.where);
    json_int(j, "column", s.where.column);
    put_string(j, "function", s.function);
    put_string(j, "call", s.call.name);
    json_text(j, "op", s.call.write ? "write" : "read");
    json_bool(j, "collective", s.call.collective);
    json_bool(j, "nonblocking", s.call.nonblocking);
    put_way(j, d);
    put_variables(j, "variables", s.variables);
    put_string(j, "class", d.relation);
    json_bool(j, "resolved", d.resolved);
    if (d.resolved && d.parts > 1) {
        json_int(j, "part", d.part + 1);
        json_int(j, "parts", d.parts);
    }
    if (d.resolved)
        report_json_put_descriptor(j, d);
    if (d.relation == "unresolved") {
        put_string(j, "reason", d.reason);
        put_string(j, "reason_source", d.reason_where.file);
        json_int(j, "reason_line", d.reason_where.line);
        put_string(j, "help", help_of(d));
        put_variables(j, "origins", unknown_in(d));
    }
    put_warnings(j, d);
    put_string(j, "sentence", sentence_of(d));
    json_end_object(j);
}

static void put_decision(json *j, const File &f)
{
    const Decision &d = f.decision;
    if (f.category)
        put_string(j, "category", std::string(1, f.category));
    else
        json_null(j, "category");
    if (d.answer.empty())
        return json_null(j, "decision");
    json_object(j, "decision");
    put_string(j, "answer", d.answer);
    put_string(j, "because", d.because);
    if (d.own_share.empty()) {
        json_null(j, "own_bytes_share");
    } else {
        double least = 1;
        for (auto &[np, share] : d.own_share)
            least = std::min(least, share);
        json_real(j, "own_bytes_share", least);
    }
    json_array(j, "shares");
    for (auto &[np, share] : d.own_share) {
        json_object_flat(j, nullptr);
        if (np)
            json_int(j, "nprocs", np);
        else
            json_null(j, "nprocs");
        json_real(j, "own_bytes_share", share);
        json_end_object(j);
    }
    json_end_array(j);
    if (d.template_call >= 0)
        json_int(j, "template", d.template_call);
    json_end_object(j);
}

static void put_edges(json *j, const File &f)
{
    json_array(j, "edges");
    for (const Edge &e : f.edges) {
        json_object(j, nullptr);
        json_int(j, "write", e.write);
        json_int(j, "read", e.read);
        json_array(j, "weights");
        for (const Weight &w : e.weights) {
            json_object_flat(j, nullptr);
            json_int(j, "nprocs", w.nprocs);
            json_real(j, "bytes", w.bytes);
            json_real(j, "own_bytes", w.own);
            if (w.sampled)
                json_int(j, "sampled_ranks", w.sampled);
            json_end_object(j);
        }
        json_end_array(j);
        json_array(j, "missing");
        for (const std::string &s : e.missing)
            put_string(j, nullptr, s);
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void report_json_put_file(json *j, const File &f)
{
    speak_of_communicator(f.opening ? f.opening->comm : -1);
    json_object(j, nullptr);
    put_string(j, "name", f.name);
    if (f.opening && !f.opening->foreign) {
        put_string(j, "path", f.opening->path);
        json_object_flat(j, "open");
        report_json_place(j, f.opening->where);
        put_string(j, "function", f.opening->function);
        json_end_object(j);
    } else {
        json_null(j, "path");
        json_null(j, "open");
    }
    if (f.opening && !f.opening->comm_text.empty())
        put_string(j, "communicator", f.opening->comm_text);
    else
        json_null(j, "communicator");
    put_decision(j, f);
    put_edges(j, f);
    json_array(j, "calls");
    for (const Description &d : f.calls)
        report_json_put_call(j, d);
    json_end_array(j);
    json_end_object(j);
}

void report_json(const Report &r, FILE *out)
{
    json j;
    json_start(&j, out);
    json_object(&j, nullptr);
    json_text(&j, "schema", "ldadc-1");
    json_array(&j, "inputs");
    for (const std::string &s : r.inputs)
        put_string(&j, nullptr, s);
    json_end_array(&j);
    json_array(&j, "assumptions");
    for (const std::string &s : r.assumptions)
        put_string(&j, nullptr, s);
    json_end_array(&j);
    json_array(&j, "symbols");
    for (int n : symbols_of(r)) {
        json_object_flat(&j, nullptr);
        put_string(&j, "id", symbol(n).id);
        put_string(&j, "text", symbol(n).text);
        put_string(&j, "class", symbol(n).kind);
        json_int(&j, "line", symbol(n).line);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_array(&j, "files");
    for (const File &f : r.files)
        report_json_put_file(&j, f);
    json_end_array(&j);
    json_end_object(&j);
    json_finish(&j);
}

} // namespace ldadc
