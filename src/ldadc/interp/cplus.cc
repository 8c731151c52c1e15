// C++ beyond C: references, methods, and objects of the standard library. Of these,
// only the length of a vector and the text from which a string was made are known.
#include "ldadc/interp/interp.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace ldadc
{

enum { LENGTH = ELEMENT - 1 }; // a part of a vector: its number of elements

bool of_standard_library(const Decl *d)
{
    bool within = false;
    for (const DeclContext *c = d->getDeclContext(); c; c = c->getParent())
        within = within || c->isNamespace();
    return within &&
           d->getASTContext().getSourceManager().isInSystemHeader(d->getLocation());
}

static const CXXRecordDecl *standard_class(QualType t)
{
    const CXXRecordDecl *r = t.getNonReferenceType()->getAsCXXRecordDecl();
    return r && of_standard_library(r) ? r : nullptr;
}

static bool is_class(QualType t, const char *name)
{
    const CXXRecordDecl *r = standard_class(t);
    return r && r->getName() == name;
}

QualType stored_type(const ValueDecl *v)
{
    QualType t = v->getType();
    return t->isReferenceType()
               ? v->getASTContext().getPointerType(t.getNonReferenceType())
               : t;
}

// ---- references -----------------------------------------------------

namespace
{
class Mentioned : public RecursiveASTVisitor<Mentioned>
{
  public:
    std::vector<const VarDecl *> variables;
    bool self = false;

    bool VisitDeclRefExpr(DeclRefExpr *e)
    {
        if (auto *v = dyn_cast<VarDecl>(e->getDecl()))
            variables.push_back(v);
        return true;
    }

    bool VisitCXXThisExpr(CXXThisExpr *)
    {
        return self = true;
    }
};
} // namespace

// Escapes every variable in an expression: it may stand for any of them.
void Interp::escape_all_in(const Expr *e)
{
    Mentioned m;
    m.TraverseStmt(const_cast<Expr *>(e));
    for (const VarDecl *v : m.variables)
        if (v->getType()->isReferenceType())
            escape(read(now, {object_of(v), {}}));
        else
            escape(Value::pointer({object_of(v), {}}));
    if (m.self)
        escape(frames.back().self);
}

static const Expr *without_cleanups(const Expr *e)
{
    e = e->IgnoreParens();
    if (const auto *c = dyn_cast<ExprWithCleanups>(e))
        return without_cleanups(c->getSubExpr());
    return e;
}

// Returns the object that a reference is bound to, as a pointer.
Value Interp::bound(const Expr *e)
{
    e = without_cleanups(e);
    Target t = target(e);
    if (t.kind == Target::NOWHERE)
        return Value::unknown("a reference is not followed", here(e));
    return Value::pointer(t.cell, t.kind == Target::INSIDE || t.opaque);
}

const CXXConstructExpr *construction(const Expr *e)
{
    e = without_cleanups(e);
    if (const auto *c = dyn_cast<CXXConstructExpr>(e))
        return c;
    if (const auto *b = dyn_cast<CXXBindTemporaryExpr>(e))
        return construction(b->getSubExpr());
    const auto *c = dyn_cast<CastExpr>(e);
    bool same = c && (c->getCastKind() == CK_ConstructorConversion ||
                      c->getCastKind() == CK_NoOp);
    return same ? construction(c->getSubExpr()) : nullptr;
}

// Makes a variable for a value that has none.
Target Interp::temporary(const Expr *e)
{
    Target t;
    t.kind = Target::CELL;
    t.cell.object = new_object({Object::LOCAL, "temporary", e->getType()});
    objects[t.cell.object].frame = frames.back().number;
    initialise(t.cell, e->getType(), e);
    return t;
}

// ---- constructors ---------------------------------------------------

static bool copies(const CXXConstructExpr *e)
{
    return e->getConstructor()->isCopyOrMoveConstructor() && e->getNumArgs() >= 1;
}

// Constructs an object of the standard library, as far as it is known.
void Interp::construct_standard(const Cell &c, const CXXConstructExpr *e)
{
    std::vector<Value> args;
    for (const Expr *a : e->arguments())
        args.push_back(argument(a));
    if (!alive)
        return;
    Value known = Value::unknown("an object of C++ is not followed", here(e));
    bool copy = copies(e);
    unsigned given = 0; // arguments that are not defaults
    while (given < e->getNumArgs() && !isa<CXXDefaultArgExpr>(e->getArg(given)))
        given++;
    bool from = copy && args[0].kind == Value::POINTER && !args[0].anywhere;
    bool text = is_class(e->getType(), "basic_string");
    bool row = is_class(e->getType(), "vector");
    Value before = from ? read(now, args[0].to) : Value();
    Value length;
    if (from && row) {
        Cell part = args[0].to;
        part.path.push_back(LENGTH);
        length = read(now, part);
    } else if (row && given == 0 && !copy) {
        length = Value::integer(0);
    } else if (row && given >= 1 && given <= 2 &&
               e->getArg(0)->getType()->isIntegerType()) {
        length = args[0];
    }
    if (!copy || !e->getConstructor()->isCopyConstructor())
        forget_given(e->getConstructor(), e->getArgs(), args, here(e));
    forget(c, "is an object of C++, which is not followed", here(e));
    const Value &words = from || args.empty() ? before : args[0];
    bool fixed = words.kind == Value::TAG &&
                 (words.text[0] == '"' || words.text.compare(0, 5, "argv[") == 0);
    if (text && fixed && (from || given == 1))
        write(c, words);
    if (length.is_int()) {
        Cell part = c;
        part.path.push_back(LENGTH);
        write(part, length);
    }
}

// Constructs an object of the program: first its members, then the constructor's body.
void Interp::construct(const Cell &c, const CXXConstructExpr *e)
{
    const CXXConstructorDecl *f = e->getConstructor();
    if (standard_class(e->getType()))
        return construct_standard(c, e);
    const CXXConstructExpr *made =
        copies(e) && e->isElidable() ? construction(e->getArg(0)) : nullptr;
    if (made && made->getType().getCanonicalType().getUnqualifiedType() ==
                    e->getType().getCanonicalType().getUnqualifiedType())
        return construct(c, made);
    if (copies(e)) {
        Target from = target(without_cleanups(e->getArg(0)));
        if (from.kind == Target::CELL && !from.opaque)
            copy(c, from.cell, e->getType());
        else
            forget(c, "is not followed", here(e));
        return;
    }
    forget(c, "has no value yet", here(e));
    std::vector<const Expr *> given(e->arg_begin(), e->arg_end());
    const FunctionDecl *body = program.body_of(f);
    if (body && !is_running(body))
        run_function(e, given, body, Value::pointer(c));
    else if (f->isUserProvided())
        call_unseen(f, given, Value::pointer(c), here(e));
}

// Constructs the elements of a table, which become unknown.
void Interp::construct_all(const Cell &c, const CXXConstructExpr *e)
{
    forget(c, "is a table of objects of C++, which is not followed", here(e));
    if (e->getConstructor()->isUserProvided())
        call_unseen(e->getConstructor(), {e->arg_begin(), e->arg_end()},
                    Value::pointer(c), here(e));
}

// Constructs the members, in the order of the class.
void Interp::construct_members(const CXXConstructorDecl *f)
{
    Value self = frames.back().self;
    for (const CXXCtorInitializer *i : f->inits()) {
        if (!alive || self.kind != Value::POINTER || self.anywhere)
            return;
        Cell part = self.to;
        if (const FieldDecl *m = i->getMember()) {
            part.path.push_back(m->getFieldIndex());
            initialise(part, m->getType(), i->getInit());
        } else if (i->isDelegatingInitializer()) {
            initialise(part, f->getASTContext().getRecordType(f->getParent()),
                       i->getInit());
        }
    }
}

// ---- destructors ----------------------------------------------------

namespace
{
class Effect
{
  public:
    bool of(QualType t)
    {
        const CXXRecordDecl *r = t->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
        if (!r || !r->hasDefinition() || !seen.insert(r).second)
            return false;
        if (of_standard_library(r)) {
            const auto *made = dyn_cast<ClassTemplateSpecializationDecl>(r);
            return made && of(made->getTemplateArgs().asArray());
        }
        const CXXDestructorDecl *d = r->getDestructor();
        bool found = d && d->isUserProvided();
        for (const FieldDecl *f : r->fields())
            found = found || of(f->getType());
        return found;
    }

  private:
    bool of(llvm::ArrayRef<TemplateArgument> args)
    {
        bool found = false;
        for (const TemplateArgument &a : args)
            if (a.getKind() == TemplateArgument::Pack)
                found = found || of(a.pack_elements());
            else if (a.getKind() == TemplateArgument::Type)
                found = found || of(a.getAsType());
        return found;
    }

    std::set<const CXXRecordDecl *> seen; // an element of a list refers to another one
};
} // namespace

bool ends_with_effect(QualType t)
{
    return Effect().of(t);
}

const CXXDestructorDecl *destructor_of(QualType t)
{
    const CXXRecordDecl *r = t->getAsCXXRecordDecl();
    return r && !of_standard_library(r) && ends_with_effect(t) ? r->getDestructor()
                                                               : nullptr;
}

// Ends the frame's objects from that number on, in reverse order. However their block
// is left, they end at its end.
void Interp::end_objects(size_t from, const Stmt *leaves)
{
    for (size_t i = frames.back().ending.size(); alive && i-- > from;) {
        auto [v, block] = frames.back().ending[i];
        end_object({object_of(v), {}}, v->getType(), {leaves, v},
                   place_of(context(), block->getRBracLoc()));
    }
}

// Ends an object by its destructor; no call shows that.
void Interp::end_object(const Cell &c, QualType t,
                        const std::vector<const void *> &which, const Place &where)
{
    const CXXDestructorDecl *f = destructor_of(t);
    if (!alive || !f)
        return;
    const FunctionDecl *body = program.body_of(f);
    if ((!body && f->isUserProvided()) || is_running(body ? body : f))
        return call_unseen(f, {}, Value::pointer(c), where);
    enter_frame(body ? body : f, Value::pointer(c), where);
    frames.back().ended = which;
    run_frame();
}

// Ends the members of an object, after its destructor.
void Interp::end_members()
{
    const auto *f = cast<CXXDestructorDecl>(frames.back().function);
    Cell self = frames.back().self.to;
    const Stmt *body = f->getBody();
    Place where =
        place_of(context(), f->isUserProvided() ? body->getEndLoc() : f->getLocation());
    std::vector<const FieldDecl *> members(f->getParent()->field_begin(),
                                           f->getParent()->field_end());
    for (size_t i = members.size(); i-- > 0;) {
        Cell part = self;
        part.path.push_back(members[i]->getFieldIndex());
        end_object(part, members[i]->getType(), {members[i]}, where);
    }
}

// ---- lambdas --------------------------------------------------------

// Returns the variables that a lambda captures, with the cell of the lambda that keeps
// each.
static std::vector<std::pair<LambdaCapture, Cell>> captured(const CXXRecordDecl *l,
                                                            const Cell &c)
{
    std::vector<std::pair<LambdaCapture, Cell>> out;
    int number = 0;
    for (const LambdaCapture &one : l->captures()) {
        Cell kept = c;
        kept.path.push_back(number++);
        if (one.capturesVariable())
            out.push_back({one, kept});
    }
    return out;
}

void Interp::make_lambda(const Cell &c, const LambdaExpr *l)
{
    forget(c, "is a lambda", here(l));
    for (const auto &[one, kept] : captured(l->getLambdaClass(), c))
        if (one.getCaptureKind() == LCK_ByCopy)
            write(kept, read(now, {object_of(one.getCapturedVar()), {}}));
}

// Enters a lambda: its captured variables are those of the caller, which made it, or
// copies made then.
void Interp::enter_lambda(const CXXRecordDecl *l, const Cell &c)
{
    const Frame &maker = frames[frames.size() - 2];
    frames.back().self = maker.self;
    for (const auto &[one, kept] : captured(l, c)) {
        const VarDecl *v = one.getCapturedVar();
        if (one.getCaptureKind() == LCK_ByCopy)
            write({object_of(v), {}}, read(now, kept));
        else if (maker.locals.count(v))
            frames.back().locals[v] = maker.locals.at(v);
    }
}

// ---- the standard library -------------------------------------------

// Evaluates an argument as a value or, for records and references, as a pointer.
Value Interp::argument(const Expr *e)
{
    if (e->getType()->isRecordType() || e->isGLValue())
        return bound(e);
    return eval(e);
}

// Forgets values that an unseen function may change through its arguments, and notes
// those that it may keep.
void Interp::forget_given(const FunctionDecl *f, const Expr *const *of,
                          const std::vector<Value> &args, const Place &where)
{
    for (size_t i = 0; i < args.size(); i++) {
        QualType t = f && i < f->getNumParams() ? f->getParamDecl(i)->getType()
                                                : of[i]->getType();
        bool by_address = t->isPointerType() || t->isReferenceType();
        QualType to = by_address ? t->getPointeeType() : QualType();
        const Value &v = args[i];
        if (by_address && !to.isConstQualified()) {
            if (v.kind == Value::POINTER) {
                Cell whole = v.to;
                if (v.anywhere || (!whole.path.empty() && whole.path.back() >= ELEMENT))
                    whole.path.resize(v.anywhere ? 0 : whole.path.size() - 1);
                forget(whole, "may be changed by " + f->getNameAsString() + "()",
                       where);
                // The library may keep it in an object, and change it through that.
                objects[v.to.object].poisoned |= of_standard_library(f);
                if (objects[v.to.object].kind == Object::FOREIGN)
                    forget_compatible(type_of(v.to), &whole, where);
            } else if (!v.is_int()) {
                forget_compatible(to->isVoidType() ? context().CharTy : to, nullptr,
                                  where);
            }
        }
        // A value that is passed by reference is copied; an address may be kept.
        bool record = of[i]->getType()->isRecordType();
        if (v.kind == Value::POINTER && t->isReferenceType() && !record) {
            Value held = v.anywhere ? Value() : read(now, v.to);
            escape(to.isConstQualified() ? held : v);
        } else if (v.kind == Value::POINTER && !record) {
            escape(v);
        } else if (record && v.kind == Value::POINTER && !v.anywhere) {
            for (auto &[c, held] : State(now).cells)
                if (v.to.begins(c))
                    escape(held);
        }
    }
}

// Returns the memory of an object's elements.
Cell Interp::elements_of(const Target &object, const Expr *e)
{
    Cell of = object.cell;
    if (object.kind != Target::CELL)
        of = {-1, {}};
    if (!elements.count(of)) {
        elements[of] = new_object({Object::HEAP, "elements", context().CharTy});
        objects[elements[of]].escaped = true;
    }
    Cell all = {elements[of], {}};
    if (!now.cells.count(all))
        forget(all, "is an element of an object of C++", here(e));
    return all;
}

static bool calls_back(const CallExpr *e)
{
    for (const Expr *a : e->arguments()) {
        QualType t = a->getType().getNonReferenceType();
        const auto *name = dyn_cast<DeclRefExpr>(bare(a));
        if ((t->isFunctionPointerType() || t->isFunctionType() ||
             t->isMemberPointerType()) &&
            !(name && of_standard_library(name->getDecl())))
            return true;
    }
    return false;
}

Value Interp::least_or_most(const std::string &name, const CallExpr *e,
                            const std::vector<Value> &args)
{
    Value a, b;
    if (args.size() == 2 && e->getType()->isIntegerType() &&
        args[0].kind == Value::POINTER && args[1].kind == Value::POINTER) {
        a = read(now, args[0].to);
        b = read(now, args[1].to);
    }
    if (!a.is_int() || !b.is_int() || args[0].anywhere || args[1].anywhere)
        return Value::unknown("the result of " + name + "() is not followed", here(e),
                              alike(a) && alike(b) && args.size() == 2);
    a.p = name == "min" ? least(a.p, b.p) : most(a.p, b.p);
    a.products.insert(b.products.begin(), b.products.end());
    return a;
}

// Calls a function of the standard library. Returns the value behind a reference, if
// the result is one and known; else the result.
Value Interp::call_standard(const CallExpr *e, const FunctionDecl *f, Target *at)
{
    const auto *method = dyn_cast<CXXMethodDecl>(f);
    const auto *member = dyn_cast<CXXMemberCallExpr>(e);
    std::string name = f->getNameAsString();
    bool on = method && !method->isStatic();
    const Expr *object = !on      ? nullptr
                         : member ? member->getImplicitObjectArgument()
                                  : e->getArg(0);
    Target self;
    if (object && object->getType()->isPointerType())
        self = element(eval(object), Value::integer(0),
                       object->getType()->getPointeeType(), e);
    else if (object)
        self = target(without_cleanups(object));
    std::vector<Value> args;
    unsigned first = object && !member ? 1 : 0;
    for (unsigned i = first; i < e->getNumArgs(); i++)
        args.push_back(argument(e->getArg(i)));
    if (!alive)
        return Value();
    Value lost =
        Value::unknown("the result of " + name + "() is not followed", here(e));
    if (!on && (name == "min" || name == "max")) {
        at->kind = Target::CELL;
        at->cell.object = new_object({Object::LOCAL, name + "()", e->getType()});
        objects[at->cell.object].frame = frames.back().number;
        lost = least_or_most(name, e, args);
        write(at->cell, lost);
        return lost;
    }
    if (calls_back(e)) {
        for (const Value &v : args)
            escape(v);
        forget_given(f, e->getArgs() + first, args, here(e));
        forget_reachable(name, here(e));
        return lost;
    }
    forget_given(f, e->getArgs() + first, args, here(e));
    if (!on)
        return lost;
    bool text = is_class(object->getType()->isPointerType()
                             ? object->getType()->getPointeeType()
                             : object->getType(),
                         "basic_string");
    static const std::set<std::string> looks = {"data", "operator[]", "at",   "begin",
                                                "end",  "front",      "back", "c_str"};
    bool constant = method->isConst() || (!text && looks.count(name));
    Cell part = self.cell;
    part.path.push_back(LENGTH);
    bool there = self.kind == Target::CELL && !self.opaque;
    if (there && !constant)
        forget(self.cell, "is changed by " + name + "()", here(e));
    else if (!there && !constant)
        forget_compatible(context().CharTy, nullptr, here(e));
    if (there && name == "resize" && !args.empty() && args[0].is_int())
        write(part, args[0]);
    if (there && name == "size" && now.cells.count(part))
        return read(now, part);
    if (there && text && name == "c_str" && read(now, self.cell).kind == Value::TAG)
        return read(now, self.cell);
    if (looks.count(name)) {
        Cell all = elements_of(self, e);
        at->kind = Target::INSIDE;
        at->cell = all;
        return e->getType()->isPointerType() ? Value::pointer(all, true) : lost;
    }
    return lost;
}

// ---- expressions ----------------------------------------------------

// Handles a call that C does not have; false: it is like one of C.
bool Interp::call_cplus(const CallExpr *e, Value *out, Target *at)
{
    const FunctionDecl *f = e->getDirectCallee();
    if (!f || !context().getLangOpts().CPlusPlus)
        return false;
    if (of_standard_library(f) && !f->isExternC()) {
        *out = call_standard(e, f, at);
        return true;
    }
    const auto *method = dyn_cast<CXXMemberCallExpr>(e);
    if (const auto *m = dyn_cast<MemberExpr>(e->getCallee()->IgnoreParenImpCasts()))
        if (!method) // a member of the class
            target(m->getBase());
    const auto *of_class = dyn_cast<CXXMethodDecl>(f);
    if (of_class && isa<CXXOperatorCallExpr>(e) && !of_class->isUserProvided()) {
        *at = target(without_cleanups(e->getArg(0))); // an assignment a = b
        Target from = target(without_cleanups(e->getArg(1)));
        if (at->kind == Target::CELL && from.kind == Target::CELL && !at->opaque &&
            !from.opaque)
            copy(at->cell, from.cell, e->getArg(0)->getType());
        else
            store(*at, Value::unknown("a structure is not followed", here(e)),
                  e->getArg(0)->getType(), e);
        return true;
    }
    const FunctionDecl *body = program.body_of(f);
    bool lambda = of_class && of_class->getParent()->isLambda();
    if (!method && !lambda)
        return false;
    const Expr *object = lambda ? e->getArg(0) : method->getImplicitObjectArgument();
    Value self = object->getType()->isPointerType() ? eval(object) : bound(object);
    if (!alive)
        return true;
    std::vector<const Expr *> given(e->arg_begin() + lambda, e->arg_end());
    if (body && !is_running(body)) {
        *out = run_function(e, given, body, self);
        return true;
    }
    call_unseen(f, given, self, here(e));
    *out = Value::unknown("the result of " + f->getNameAsString() + "() is not known",
                          here(e));
    return true;
}

// Calls a method or constructor of the program whose body is missing.
void Interp::call_unseen(const FunctionDecl *f, const std::vector<const Expr *> &given,
                         const Value &self, const Place &where)
{
    std::vector<Value> args;
    for (const Expr *a : given)
        args.push_back(argument(a));
    forget_given(f, given.data(), args, where);
    for (const Value &v : args)
        escape(v);
    escape(self);
    forget_reachable(f->getNameAsString(), where);
    assumptions.insert(UNSEEN);
}

// Returns the expression that another one just wraps; null: it is no such form of C++.
const Expr *meant_in_cplus(const Expr *e)
{
    if (const auto *p = dyn_cast<ExprWithCleanups>(e))
        return p->getSubExpr();
    if (const auto *p = dyn_cast<CXXBindTemporaryExpr>(e))
        return p->getSubExpr();
    if (const auto *p = dyn_cast<CXXDefaultArgExpr>(e))
        return p->getExpr();
    if (const auto *p = dyn_cast<CXXDefaultInitExpr>(e))
        return p->getExpr();
    if (const auto *p = dyn_cast<SubstNonTypeTemplateParmExpr>(e))
        return p->getReplacement();
    return nullptr;
}

// Finds a place in a form that only C++ has; false: it is as in C.
bool Interp::target_cplus(const Expr *e, Target *t)
{
    if (!context().getLangOpts().CPlusPlus)
        return false;
    if (const Expr *other = meant_in_cplus(e)) {
        *t = target(other);
    } else if (const auto *m = dyn_cast<MaterializeTemporaryExpr>(e)) {
        const CXXConstructExpr *made = construction(m->getSubExpr());
        *t = temporary(made ? made : m->getSubExpr());
    } else if (isa<CXXConstructExpr>(e)) {
        *t = temporary(e);
    } else if (const auto *u = dyn_cast<UnaryOperator>(e)) {
        if (!u->isPrefix() || !u->isIncrementDecrementOp())
            return false;
        eval(e);
        if (isa<DeclRefExpr>(bare(u->getSubExpr())))
            *t = target(u->getSubExpr());
    } else if (const auto *b = dyn_cast<BinaryOperator>(e)) {
        eval(e);
        bool plain = b->isAssignmentOp() && isa<DeclRefExpr>(bare(b->getLHS()));
        if (plain)
            *t = target(b->getLHS());
        else
            escape_all_in(e);
    } else if (const auto *c = dyn_cast<CallExpr>(e)) {
        const FunctionDecl *f = c->getDirectCallee();
        Value v = call(c, t);
        if (t->kind == Target::NOWHERE && c->isLValue()) {
            if (!f || !of_standard_library(f))
                *t = element(v, Value::integer(0), e->getType(), e);
        } else if (t->kind == Target::NOWHERE && c->getType()->isRecordType() &&
                   v.kind == Value::POINTER) {
            *t = {Target::CELL, v.to};
        }
    } else if (isa<AbstractConditionalOperator>(e)) {
        eval(e);
        escape_all_in(e);
    } else {
        return false;
    }
    return true;
}

// Evaluates an expression that only C++ has; false: it is none.
bool Interp::eval_cplus(const Expr *e, Value *out)
{
    if (isa<CXXThisExpr>(e)) {
        *out = frames.back().self;
    } else if (const auto *n = dyn_cast<CXXNewExpr>(e)) {
        if (n->isArray() && n->getArraySize() && *n->getArraySize())
            eval(*n->getArraySize());
        *out = alive ? memory(n) : Value();
        if (n->getInitializer())
            eval(n->getInitializer());
        assumptions.insert("memory that is asked for is there");
    } else if (const auto *d = dyn_cast<CXXDeleteExpr>(e)) {
        eval(d->getArgument());
        *out = Value::integer(0);
    } else if (isa<CXXScalarValueInitExpr>(e)) {
        *out = e->getType()->isIntegerType()
                   ? Value::integer(0)
                   : Value::unknown("an expression is not followed", here(e));
    } else if (isa<CXXConstructExpr>(e) || isa<MaterializeTemporaryExpr>(e)) {
        Target t = target(e);
        *out = e->getType()->isRecordType() ? Value() : load(t, e);
    } else if (const auto *l = dyn_cast<CXXStdInitializerListExpr>(e)) {
        target(l->getSubExpr());
        escape_all_in(l);
    } else {
        return false;
    }
    return true;
}

} // namespace ldadc
