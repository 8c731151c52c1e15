#include "ldadc/ctext.h"
#include "ldadc/poly/prove.h"

namespace ldadc
{

using Known = std::vector<std::pair<std::string, Poly>>;

static bool atom_c_text(int id, const Known &known, std::string *out,
                        std::string *missing)
{
    for (auto &[name, value] : known)
        if (value == Poly::atom(id)) {
            *out = "(long long)" + name;
            return true;
        }
    const Atom &a = atom(id);
    if (a.kind == Atom::BELOW && c_text(a.of[0], known, out, missing)) {
        *out = "(" + *out + " < 0)";
        return true;
    }
    bool rounds = a.kind == Atom::FLOORDIV || a.kind == Atom::MOD;
    // C's division rounds negative numbers the other way.
    if (a.of.size() < 2 || a.kind == Atom::DIM || (rounds && !not_negative(a.of[0]))) {
        *missing = atom_text(id);
        return false;
    }
    std::string sum, one;
    for (size_t i = 0; i < a.of.size(); i++) {
        if (!c_text(a.of[i], known, &one, missing))
            return false;
        one = "(" + one + ")";
        if (i == 0)
            sum = one;
        else if (rounds)
            sum = "(" + sum + (a.kind == Atom::MOD ? " % " : " / ") + one + ")";
        else
            sum = "(" + sum + (a.kind == Atom::MIN ? " < " : " > ") + one + " ? " +
                  sum + " : " + one + ")";
    }
    *out = sum;
    return true;
}

bool c_text(const Poly &p, const Known &known, std::string *out, std::string *missing)
{
    std::string sum, one;
    for (auto &[m, c] : p.terms()) {
        std::string term = c == 1 && !m.empty() ? "" : std::to_string(c) + "LL";
        for (int id : m) {
            if (!atom_c_text(id, known, &one, missing))
                return false;
            term += (term.empty() ? "" : " * ") + one;
        }
        sum += (sum.empty() ? "" : " + ") + term;
    }
    *out = sum.empty() ? "0LL" : sum;
    return true;
}

} // namespace ldadc
