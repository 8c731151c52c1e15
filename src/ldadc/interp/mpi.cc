// MPI's functions: communicators, files and their views, transfers.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/prove.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace ldadc
{

static bool mpi_take(std::string *s, const char *end)
{
    std::string tail = end;
    if (s->size() < tail.size() ||
        s->compare(s->size() - tail.size(), tail.size(), tail))
        return false;
    s->resize(s->size() - tail.size());
    return true;
}

bool io_call(const std::string &name, IoCall *out)
{
    std::string s = name;
    *out = IoCall();
    out->name = name;
    if (s.compare(0, 9, "MPI_File_"))
        return false;
    s = s.substr(9);
    mpi_take(&s, "_c");
    out->ended = mpi_take(&s, "_end");
    out->nonblocking = mpi_take(&s, "_begin");
    if (s[0] == 'i') {
        out->nonblocking = true;
        s = s.substr(1);
    }
    out->write = s.compare(0, 5, "write") == 0;
    if (!out->write && s.compare(0, 4, "read"))
        return false;
    s = s.substr(out->write ? 5 : 4);
    out->collective = mpi_take(&s, "_all");
    out->shared = mpi_take(&s, "_shared");
    if (mpi_take(&s, "_ordered"))
        out->ordered = out->shared = out->collective = true;
    out->at = mpi_take(&s, "_at");
    out->moves = s.empty();
    return out->moves;
}

std::string Interp::constant_name(const Value &v) const
{
    if (v.is_int() && v.p.is_constant()) {
        auto at = program.by_value.find((uint32_t)v.p.constant());
        return at == program.by_value.end() ? "" : at->second;
    }
    if (v.kind == Value::POINTER && objects[v.to.object].kind == Object::GLOBAL) {
        auto at = program.by_name.find(objects[v.to.object].name);
        return at == program.by_name.end() ? "" : at->second;
    }
    return "";
}

void Interp::put(const Value &pointer, const Value &v, const CallExpr *e)
{
    Target t;
    if (pointer.kind == Value::POINTER) {
        t.kind = pointer.anywhere ? Target::INSIDE : Target::CELL;
        t.cell = pointer.to;
    } else if (pointer.is_int()) {
        return; // NULL, or MPI's equivalent
    }
    QualType type = t.kind == Target::CELL ? type_of(t.cell) : context().CharTy;
    store(t, v, type.isNull() ? context().CharTy : type, e);
}

Cell Interp::file_cell(int opening, int part)
{
    std::vector<const void *> key = {&openings, (const void *)(size_t)opening};
    if (!made.count(key))
        made[key] = new_object(
            {Object::OPENING, "the view of " + openings[opening].name, QualType()});
    return {made[key], {part}};
}

// ---- files ----------------------------------------------------------

// States of an open file. KEPT: no other part of the program has it open for writing.
enum { KEPT = 1, WRITTEN = 2 };

static bool has_mode(const Program &p, const Opening &o, const char *name)
{
    auto at = p.numbers.find(name);
    return o.mode_known && at != p.numbers.end() && (o.mode & at->second);
}

void Interp::mpi_open(const CallExpr *e, const Args &a)
{
    auto key = chain(e);
    if (!made.count(key)) {
        made[key] = openings.size();
        openings.push_back(Opening());
    }
    int n = made[key];
    Opening &o = openings[n];
    o.where = here(e);
    o.function = frames.back().function->getNameAsString();
    o.name = text_of(context(), bare(e->getArg(4)));
    if (o.name[0] == '&')
        o.name = o.name.substr(1);
    o.path = text_of(context(), bare(e->getArg(1)));
    o.path_alike = text_at(a[1]).kind == Value::TAG;
    o.path_key = key_of_file(a[1]);
    o.comm = communicator(a[0]);
    o.comm_text = text_of(context(), bare(e->getArg(0)));
    o.alone = o.comm == SELF;
    o.apart = o.alone || parted.count(o.comm);
    o.called = !from_main;
    o.mode_known = a[2].is_int() && a[2].p.is_constant();
    o.mode = o.mode_known ? a[2].p.constant() : 0;
    auto without = [&](const char *name) {
        return o.mode_known && program.numbers.count(name) &&
               !has_mode(program, o, name);
    };
    o.append = !without("MPI_MODE_APPEND");
    bool there = without("MPI_MODE_CREATE");
    o.loops.clear();
    for (const Loop &l : loops)
        o.loops.push_back(l.k);
    o.call = e;
    o.in = frames.back().function;
    o.entered = frames.size() == 1 && !from_main;
    o.known = known_here(e);
    for (auto &[c, v] : now.cells)
        if (objects[c.object].kind == Object::FOREIGN)
            o.changed.insert(cell_text(c));
    write(file_cell(n, VIEW_START), Value::integer(0));
    write(file_cell(n, VIEW_UNIT), Value::integer(1));
    write(file_cell(n, VIEW_TYPE), Value::integer(0));
    write(file_cell(n, FILE_POINTER),
          openings[n].append
              ? Value::unknown("the file may be opened to append", here(e))
              : Value::integer(0));
    for (size_t i = 0; i < openings.size() && !there; i++)
        there = (int)i != n && filled(i) &&
                sameness(openings[i].path_key, openings[n].path_key) == SAME;
    write(file_cell(n, SHARED_POINTER), read(now, file_cell(n, FILE_POINTER)));
    write(file_cell(n, FILLED), Value::integer(there));
    // A file that is open for reading is not reliable beside an opening that writes.
    bool reads = only_reads(openings[n]), kept = reads;
    for (int i = 0; i < (int)openings.size(); i++) {
        if (i == n || read(now, file_cell(i, OPENED)).is_int(0) ||
            sameness(openings[i].path_key, openings[n].path_key) == DIFFERENT)
            continue;
        if (!reads)
            write(file_cell(i, OPENED), Value::integer(WRITTEN));
        kept = kept && only_reads(openings[i]);
    }
    write(file_cell(n, OPENED), Value::integer(kept ? KEPT : WRITTEN));
    put(a[4], Value::handle(Value::FILE, n), e);
    note(e, "MPI_File_open", n);
}

// Finds the variables of the blocks around a call that are declared before it. Returns
// true if `s` contains the call.
static bool declared_before(const Stmt *s, const CallExpr *e,
                            std::set<const VarDecl *> *out)
{
    std::set<const VarDecl *> here;
    if (s == e)
        return true;
    for (const Stmt *child : s->children()) {
        if (child && declared_before(child, e, out)) {
            out->insert(here.begin(), here.end());
            return true;
        }
        if (auto *d = dyn_cast_or_null<DeclStmt>(child))
            for (const Decl *one : d->decls())
                if (auto *v = dyn_cast<VarDecl>(one))
                    here.insert(v);
    }
    return false;
}

// True if the variable's name refers to it at the call.
bool Interp::can_name(const Object &o, const CallExpr *e) const
{
    const VarDecl *v = o.variable;
    const FunctionDecl *f = frames.back().function;
    if (!v || &v->getASTContext() != &context())
        return false;
    if (v->isFileVarDecl())
        return context().getSourceManager().isBeforeInTranslationUnit(v->getLocation(),
                                                                      e->getBeginLoc());
    std::set<const VarDecl *> local(f->param_begin(), f->param_end());
    declared_before(f->getBody(), e, &local);
    return local.count(v);
}

// Lists the values that can be named here, without names that a nearer variable hides.
std::vector<std::pair<std::string, Poly>> Interp::known_here(const CallExpr *e)
{
    std::vector<std::pair<std::string, Poly>> out;
    for (auto &[c, v] : now.cells) {
        const Object &o = objects[c.object];
        bool here = o.kind != Object::LOCAL || o.frame == frames.back().number;
        if (v.is_int() && here && can_name(o, e))
            out.push_back({cell_text(c), v.p});
    }
    std::map<std::string, std::set<Poly>> values;
    for (auto &[name, p] : out)
        values[name].insert(p);
    std::vector<std::pair<std::string, Poly>> single;
    for (auto &[name, all] : values)
        if (all.size() == 1)
            single.push_back({name, *all.begin()});
    return single;
}

void Interp::mpi_view(const CallExpr *e, const Args &a)
{
    if (a[0].kind != Value::FILE)
        return;
    int n = a[0].number;
    Datatype unit, tile;
    Value no = Value::unknown("the file's view is made of a datatype that is not "
                              "followed",
                              here(e));
    for (const Value *type : {&a[2], &a[3]})
        if (type->kind == Value::UNKNOWN && !type->text.empty())
            no = *type;
    bool ok = datatype(a[2], &unit) && unit.dense();
    // MPIs may differ in where they put the first tile of a type that begins elsewhere.
    bool tiled = datatype(a[3], &tile) && !tile.open && !tile.loose && !tile.shifted;
    Value representation = text_at(a[4]);
    if (representation.kind != Value::TAG || representation.text != "\"native\"") {
        ok = false;
        no.text = "the data representation of the file's view may be another one than "
                  "\"native\"";
    }
    bool current = a[1].is_int() && a[1].p.is_constant() && a[1].p.constant() < 0;
    write(file_cell(n, VIEW_START), current ? no : a[1]);
    openings[n].view_variables = ingredients({e->getArg(1)});
    write(file_cell(n, VIEW_UNIT), ok ? Value::integer(unit.extent) : no);
    write(file_cell(n, VIEW_TYPE), !tiled || !ok  ? no
                                   : tile.dense() ? Value::integer(0)
                                                  : new_type(tile));
    write(file_cell(n, FILE_POINTER), Value::integer(0));
    write(file_cell(n, SHARED_POINTER), Value::integer(0));
}

void Interp::mpi_seek(const CallExpr *e, const Args &a, bool shared)
{
    if (a[0].kind != Value::FILE)
        return;
    Cell c = file_cell(a[0].number, shared ? SHARED_POINTER : FILE_POINTER);
    auto is = [&](const char *name) {
        auto at = program.numbers.find(name);
        return at != program.numbers.end() && a[2].is_int(at->second);
    };
    Value v =
        Value::unknown("the file pointer is set from the end of the file", here(e));
    if (is("MPI_SEEK_SET"))
        v = a[1];
    else if (is("MPI_SEEK_CUR"))
        v = arithmetic(BO_Add, read(now, c), a[1], context().LongLongTy, e->getArg(1));
    write(c, v);
}

bool Interp::only_reads(const Opening &o) const
{
    return has_mode(program, o, "MPI_MODE_RDONLY");
}

// True if the program itself does not change the file while all ranks have it open here
// together.
bool Interp::keeps(int opening)
{
    const Opening &o = openings[opening];
    if (o.comm < 0 || o.apart || !read(now, file_cell(opening, OPENED)).is_int(KEPT))
        return false;
    for (const Opening &other : openings)
        if (other.foreign && sameness(other.path_key, o.path_key) != DIFFERENT)
            return false;
    assumptions.insert("nobody changes a file while the program has it open to read "
                       "only");
    return true;
}

// True if all ranks here read the same from the file, such as its header.
bool Interp::reads_alike(const Site &s, const Value &count)
{
    for (const Value *v : {&s.at, &count, &s.view_start, &s.view_unit})
        if (!v->is_int() || !alike(*v))
            return false;
    return !s.call.write && !s.call.nonblocking && !s.call.shared &&
           s.view_type.is_int(0) && keeps(s.opening);
}

// Handles the size of a file: ranks need not get the same while others write it.
void Interp::mpi_size(const CallExpr *e, const Args &a)
{
    bool same = a[0].kind == Value::FILE && keeps(a[0].number);
    const Value &to = a[1];
    std::string why = "the size of a file is not known where it may be written";
    put(to, Value::unknown(same ? "MPI_File_get_size()" : why, here(e), same), e);
    if (same && to.kind == Value::POINTER && !to.anywhere) {
        Cell c = to.to;
        auto at = now.cells.find(c);
        if (at != now.cells.end())
            at->second =
                settle(c, at->second, " as of line " + std::to_string(here(e).line));
    }
}

void Interp::fill(int opening)
{
    write(file_cell(opening, FILLED), Value::integer(1));
}

bool Interp::filled(int opening)
{
    return openings[opening].foreign || read(now, file_cell(opening, FILLED)).is_int(1);
}

// Advances the file pointer to the end of a transfer.
void Interp::advance(int opening, const Value &bytes, const Place &where)
{
    Cell c = file_cell(opening, FILE_POINTER);
    Value at = read(now, c), unit = read(now, file_cell(opening, VIEW_UNIT));
    Poly units;
    if (at.is_int() && bytes.is_int() && unit.is_int() &&
        bytes.p.divide(unit.p, &units)) {
        at.p = at.p + units;
        at.products.insert(bytes.products.begin(), bytes.products.end());
        write(c, at);
    } else if (at.is_int()) {
        write(c, Value::unknown(bytes.is_int() || bytes.text.empty()
                                    ? "the file pointer is moved by what is not known"
                                    : bytes.text,
                                where));
    }
}

// Finds this rank's place by the shared pointer. If ranks move it independently, its
// place is unknown; in order, each rank begins where the ranks before it have ended.
Value Interp::turn(const Site &s, const CallExpr *e)
{
    Cell c = file_cell(s.opening, SHARED_POINTER);
    Value at = read(now, c), unit = s.view_unit;
    Value no = Value::unknown("the shared file pointer is moved by all ranks in any "
                              "order",
                              here(e));
    int comm = openings[s.opening].comm, id = -1;
    Poly units, below;
    bool sure = s.call.ordered && comm >= 0 && (s.call.write || filled(s.opening)) &&
                at.is_int() && unit.is_int() && s.bytes.is_int() &&
                s.bytes.p.divide(unit.p, &units);
    if (sure && comm == SELF) {
        below = Poly();
    } else if (sure) {
        sure = summed_below(units, comm, &below) && alike(at);
        id = rank(comm).terms().begin()->first[0];
    }
    write(c,
          sure ? Value::integer(at.p + (id < 0 ? units : below.with(id, nprocs(comm))))
               : no);
    if (!sure)
        return at.kind == Value::UNKNOWN && s.call.ordered ? at : no;
    at.p = at.p + below;
    return at;
}

// Makes a site: a call, and the conditions and loops on the way to it.
static std::string name_of(const FunctionDecl *f)
{
    const auto *m = dyn_cast<CXXMethodDecl>(f);
    return m && m->getParent()->isLambda() ? "lambda" : f->getNameAsString();
}

Site Interp::new_site(const CallExpr *e, const IoCall &io, const Expr *file)
{
    Site s;
    s.where = here(e);
    s.function = name_of(frames.back().function);
    s.handle = text_of(context(), bare(file));
    s.call = io;
    s.called = !from_main;
    if (probing)
        return s;
    s.loops = loops;
    s.conditions = now.conditions;
    for (size_t i = 1; i < frames.size(); i++)
        s.via.push_back({frames[i].called, name_of(frames[i - 1].function)});
    return s;
}

// Notes a call that moves nothing, but has its place in the order.
void Interp::note(const CallExpr *e, const std::string &name, int opening)
{
    IoCall io;
    io.name = name;
    io.collective = true;
    Site s = new_site(e, io, e->getArg(name == "MPI_File_open" ? 4 : 0));
    s.opening = opening;
    add_site(s);
}

// The number of bytes in a status after a blocking call: for a write, all of them. The
// program cannot name it.
enum { BYTES = 1 };

static Value count_written(const Site &s, const Place &where)
{
    Value v = Value::unknown("a status is not followed", where);
    if (s.call.write && !s.call.nonblocking && s.bytes.is_int()) {
        v.p = s.bytes.p;
        v.number = BYTES;
    }
    return v;
}

void Interp::mpi_transfer(const CallExpr *e, const IoCall &io, const Args &a)
{
    unsigned buffer = io.at ? 2 : 1;
    if (a[buffer].kind == Value::POINTER)
        lose({a[buffer].to.object, {}});
    else if (!io.write && a[buffer].kind == Value::UNKNOWN)
        forget_compatible(context().CharTy, nullptr, here(e));
    if (!io.write && a[buffer].kind == Value::POINTER) {
        put(a[buffer], Value::unknown("what is read is not known", here(e)), e);
        if (!a[buffer].to.path.empty())
            forget({a[buffer].to.object, {}}, "is read from a file", here(e));
        if (io.nonblocking)
            objects[a[buffer].to.object].poisoned = true;
    }
    Site s = new_site(e, io, e->getArg(0));
    s.file = a[0];
    s.opening = a[0].kind == Value::FILE ? a[0].number : -1;
    Datatype t;
    const Value &count = a[buffer + 1], &type = a[buffer + 2];
    if (io.at)
        s.at_text = text_of(context(), bare(e->getArg(1)));
    if (!count.is_int())
        s.count_text = text_of(context(), bare(e->getArg(buffer + 1)));
    if (datatype(type, &t)) {
        s.bytes = count;
        if (count.is_int())
            s.bytes.p = count.p * t.size;
    } else {
        s.bytes = type.kind == Value::UNKNOWN && !type.text.empty()
                      ? type
                      : Value::unknown("the datatype is not followed", here(e));
    }
    if (s.opening >= 0) {
        s.view_start = read(now, file_cell(s.opening, VIEW_START));
        s.view_unit = read(now, file_cell(s.opening, VIEW_UNIT));
        s.view_type = read(now, file_cell(s.opening, VIEW_TYPE));
        s.at = io.at       ? a[1]
               : io.shared ? turn(s, e)
                           : read(now, file_cell(s.opening, FILE_POINTER));
        if (has_mode(program, openings[s.opening], "MPI_MODE_SEQUENTIAL") && !io.shared)
            s.at = Value::unknown("MPI_MODE_SEQUENTIAL permits only the shared file "
                                  "pointer",
                                  here(e));
        if (!io.at && !io.shared && (io.write || filled(s.opening)))
            advance(s.opening, s.bytes, here(e));
        else if (!io.at && !io.shared)
            advance(
                s.opening,
                Value::unknown("the file may be empty, so that less is read", here(e)),
                here(e));
        if (io.write)
            fill(s.opening);
        if (reads_alike(s, count))
            told(e, a[buffer], count, type, "is read from a file");
    }
    size_t status = buffer + 3;
    if (status < a.size() && a[status].kind == Value::POINTER)
        write(a[status].anywhere ? Cell{a[status].to.object, {}} : a[status].to,
              a[status].anywhere ? Value::unknown("a status is not followed", here(e))
                                 : count_written(s, here(e)));
    if (probing)
        return;
    classify_variables(e, io, &s);
    add_site(s);
}

// ---- all of them ----------------------------------------------------

static bool starts(const std::string &s, const char *with)
{
    return s.compare(0, strlen(with), with) == 0;
}

// Handles other functions: they write to their arguments, some of them later.
void Interp::mpi_other(const CallExpr *e, const std::string &name, const Args &a)
{
    static const char *const later[] = {
        "MPI_I",    "MPI_Recv_init", "MPI_Win_",  "MPI_Buffer_attach",
        "MPI_Rget", "MPI_Get",       "MPI_Fetch", "MPI_Compare_and"};
    bool lasts = false;
    for (const char *one : later)
        lasts = lasts || starts(name, one);
    if (starts(name, "MPI_Init") || starts(name, "MPI_Get_") || name == "MPI_Isend" ||
        name == "MPI_Intercomm_merge")
        lasts = false;
    for (size_t i = 0; i < a.size(); i++) {
        QualType t = e->getArg(i)->IgnoreParenImpCasts()->getType();
        if (const FunctionDecl *f = e->getDirectCallee())
            if (i < f->getNumParams())
                t = f->getParamDecl(i)->getType();
        if (!t->isPointerType() || !lasts || t->getPointeeType().isConstQualified())
            continue;
        if (a[i].kind == Value::POINTER)
            objects[a[i].to.object].poisoned = true;
        else if (!a[i].is_int() && t->isVoidPointerType())
            for (Object &o : objects)
                o.poisoned |= o.escaped;
    }
    if (name == "MPI_Get_address" || name == "MPI_Address")
        now.stored.insert(name), escape(a[0]); // MPI_BOTTOM may be anywhere
    bool anywhere =
        now.stored.count("MPI_Get_address") || now.stored.count("MPI_Address");
    for (size_t i = 0; i < a.size() && anywhere; i++)
        if (a[i].is_int(0) && e->getArg(i)->getType()->isPointerType())
            forget_compatible(context().CharTy, nullptr, here(e));
    Args without_files = a;
    for (Value &v : without_files)
        if (v.kind == Value::FILE)
            v = Value::integer(0);
    forget_arguments(e, name, without_files, false);
}

bool Interp::mpi_file(const CallExpr *e, const std::string &name, const Args &a)
{
    IoCall io;
    if (io_call(name, &io)) {
        if (!io.ended && a.size() >= (io.at ? 5u : 4u))
            mpi_transfer(e, io, a);
        else if (!a.empty() && io.ended)
            mpi_other(e, name, a);
    } else if (name == "MPI_File_open" && a.size() == 5) {
        mpi_open(e, a);
    } else if (name == "MPI_File_set_view" && a.size() == 6) {
        mpi_view(e, a);
    } else if (name == "MPI_File_seek" && a.size() == 3) {
        mpi_seek(e, a, false);
    } else if (name == "MPI_File_seek_shared" && a.size() == 3) {
        mpi_seek(e, a, true);
    } else if (name == "MPI_File_set_size" || name == "MPI_File_preallocate") {
        bool file = a.size() == 2 && a[0].kind == Value::FILE;
        if (file && !a[1].is_int(0))
            fill(a[0].number);
        if (name == "MPI_File_set_size" && file)
            touch_open(e, name, a[0].number);
    } else if (name == "MPI_Get_count" && a.size() == 3) {
        // The count of a write.
        bool own = a[0].kind == Value::POINTER && !a[0].anywhere &&
                   objects[a[0].to.object].kind == Object::LOCAL &&
                   !objects[a[0].to.object].escaped;
        Value status = own ? read(now, a[0].to) : Value();
        Datatype t;
        Poly n;
        if (status.kind != Value::UNKNOWN || status.number != BYTES ||
            !datatype(a[1], &t) || t.size.is_zero() || !status.p.divide(t.size, &n))
            return false;
        put(a[2], Value::integer(n), e);
    } else if (name == "MPI_File_get_size" && a.size() == 2) {
        mpi_size(e, a);
    } else if (name == "MPI_File_get_position" && a.size() == 2) {
        put(a[1],
            a[0].kind == Value::FILE
                ? read(now, file_cell(a[0].number, FILE_POINTER))
                : Value::unknown("the file pointer is not known", here(e)),
            e);
    } else if (name == "MPI_File_sync" && a.size() == 1) {
        note(e, name, a[0].kind == Value::FILE ? a[0].number : -1);
    } else if (name == "MPI_File_close" && a.size() == 1) {
        Value f = a[0].kind == Value::POINTER && !a[0].anywhere ? read(now, a[0].to)
                                                                : Value();
        note(e, name, f.kind == Value::FILE ? f.number : -1);
        if (f.kind == Value::FILE)
            write(file_cell(f.number, OPENED), Value::integer(0));
        if (f.kind == Value::FILE &&
            (!openings[f.number].mode_known ||
             has_mode(program, openings[f.number], "MPI_MODE_DELETE_ON_CLOSE")))
            touch_open(e, name, f.number);
        mpi_other(e, name, a);
    } else {
        return false;
    }
    return true;
}

Value Interp::call_mpi(const CallExpr *e, const std::string &name, const Args &a)
{
    Value done = Value::integer(0);
    assumptions.insert("no call of MPI fails");
    if (name == "MPI_Wtime" || name == "MPI_Wtick")
        return Value::unknown("the time is not known", here(e));
    if (name == "MPI_Abort") {
        end(true);
        return done;
    }
    if (mpi_file(e, name, a) || mpi_grid(e, name, a) || mpi_communicator(e, name, a) ||
        mpi_prefix(e, name, a) || mpi_told(e, name, a) ||
        (starts(name, "MPI_Type_") && mpi_type(e, name, a)) || name == "MPI_Init" ||
        name == "MPI_Finalize")
        return done;
    if (name == "MPI_Init_thread" && a.size() == 4)
        put(a[3], Value::unknown("the level of threads is not known", here(e)), e);
    else
        mpi_other(e, name, a);
    return done;
}

} // namespace ldadc
