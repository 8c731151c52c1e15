// Values of expressions, and what evaluating them changes.
#include "ldadc/interp.h"
#include "ldadc/prove.h"

using namespace clang;

namespace ldadc
{

enum { ELEMENT = 1000000 };

static bool is_unsigned(QualType t)
{
    return t->isUnsignedIntegerOrEnumerationType();
}

// ---- integers -------------------------------------------------------

static Value with_products(Value v, const Value &a, const Value &b)
{
    v.products.insert(a.products.begin(), a.products.end());
    v.products.insert(b.products.begin(), b.products.end());
    return v;
}

// What is left of a value where it becomes one of type t. Arithmetic of 64 bits without
// a sign is exact where its result is looked at with a sign, so there all is kept.
Value Interp::fit(Value v, QualType t, const Expr *e)
{
    if (v.kind != Value::INT || !t->isIntegerType())
        return v;
    unsigned bits = context().getTypeSize(t);
    if (!v.p.valid())
        return Value::unknown("a number exceeds 63 bits", here(e));
    if (t->isBooleanType() && v.p.is_constant()) {
        v.p = Poly(v.p.constant() != 0);
        return v;
    }
    if (bits >= 64)
        return v;
    int64_t top = is_unsigned(t) ? (1LL << bits) - 1 : (1LL << (bits - 1)) - 1;
    int64_t bottom = is_unsigned(t) ? 0 : -top - 1;
    if (v.p.is_constant()) {
        if (v.p.constant() >= bottom && v.p.constant() <= top)
            return v;
        return Value::unknown("a number does not fit into \"" + t.getAsString() + "\"",
                              here(e));
    }
    if (t->isBooleanType() || bits < 32)
        return Value::unknown("a value is kept in \"" + t.getAsString() +
                                  "\", where it may not fit",
                              here(e), alike(v));
    for (auto &[m, c] : v.p.terms())
        if (is_unsigned(t) && (c > 1 << 20 || c < -(1 << 20)))
            return Value::unknown("a value without a sign may wrap around", here(e),
                                  alike(v));
    if (is_unsigned(t) && !not_negative(v.p))
        return Value::unknown("a value without a sign may wrap around", here(e),
                              alike(v));
    return v;
}

Value Interp::divide(bool rest, const Value &a, const Value &b, QualType t,
                     const Expr *e)
{
    Value out = with_products(Value::integer(0), a, b);
    Poly whole;
    if (!is_unsigned(t) && b.p.is_constant() && b.p.constant() != 0 &&
        a.p.divide(b.p, &whole)) {
        out.p = rest ? Poly() : whole;
        return out;
    }
    if (!assume_positive(b.p) || !not_negative(a.p)) {
        if (a.p.is_constant() && b.p.is_constant() && b.p.constant() &&
            !is_unsigned(t) && a.p.constant() != INT64_MIN) {
            int64_t x = a.p.constant(), y = b.p.constant();
            out.p = Poly(rest ? x % y : x / y);
            return out;
        }
        return Value::unknown("a division of what may be negative is not followed",
                              here(e), alike(a) && alike(b));
    }
    out.p = rest ? mod(a.p, b.p) : floordiv(a.p, b.p);
    return out;
}

Value Interp::arithmetic(int op, Value a, Value b, QualType t, const Expr *e)
{
    if (!a.is_int() || !b.is_int()) {
        const Value &lost = a.is_int() ? b : a;
        bool uniform = alike(a) && alike(b);
        if (lost.kind == Value::UNKNOWN)
            return Value::unknown(lost.text, lost.where, uniform);
        return Value::unknown("an expression is not followed", here(e), uniform);
    }
    Value out = with_products(Value::integer(0), a, b);
    switch (op) {
    case BO_Add:
        out.p = a.p + b.p;
        break;
    case BO_Sub:
        out.p = a.p - b.p;
        break;
    case BO_Shl:
        if (!b.p.is_constant() || b.p.constant() < 0 || b.p.constant() > 62)
            return Value::unknown("a shift is not followed", here(e),
                                  alike(a) && alike(b));
        b.p = Poly((int64_t)1 << b.p.constant());
        [[fallthrough]];
    case BO_Mul:
        out.p = a.p * b.p;
        if (is_unsigned(t) && context().getTypeSize(t) < 64 && !out.p.is_constant())
            return Value::unknown("a product without a sign may wrap around", here(e),
                                  alike(a) && alike(b));
        if (context().getTypeSize(t) == 32 && !out.p.is_constant() && !probing) {
            products.push_back({out.p, text_of(context(), e), here(e)});
            out.products.insert(products.size() - 1);
        }
        break;
    case BO_Shr:
        if (!b.p.is_constant() || b.p.constant() < 0 || b.p.constant() > 62)
            return Value::unknown("a shift is not followed", here(e),
                                  alike(a) && alike(b));
        b.p = Poly((int64_t)1 << b.p.constant());
        [[fallthrough]];
    case BO_Div:
        return fit(divide(false, a, b, t, e), t, e);
    case BO_Rem:
        return fit(divide(true, a, b, t, e), t, e);
    case BO_And:
    case BO_Or:
    case BO_Xor: {
        int64_t x = a.p.constant(), y = b.p.constant();
        if (a.p.is_constant() && b.p.is_constant())
            out.p = Poly(op == BO_And ? (x & y) : op == BO_Or ? (x | y) : (x ^ y));
        else if (op == BO_And && b.p.is_constant() && y > 0 && !(y & (y + 1)))
            return divide(true, a, Value::integer(Poly(y + 1)), t, e);
        else if (op != BO_And && (a.is_int(0) || b.is_int(0)))
            out.p = a.p + b.p;
        else
            return Value::unknown("bits of a number are not followed", here(e),
                                  alike(a) && alike(b));
        break;
    }
    default:
        return Value::unknown("an operator is not followed", here(e));
    }
    return fit(out, t, e);
}

// ---- conditions -----------------------------------------------------

static Condition decided(bool yes)
{
    Condition c;
    c.kind = yes ? Condition::TRUE : Condition::FALSE;
    return c;
}

static Condition less(const Poly &p) // p < 0
{
    Condition c;
    c.kind = Condition::LESS;
    c.p = p;
    if (not_negative(p))
        return decided(false);
    if (not_negative(-p - Poly(1)))
        return decided(true);
    return c;
}

static Condition zero(const Poly &p, bool is)
{
    Condition c;
    c.kind = is ? Condition::ZERO : Condition::NOT_ZERO;
    c.p = p;
    if (p.is_zero())
        return decided(is);
    if (positive(p) || positive(-p))
        return decided(!is);
    return c;
}

Condition Interp::compare(const BinaryOperator *e)
{
    Value a = eval(e->getLHS()), b = eval(e->getRHS());
    Condition c;
    c.uniform = alike(a) && alike(b);
    bool equality = e->isEqualityOp();
    if (a.is_int() && b.is_int()) {
        QualType t = e->getLHS()->getType();
        if (!t->isIntegerType())
            return a.same(b) && equality ? decided(e->getOpcode() == BO_EQ) : c;
        if (is_unsigned(t) && (!not_negative(a.p) || !not_negative(b.p)))
            return c;
        switch (e->getOpcode()) {
        case BO_LT:
            return less(a.p - b.p);
        case BO_LE:
            return less(a.p - b.p - Poly(1));
        case BO_GT:
            return less(b.p - a.p);
        case BO_GE:
            return less(b.p - a.p - Poly(1));
        default:
            return zero(a.p - b.p, e->getOpcode() == BO_EQ);
        }
    }
    // what is allocated or opened is not null
    for (int side = 0; side < 2; side++) {
        const Value &p = side ? a : b, &null = side ? b : a;
        if (equality && null.is_int(0) &&
            (p.kind == Value::POINTER || p.kind == Value::FILE))
            return decided(e->getOpcode() == BO_NE);
    }
    return c;
}

// Both operands are looked at, the second where the first does not decide.
Condition Interp::both(const BinaryOperator *e)
{
    bool is_and = e->getOpcode() == BO_LAnd;
    Condition a = condition(e->getLHS());
    if (a.kind == (is_and ? Condition::FALSE : Condition::TRUE))
        return a;
    if (a.kind == (is_and ? Condition::TRUE : Condition::FALSE))
        return condition(e->getRHS());
    Condition b;
    auto second = [&] { b = condition(e->getRHS()); };
    auto nothing = [] {};
    if (is_and)
        with_condition(a, second, nothing);
    else
        with_condition(a, nothing, second);
    if (b.kind == (is_and ? Condition::TRUE : Condition::FALSE))
        return a;
    if (b.kind == (is_and ? Condition::FALSE : Condition::TRUE))
        return b;
    Condition c;
    c.uniform = alike(a) && alike(b);
    return c;
}

Condition Interp::condition(const Expr *e)
{
    Condition c;
    const Expr *x = e->IgnoreParens();
    while (auto *cast = dyn_cast<CastExpr>(x)) {
        if (cast->getCastKind() != CK_IntegralToBoolean &&
            cast->getCastKind() != CK_PointerToBoolean)
            break;
        x = cast->getSubExpr()->IgnoreParens();
    }
    auto *u = dyn_cast<UnaryOperator>(x);
    auto *b = dyn_cast<BinaryOperator>(x);
    if (u && u->getOpcode() == UO_LNot) {
        c = condition(u->getSubExpr()).negated();
        return c;
    }
    if (b && b->isComparisonOp()) {
        c = compare(b);
    } else if (b && b->isLogicalOp()) {
        c = both(b);
    } else {
        Value v = eval(x);
        if (v.is_int())
            c = zero(v.p, false);
        else if (v.kind == Value::POINTER || v.kind == Value::FILE)
            c = decided(true);
        c.uniform = alike(v);
    }
    c.id = next_condition++;
    c.opposite = false;
    c.text = text_of(context(), x);
    c.where = here(x);
    return c;
}

// Runs what is done where the condition holds and what is done where not, and what
// comes after either goes on.
void Interp::with_condition(const Condition &c, const std::function<void()> &yes,
                            const std::function<void()> &no)
{
    if (!alive)
        return;
    if (c.kind == Condition::TRUE)
        return yes();
    if (c.kind == Condition::FALSE)
        return no();
    State before = now;
    size_t depth = now.conditions.size();
    int ends_before = ends;
    now.conditions.push_back(c);
    yes();
    bool yes_lives = alive, yes_failed = !alive && ends == ends_before;
    State after = std::move(now);
    ends_before = ends;
    now = std::move(before);
    alive = true;
    now.conditions.push_back(c.negated());
    no();
    bool no_failed = !alive && ends == ends_before;
    if (alive && yes_lives) {
        now = merge(std::move(after), std::move(now));
    } else if (yes_lives) {
        now = std::move(after);
        alive = true;
    }
    // where the program gives up, nobody asks what it would have done
    bool gave_up = alive && (yes_lives ? no_failed : yes_failed);
    if (gave_up && now.conditions.size() > depth)
        now.conditions.erase(now.conditions.begin() + depth);
}

// ---- expressions ----------------------------------------------------

Value Interp::eval_cast(const CastExpr *e)
{
    const Expr *sub = e->getSubExpr();
    switch (e->getCastKind()) {
    case CK_LValueToRValue:
        return load(target(sub), e);
    case CK_ArrayToPointerDecay: {
        if (const auto *s = dyn_cast<StringLiteral>(sub->IgnoreParens()))
            return Value::tag("\"" + s->getString().str() + "\"");
        if (isa<PredefinedExpr>(sub->IgnoreParens()))
            return Value::tag("__func__");
        Target t = target(sub);
        if (t.kind == Target::NOWHERE)
            return Value::unknown("an address is not followed", here(e), t.uniform);
        if (t.kind == Target::CELL && !t.opaque)
            t.cell.path.push_back(ELEMENT);
        return Value::pointer(t.cell, t.kind == Target::INSIDE || t.opaque);
    }
    case CK_IntegralCast:
        return fit(eval(sub), e->getType(), e);
    case CK_IntegralToBoolean:
    case CK_PointerToBoolean: {
        Condition c = condition(sub);
        if (c.kind == Condition::TRUE || c.kind == Condition::FALSE)
            return Value::integer(c.kind == Condition::TRUE);
        return Value::unknown("a condition is not followed", here(e), alike(c));
    }
    case CK_FloatingToIntegral: {
        Value v = eval(sub);
        return Value::unknown("a number is computed in floating point", here(e),
                              alike(v));
    }
    case CK_IntegralToFloating:
    case CK_FloatingCast: {
        Value v = eval(sub);
        return Value::unknown("a number is computed in floating point", here(e),
                              alike(v));
    }
    case CK_PointerToIntegral: {
        Value v = eval(sub);
        escape(v);
        return v.is_int() ? v : Value::unknown("a pointer becomes a number", here(e));
    }
    case CK_ToVoid:
        eval(sub);
        return Value::integer(0);
    case CK_FunctionToPointerDecay:
    case CK_BuiltinFnToFnPtr:
        return Value::unknown("a pointer to a function is not followed", here(e));
    case CK_NoOp:
    case CK_BitCast:
    case CK_IntegralToPointer:
    case CK_NullToPointer:
    case CK_AddressSpaceConversion:
        return eval(sub);
    default: {
        Value v = eval(sub);
        escape(v);
        return Value::unknown("a conversion is not followed", here(e), alike(v));
    }
    }
}

Value Interp::eval_unary(const UnaryOperator *e)
{
    const Expr *sub = e->getSubExpr();
    switch (e->getOpcode()) {
    case UO_AddrOf: {
        if (isa<DeclRefExpr>(bare(sub)) &&
            isa<FunctionDecl>(cast<DeclRefExpr>(bare(sub))->getDecl()))
            return Value::unknown("a pointer to a function is not followed", here(e));
        Target t = target(sub);
        if (t.kind == Target::NOWHERE)
            return Value::unknown("an address is not followed", here(e), t.uniform);
        return Value::pointer(t.cell, t.kind == Target::INSIDE || t.opaque);
    }
    case UO_PreInc:
    case UO_PreDec:
    case UO_PostInc:
    case UO_PostDec: {
        Target t = target(sub);
        Value old = load(t, sub), fresh, one = Value::integer(1);
        bool back = e->isDecrementOp();
        if (e->getType()->isPointerType())
            fresh = moved(old, one, back, e);
        else
            fresh = arithmetic(back ? BO_Sub : BO_Add, old, one, e->getType(), e);
        store(t, fresh, sub->getType(), e);
        return e->isPrefix() ? fresh : old;
    }
    case UO_Plus:
    case UO_Extension:
        return eval(sub);
    case UO_Minus:
        return arithmetic(BO_Sub, Value::integer(0), eval(sub), e->getType(), e);
    case UO_Not: // ~x is -x - 1
        return arithmetic(BO_Sub, Value::integer(-1), eval(sub), e->getType(), e);
    case UO_LNot: {
        Condition c = condition(e);
        if (c.kind == Condition::TRUE || c.kind == Condition::FALSE)
            return Value::integer(c.kind == Condition::TRUE);
        return Value::unknown("a condition is not followed", here(e), alike(c));
    }
    default: {
        Value v = eval(sub);
        return Value::unknown("an operator is not followed", here(e), alike(v));
    }
    }
}

// A pointer to another element of the same table.
Value Interp::moved(const Value &p, const Value &by, bool back, const Expr *e)
{
    if (p.kind == Value::TAG)
        return by.is_int(0) ? p : Value::tag("part of " + p.text);
    if (p.kind != Value::POINTER)
        return Value::unknown("an address is not followed", here(e), alike(p));
    Value out = p;
    int64_t n = by.is_int() && by.p.is_constant() ? by.p.constant() : -ELEMENT;
    if (back)
        n = -n;
    if (by.is_int(0))
        return out;
    if (out.anywhere || out.to.path.empty() || out.to.path.back() < ELEMENT ||
        n < -1000 || n > 1000 || out.to.path.back() + n < ELEMENT) {
        out.anywhere = true;
        out.to.path.clear();
    } else {
        out.to.path.back() += n;
    }
    return out;
}

Value Interp::eval_binary(const BinaryOperator *e)
{
    const Expr *l = e->getLHS(), *r = e->getRHS();
    if (e->getOpcode() == BO_Comma) {
        eval(l);
        return eval(r);
    }
    if (e->isComparisonOp() || e->isLogicalOp()) {
        Condition c = condition(e);
        if (c.kind == Condition::TRUE || c.kind == Condition::FALSE)
            return Value::integer(c.kind == Condition::TRUE);
        return Value::unknown("a condition is not followed", here(e), alike(c));
    }
    if (e->getOpcode() == BO_Assign) {
        if (e->getType()->isRecordType()) {
            Target to = target(l), from = target(r);
            if (to.kind == Target::CELL && from.kind == Target::CELL && !to.opaque &&
                !from.opaque)
                copy(to.cell, from.cell, e->getType());
            else
                store(to, Value::unknown("a structure is not followed", here(e)),
                      e->getType(), e);
            return Value::unknown("a structure is not followed", here(e));
        }
        Value v = eval(r);
        Target to = target(l);
        store(to, v, l->getType(), e);
        return to.kind == Target::CELL && !to.opaque ? read(now, to.cell) : v;
    }
    if (e->isCompoundAssignmentOp()) {
        const auto *c = cast<CompoundAssignOperator>(e);
        Value b = eval(r);
        Target to = target(l);
        Value a = load(to, l);
        BinaryOperatorKind op =
            BinaryOperator::getOpForCompoundAssignment(e->getOpcode());
        Value v;
        if (l->getType()->isPointerType())
            v = moved(a, b, op == BO_Sub, e);
        else if (!l->getType()->isIntegerType() ||
                 !c->getComputationResultType()->isIntegerType())
            v = Value::unknown("a number is computed in floating point", here(e),
                               alike(a) && alike(b));
        else
            v = fit(arithmetic(op, fit(a, c->getComputationLHSType(), e), b,
                               c->getComputationResultType(), e),
                    l->getType(), e);
        store(to, v, l->getType(), e);
        return v;
    }
    Value a = eval(l), b = eval(r);
    if (e->getType()->isPointerType())
        return l->getType()->isPointerType() ? moved(a, b, e->getOpcode() == BO_Sub, e)
                                             : moved(b, a, false, e);
    if (!e->getType()->isIntegerType())
        return Value::unknown("a number is computed in floating point", here(e),
                              alike(a) && alike(b));
    if (l->getType()->isPointerType()) {
        escape(a);
        escape(b);
        return Value::unknown("a distance of pointers is not followed", here(e));
    }
    return arithmetic(e->getOpcode(), a, b, e->getType(), e);
}

Value Interp::eval_choice(const AbstractConditionalOperator *e)
{
    Condition c = condition(e->getCond());
    const auto *with_middle = dyn_cast<BinaryConditionalOperator>(e);
    const Expr *yes = with_middle ? with_middle->getCommon() : e->getTrueExpr();
    int kept = new_object({Object::LOCAL, text_of(context(), e), e->getType()});
    objects[kept].frame = frames.back().number;
    auto keep = [&](const Expr *x) {
        Value v = eval(x);
        if (alive)
            write({kept, {}}, v);
    };
    if (with_middle && yes->HasSideEffects(context()))
        return Value::unknown("an operator is not followed", here(e));
    with_condition(
        c, [&] { keep(yes); }, [&] { keep(e->getFalseExpr()); });
    return alive ? read(now, {kept, {}}) : Value();
}

static Value whole_number(const llvm::APSInt &n, const Place &where)
{
    if (n.getBitWidth() > 64 || (n.isUnsigned() && n.getActiveBits() > 63))
        return Value::unknown("a number exceeds 63 bits", where);
    return Value::integer(n.isSigned() ? n.getSExtValue() : (int64_t)n.getZExtValue());
}

Value Interp::eval(const Expr *e)
{
    if (!alive)
        return Value::unknown("is never reached", here(e));
    Expr::EvalResult r;
    if (e->isIntegerConstantExpr(context()) && e->EvaluateAsInt(r, context()))
        return whole_number(r.Val.getInt(), here(e));
    if (const auto *p = dyn_cast<ParenExpr>(e))
        return eval(p->getSubExpr());
    if (const auto *p = dyn_cast<CastExpr>(e))
        return eval_cast(p);
    if (const auto *p = dyn_cast<UnaryOperator>(e)) {
        if (p->getOpcode() == UO_Deref)
            return load(target(e), e);
        return eval_unary(p);
    }
    if (const auto *p = dyn_cast<BinaryOperator>(e))
        return eval_binary(p);
    if (const auto *p = dyn_cast<AbstractConditionalOperator>(e))
        return eval_choice(p);
    if (const auto *p = dyn_cast<CallExpr>(e))
        return call(p);
    if (const auto *p = dyn_cast<GenericSelectionExpr>(e))
        return eval(p->getResultExpr());
    if (const auto *p = dyn_cast<ChooseExpr>(e))
        return eval(p->getChosenSubExpr());
    if (const auto *p = dyn_cast<ConstantExpr>(e))
        return eval(p->getSubExpr());
    if (const auto *p = dyn_cast<OpaqueValueExpr>(e))
        return p->getSourceExpr() ? eval(p->getSourceExpr()) : Value();
    if (const auto *p = dyn_cast<StmtExpr>(e)) {
        const CompoundStmt *body = p->getSubStmt();
        Value v = Value::unknown("a statement is not followed", here(e));
        for (const Stmt *s : body->body()) {
            if (!alive)
                break;
            const auto *x = dyn_cast<Expr>(s);
            if (x && s == body->body_back() && !x->getType()->isRecordType())
                v = eval(x);
            else
                exec(s);
        }
        return v;
    }
    if (isa<DeclRefExpr>(e) || isa<MemberExpr>(e) || isa<ArraySubscriptExpr>(e) ||
        isa<CompoundLiteralExpr>(e))
        return load(target(e), e);
    if (const auto *p = dyn_cast<UnaryExprOrTypeTraitExpr>(e)) {
        (void)p;
        return Value::unknown(
            "the size of a table with variable bounds is not followed", here(e));
    }
    if (isa<FloatingLiteral>(e))
        return Value::unknown("a number is computed in floating point", here(e), true);
    if (isa<StringLiteral>(e))
        return Value::tag("text");
    return Value::unknown("an expression is not followed", here(e));
}

// ---- where something is ---------------------------------------------

Target Interp::element(const Value &base, const Value &index, const Expr *e)
{
    Target t;
    Value p = moved(base, index, false, e);
    if (p.kind == Value::POINTER) {
        t.kind = p.anywhere ? Target::INSIDE : Target::CELL;
        t.cell = p.to;
    } else {
        t.uniform = alike(base) && alike(index);
    }
    return t;
}

Target Interp::target(const Expr *e)
{
    Target t;
    e = e->IgnoreParens();
    if (const auto *d = dyn_cast<DeclRefExpr>(e)) {
        if (const auto *v = dyn_cast<VarDecl>(d->getDecl())) {
            t.kind = Target::CELL;
            t.cell.object = object_of(v);
            t.opaque = v->getType()->isUnionType();
        }
        return t;
    }
    if (const auto *m = dyn_cast<MemberExpr>(e)) {
        if (m->isArrow()) {
            Value base = eval(m->getBase());
            t = element(base, Value::integer(0), e);
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
        t = element(base, index, e);
        if (base.kind == Value::TAG && alike(index)) {
            t.uniform = true;
        }
        return t;
    }
    const auto *u = dyn_cast<UnaryOperator>(e);
    if (u && u->getOpcode() == UO_Deref)
        return element(eval(u->getSubExpr()), Value::integer(0), e);
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
        Value v = call(c); // a structure; its cell
        if (v.kind == Value::POINTER && c->getType()->isRecordType()) {
            t.kind = Target::CELL;
            t.cell = v.to;
        }
        return t;
    }
    if (const auto *c = dyn_cast<CastExpr>(e)) {
        if (c->getCastKind() == CK_LValueToRValue || c->getCastKind() == CK_NoOp)
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
        return v;
    }
    if (t.kind == Target::NOWHERE && t.uniform && !now.stored.count("arguments")) {
        if (e->getType()->isPointerType())
            return Value::tag(text_of(context(), e));
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
        if (t.uniform)
            now.stored.insert("arguments"); // they are no longer what they were
        else
            forget_compatible(type, nullptr, here(e));
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

void Interp::initialise(const Cell &c, QualType t, const Expr *init)
{
    init = init->IgnoreParens();
    const auto *list = dyn_cast<InitListExpr>(init);
    if (list && list->isSemanticForm() == false && list->getSemanticForm())
        list = list->getSemanticForm();
    if (list && t->isUnionType()) {
        forget(c, "is a union, which is not followed", here(init));
        return;
    }
    if (list && (t->isRecordType() || t->isArrayType())) {
        bool record = t->isRecordType();
        forget(c, "is not followed", here(init));
        std::vector<int> parts;
        if (record)
            for (const FieldDecl *f : t->getAs<RecordType>()->getDecl()->fields())
                parts.push_back(f->isUnnamedBitfield() ? -1 : (int)f->getFieldIndex());
        parts.erase(std::remove(parts.begin(), parts.end(), -1), parts.end());
        for (unsigned i = 0; i < list->getNumInits() && i < 64; i++) {
            if (record && i >= parts.size())
                break;
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
        if (from.kind == Target::CELL && !from.opaque)
            copy(c, from.cell, t);
        else
            forget(c, "is not followed", here(init));
        return;
    }
    if (t->isArrayType()) {
        forget(c, "is not followed", here(init));
        return;
    }
    Value v = eval(init);
    if (v.kind == Value::POINTER && v.anywhere)
        escape(v);
    if (alive)
        write(c, t->isIntegerType() ? named(c, v) : v);
}

} // namespace ldadc
