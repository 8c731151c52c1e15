// Values and conditions.
#include "ldadc/poly/value.h"

namespace ldadc
{

Value Value::unknown(const std::string &why, const Place &where, bool uniform)
{
    Value v;
    v.text = why;
    v.where = where;
    v.uniform = uniform;
    return v;
}

Value Value::integer(const Poly &p)
{
    Value v;
    v.kind = INT;
    v.p = p;
    return v;
}

Value Value::pointer(const Cell &to, bool anywhere)
{
    Value v;
    v.kind = POINTER;
    v.to = to;
    v.anywhere = anywhere;
    return v;
}

Value Value::tag(const std::string &text)
{
    Value v;
    v.kind = TAG;
    v.text = text;
    v.uniform = true;
    return v;
}

Value Value::handle(Kind kind, int number)
{
    Value v;
    v.kind = kind;
    v.number = number;
    return v;
}

bool Value::same(const Value &o) const
{
    if (kind != o.kind)
        return false;
    switch (kind) {
    case UNKNOWN:
        return one && one == o.one;
    case INT:
        return p == o.p;
    case POINTER:
        return to == o.to && anywhere == o.anywhere;
    case TAG:
        return text == o.text && one == o.one;
    default:
        return number == o.number;
    }
}

bool Condition::number(Poly *out) const
{
    if (kind == OTHER || kind == TRUE || kind == FALSE)
        *out = Poly(kind == TRUE);
    else if (kind == LESS)
        *out = below_zero(p);
    else
        *out = kind == ZERO ? is_zero(p) : Poly(1) - is_zero(p);
    return kind != OTHER && out->valid();
}

Condition Condition::negated() const
{
    Condition c = *this;
    c.opposite = !opposite;
    switch (kind) {
    case FALSE:
        c.kind = TRUE;
        break;
    case TRUE:
        c.kind = FALSE;
        break;
    case LESS: // p >= 0 is -p - 1 < 0
        c.p = -p - Poly(1);
        break;
    case ZERO:
        c.kind = NOT_ZERO;
        break;
    case NOT_ZERO:
        c.kind = ZERO;
        break;
    case OTHER:
        break;
    }
    if (text.compare(0, 2, "!(") == 0)
        c.text = text.substr(2, text.size() - 3);
    else
        c.text = "!(" + text + ")";
    return c;
}

} // namespace ldadc
