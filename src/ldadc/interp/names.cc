// Names of files: the text that a pointer points to, as far as needed to tell whether
// two texts are the same. A buffer's text is in the cell of the whole.
#include "ldadc/interp/interp.h"
#include <cstring>

using namespace clang;

namespace ldadc
{

// Numbers an unknown value that is made where the program passes only once: it is the
// same wherever it comes up again.
Value Interp::itself(const Value &v)
{
    Value out = v;
    if (v.kind == Value::UNKNOWN && !v.one && loops.empty() && !probing && !anywhere)
        out.one = next_one++;
    return out;
}

// Returns the cell that counts changes of texts that pointers to unknown places may
// point to.
Cell Interp::texts_cell()
{
    std::vector<const void *> key = {&next_one};
    if (!made.count(key))
        made[key] = new_object({Object::OPENING, "text", QualType()});
    return {made[key], {}};
}

void Interp::texts_change()
{
    Cell c = texts_cell();
    for (auto *log : logs)
        log->insert(c);
    now.cells[c] = itself(Value::unknown("text may be changed through a pointer", {}));
}

// Returns the text that a pointer points to; a tag is its own text.
Value Interp::text_at(const Value &pointer)
{
    if (pointer.kind == Value::TAG)
        return pointer;
    bool begins = pointer.kind == Value::POINTER && !pointer.anywhere &&
                  !pointer.to.path.empty() && pointer.to.path.back() == ELEMENT;
    if (begins) {
        Cell whole = pointer.to;
        whole.path.pop_back();
        Value v = read(now, whole);
        if (v.kind == Value::TAG || v.kind == Value::UNKNOWN)
            return v;
    }
    return Value::unknown(pointer.text, pointer.where, pointer.uniform);
}

// Returns a key. Two names of one key are one name; an empty key tells nothing.
std::string Interp::key_of_text(const Value &pointer)
{
    Value v = text_at(pointer);
    bool tag = v.kind == Value::TAG;
    if (tag && strchr("\"#?", v.text[0]))
        return v.text;
    if (tag && v.text.compare(0, 5, "argv[") == 0)
        return now.stored.count("arguments") ? "" : v.text;
    if (!tag && v.one) // in a buffer that exists
        return "?" + std::to_string(v.one);
    auto changes = now.cells.find(texts_cell());
    int since = changes == now.cells.end() ? -1 : changes->second.one;
    if (!pointer.one || since == 0)
        return "";
    return "?" + std::to_string(pointer.one) + "," + std::to_string(since);
}

// Returns the key of a file that MPI opens: its name may begin with a kind of file
// system, as for ROMIO.
std::string Interp::key_of_file(const Value &pointer)
{
    static const char *const kinds[] = {
        "ufs:",    "nfs:", "lustre:", "pvfs2:",   "pvfs:", "gpfs:",
        "testfs:", "xfs:", "panfs:",  "quobyte:", "daos:", "ime:",
        "piofs:",  "pfs:", "hfs:",    "sfs:"};
    std::string key = key_of_text(pointer);
    for (const char *kind : kinds)
        if (!key.empty() && strchr("\"#", key[0]) &&
            !strncasecmp(key.c_str() + 1, kind, strlen(kind)))
            return key.erase(1, strlen(kind));
    return key;
}

// Returns the text, if its key is permanent.
Value Interp::lasting_text(const Value &pointer)
{
    Value v = text_at(pointer);
    std::string key = key_of_text(pointer);
    if (v.kind == Value::TAG && !key.empty())
        v.text = key;
    if (v.kind == Value::TAG)
        v.one = 0;
    return v;
}

// Prints a number that is the same on all ranks and in all iterations.
bool Interp::number_text(const Value &v, std::string *out) const
{
    if (!v.is_int() || v.p.has([](int id) {
            const Atom &a = atom(id);
            return a.kind == Atom::RANK || a.kind == Atom::ITERATION ||
                   a.kind == Atom::BEFORE ||
                   (a.kind == Atom::NPROCS && a.number != WORLD);
        }))
        return false;
    *out = v.p.text();
    return true;
}

// Keys of texts that are put together consist of parts: letters as they are, the text
// for "%s", and numbers, each between marks.
enum { SHARP = '#', TEXT = 1, NUMBER = 2, END = 3 };

static std::string part(char mark, const std::string &of)
{
    return mark + of + (char)END;
}

// Returns the text that sprintf() makes from format and values.
Value Interp::printed(const std::vector<Value> &args, size_t format, const Expr *e)
{
    Value no = Value::unknown("a text is not followed", here(e));
    if (format >= args.size() || args[format].kind != Value::TAG ||
        args[format].text[0] != '"')
        return no;
    std::string text = args[format].text, key, one;
    text = text.substr(1, text.size() - 2);
    if (text.find('%') == std::string::npos)
        return args[format];
    if (text == "%s" && args.size() == format + 2)
        return lasting_text(args[format + 1]);
    size_t next = format + 1;
    for (size_t i = 0; i < text.size(); i++) {
        size_t from = i;
        if (text[i] != '%' || text[++i] == '%') {
            key += text[i];
            continue;
        }
        i = text.find_first_not_of("#0- +'123456789.hljzt", i);
        if (i == std::string::npos || next >= args.size() || !strchr("sdiu", text[i]))
            return no;
        const Value &v = args[next++];
        bool plain = text[i] == 's' && i == from + 1;
        if (text[i] == 's'
                ? text_at(v).kind != Value::TAG || (one = key_of_text(v)).empty()
                : !number_text(v, &one))
            return no;
        if (plain && one[0] == SHARP)
            key += one.substr(1);
        else if (plain && one[0] == '"')
            key += one.substr(1, one.size() - 2);
        else
            key +=
                part(text[i] == 's' ? TEXT : NUMBER, text.substr(from, i - from) + one);
    }
    return Value::tag((char)SHARP + key);
}

// Returns the text that a function of the C library makes from others.
bool Interp::made_text(const CallExpr *e, const std::string &name,
                       const std::vector<Value> &args, Value *out)
{
    size_t n = args.size();
    if ((name == "strcpy" || name == "__builtin___strcpy_chk" || name == "stpcpy") &&
        n >= 2)
        *out = lasting_text(args[1]);
    else if (name == "strdup" && n == 1)
        *out = lasting_text(args[0]);
    else if (name == "sprintf")
        *out = printed(args, 1, e);
    else if (name == "snprintf") // names are assumed not to be cut
        *out = printed(args, 2, e);
    else
        return false;
    bool literal = out->kind == Value::TAG && out->text[0] == '"';
    bool fits = n > 1 && args[1].is_int() && args[1].p.is_constant() &&
                args[1].p.constant() > (int64_t)out->text.size() - 2;
    if (name == "snprintf" && literal && !fits) // but then its length matters, too
        *out = Value::unknown("a text may be cut", here(e));
    return true;
}

// Notes a buffer's new text.
void Interp::keep_text(const Value &buffer, const Value &text)
{
    if (buffer.kind != Value::POINTER || buffer.anywhere || buffer.to.path.empty() ||
        buffer.to.path.back() != ELEMENT || text.kind == Value::INT)
        return;
    Cell whole = buffer.to;
    whole.path.pop_back();
    Value v = text;
    if (v.kind == Value::UNKNOWN && v.text.empty())
        v.text = "\"" + cell_text(whole) + "\" is not followed";
    write(whole, v);
}

// ---- uses of files by their names -----------------------------------

// The arguments that are names.
static const std::map<std::string, std::vector<size_t>> by_name = {
    {"MPI_File_delete", {0}}, {"access", {0}},       {"chmod", {0}},
    {"chown", {0}},           {"creat", {0}},        {"creat64", {0}},
    {"faccessat", {1}},       {"fopen", {0}},        {"fopen64", {0}},
    {"freopen", {0}},         {"fstatat", {1}},      {"link", {0, 1}},
    {"lstat", {0}},           {"lstat64", {0}},      {"open", {0}},
    {"open64", {0}},          {"openat", {1}},       {"remove", {0}},
    {"rename", {0, 1}},       {"renameat", {1, 3}},  {"renameat2", {1, 3}},
    {"linkat", {1, 3}},       {"symlinkat", {0, 2}}, {"stat", {0}},
    {"stat64", {0}},          {"statx", {1}},        {"symlink", {0, 1}},
    {"truncate", {0}},        {"truncate64", {0}},   {"unlink", {0}},
    {"unlinkat", {1}},        {"utime", {0}},        {"utimes", {0}}};

static const std::set<std::string> runs_programs = {
    "execl",   "execle", "execlp", "execv",       "execve",      "execvp",
    "execvpe", "popen",  "system", "posix_spawn", "posix_spawnp"};

// True if a function with a name changes the file, or which file that is.
static bool changes_file(const std::string &name, const std::vector<Value> &args)
{
    static const std::set<std::string> looks = {
        "access",  "chmod", "chown",  "faccessat", "fstatat", "lstat",
        "lstat64", "stat",  "stat64", "statx",     "utime",   "utimes"};
    auto is_text = [&](size_t n, const char *text) {
        return n < args.size() && args[n].kind == Value::TAG && args[n].text == text;
    };
    if (name == "fopen" || name == "fopen64")
        return !is_text(1, "\"r\"") && !is_text(1, "\"rb\"");
    if (name == "open" || name == "open64") // for reading only
        return args.size() < 2 || !args[1].is_int(0);
    return !looks.count(name);
}

Touch Interp::new_touch(const CallExpr *e, const std::string &name) const
{
    Touch t;
    t.where = here(e);
    t.function = name;
    t.ordered = from_main;
    t.after = sites.size();
    for (const Loop &l : loops)
        t.loops.push_back(l.k);
    return t;
}

void Interp::touch(const CallExpr *e, const std::string &name,
                   const std::vector<Value> &args)
{
    auto at = by_name.find(name);
    bool runs = runs_programs.count(name);
    if (probing || (!runs && at == by_name.end()))
        return;
    Touch t = new_touch(e, name);
    t.any = runs;
    t.changes = changes_file(name, args);
    t.renames = name.find("rename") == 0 || name.find("link") != std::string::npos;
    if (name.compare(0, 6, "unlink") == 0)
        t.renames = false;
    if (runs)
        touches.push_back(t);
    else
        for (size_t i : at->second)
            if (i < args.size()) {
                t.path_key = name.compare(0, 4, "MPI_") == 0 ? key_of_file(args[i])
                                                             : key_of_text(args[i]);
                touches.push_back(t);
            }
}

// Notes a change of an open file by its handle: it is truncated, or removed.
void Interp::touch_open(const CallExpr *e, const std::string &name, int opening)
{
    if (probing || opening < 0)
        return;
    Touch t = new_touch(e, name);
    t.by_handle = true;
    t.path_key = openings[opening].path_key;
    touches.push_back(t);
}

// Returns the parts of a text from its key; empty: it has none.
static std::string parts_of(const std::string &key)
{
    if (key[0] == '"')
        return key.substr(1, key.size() - 2);
    if (key.compare(0, 5, "argv[") == 0)
        return part(TEXT, "%" + key);
    return key[0] == SHARP ? key.substr(1) : "";
}

// True for names that begin alike and then differ, within the last name of the path.
static bool ends_differ(const std::string &a, const std::string &b)
{
    size_t same = 0;
    while (same < a.size() && same < b.size() && a[same] == b[same])
        same++;
    for (bool whole = false; !whole && same > 0;) { // no part of a part
        size_t mark =
            a.find_last_of(std::string() + (char)TEXT + (char)NUMBER, same - 1);
        size_t end = mark == std::string::npos ? 0 : a.find((char)END, mark);
        whole = end < same;
        same = whole ? same : mark;
    }
    std::string left = a.substr(same), right = b.substr(same);
    bool names = (left + right).find_first_of(std::string("/") + (char)TEXT) ==
                 std::string::npos;
    bool numbers = (left + right).find((char)NUMBER) != std::string::npos;
    return names && same > 0 && (!numbers || left.empty() || right.empty());
}

static std::string last_name(const std::string &path)
{
    size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

Sameness sameness(const std::string &key, const std::string &other)
{
    std::string a = parts_of(key), b = parts_of(other);
    auto literal = [](const std::string &s) { return s[0] == '"'; };
    auto argument = [](const std::string &s) { return s.compare(0, 5, "argv[") == 0; };
    if (!key.empty() && (key == other || (!a.empty() && a == b)))
        return SAME;
    if (a.empty() || b.empty())
        return PERHAPS;
    if (literal(key) && literal(other))
        return last_name(a) == last_name(b) ? PERHAPS : DIFFERENT;
    if ((literal(key) || argument(key)) && (literal(other) || argument(other)))
        return ASSUMED;
    return ends_differ(a, b) ? DIFFERENT : PERHAPS;
}

} // namespace ldadc
