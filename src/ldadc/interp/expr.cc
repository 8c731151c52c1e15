// Values of expressions, and the changes that their evaluation makes.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/prove.h"

using namespace clang;

namespace ldadc
{

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

// Converts a value to type t. Unsigned 64-bit arithmetic is exact if its result is seen
// as signed, so there all is kept.
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
    if (t->isBooleanType() && not_negative(v.p) && not_negative(Poly(1) - v.p))
        return v;
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

// True for n - 1 with n made of names: n is assumed to be at least 1.
static bool below_names(const Poly &p)
{
    Poly n = p + Poly(1);
    auto other = [](int id) { return atom(id).kind != Atom::SYMBOL; };
    return n.constant() == 0 && !n.is_zero() && !n.has(other) && assume_positive(n);
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
    if (!assume_positive(b.p) || (!not_negative(a.p) && !below_names(a.p))) {
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
        escape(a);
        escape(b);
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

// Returns the argument of a whole number's square root, if the expression is one: it is
// exact for all possible numbers of processes.
static const Expr *root_of(const Expr *e)
{
    const auto *c = dyn_cast<CallExpr>(bare(e));
    const FunctionDecl *f = c ? c->getDirectCallee() : nullptr;
    if (!f || f->getNameAsString() != "sqrt" || c->getNumArgs() != 1)
        return nullptr;
    const Expr *of = bare(c->getArg(0));
    bool plain = of->getType()->isIntegerType() && isa<DeclRefExpr>(of);
    return plain ? of : nullptr;
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
        return truth(condition(sub), e);
    }
    case CK_FloatingToIntegral: {
        Value v = eval(sub);
        const Expr *of = root_of(sub);
        if (of && v.kind == Value::UNKNOWN) {
            Value whole = eval(of);
            if (whole.is_int() && not_negative(whole.p)) {
                whole.p = root(whole.p);
                return fit(whole, e->getType(), e);
            }
        }
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
        return truth(condition(e), e);
    }
    default: {
        Value v = eval(sub);
        return Value::unknown("an operator is not followed", here(e), alike(v));
    }
    }
}

// Moves a pointer to another element of the same table.
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
    bool counts_bytes = false; // or other elements than those of the table
    if (e && e->getType()->isPointerType() && !out.anywhere) {
        QualType to = e->getType()->getPointeeType();
        counts_bytes = !is_as_large(out.to, to->isVoidType() ? context().CharTy : to);
    }
    if (out.anywhere || counts_bytes || out.to.path.empty() ||
        out.to.path.back() < ELEMENT || n < -1000 || n > 1000 ||
        out.to.path.back() + n < ELEMENT) {
        out.anywhere = true;
        out.to.path.clear();
    } else {
        out.to.path.back() += n;
        if (past_end(out.to, 0)) {
            out.anywhere = true;
            out.to.path.clear();
        }
    }
    return out;
}

Value Interp::eval_assignment(const BinaryOperator *e)
{
    const Expr *l = e->getLHS(), *r = e->getRHS();
    if (e->getType()->isRecordType()) {
        Target to = target(l), from = target(r);
        Value lost = Value::unknown("a structure is not followed", here(e));
        if (to.kind == Target::CELL && from.kind == Target::CELL && !to.opaque &&
            !from.opaque)
            return copy(to.cell, from.cell, e->getType()), lost;
        load(from, r);
        store(to, lost, e->getType(), e);
        return lost;
    }
    Value v = eval(r);
    Target to = target(l);
    store(to, v, l->getType(), e);
    return to.kind == Target::CELL && !to.opaque ? read(now, to.cell) : v;
}

Value Interp::eval_compound(const CompoundAssignOperator *e)
{
    const Expr *l = e->getLHS();
    Value b = eval(e->getRHS()), v;
    Target to = target(l);
    Value a = load(to, l);
    BinaryOperatorKind op = BinaryOperator::getOpForCompoundAssignment(e->getOpcode());
    if (l->getType()->isPointerType())
        v = moved(a, b, op == BO_Sub, e);
    else if (!l->getType()->isIntegerType() ||
             !e->getComputationResultType()->isIntegerType())
        v = Value::unknown("a number is computed in floating point", here(e),
                           alike(a) && alike(b));
    else
        v = fit(arithmetic(op, fit(a, e->getComputationLHSType(), e), b,
                           e->getComputationResultType(), e),
                l->getType(), e);
    store(to, v, l->getType(), e);
    return v;
}

Value Interp::eval_binary(const BinaryOperator *e)
{
    const Expr *l = e->getLHS(), *r = e->getRHS();
    if (e->getOpcode() == BO_Comma) {
        eval(l);
        return eval(r);
    }
    if (e->isComparisonOp() || e->isLogicalOp()) {
        return truth(condition(e), e);
    }
    if (e->getOpcode() == BO_Assign)
        return eval_assignment(e);
    if (const auto *c = dyn_cast<CompoundAssignOperator>(e))
        return eval_compound(c);
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

// Evaluates a block that ends with its value.
Value Interp::eval_block(const StmtExpr *e)
{
    const CompoundStmt *body = e->getSubStmt();
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

// Returns the expression that another one just wraps.
static const Expr *meant(const Expr *e)
{
    if (const auto *p = dyn_cast<ParenExpr>(e))
        return p->getSubExpr();
    if (const auto *p = dyn_cast<GenericSelectionExpr>(e))
        return p->getResultExpr();
    if (const auto *p = dyn_cast<ChooseExpr>(e))
        return p->getChosenSubExpr();
    if (const auto *p = dyn_cast<ConstantExpr>(e))
        return p->getSubExpr();
    if (const auto *p = dyn_cast<OpaqueValueExpr>(e))
        return p->getSourceExpr();
    return meant_in_cplus(e);
}

Value Interp::eval(const Expr *e)
{
    if (!alive)
        return Value::unknown("is never reached", here(e));
    Expr::EvalResult r;
    if (e->isIntegerConstantExpr(context()) && e->EvaluateAsInt(r, context()))
        return whole_number(r.Val.getInt(), here(e));
    if (const Expr *other = meant(e))
        return eval(other);
    Value of_cplus;
    if (eval_cplus(e, &of_cplus))
        return of_cplus;
    if (const auto *p = dyn_cast<CastExpr>(e))
        return eval_cast(p);
    if (const auto *p = dyn_cast<UnaryOperator>(e))
        return p->getOpcode() == UO_Deref ? load(target(e), e) : eval_unary(p);
    if (const auto *p = dyn_cast<BinaryOperator>(e))
        return eval_binary(p);
    if (const auto *p = dyn_cast<AbstractConditionalOperator>(e))
        return eval_choice(p);
    if (const auto *p = dyn_cast<CallExpr>(e))
        return call(p);
    if (const auto *p = dyn_cast<StmtExpr>(e))
        return eval_block(p);
    if (isa<DeclRefExpr>(e) || isa<MemberExpr>(e) || isa<ArraySubscriptExpr>(e) ||
        isa<CompoundLiteralExpr>(e))
        return load(target(e), e);
    if (isa<UnaryExprOrTypeTraitExpr>(e))
        return Value::unknown(
            "the size of a table with variable bounds is not followed", here(e));
    if (isa<FloatingLiteral>(e))
        return Value::unknown("a number is computed in floating point", here(e), true);
    if (isa<StringLiteral>(e))
        return Value::tag("\"");
    escape_all_in(e);
    if (!isa<VAArgExpr>(e) && e->HasSideEffects(context()))
        forget_reachable("an operation that is not followed", here(e));
    return Value::unknown("an expression is not followed", here(e));
}

} // namespace ldadc
