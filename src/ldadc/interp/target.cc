// Places that expressions refer to, and stores to them.
#include "ldadc/interp/interp.h"
#include "clang/AST/ExprCXX.h"
#include <algorithm>

using namespace clang;

namespace ldadc
{

bool is_given_text(const Value &v)
{
    static const std::string part = "part of ";
    size_t at = 0;
    while (v.text.compare(at, part.size(), part) == 0)
        at += part.size();
    std::string of = v.text.substr(at);
    return v.kind == Value::TAG && !of.empty() &&
           (of[0] == '"' || of == "argv" || of.compare(0, 5, "argv[") == 0 ||
            of == "optarg");
}

// True if the cell is an element of a table that ends less than `beside` elements after
// it.
bool Interp::past_end(const Cell &c, int beside) const
{
    if (c.path.empty() || c.path.back() < ELEMENT)
        return false;
    Cell whole = c;
    whole.path.pop_back();
    QualType t = type_of(whole);
    const auto *a =
        t.isNull() ? nullptr
                   : dyn_cast_or_null<ConstantArrayType>(t->getAsArrayTypeUnsafe());
    return a && a->getSize().ult(c.path.back() - ELEMENT + beside);
}

Target Interp::element(const Value &base, const Value &index, QualType type,
                       const Expr *e)
{
    Target t;
    Value p = moved(base, index, false, e);
    if (p.kind == Value::POINTER) {
        t.kind = p.anywhere ? Target::INSIDE : Target::CELL;
        t.cell = p.to;
        if (!p.anywhere && (past_end(p.to, 1) || !is_as_large(p.to, type))) {
            t.kind = Target::INSIDE;
            t.cell.path.clear();
        }
    } else {
        t.uniform = alike(base) && alike(index);
        t.given = is_given_text(base);
        if (base.kind == Value::TAG && base.text == "argv" && index.is_int() &&
            index.p.is_constant())
            t.text = "argv[" + index.p.text() + "]";
    }
    return t;
}

Target Interp::target(const Expr *e)
{
    Target t;
    e = e->IgnoreParens();
    if (const auto *d = dyn_cast<DeclRefExpr>(e)) {
        if (const auto *v = dyn_cast<VarDecl>(d->getDecl())) {
            if (v->getType()->isReferenceType())
                return element(read(now, {object_of(v), {}}), Value::integer(0),
                               v->getType().getNonReferenceType(), e);
            t.kind = Target::CELL;
            t.cell.object = object_of(v);
            t.opaque = v->getType()->isUnionType();
        }
        return t;
    }
    if (const auto *m = dyn_cast<MemberExpr>(e)) {
        if (m->isArrow()) {
            Value base = eval(m->getBase());
            t = element(base, Value::integer(0),
                        m->getBase()->getType()->getPointeeType(), e);
        } else {
            t = target(m->getBase());
        }
        const auto *f = dyn_cast<FieldDecl>(m->getMemberDecl());
        if (t.kind != Target::CELL)
            return t;
        if (!f || f->getParent()->isUnion() || t.opaque) {
            t.opaque = true; // all of the union
            return t;
        }
        t.cell.path.push_back(f->getFieldIndex());
        t.opaque = f->isBitField() || f->getType().isVolatileQualified() ||
                   f->getType()->isUnionType();
        return t;
    }
    if (const auto *a = dyn_cast<ArraySubscriptExpr>(e)) {
        Value base = eval(a->getBase()), index = eval(a->getIdx());
        t = element(base, index, e->getType(), e);
        if (base.kind == Value::TAG && alike(index)) {
            t.uniform = true;
        }
        return t;
    }
    if (target_cplus(e, &t))
        return t;
    const auto *u = dyn_cast<UnaryOperator>(e);
    if (u && u->getOpcode() == UO_Deref)
        return element(eval(u->getSubExpr()), Value::integer(0), e->getType(), e);
    if (u && u->getOpcode() == UO_Extension)
        return target(u->getSubExpr());
    if (const auto *c = dyn_cast<CompoundLiteralExpr>(e)) {
        t.kind = Target::CELL;
        t.cell.object = new_object({Object::LOCAL, "literal", c->getType()});
        objects[t.cell.object].frame = frames.back().number;
        initialise(t.cell, c->getType(), c->getInitializer());
        return t;
    }
    if (const auto *c = dyn_cast<CallExpr>(e)) {
        Value v = call(c); // a structure, by its cell
        if (v.kind == Value::POINTER && c->getType()->isRecordType()) {
            t.kind = Target::CELL;
            t.cell = v.to;
        }
        return t;
    }
    if (const auto *c = dyn_cast<CastExpr>(e)) {
        if (c->getCastKind() == CK_LValueToRValue || c->getCastKind() == CK_NoOp ||
            c->getCastKind() == CK_ConstructorConversion)
            return target(c->getSubExpr());
    }
    eval(e);
    return t;
}

Value Interp::load(const Target &t, const Expr *e)
{
    if (t.kind == Target::CELL && !t.opaque) {
        Value v = read(now, t.cell);
        if (v.kind == Value::UNKNOWN && !v.where.line)
            v.where = here(e);
        if (v.kind == Value::UNKNOWN)
            lose(t.cell);
        return v;
    }
    if (t.kind != Target::NOWHERE)
        lose(t.cell);
    if (t.kind == Target::NOWHERE && t.uniform && !now.stored.count("arguments")) {
        if (e->getType()->isPointerType())
            return Value::tag(t.text.empty() ? "part of " + text_of(context(), e)
                                             : t.text);
        return Value::unknown("\"" + text_of(context(), e) + "\" is not followed",
                              here(e), true);
    }
    const char *why = t.kind == Target::INSIDE ? "an element of a table is not followed"
                      : t.kind == Target::CELL
                          ? "a union, bit field or volatile "
                            "variable is not followed"
                          : "what a pointer points to is not known";
    return Value::unknown(why, here(e));
}

void Interp::store(const Target &t, const Value &v, QualType type, const Expr *e)
{
    if (!alive)
        return;
    if (v.kind == Value::POINTER && (t.kind != Target::CELL || v.anywhere || t.opaque))
        escape(v);
    if (t.kind == Target::NOWHERE) {
        if (!t.given)
            forget_compatible(type, nullptr, here(e));
        if (!t.uniform)
            return;
        now.stored.insert("arguments"); // they have changed
        texts_change();
        return;
    }
    if (t.kind == Target::INSIDE || t.opaque) {
        forget(t.cell, "is a table or a union, which is not followed", here(e));
        if (objects[t.cell.object].kind == Object::FOREIGN)
            forget_compatible(type, nullptr, here(e));
        return;
    }
    write(t.cell, type->isIntegerType() ? named(t.cell, v) : v);
    if (objects[t.cell.object].kind == Object::FOREIGN)
        forget_compatible(type, &t.cell, here(e));
}

// Evaluates an initial value that is not followed.
void Interp::eval_lost(const Expr *init)
{
    const auto *list = dyn_cast<InitListExpr>(init);
    if (list)
        for (const Expr *part : list->inits())
            eval_lost(part);
    else if (init->getType()->isRecordType())
        escape_all_in(init);
    else
        escape(eval(init));
}

void Interp::initialise(const Cell &c, QualType t, const Expr *init)
{
    init = init->IgnoreParens();
    const Expr *written = const_cast<Expr *>(init)->IgnoreUnlessSpelledInSource();
    if (const auto *l = dyn_cast<LambdaExpr>(written))
        return make_lambda(c, l);
    if (const CXXConstructExpr *made = construction(init))
        return t->isRecordType() ? construct(c, made) : construct_all(c, made);
    const auto *list = dyn_cast<InitListExpr>(init);
    if (list && list->isSemanticForm() == false && list->getSemanticForm())
        list = list->getSemanticForm();
    if (list && t->isUnionType()) {
        forget(c, "is a union, which is not followed", here(init));
        for (unsigned i = 0; i < list->getNumInits(); i++)
            eval_lost(list->getInit(i));
        return;
    }
    if (list && (t->isRecordType() || t->isArrayType())) {
        bool record = t->isRecordType();
        forget(c, "is not followed", here(init));
        std::vector<int> parts;
        if (record)
            for (const FieldDecl *f : t->getAs<RecordType>()->getDecl()->fields())
                parts.push_back(f->isBitField() && !f->getDeclName()
                                    ? -1
                                    : (int)f->getFieldIndex());
        parts.erase(std::remove(parts.begin(), parts.end(), -1), parts.end());
        enum { MOST = 64 };
        for (unsigned i = 0; i < list->getNumInits(); i++) {
            if (record && i >= parts.size())
                break;
            if (i >= MOST) {
                eval_lost(list->getInit(i));
                continue;
            }
            Cell part = c;
            part.path.push_back(record ? parts[i] : ELEMENT + (int)i);
            initialise(part, list->getInit(i)->getType(), list->getInit(i));
        }
        return;
    }
    if (isa<ImplicitValueInitExpr>(init)) {
        if (t->isScalarType())
            write(c, Value::integer(0));
        else
            forget(c, "is not followed", here(init));
        return;
    }
    if (list && list->getNumInits() == 1)
        return initialise(c, t, list->getInit(0));
    if (t->isRecordType()) {
        Target from = target(init);
        if (from.kind == Target::CELL && !from.opaque) {
            copy(c, from.cell, t);
        } else {
            load(from, init);
            forget(c, "is not followed", here(init));
        }
        return;
    }
    if (t->isArrayType()) {
        forget(c, "is not followed", here(init));
        if (const auto *text = dyn_cast<StringLiteral>(init))
            write(c, Value::tag("\"" + text->getString().str() + "\""));
        return;
    }
    Value v = eval(init);
    if (v.kind == Value::POINTER && v.anywhere)
        escape(v);
    if (alive)
        write(c, t->isIntegerType() ? named(c, v) : v);
}

} // namespace ldadc
