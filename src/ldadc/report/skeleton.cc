// Prints the program's I/O as a skeleton in polynomials (doc/skeleton.md): its calls in
// the order of the program, with loops, and the bytes that each moves on each rank.
#include "ldadc/report/report.h"
#include <algorithm>

extern "C" {
#include "base/err.h"
#include "base/format/json.h"
}

namespace ldadc
{

namespace
{

// A call, or a part of one that has several descriptors.
struct Act {
    const Site *site;
    const Description *is = nullptr; // if it moves bytes
    int step = -1, file = -1;
    Poly where = Poly(1); // 1 on ranks that make it, else 0
    std::string unresolved;
};

// A condition that is no comparison of numbers; it has a name, as variables do.
struct Named {
    std::string name, text;
};

class Skeleton
{
  public:
    Skeleton(const Found &in, const Report &r)
        : in(in), assumptions(r.assumptions), described(by_site(r))
    {
        for (const Site &s : in.sites)
            add(s);
    }

    void put(FILE *out);

  private:
    void add(const Site &s);
    int file_of(const Site &s);
    std::string not_known(const Act &a) const;
    bool condition(const Condition &c, Poly *where);
    void note(const Poly &p);
    void note(const Act &a);
    std::string order(size_t from, size_t to, size_t depth) const;
    void put_variables(json *j) const;
    void put_files(json *j) const;
    void put_call(json *j, const Act &a) const;
    void put_transfer(json *j, const Act &a) const;
    void put_other(json *j, const Act &a) const;
    void put_descriptor(json *j, const Act &a) const;

    const Found &in;
    const std::vector<std::string> &assumptions;
    const Described described;
    std::vector<Act> acts;
    // or named by the handle
    std::vector<std::pair<const Opening *, std::string>> files;
    std::vector<Named> conditions;
    std::map<int, Poly> condition_of; // indexed by the condition's number
    std::set<int> variables;
    int steps = 0;
};

bool strange_to_all(const Poly &p)
{
    return p.has([](int id) {
        const Atom &a = atom(id);
        return a.kind == Atom::ITERATION || a.kind == Atom::BEFORE ||
               (a.kind == Atom::RANK && a.number != WORLD) ||
               (a.kind == Atom::NPROCS && a.number != size_of(WORLD));
    });
}

// Returns the number of the file, by its first opening.
int Skeleton::file_of(const Site &s)
{
    const Opening *o = s.opening >= 0 ? &in.openings[s.opening] : nullptr;
    for (size_t i = 0; i < files.size(); i++) {
        const Opening *other = files[i].first;
        if (o == other && (o || files[i].second == s.handle))
            return i;
        if (o && other && sameness(o->path_key, other->path_key) == SAME)
            return i;
    }
    files.push_back({o, s.handle});
    return files.size() - 1;
}

// Tells why a skeleton cannot contain it, though its bytes may be known; empty: it can.
std::string Skeleton::not_known(const Act &a) const
{
    const Site &s = *a.site;
    if (a.is && !a.is->resolved)
        return a.is->reason;
    if (s.called)
        return s.function + "() is called where nobody sees it";
    if (s.opening < 0)
        return "\"" + s.handle + "\" may be any file";
    const Opening &o = in.openings[s.opening];
    if (o.comm != WORLD && o.comm != SELF)
        return "its ranks are those of " + o.comm_text;
    if (!o.path_alike)
        return "whether it is one file, on all ranks and each time, is not certain";
    for (const Opening &other : in.openings)
        if (sameness(o.path_key, other.path_key) == PERHAPS)
            return o.path + " and " + other.path + " may be the same file";
    Poly times(1);
    for (const Loop &l : s.loops) {
        if (!l.counted || strange_to_all(l.count))
            return l.counted ? "how often a loop goes round depends on another one"
                             : l.why;
        times = times * l.count;
    }
    return times.valid() ? "" : "loops go round too often";
}

// Multiplies by a condition. One that holds on all ranks alike, and is no comparison,
// is a variable that is 0 or 1.
bool Skeleton::condition(const Condition &c, Poly *where)
{
    Poly holds;
    if (c.number(&holds)) {
        *where = *where * holds;
        return !strange_to_all(holds) && where->valid();
    }
    if (!c.uniform)
        return false;
    if (!condition_of.count(c.id)) {
        Symbol s;
        s.text = c.opposite ? c.negated().text : c.text;
        s.id = symbol_id("condition_" + std::to_string(conditions.size() + 1));
        conditions.push_back({s.id, s.text});
        condition_of[c.id] = new_symbol(s);
    }
    holds = condition_of[c.id];
    *where = *where * (c.opposite ? Poly(1) - holds : holds);
    return where->valid();
}

void Skeleton::note(const Poly &p)
{
    p.has([this](int id) {
        if (atom(id).kind == Atom::SYMBOL)
            variables.insert(atom(id).number);
        return false;
    });
}

void Skeleton::note(const Act &a)
{
    note(a.where);
    for (const Loop &l : a.site->loops)
        note(l.count);
    if (!a.is || !a.is->resolved)
        return;
    for (const Poly &p : {a.is->start, a.is->size, a.is->clip})
        note(p);
    for (const Level &l : a.is->levels) {
        note(l.stride);
        note(l.count);
    }
}

void Skeleton::add(const Site &s)
{
    std::vector<const Description *> parts = {nullptr};
    auto at = described.find(&s);
    if (s.call.moves)
        parts = at == described.end() ? decltype(parts)() : at->second;
    for (const Description *d : parts) {
        Act a;
        a.site = &s;
        a.is = d;
        a.file = file_of(s);
        a.unresolved = not_known(a);
        for (const Condition &c : s.conditions)
            if (!condition(c, &a.where) && a.unresolved.empty())
                a.unresolved = "only where " + c.text;
        if (d || s.call.name == "MPI_File_sync")
            a.step = steps++;
        if (a.unresolved.empty())
            note(a);
        acts.push_back(a);
    }
}

// ---- in the order of the program ------------------------------------

// Prints the order of some calls, without the loops around all of them; those of a loop
// are neighbours.
std::string Skeleton::order(size_t from, size_t to, size_t depth) const
{
    std::string out;
    for (size_t i = from, end; i < to; i = end) {
        const std::vector<Loop> &loops = acts[i].site->loops;
        std::string one = acts[i].step < 0 ? "" : std::to_string(acts[i].step);
        end = i + 1;
        if (loops.size() > depth) {
            while (end < to && acts[end].site->loops.size() > depth &&
                   acts[end].site->loops[depth].k == loops[depth].k)
                end++;
            one = order(i, end, depth + 1);
            if (!one.empty() && loops[depth].count != Poly(1))
                one = "(" + one + ")x[" +
                      (loops[depth].counted ? loops[depth].count.text() : "") + "]";
        }
        if (!one.empty())
            out += (out.empty() ? "" : " ") + one;
    }
    return out;
}

// ---- as JSON --------------------------------------------------------

void skeleton_text(json *j, const char *key, const std::string &s)
{
    json_text(j, key, s.c_str());
}

void Skeleton::put_variables(json *j) const
{
    json_array(j, "variables");
    for (int n : variables) {
        json_object_flat(j, nullptr);
        skeleton_text(j, "name", symbol(n).id);
        if (symbol(n).text != symbol(n).id)
            skeleton_text(j, "stands_for", symbol(n).text);
        json_end_object(j);
    }
    json_end_array(j);
}

void Skeleton::put_files(json *j) const
{
    json_array(j, "files");
    for (size_t i = 0; i < files.size(); i++) {
        json_object_flat(j, nullptr);
        skeleton_text(j, "file", "file-" + std::to_string(i + 1));
        json_end_object(j);
    }
    json_end_array(j);
}

void Skeleton::put_call(json *j, const Act &a) const
{
    json_object(j, nullptr);
    if (a.step >= 0)
        json_int(j, "step", a.step);
    json_int(j, "phase", 0);
    skeleton_text(j, "file", "file-" + std::to_string(a.file + 1));
    std::string name = a.site->call.name; // calls with 64-bit counts are the same calls
    if (name.size() > 2 && name.compare(name.size() - 2, 2, "_c") == 0)
        name.resize(name.size() - 2);
    skeleton_text(j, "call", name);
    json_text(j, "level", "MPI-IO");
    if (a.site->call.collective)
        json_bool(j, "collective", true);
    if (a.unresolved.empty()) {
        skeleton_text(j, "where", a.where.text());
    } else {
        skeleton_text(j, "unresolved", a.unresolved);
    }
}

void Skeleton::put_descriptor(json *j, const Act &a) const
{
    const Description &d = *a.is;
    size_t loops = 0;
    for (const Loop &l : a.site->loops)
        loops += l.count != Poly(1);
    skeleton_text(j, "start", d.start.text());
    skeleton_text(j, "size", d.size.text());
    json_array(j, "levels");
    for (size_t i = 0; i < d.levels.size(); i++) {
        json_object_flat(j, nullptr);
        skeleton_text(j, "stride", d.levels[i].stride.text());
        skeleton_text(j, "count", d.levels[i].count.text());
        if (i >= loops)
            json_bool(j, "within_call", true);
        json_end_object(j);
    }
    json_end_array(j);
    if (d.clipped)
        skeleton_text(j, "end", d.clip.text());
    if (d.parts > 1)
        json_int(j, "part_of_call", d.part);
}

void Skeleton::put_transfer(json *j, const Act &a) const
{
    put_call(j, a);
    json_text(j, "direction", a.site->call.write ? "write" : "read");
    if (a.unresolved.empty())
        put_descriptor(j, a);
    json_end_object(j);
}

void Skeleton::put_other(json *j, const Act &a) const
{
    Poly times(1);
    put_call(j, a);
    for (const Loop &l : a.site->loops)
        times = times * l.count;
    if (a.unresolved.empty())
        skeleton_text(j, "times", times.text());
    json_end_object(j);
}

void Skeleton::put(FILE *out)
{
    json j;
    speak_of_communicator(WORLD);
    json_start(&j, out);
    json_object(&j, nullptr);
    json_text(&j, "schema", "leadline-skeleton-polynomials/1");
    json_bool(&j, "mpi", true);
    json_text(&j, "ranks", "nprocs");
    json_array(&j, "assumptions");
    for (const std::string &a : assumptions)
        skeleton_text(&j, nullptr, a);
    json_end_array(&j);
    put_variables(&j);
    put_files(&j);
    json_array(&j, "phases");
    json_object(&j, nullptr);
    json_int(&j, "phase", 0);
    json_bool(&j, "region", false);
    skeleton_text(&j, "order", order(0, acts.size(), 0));
    json_end_object(&j);
    json_end_array(&j);
    for (bool moves : {true, false}) {
        json_array(&j, moves ? "transfers" : "calls");
        for (const Act &a : acts)
            if (moves == (a.is != nullptr))
                moves ? put_transfer(&j, a) : put_other(&j, a);
        json_end_array(&j);
    }
    json_end_object(&j);
    json_finish(&j);
}

} // namespace

bool report_skeleton(const Found &in, const Report &r, FILE *out)
{
    if (in.tired)
        return err_usage(
                   "--skeleton: the program has too many paths to follow, and not "
                   "all of its calls may be known") == 0;
    Skeleton(in, r).put(out);
    return true;
}

} // namespace ldadc
