// Conditions, and their effect on statements.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/prove.h"

using namespace clang;

namespace ldadc
{

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
        if (t->isUnsignedIntegerOrEnumerationType() &&
            (!not_negative(a.p) || !not_negative(b.p)))
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
    // A pointer to allocated memory or an open file is not null.
    for (int side = 0; side < 2; side++) {
        const Value &p = side ? a : b, &null = side ? b : a;
        if (equality && null.is_int(0) &&
            (p.kind == Value::POINTER || p.kind == Value::FILE))
            return decided(e->getOpcode() == BO_NE);
    }
    return c;
}

// Evaluates both operands, the second if the first does not decide.
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
    if (c.kind == Condition::OTHER && !c.uniform && alive && !probing) {
        c.made_of = made_of.size();
        made_of.push_back(ingredients({x}));
    }
    return c;
}

// Returns a condition as a number. One that is the same on all ranks gets a name,
// unless it is known as soon as the number of processes is.
Value Interp::truth(const Condition &c, const Expr *e) const
{
    Value v = Value::integer(0);
    bool named = c.kind != Condition::OTHER && alike(c) &&
                 c.p.has([](int id) { return atom(id).kind == Atom::SYMBOL; });
    if (!named && c.number(&v.p))
        return v;
    return Value::unknown("a condition is not followed", here(e), alike(c));
}

// Runs one statement where the condition holds and another where it does not, and
// continues after either.
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
    // If the program gives up in one branch, its condition need not be kept.
    bool gave_up = alive && (yes_lives ? no_failed : yes_failed);
    if (gave_up && now.conditions.size() > depth)
        now.conditions.erase(now.conditions.begin() + depth);
}

} // namespace ldadc
