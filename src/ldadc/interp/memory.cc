// Variables, and others' changes to them.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/assume.h"
#include "clang/AST/Attr.h"
#include <algorithm>

using namespace clang;

namespace ldadc
{

const ASTContext &Interp::context() const
{
    return frames.back().function->getASTContext();
}

Place Interp::here(const Stmt *s) const
{
    return place_of(context(), s->getBeginLoc());
}

int Interp::new_object(const Object &o)
{
    objects.push_back(o);
    return objects.size() - 1;
}

int Interp::object_of(const VarDecl *v)
{
    if (!v->hasGlobalStorage()) {
        Frame &f = frames.back();
        auto at = f.locals.find(v);
        if (at != f.locals.end())
            return at->second;
        Object o = {Object::LOCAL, v->getNameAsString(), stored_type(v)};
        o.variable = v;
        o.frame = f.number;
        o.poisoned = v->getType().isVolatileQualified();
        return f.locals[v] = new_object(o);
    }
    v = program.the_global(v);
    auto at = globals.find(v);
    if (at != globals.end())
        return at->second;
    Object o = {Object::GLOBAL, v->getNameAsString(), v->getType()};
    o.variable = v;
    o.poisoned = v->getType().isVolatileQualified() || v->getTLSKind() ||
                 (program.volatile_ones.count(v) && !v->getType().isConstQualified());
    return globals[v] = new_object(o);
}

static const RecordDecl *record_of(QualType t)
{
    const RecordType *r = t->getAs<RecordType>();
    return r ? r->getDecl()->getDefinition() : nullptr;
}

static const FieldDecl *field_of(QualType t, int number)
{
    if (const RecordDecl *r = record_of(t))
        for (const FieldDecl *f : r->fields())
            if ((int)f->getFieldIndex() == number)
                return f;
    return nullptr;
}

QualType Interp::type_of(const Cell &c) const
{
    const Object &o = objects[c.object];
    QualType t = o.type;
    for (size_t i = 0; i < c.path.size() && !t.isNull(); i++) {
        if (c.path[i] < ELEMENT) {
            const FieldDecl *f = field_of(t, c.path[i]);
            t = f ? f->getType() : QualType();
        } else if (const ArrayType *a = t->getAsArrayTypeUnsafe()) {
            t = a->getElementType();
        } else if (i > 0 || (o.kind != Object::FOREIGN && o.kind != Object::HEAP)) {
            t = QualType();
        }
    }
    return t;
}

std::string Interp::cell_text(const Cell &c) const
{
    const Object &o = objects[c.object];
    std::string out = o.name;
    QualType t = o.type;
    bool pointed = o.kind == Object::FOREIGN;
    for (size_t i = 0; i < c.path.size(); i++) {
        if (c.path[i] >= ELEMENT) {
            bool first = pointed && i == 0;
            bool arrow = first && c.path[i] == ELEMENT;
            if (arrow && c.path.size() == 1)
                out = "*" + out;
            else if (!arrow)
                out += "[" + std::to_string(c.path[i] - ELEMENT) + "]";
            if (!first && !t.isNull() && t->getAsArrayTypeUnsafe())
                t = t->getAsArrayTypeUnsafe()->getElementType();
            continue;
        }
        const FieldDecl *f = t.isNull() ? nullptr : field_of(t, c.path[i]);
        bool arrow = pointed && i == 1 && c.path[0] == ELEMENT;
        out += (arrow ? "->" : ".") + (f ? f->getNameAsString() : std::string("field"));
        t = f ? f->getType() : QualType();
    }
    return out;
}

// ---- reading --------------------------------------------------------

Value Interp::read(const State &s, const Cell &c)
{
    const Object &o = objects[c.object];
    if (o.poisoned)
        return Value::unknown("\"" + o.name + "\" may change at any time", {});
    for (Cell part = c;; part.path.pop_back()) {
        auto at = s.cells.find(part);
        if (at != s.cells.end()) {
            if (part == c)
                return at->second;
            if (at->second.kind == Value::UNKNOWN) {
                Value v = at->second;
                v.one = 0; // it is the number of the whole
                return v;
            }
            break;
        }
        if (part.path.empty())
            return initial(s, c);
    }
    return Value::unknown("\"" + cell_text(c) + "\" is not followed", {});
}

// Returns the initial view of a file that a caller has opened.
static Value initial_view(const Object &o, const Cell &c)
{
    int part = c.path.size() == 1 ? c.path[0] : FILE_POINTER;
    if (part == OPENED)
        return Value::integer(0);
    bool view = part == VIEW_START || part == VIEW_UNIT || part == VIEW_TYPE;
    return view && assumed_no_view() ? Value::integer(part == VIEW_UNIT)
                                     : Value::unknown(o.name + " is a caller's", {});
}

Value Interp::initial(const State &s, const Cell &c)
{
    const Object &o = objects[c.object];
    QualType t = type_of(c);
    if (o.kind == Object::GLOBAL)
        return initial_global(s, c, t);
    if (o.kind == Object::FOREIGN)
        return initial_foreign(s, c, t);
    if (o.kind == Object::OPENING)
        return initial_view(o, c);
    return Value::unknown(
        "\"" + cell_text(c) + "\" has no value that is known",
        o.variable ? place_of(o.variable->getASTContext(), o.variable->getLocation())
                   : Place());
}

static bool is_name(QualType t, const char *name)
{
    while (const auto *d = t->getAs<TypedefType>()) {
        if (d->getDecl()->getName() == name)
            return true;
        t = d->getDecl()->getUnderlyingType();
    }
    return false;
}

static bool is_text(QualType t)
{
    return t->isAnyCharacterType() || t->isVoidType() || t->isIncompleteType();
}

// Returns a value that an unseen caller has set.
Value Interp::foreign_value(const Cell &c, QualType t, const std::string &text)
{
    if (is_name(t, "MPI_Comm")) {
        if (!handles.count(c))
            handles[c] = comms++;
        return Value::handle(Value::COMM, handles[c]);
    }
    if (is_name(t, "MPI_File")) {
        if (!handles.count(c)) {
            Opening o;
            o.name = text;
            o.foreign = true;
            handles[c] = openings.size();
            openings.push_back(o);
        }
        return Value::handle(Value::FILE, handles[c]);
    }
    Place where = frames.empty() ? Place() : here(frames.back().function->getBody());
    if (is_name(t, "MPI_Datatype"))
        return Value::unknown("the datatype \"" + text + "\" is a caller's", where);
    if (t->isPointerType()) {
        QualType to = t->getPointeeType();
        if (is_text(to) || to->isPointerType() || to->isFunctionType())
            return Value::tag(text);
        if (!children.count(c)) {
            Object o = {Object::FOREIGN, text, to};
            o.constant = to.isConstQualified();
            children[c] = new_object(o);
        }
        return Value::pointer({children[c], {ELEMENT}});
    }
    if (!t->isIntegerType() || t->isBooleanType() ||
        objects[c.object].type->isUnionType() || frames.empty() ||
        context().getTypeSize(t) < 32)
        return Value::unknown("\"" + text + "\" is a caller's", where);
    if (!members.count(c)) {
        Symbol s = {symbol_id(text), text, "initialised once", where.line};
        s.foreign = true;
        members[c] = named_symbol(s);
    }
    return Value::integer(members[c]);
}

static std::string type_key(QualType t)
{
    return t.getCanonicalType().getUnqualifiedType().getAsString();
}

// True for a type that may be used for memory of any other one.
static bool may_be_any(QualType t)
{
    while (const auto *d = t->getAs<TypedefType>()) {
        if (d->getDecl()->hasAttr<MayAliasAttr>())
            return true;
        t = d->getDecl()->getUnderlyingType();
    }
    return t->isAnyCharacterType() || t->isStdByteType();
}

// Returns a name that is common to types which a store through a pointer may confuse;
// "=": any of them. A floating-point number is no pointer, although as large.
static std::string stored_key(QualType t, const ASTContext &c)
{
    if (t.isNull() || may_be_any(t) || !t->isScalarType() || t->isIncompleteType())
        return "=";
    if (t->isFloatingType()) // a complex number is two of them
        return "=floating";
    return (t->isIntegralOrEnumerationType() ? "=whole " : "=other ") +
           std::to_string(c.getTypeSize(t));
}

static bool compatible(const std::string &key, QualType t, const ASTContext &c)
{
    std::string own = stored_key(t, c);
    return own == "=" || key == "=" || key == own;
}

// True if such a store may have changed a variable of this type.
static bool may_be_stored(const State &s, QualType t, const ASTContext &c)
{
    for (const std::string &key : s.stored)
        if (key[0] == '=' && compatible(key, t, c))
            return true;
    return false;
}

Value Interp::initial_foreign(const State &s, const Cell &c, QualType t)
{
    std::string text = cell_text(c);
    const Object &o = objects[c.object];
    if (t.isNull() || (!o.constant && s.stored.count("*")))
        return Value::unknown("\"" + text +
                                  "\" may be changed by a function that is "
                                  "not seen",
                              {});
    if (may_be_stored(s, t, context()))
        return Value::unknown("\"" + text + "\" may be changed through a pointer", {});
    QualType inside = o.type;
    for (size_t i = 0; i < c.path.size(); i++) {
        Cell part = c;
        part.path.resize(i + 1);
        const FieldDecl *f =
            c.path[i] < ELEMENT ? field_of(inside, c.path[i]) : nullptr;
        if ((f && f->isBitField()) || inside->isUnionType() ||
            inside.isVolatileQualified())
            return Value::unknown("\"" + text + "\" is not followed", {});
        inside = type_of(part);
        if (inside.isNull())
            break;
    }
    return foreign_value(c, t, text);
}

// Returns a pointer of an initial value: to a variable, or to text.
Value Interp::address_in(const APValue &v, const Value &no)
{
    if (v.isNullPointer())
        return Value::integer(0);
    const auto *at = v.getLValueBase().dyn_cast<const ValueDecl *>();
    const auto *text = v.getLValueBase().dyn_cast<const Expr *>();
    if (const auto *s = dyn_cast_or_null<StringLiteral>(text))
        return v.getLValueOffset().isZero()
                   ? Value::tag("\"" + s->getString().str() + "\"")
                   : no;
    const auto *variable = dyn_cast_or_null<VarDecl>(at);
    if (!variable || !variable->hasGlobalStorage())
        return no;
    Cell to = {object_of(variable), {}};
    Value anywhere = Value::pointer(to, true);
    if (!v.hasLValuePath())
        return anywhere;
    for (const auto &step : v.getLValuePath()) {
        QualType inside = type_of(to);
        if (inside.isNull() || inside->isUnionType())
            return anywhere;
        if (inside->isArrayType()) {
            if (step.getAsArrayIndex() > INT32_MAX - ELEMENT)
                return anywhere;
            to.path.push_back(ELEMENT + (int)step.getAsArrayIndex());
        } else {
            const auto *f =
                dyn_cast_or_null<FieldDecl>(step.getAsBaseOrMember().getPointer());
            if (!f)
                return anywhere;
            to.path.push_back(f->getFieldIndex());
        }
    }
    return Value::pointer(to);
}

// Returns the part of an initial value; null: it has no known one.
static const APValue *part_of(const APValue *v, int part)
{
    unsigned n = part % ELEMENT;
    if (v->isStruct() && part < ELEMENT && n < v->getStructNumFields())
        return &v->getStructField(n);
    if (!v->isArray() || part < ELEMENT || n >= v->getArraySize())
        return nullptr;
    if (n < v->getArrayInitializedElts())
        return &v->getArrayInitializedElt(n);
    return v->hasArrayFiller() ? &v->getArrayFiller() : nullptr;
}

// Returns the text at the begin of a table of letters.
static Value text_in(const APValue &v)
{
    std::string out;
    for (unsigned i = 0; i < v.getArrayInitializedElts(); i++) {
        const APValue &letter = v.getArrayInitializedElt(i);
        if (!letter.isInt() || letter.getInt() == 0)
            break;
        out += (char)letter.getInt().getExtValue();
    }
    return Value::tag("\"" + out + "\"");
}

Value Interp::from_initialiser(const Object &o, const Cell &c, QualType t)
{
    const VarDecl *with = nullptr;
    const Expr *e = o.variable->getAnyInitializer(with);
    Value no = Value::unknown(
        "the initial value of \"" + o.name + "\" is not followed",
        place_of(o.variable->getASTContext(), o.variable->getLocation()));
    if (!e)
        return Value::integer(0);
    const APValue *v = e->isValueDependent() ? nullptr : with->evaluateValue();
    for (size_t i = 0; v && i < c.path.size(); i++) {
        if (v->isUnion())
            no.text = "a union is not followed";
        v = part_of(v, c.path[i]);
    }
    if (!v)
        return no;
    if (v->isInt() && t->isIntegerType() && v->getInt().isSignedIntN(64))
        return Value::integer(v->getInt().getExtValue());
    if (v->isLValue() && t->isPointerType())
        return address_in(*v, no);
    if (v->isArray() && t->isArrayType() &&
        t->getAsArrayTypeUnsafe()->getElementType()->isCharType())
        return text_in(*v);
    return no;
}

static bool others_see(const Object &o)
{
    return o.kind == Object::FOREIGN || o.escaped ||
           (o.kind == Object::GLOBAL && o.variable->isExternallyVisible() &&
            !o.variable->getType().isConstQualified());
}

Value Interp::initial_global(const State &s, const Cell &c, QualType t)
{
    const Object &o = objects[c.object];
    const VarDecl *v = o.variable;
    Place where = place_of(v->getASTContext(), v->getLocation());
    bool constant =
        v->getType().isConstQualified() ||
        (v->getType()->isArrayType() &&
         v->getASTContext().getBaseElementType(v->getType()).isConstQualified());
    bool own = !v->isExternallyVisible();
    bool defined = own || program.globals.count(o.name);
    bool fixed = constant || (own && !program.assigned.count(v) && !o.escaped);
    if (o.name == "optarg" && !defined)
        return Value::tag("optarg");
    if (t.isNull() || !defined)
        return Value::unknown("\"" + o.name + "\" is set in a file that is not seen",
                              where, o.name == "optind");
    if (!fixed && others_see(o) && may_be_stored(s, t, v->getASTContext()))
        return Value::unknown("\"" + o.name + "\" may be changed through a pointer",
                              where);
    if (fixed || (from_main && !s.stored.count("*")))
        return from_initialiser(o, c, t);
    if (from_main || s.stored.count("*"))
        return Value::unknown("\"" + o.name +
                                  "\" may be changed by a function that is "
                                  "not seen",
                              where);
    return foreign_value(c, t, cell_text(c));
}

// ---- writing --------------------------------------------------------

static bool holds_text(QualType t, const ASTContext &context)
{
    if (t.isNull())
        return true;
    t = context.getBaseElementType(t);
    return !t->isScalarType() || t->isAnyCharacterType();
}

// Notes that a text, or a part of one, may have been stored.
void Interp::change_text(const Cell &part)
{
    const Object &o = objects[part.object];
    if (!part.path.empty() && part.path.back() >= ELEMENT) {
        Cell whole = part;
        whole.path.pop_back();
        auto at = now.cells.find(whole);
        if (at != now.cells.end() &&
            (at->second.kind == Value::TAG || at->second.one)) {
            for (auto *log : logs)
                log->insert(whole);
            at->second = itself(Value::unknown(
                "\"" + cell_text(whole) + "\" is changed in part", at->second.where));
        }
    }
    if (others_see(o) && o.kind != Object::OPENING &&
        holds_text(type_of(part), context()))
        texts_change();
}

void Interp::write(const Cell &c, const Value &v)
{
    for (auto *log : logs)
        log->insert(c);
    auto at = now.cells.lower_bound(c);
    std::vector<Value> lost;
    for (; at != now.cells.end() && c.begins(at->first); at = now.cells.erase(at))
        if ((v.kind == Value::UNKNOWN || !(at->first == c)) &&
            at->second.kind == Value::POINTER)
            lost.push_back(at->second); // it may still be there
    for (const Value &pointer : lost)
        escape(pointer);
    const Object &o = objects[c.object];
    if (v.kind == Value::POINTER && (o.kind != Object::LOCAL || o.escaped))
        escape(v);
    now.cells[c] = itself(v);
    change_text(c);
}

void Interp::forget(const Cell &c, const std::string &why, const Place &where,
                    bool uniform)
{
    write(c, Value::unknown("\"" + cell_text(c) + "\" " + why, where, uniform));
}

void Interp::escape(const Value &v)
{
    if (v.kind != Value::POINTER || objects[v.to.object].escaped)
        return;
    objects[v.to.object].escaped = true;
    objects[v.to.object].poisoned |= program.changes_by_pointer;
    lose({v.to.object, {}});
}

// Makes a cell unknown, or its addresses available elsewhere: they may be held there.
void Interp::lose(const Cell &c)
{
    std::vector<Value> inside;
    for (auto &[part, v] : now.cells)
        if (v.kind == Value::POINTER && (c.begins(part) || part.begins(c)))
            inside.push_back(v);
    for (const Value &v : inside)
        escape(v);
}

// True if an object of this type is exactly the cell.
bool Interp::is_as_large(const Cell &c, QualType t)
{
    Object &o = objects[c.object];
    bool unnamed = o.kind == Object::HEAP && (o.type.isNull() || o.type->isVoidType());
    if (unnamed && c.path.size() == 1 && !t.isNull())
        o.type = t; // its first use types the memory
    QualType of = type_of(c);
    if (of.isNull() || t.isNull() || of->isIncompleteType() || t->isIncompleteType() ||
        of->isVariablyModifiedType() || t->isVariablyModifiedType())
        return true;
    if (of->isRecordType() || t->isRecordType())
        return type_key(of) == type_key(t);
    return context().getTypeSize(of) == context().getTypeSize(t);
}

// Forgets values after a store through a pointer to an unknown place.
void Interp::forget_compatible(QualType t, const Cell *but, const Place &where)
{
    std::string key = stored_key(t, context());
    std::vector<Cell> hit;
    for (auto &[c, v] : now.cells)
        if (others_see(objects[c.object]) && (!but || !(c == *but)) &&
            compatible(key, type_of(c), context()))
            hit.push_back(c);
    for (size_t i = 0; i < objects.size(); i++)
        if (objects[i].kind == Object::GLOBAL && others_see(objects[i]) &&
            compatible(key, objects[i].type, context()) &&
            (!but || but->object != (int)i))
            hit.push_back({(int)i, {}});
    for (const Cell &c : hit)
        forget(c, "may be changed through a pointer", where);
    texts_change();
    now.stored.insert(key);
}

// Forgets values that an unseen function can reach.
void Interp::forget_reachable(const std::string &name, const Place &where)
{
    std::string why = "may be changed by " + name + "()";
    std::vector<int> files;
    for (size_t i = 0; i < objects.size(); i++) {
        const Object &o = objects[i];
        bool global =
            o.kind == Object::GLOBAL && !o.variable->getType().isConstQualified() &&
            (o.variable->isExternallyVisible() || program.assigned.count(o.variable));
        if (!o.escaped && !global && (o.kind != Object::FOREIGN || o.constant))
            continue;
        for (auto &[c, v] : now.cells)
            if (c.object == (int)i && v.kind == Value::FILE)
                files.push_back(v.number);
        if (o.kind != Object::OPENING)
            forget({(int)i, {}}, why, where);
    }
    for (int f : files)
        forget_file(f, why, where);
    texts_change();
    now.stored.insert("*");
}

void Interp::forget_file(int opening, const std::string &why, const Place &where)
{
    openings[opening].handed_on = true;
    for (int part : {VIEW_START, VIEW_UNIT, VIEW_TYPE, FILE_POINTER, SHARED_POINTER})
        write(file_cell(opening, part),
              Value::unknown("the view of \"" + openings[opening].name + "\" " + why,
                             where));
}

static void leaves_of(QualType t, const ASTContext &context, Cell at,
                      std::vector<Cell> *out)
{
    if (const RecordDecl *r = record_of(t)) {
        for (const FieldDecl *f : r->fields()) {
            Cell part = at;
            part.path.push_back(f->getFieldIndex());
            leaves_of(f->getType(), context, part, out);
        }
    } else if (const ConstantArrayType *a = context.getAsConstantArrayType(t)) {
        for (uint64_t i = 0; i < a->getSize().getZExtValue() && i < 16; i++) {
            Cell part = at;
            part.path.push_back(ELEMENT + i);
            leaves_of(a->getElementType(), context, part, out);
        }
    } else {
        out->push_back(at);
    }
}

void Interp::parts_of(const Cell &whole, std::vector<Cell> *out) const
{
    leaves_of(type_of(whole), context(), whole, out);
}

void Interp::copy(const Cell &to, const Cell &from, QualType t)
{
    std::vector<Cell> parts;
    Cell nothing;
    leaves_of(t, context(), nothing, &parts);
    std::map<Cell, Value> values;
    for (const Cell &part : parts) {
        Cell source = from, goal = to;
        source.path.insert(source.path.end(), part.path.begin(), part.path.end());
        goal.path.insert(goal.path.end(), part.path.begin(), part.path.end());
        values[goal] = read(now, source);
    }
    std::set<Cell> followed;
    for (const Cell &part : parts)
        followed.insert(part);
    for (auto &[c, v] : State(now).cells) {
        Cell part;
        if (c.path.size() >= from.path.size())
            part.path.assign(c.path.begin() + from.path.size(), c.path.end());
        if (from.begins(c) ? !followed.count(part) || t->isUnionType() : c.begins(from))
            escape(v);
    }
    forget(to, "is not followed", {});
    if (t->isUnionType())
        return;
    for (auto &[c, v] : values)
        write(c, v);
}

void Interp::drop_frame(int number)
{
    for (auto at = now.cells.begin(); at != now.cells.end();)
        if (objects[at->first.object].kind == Object::LOCAL &&
            objects[at->first.object].frame == number)
            at = now.cells.erase(at);
        else
            ++at;
}

// ---- names ----------------------------------------------------------

// Names a value of the program's arguments after the first variable that holds it.
Value Interp::named(const Cell &c, const Value &v)
{
    if (v.kind != Value::INT || v.p.is_constant())
        return v;
    int whole = 0, unnamed = 0, other = 0;
    for (auto &[m, factor] : v.p.terms())
        for (int id : m)
            if (atom(id).kind == Atom::SYMBOL && !symbol(atom(id).number).named)
                unnamed++, whole = m.size() == 1 && factor == 1 ? id : whole;
            else
                other++;
    if (!unnamed || other)
        return v;
    if (v.p == Poly::atom(whole)) {
        Symbol &s = symbol(atom(whole).number);
        s.named = true;
        s.text = cell_text(c);
        s.id = symbol_id(s.text);
        Value out = v;
        out.p = part_of_named(s, v.p);
        return out;
    }
    Value out = v;
    std::string text = cell_text(c);
    out.p = named_symbol({symbol_id(text), text, "initialised once"});
    return out;
}

// Names an unknown number that is the same on all ranks, if the program passes here
// only once.
Value Interp::settle(const Cell &c, const Value &v, const std::string &since)
{
    QualType t = type_of(c);
    if (v.kind != Value::UNKNOWN || !v.uniform || !loops.empty() || probing ||
        t.isNull() || objects[c.object].poisoned)
        return v;
    if (t->isPointerType() && is_text(t->getPointeeType())) {
        Value text = Value::tag(cell_text(c));
        text.one = v.one ? v.one : itself(v).one;
        return text;
    }
    if (!t->isIntegerType() || t->isBooleanType() || context().getTypeSize(t) < 32 ||
        is_name(t, "MPI_Comm") || is_name(t, "MPI_Datatype"))
        return v;
    std::string text = cell_text(c);
    Symbol s = {symbol_id(text), text + since, "initialised once", v.where.line};
    s.from = v.text;
    return Value::integer(named_symbol(s));
}

} // namespace ldadc
