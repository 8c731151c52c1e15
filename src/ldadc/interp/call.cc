// Calls: of the program's functions, of known ones of the C library, and of others.
#include "ldadc/interp/interp.h"
#include "clang/AST/ExprCXX.h"
#include <cstring>

using namespace clang;

namespace ldadc
{

enum { DEPTH = 24 };
// The function by which streams call functions of the program.
static const char COOKIE[] = "fopencookie";

std::vector<const void *> Interp::chain(const Expr *e) const
{
    std::vector<const void *> out;
    for (const Frame &f : frames) {
        out.push_back(f.call ? (const void *)f.call : (const void *)f.function);
        out.insert(out.end(), f.ended.begin(), f.ended.end());
    }
    out.push_back(e);
    return out;
}

// Ends the program. After an error, nobody asks what would have followed.
void Interp::end(bool error)
{
    alive = false;
    if (error) {
        assumptions.insert("the program does not give up before a call is made");
    } else {
        flow_to(FlowNode::END);
        ends++;
        exits++;
    }
}

bool Interp::is_running(const FunctionDecl *f)
{
    for (const Frame &frame : frames)
        if (frame.function == f)
            return true;
    deep = deep || frames.size() >= DEPTH;
    return frames.size() >= DEPTH;
}

// Enters a function; self is "this" in a method, constructor or destructor.
void Interp::enter_frame(const FunctionDecl *f, const Value &self, const Place &called)
{
    visited.insert(f);
    Frame frame;
    frame.function = f;
    frame.called = called;
    frame.self = self;
    frame.number = next_frame++;
    QualType returns = f->getReturnType();
    if (returns->isReferenceType())
        returns = context().getPointerType(returns.getNonReferenceType());
    frame.result = new_object({Object::LOCAL, f->getNameAsString() + "()", returns});
    objects[frame.result].frame = frames.back().number; // it outlives the call
    frames.push_back(frame);
}

// Runs the function that was entered last.
void Interp::run_frame()
{
    const FunctionDecl *f = frames.back().function;
    std::vector<Leave> kept_leaves;
    std::swap(leaves, kept_leaves);
    const State *outside = anywhere;
    anywhere = nullptr;
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(f))
        construct_members(constructor);
    exec_body(f);
    anywhere = outside;
    std::swap(leaves, kept_leaves);
    join(frames.back().returns);
    if (isa<CXXDestructorDecl>(f))
        end_members();
    int number = frames.back().number;
    frames.pop_back();
    if (alive)
        drop_frame(number);
}

Value Interp::run_function(const Expr *e, const Given &given, const FunctionDecl *f,
                           const Value &self)
{
    std::vector<Target> records(f->getNumParams());
    std::vector<Value> args;
    for (size_t i = 0; i < given.size(); i++) {
        bool refers =
            i < f->getNumParams() && f->getParamDecl(i)->getType()->isReferenceType();
        bool record = !refers && given[i]->getType()->isRecordType();
        if (record && i < f->getNumParams())
            records[i] = target(given[i]);
        if (record && (i >= f->getNumParams() || records[i].kind != Target::CELL ||
                       records[i].opaque))
            load(i < f->getNumParams() ? records[i] : target(given[i]), given[i]);
        args.push_back(record ? Value() : refers ? bound(given[i]) : eval(given[i]));
    }
    if (!alive)
        return Value();
    for (unsigned i = f->getNumParams(); i < args.size(); i++)
        escape(args[i]); // arguments for "..."
    enter_frame(f, self, here(e));
    frames.back().call = e;
    int result = frames.back().result;
    const auto *method = dyn_cast<CXXMethodDecl>(f);
    if (method && method->getParent()->isLambda())
        enter_lambda(method->getParent(), self.to);
    for (unsigned i = 0; i < f->getNumParams(); i++) {
        Cell c = {object_of(f->getParamDecl(i)), {}};
        QualType t = f->getParamDecl(i)->getType();
        if (i >= args.size())
            continue;
        if (t->isRecordType() && records[i].kind == Target::CELL && !records[i].opaque)
            copy(c, records[i].cell, t);
        else if (t->isRecordType())
            forget(c, "is not followed", here(e));
        else
            write(c, args[i]);
    }
    run_frame();
    if (!alive)
        return Value();
    if (f->getReturnType()->isReferenceType())
        return read(now, {result, {}});
    if (e->getType()->isRecordType())
        return Value::pointer({result, {}});
    if (e->getType()->isVoidType())
        return Value::integer(0);
    return read(now, {result, {}});
}

// True for a stream. It belongs to the C library, and no variable of the program is a
// part of one.
static bool is_stream(QualType t)
{
    const auto *r =
        t->isPointerType() ? t->getPointeeType()->getAs<RecordType>() : nullptr;
    return r && r->getDecl()->getName() == "_IO_FILE";
}

// Finds how many bytes of an argument a function reads or writes.
bool Interp::given_bytes(const std::string &name, unsigned i,
                         const std::vector<Value> &args, Poly *out)
{
    static const std::set<std::string> third = {
        "memcpy",  "memmove", "memset", "__builtin_memcpy",       "__builtin_memset",
        "mempcpy", "read",    "recv",   "__builtin___memcpy_chk", "getrandom"};
    Datatype t;
    auto is = [&](size_t n) { return n < args.size() && args[n].is_int(); };
    if (name.compare(0, 4, "MPI_") == 0) {
        if (!is(i + 1) || i + 2 >= args.size() || !datatype(args[i + 2], &t))
            return false;
        *out = args[i + 1].p * t.size;
    } else if (name == "fread" && is(1) && is(2)) {
        *out = args[1].p * args[2].p;
    } else if (third.count(name) && is(2)) {
        *out = args[2].p;
    } else {
        return false;
    }
    return out->valid();
}

// Returns the cells that a function with a pointer argument writes: the object it
// points to and, if that is an element, others of the table. More bytes may be written
// than the object has.
Cell Interp::written_by(const CallExpr *e, const std::string &name, unsigned i,
                        const std::vector<Value> &args)
{
    const Value &v = args[i];
    Cell whole = v.to;
    const FunctionDecl *f = e->getDirectCallee();
    if (v.anywhere) {
        whole.path.clear();
        return whole;
    }
    QualType t = f && i < f->getNumParams() ? f->getParamDecl(i)->getType()
                                            : e->getArg(i)->getType();
    bool raw = t->isVoidPointerType();
    Poly bytes;
    auto holds = [&](const Cell &c) {
        QualType of = type_of(c);
        return !of.isNull() && !of->isIncompleteType() &&
               !of->isVariablyModifiedType() && bytes.is_constant() &&
               bytes.constant() <= context().getTypeSizeInChars(of).getQuantity();
    };
    bool known = raw && given_bytes(name, i, args, &bytes);
    if (known && holds(whole))
        return whole;
    if (!whole.path.empty() && whole.path.back() >= ELEMENT)
        whole.path.pop_back();
    if (raw && !(known && holds(whole)))
        whole.path.clear();
    return whole;
}

// Handles functions that write through pointers in a table whose elements are read
// only.
void Interp::forget_by_table(const CallExpr *e, const std::string &name,
                             const std::vector<Value> &args)
{
    static const std::map<std::string, size_t> tables = {
        {"getopt_long", 3}, {"getopt_long_only", 3}, {"readv", 1}, {"preadv", 1}};
    auto at = tables.find(name);
    if (at == tables.end() || at->second >= args.size())
        return;
    const Value &v = args[at->second];
    bool points = v.kind != Value::POINTER;
    if (!points) {
        const VarDecl *own = objects[v.to.object].variable;
        points = own && program.addressed.count(own);
        for (auto &[c, held] : now.cells)
            points = points ||
                     (c.object == v.to.object && (held.kind == Value::POINTER || !own));
    }
    if (points)
        forget_compatible(name[0] == 'g' ? context().IntTy : context().CharTy, nullptr,
                          here(e));
}

// True for a pointer to a type that the program does not know, such as streams and
// MPI's handles.
static bool is_opaque(QualType t)
{
    return t->isPointerType() && t->getPointeeType()->isRecordType() &&
           t->getPointeeType()->isIncompleteType();
}

void Interp::forget_arguments(const CallExpr *e, const std::string &name,
                              const std::vector<Value> &args, bool uniform)
{
    const FunctionDecl *f = e->getDirectCallee();
    for (unsigned i = 0; i < args.size(); i++) {
        const Value &v = args[i];
        if (v.kind == Value::FILE)
            forget_file(v.number, "may be changed by " + name + "()", here(e));
        QualType t = e->getArg(i)->IgnoreParenImpCasts()->getType();
        if (f && i < f->getNumParams())
            t = stored_type(f->getParamDecl(i));
        bool constant = t->isPointerType() && t->getPointeeType().isConstQualified();
        if (v.kind != Value::POINTER) {
            if (is_stream(t) && !now.stored.count(COOKIE))
                continue;
            bool writes = t->isPointerType() && !constant &&
                          !t->isFunctionPointerType() && !v.is_int();
            // a caller's buffers do not overlap its other arguments
            if (writes && (v.kind != Value::TAG || from_main) && !is_given_text(v) &&
                !is_opaque(t))
                forget_compatible(t->getPointeeType()->isVoidType()
                                      ? context().CharTy
                                      : t->getPointeeType(),
                                  nullptr, here(e));
            else if (!v.is_int() && t->isPointerType() && !constant)
                texts_change();
            continue;
        }
        if (!t->isPointerType() || !t->getPointeeType()->isAnyCharacterType())
            lose({v.to.object, {}}); // an address may be copied
        if (constant)
            continue;
        Cell whole = written_by(e, name, i, args);
        forget(whole, "may be changed by " + name + "()", here(e), uniform);
        auto at = now.cells.find(whole);
        at->second = settle(whole, at->second);
        if (objects[v.to.object].kind == Object::FOREIGN)
            forget_compatible(type_of(v.to), &whole, here(e));
    }
    forget_by_table(e, name, args);
}

// Returns a number that the program was started with.
Value Interp::input(const CallExpr *e, bool uniform)
{
    std::string text = text_of(context(), e);
    Value v = Value::unknown("\"" + text + "\" is not the same on all ranks", here(e),
                             uniform);
    if (!uniform || !loops.empty() || probing)
        return v;
    Symbol s = {symbol_id(text), text, "initialised once", here(e).line};
    s.named = false;
    s.from = text;
    return Value::integer(new_symbol(s));
}

Value Interp::memory(const Expr *e)
{
    auto key = chain(e);
    if (!made.count(key))
        made[key] =
            new_object({Object::HEAP, "memory", e->getType()->getPointeeType()});
    forget({made[key], {}}, "has no value yet", here(e));
    return Value::pointer({made[key], {ELEMENT}});
}

// ---- the C library --------------------------------------------------

// Functions that change only what they are given to write to.
static const std::set<std::string> harmless = {"__assert",
                                               "__builtin___memcpy_chk",
                                               "__builtin___memset_chk",
                                               "__builtin___snprintf_chk",
                                               "__builtin___sprintf_chk",
                                               "__builtin___strcpy_chk",
                                               "__builtin_bswap32",
                                               "__builtin_bswap64",
                                               "__builtin_clz",
                                               "__builtin_ctz",
                                               "__builtin_memcpy",
                                               "__builtin_memset",
                                               "__builtin_object_size",
                                               "__builtin_popcount",
                                               "__builtin_strlen",
                                               "__ctype_b_loc",
                                               "__ctype_tolower_loc",
                                               "__ctype_toupper_loc",
                                               "__errno_location",
                                               "__isinf",
                                               "__isnan",
                                               "__isoc99_fscanf",
                                               "__isoc99_scanf",
                                               "__isoc99_sscanf",
                                               "abs",
                                               "access",
                                               "acos",
                                               "asctime",
                                               "asin",
                                               "atan",
                                               "atan2",
                                               "atof",
                                               "basename",
                                               "bzero",
                                               "cbrt",
                                               "ceil",
                                               "ceilf",
                                               "chdir",
                                               "chmod",
                                               "chown",
                                               "clearerr",
                                               "clock",
                                               "clock_gettime",
                                               "close",
                                               "closedir",
                                               "cos",
                                               "cosf",
                                               "cosh",
                                               "ctime",
                                               "difftime",
                                               "div",
                                               "dprintf",
                                               "drand48",
                                               "dup",
                                               "erand48",
                                               "exp",
                                               "exp2",
                                               "expf",
                                               "expm1",
                                               "fabs",
                                               "fabsf",
                                               "fabsl",
                                               "fallocate",
                                               "fclose",
                                               "fdatasync",
                                               "feof",
                                               "ferror",
                                               "fflush",
                                               "fgetc",
                                               "fgetpos",
                                               "fgets",
                                               "fileno",
                                               "floor",
                                               "floorf",
                                               "fmax",
                                               "fmin",
                                               "fmod",
                                               "fopen",
                                               "fprintf",
                                               "fputc",
                                               "fputs",
                                               "fputs_unlocked",
                                               "fread",
                                               "free",
                                               "frexp",
                                               "fscanf",
                                               "fseek",
                                               "fseeko",
                                               "fsetpos",
                                               "fstat",
                                               "fsync",
                                               "ftell",
                                               "ftello",
                                               "ftruncate",
                                               "fwrite",
                                               "fwrite_unlocked",
                                               "getc",
                                               "getchar",
                                               "getcwd",
                                               "getenv",
                                               "getgid",
                                               "gethostid",
                                               "gethostname",
                                               "getopt",
                                               "getopt_long",
                                               "getpagesize",
                                               "getpid",
                                               "getppid",
                                               "getrusage",
                                               "gettimeofday",
                                               "getuid",
                                               "gmtime",
                                               "hypot",
                                               "isalnum",
                                               "isalpha",
                                               "isatty",
                                               "isdigit",
                                               "isinf",
                                               "islower",
                                               "isnan",
                                               "isprint",
                                               "ispunct",
                                               "isspace",
                                               "isupper",
                                               "isxdigit",
                                               "labs",
                                               "ldexp",
                                               "ldiv",
                                               "link",
                                               "llabs",
                                               "llrint",
                                               "llround",
                                               "localtime",
                                               "log",
                                               "log10",
                                               "log1p",
                                               "log2",
                                               "logf",
                                               "lrand48",
                                               "lrint",
                                               "lround",
                                               "lseek",
                                               "lstat",
                                               "memchr",
                                               "memcmp",
                                               "memcpy",
                                               "memmove",
                                               "memset",
                                               "mkdir",
                                               "mkdtemp",
                                               "mkstemp",
                                               "mktime",
                                               "modf",
                                               "nanosleep",
                                               "nearbyint",
                                               "nl_langinfo",
                                               "nrand48",
                                               "open",
                                               "opendir",
                                               "perror",
                                               "posix_fadvise",
                                               "posix_fallocate",
                                               "pow",
                                               "powf",
                                               "pread",
                                               "preadv",
                                               "printf",
                                               "putc",
                                               "putchar",
                                               "puts",
                                               "pwrite",
                                               "pwritev",
                                               "rand",
                                               "rand_r",
                                               "random",
                                               "read",
                                               "readdir",
                                               "readlink",
                                               "readv",
                                               "remove",
                                               "rename",
                                               "rewind",
                                               "rint",
                                               "rmdir",
                                               "round",
                                               "scanf",
                                               "sched_yield",
                                               "setbuf",
                                               "setlocale",
                                               "setvbuf",
                                               "sin",
                                               "sinf",
                                               "sinh",
                                               "sleep",
                                               "snprintf",
                                               "sprintf",
                                               "sqrt",
                                               "sqrtf",
                                               "sqrtl",
                                               "srand",
                                               "srand48",
                                               "srandom",
                                               "sscanf",
                                               "stat",
                                               "stpcpy",
                                               "strcasecmp",
                                               "strcat",
                                               "strchr",
                                               "strcmp",
                                               "strcpy",
                                               "strcspn",
                                               "strdup",
                                               "strerror",
                                               "strftime",
                                               "strlcpy",
                                               "strlen",
                                               "strncasecmp",
                                               "strncat",
                                               "strncmp",
                                               "strncpy",
                                               "strnlen",
                                               "strpbrk",
                                               "strrchr",
                                               "strspn",
                                               "strstr",
                                               "strtod",
                                               "strtof",
                                               "strtok",
                                               "strtold",
                                               "symlink",
                                               "sync",
                                               "sysconf",
                                               "tan",
                                               "tanh",
                                               "time",
                                               "times",
                                               "tmpfile",
                                               "toascii",
                                               "tolower",
                                               "toupper",
                                               "trunc",
                                               "truncate",
                                               "ttyname",
                                               "umask",
                                               "ungetc",
                                               "unlink",
                                               "usleep",
                                               "utime",
                                               "vfprintf",
                                               "vprintf",
                                               "vsnprintf",
                                               "vsprintf",
                                               "write",
                                               "writev"};

// Functions whose result, and output, are the same on all ranks if their arguments are.
static const std::set<std::string> pure = {
    "strlen",  "strcmp",  "strncmp",     "strcasecmp", "strchr",  "strrchr", "strstr",
    "abs",     "labs",    "sscanf",      "isdigit",    "isspace", "isalpha", "toupper",
    "tolower", "getopt",  "getopt_long", "basename",   "atof",    "strtod",  "sqrt",
    "pow",     "log2",    "floor",       "ceil",       "exp",     "log",     "fabs",
    "strdup",  "sysconf", "getpagesize"};

static const std::set<std::string> inputs = {"atoi",     "atol",      "atoll",
                                             "strtol",   "strtoul",   "strtoll",
                                             "strtoull", "strtoimax", "strtoumax"};

bool reads_text(const std::string &name)
{
    static const std::set<std::string> plain = {"strlen", "strcmp", "abs", "labs",
                                                "sqrt"};
    return inputs.count(name) || plain.count(name);
}

// True if a function of printf's kind only prints: with %n it also writes to variables.
static bool only_prints(const std::string &name, const std::vector<Value> &args)
{
    static const std::map<std::string, size_t> format = {
        {"printf", 0}, {"fprintf", 1}, {"vprintf", 0}, {"vfprintf", 1}, {"dprintf", 1}};
    auto at = format.find(name);
    if (at == format.end() || at->second >= args.size() ||
        args[at->second].kind != Value::TAG)
        return false;
    const std::string &text = args[at->second].text;
    for (size_t i = text.find('%'); i != std::string::npos; i = text.find('%', i + 1)) {
        i = text.find_first_not_of("#0- +'123456789.*hljzt", i + 1);
        if (i == std::string::npos || text[i] == 'n')
            return false;
    }
    return true;
}

// Handles functions that end the process.
bool Interp::call_exit(const std::string &name, const std::vector<Value> &args)
{
    static const std::set<std::string> failures = {"abort", "__assert_fail",
                                                   "__assert_rtn", "__builtin_trap",
                                                   "__builtin_unreachable"};
    static const std::set<std::string> exits = {"exit", "_exit", "_Exit", "quick_exit"};
    if (failures.count(name)) {
        end(true);
    } else if (exits.count(name)) {
        bool error = args.size() == 1 && args[0].is_int() && args[0].p.is_constant() &&
                     args[0].p.constant() != 0;
        for (const Condition &c : now.conditions)
            error =
                error && (alike(c) || (loops.empty() && c.kind == Condition::OTHER));
        end(error);
    } else {
        return false;
    }
    return true;
}

bool Interp::call_memory(const CallExpr *e, const std::string &name,
                         const std::vector<Value> &args, Value *out)
{
    static const std::set<std::string> plain = {
        "malloc",   "calloc",           "aligned_alloc", "valloc",
        "memalign", "__builtin_alloca", "alloca"};
    bool again = name == "realloc", put_there = name == "posix_memalign";
    if (!plain.count(name) && !again && !put_there)
        return false;
    assumptions.insert("memory that is asked for is there");
    if ((again || put_there) && !args.empty())
        escape(args[0]);
    *out = memory(e);
    if (put_there) {
        put(args[0], *out, e);
        *out = Value::integer(0);
    }
    return true;
}

// Handles functions that make numbers from text: from arguments of the program, or from
// text that is the same on all ranks.
Value Interp::call_input(const CallExpr *e, const std::string &name,
                         const std::vector<Value> &args)
{
    Value text = args.empty() ? Value() : text_at(args[0]);
    for (unsigned i = 1; i < args.size(); i++)
        if (args[i].kind == Value::POINTER)
            forget_arguments(e, name, {args[0], args[1]}, true);
    return input(e, text.kind == Value::TAG || alike(text));
}

Value Interp::call_library(const CallExpr *e, const std::string &name,
                           const std::vector<Value> &args, bool *known)
{
    Value out;
    *known = true;
    if (call_exit(name, args) || call_memory(e, name, args, &out))
        return out;
    if (inputs.count(name))
        return call_input(e, name, args);
    if (name == "__builtin_expect" && args.size() == 2)
        return args[0];
    if (!harmless.count(name) && name.compare(0, 14, "__builtin_cpu_") != 0) {
        *known = false;
        return out;
    }
    if (name == "strlen" && args.size() == 1) {
        Value text = text_at(args[0]);
        if (text.kind == Value::TAG && text.text[0] == '"')
            return Value::integer(strlen(text.text.c_str() + 1) -
                                  (text.text.find('\0') == std::string::npos));
    }
    // Text that the program has made itself may differ between ranks.
    bool uniform =
        name != "sscanf" || (!args.empty() && text_at(args[0]).kind == Value::TAG);
    bool writes = name == "sscanf" || name.compare(0, 6, "getopt") == 0;
    for (const Value &v : args)
        uniform = uniform && alike(v) &&
                  (v.kind != Value::POINTER || writes || alike(text_at(v)));
    uniform = uniform && pure.count(name);
    Value text;
    bool makes = made_text(e, name, args, &text);
    if (makes && name == "strdup") {
        assumptions.insert("memory that is asked for is there");
        out = memory(e);
        keep_text(out, text);
        return out;
    }
    if (!only_prints(name, args)) {
        std::vector<Value> written = args;
        if (name == "sprintf" || name == "snprintf")
            written.resize(1);
        forget_arguments(e, name, written, uniform);
        if (makes)
            keep_text(args[0], text);
    }
    static const std::set<std::string> returns_first = {"memcpy",
                                                        "memmove",
                                                        "memset",
                                                        "__builtin_memcpy",
                                                        "__builtin_memset",
                                                        "strcpy",
                                                        "strncpy",
                                                        "strcat",
                                                        "__builtin___memcpy_chk",
                                                        "strncat",
                                                        "__builtin___memset_chk"};
    if (e->getType()->isPointerType() && !is_stream(e->getType()) &&
        !is_opaque(e->getType())) {
        if (returns_first.count(name) && !args.empty())
            return args[0];
        for (const Value &v : args)
            escape(v); // the result may point there
    }
    return Value::unknown("the result of " + name + "() is not followed", here(e),
                          uniform);
}

// ---- others ---------------------------------------------------------

Value Interp::call_unknown(const CallExpr *e, const std::string &name,
                           const std::vector<Value> &args)
{
    forget_arguments(e, name, args, false);
    for (unsigned i = 0; i < args.size(); i++) {
        QualType t = e->getArg(i)->IgnoreParenImpCasts()->getType();
        if (const FunctionDecl *f = e->getDirectCallee())
            if (i < f->getNumParams())
                t = stored_type(f->getParamDecl(i));
        if (!t->isPointerType() || !t->getPointeeType().isConstQualified() ||
            e->getType()->isPointerType())
            escape(args[i]);
    }
    forget_reachable(name, here(e));
    assumptions.insert(UNSEEN);
    const FunctionDecl *f = e->getDirectCallee();
    if (f && f->isNoReturn()) {
        end(false);
        return Value();
    }
    if (e->getType()->isRecordType())
        return Value();
    return Value::unknown("the result of " + name + "() is not known", here(e));
}

// True if it is one of MPI's functions, which exist under two names. A program's own
// may be called MPI_Something, too.
bool Interp::is_of_mpi(const std::string &name) const
{
    if (name.compare(0, 5, "PMPI_") == 0)
        return true;
    IdentifierInfo &other = context().Idents.get("P" + name);
    return name.compare(0, 4, "MPI_") == 0 &&
           !context().getTranslationUnitDecl()->lookup(&other).empty();
}

// Calls a function. If the result is a place, and not just a value, `at` is set to it.
Value Interp::call(const CallExpr *e, Target *at)
{
    const FunctionDecl *f = e->getDirectCallee();
    Target nowhere;
    Value of_cplus;
    if (call_cplus(e, &of_cplus, at ? at : &nowhere))
        return of_cplus;
    std::string name = f ? f->getNameAsString() : "a function by a pointer";
    const FunctionDecl *body = f ? program.body_of(f) : nullptr;
    bool is_mpi = is_of_mpi(name);
    if (body && !is_running(body) && !is_mpi)
        return run_function(e, {e->arg_begin(), e->arg_end()}, body, Value());
    if (!f)
        eval(e->getCallee());
    std::vector<Value> args;
    for (const Expr *a : e->arguments()) {
        if (a->isGLValue() && context().getLangOpts().CPlusPlus) {
            args.push_back(bound(a));
        } else if (a->getType()->isRecordType()) {
            load(target(a), a); // its pointers can be reached
            args.push_back(Value::unknown("a structure is not followed", here(a)));
        } else {
            args.push_back(eval(a));
        }
    }
    if (!alive)
        return Value();
    touch(e, name, args);
    static const std::set<std::string> lends = {"setbuf", "setbuffer", "setvbuf",
                                                "fmemopen", "open_memstream"};
    for (size_t i = 0; lends.count(name) && i < args.size(); i++) {
        if (args[i].kind == Value::POINTER)
            objects[args[i].to.object].poisoned = true; // a stream writes there
        else if (args[i].kind == Value::UNKNOWN && !is_stream(e->getArg(i)->getType()))
            now.stored.insert(COOKIE); // or to an unknown place
    }
    if (name == COOKIE)
        now.stored.insert(COOKIE);
    if (is_mpi && !body)
        return call_mpi(e, name[0] == 'P' ? name.substr(1) : name, args);
    bool known = false;
    Value v;
    // A function of that name in a namespace is another one.
    bool of_c = f && (f->isExternC() || !context().getLangOpts().CPlusPlus);
    if (of_c && !body)
        v = call_library(e, name, args, &known);
    return known ? v : call_unknown(e, name, args);
}

} // namespace ldadc
