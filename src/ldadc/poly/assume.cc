#include "ldadc/poly/assume.h"
#include <cctype>
#include <cstring>

namespace ldadc
{

using Term = std::pair<int64_t, std::vector<std::string>>; // a factor and names
using Sum = std::vector<Term>;

struct Fact { // a sum that is not negative
    Sum sum;
    std::string text;
};

struct Multiple {
    std::string name, text, divisor;
    int64_t number = 0; // the divisor; 0: it has a name
    bool used = false;
};

static std::vector<Fact> facts;
static std::vector<Multiple> multiples;
static std::vector<std::string> texts;
static bool apart, no_view;

// ---- reading --------------------------------------------------------

struct Reading {
    const char *at;

    void blanks()
    {
        while (*at == ' ')
            at++;
    }

    bool take(const std::string &what)
    {
        blanks();
        if (std::string(at).compare(0, what.size(), what))
            return false;
        at += what.size();
        return true;
    }

    // Reads a variable as analyse prints it: a name, its members and elements.
    bool name(std::string *out)
    {
        blanks();
        const char *from = at;
        if (!isalpha((unsigned char)*at) && *at != '_')
            return false;
        for (bool on = true; on;) {
            on = isalnum((unsigned char)*at) || strchr("_.[]", *at ? *at : ' ');
            if (at[0] == '-' && at[1] == '>')
                on = true, at++;
            at += on;
        }
        *out = std::string(from, at);
        return true;
    }

    bool number(int64_t *out)
    {
        blanks();
        char *end;
        if (!isdigit((unsigned char)*at))
            return false;
        *out = strtoll(at, &end, 10);
        at = end;
        return *out <= INT32_MAX;
    }

    bool term(int64_t sign, Sum *out)
    {
        Term t = {sign, {}};
        do {
            std::string one;
            int64_t n;
            if (name(&one))
                t.second.push_back(one);
            else if (!number(&n) || __builtin_mul_overflow(t.first, n, &t.first))
                return false;
        } while (take("*"));
        out->push_back(t);
        return true;
    }

    bool sum(int64_t sign, Sum *out)
    {
        int64_t here = take("-") ? -sign : sign;
        for (;;) {
            if (!term(here, out))
                return false;
            if (take("+"))
                here = sign;
            else if (take("-"))
                here = -sign;
            else
                return true;
        }
    }

    bool end()
    {
        blanks();
        return !*at;
    }
};

static bool read_multiple(const std::string &text)
{
    Reading r = {text.c_str()};
    Multiple m;
    m.text = text;
    bool ok = r.name(&m.name) && r.take("%") &&
              (r.name(&m.divisor) || (r.number(&m.number) && m.number > 0)) &&
              r.take("==") && r.take("0") && r.end();
    if (ok)
        multiples.push_back(m);
    return ok;
}

// Reads a relation. For whole numbers, a < b is b - a - 1 >= 0.
static bool read_fact(const std::string &text)
{
    static const struct {
        const char *sign;
        bool less, more;
        int64_t apart;
    } relations[] = {{"<=", true, false, 0},
                     {">=", false, true, 0},
                     {"==", true, true, 0},
                     {"<", true, false, 1},
                     {">", false, true, 1}};
    for (auto &relation : relations)
        for (int64_t way : {-1, 1}) {
            Reading r = {text.c_str()};
            Fact f;
            f.text = text;
            if (!r.sum(way, &f.sum) || !r.take(relation.sign) || !r.sum(-way, &f.sum) ||
                !r.end())
                continue;
            f.sum.push_back({-relation.apart, {}});
            if (way < 0 ? relation.less : relation.more)
                facts.push_back(f);
            if (way > 0)
                return true;
        }
    return false;
}

bool assume(const std::string &text)
{
    texts.push_back(text);
    if (text == "no-overlap")
        return apart = true;
    if (text == "no-view")
        return no_view = true;
    return read_multiple(text) || read_fact(text);
}

// ---- using ----------------------------------------------------------

static bool means(const Symbol &s, const std::string &name)
{
    return s.text == name || s.id == name;
}

// Finds the latest variable with the name.
static bool value_of(const std::string &name, Poly *out)
{
    if (name == "nprocs")
        *out = nprocs(0);
    else if (name == "rank")
        *out = rank(0);
    else
        for (int n = symbols(); n-- > 0;)
            if (means(symbol(n), name) || symbol(n).whole == name) {
                *out = Poly::atom(atom_id({Atom::SYMBOL, n, {}}));
                if (!symbol(n).whole.empty() && symbol(n).whole == name)
                    *out = *out * symbol(n).divisor;
                return true;
            }
    return name == "nprocs" || name == "rank";
}

Poly part_of_named(const Symbol &s, const Poly &p)
{
    Symbol copy = s; // the table of variables moves when it grows
    for (Multiple &m : multiples)
        if (means(copy, m.name))
            return named_symbol(copy);
    return p;
}

Poly named_symbol(const Symbol &s)
{
    for (Multiple &m : multiples) {
        Poly divisor(m.number);
        if (!means(s, m.name) || (!m.number && !value_of(m.divisor, &divisor)))
            continue;
        Symbol part = s;
        std::string by = m.number ? std::to_string(m.number) : m.divisor;
        part.text = s.text + " / " + by;
        part.id = symbol_id(s.text + "_by_" + by);
        part.whole = s.text;
        part.divisor = divisor;
        m.used = true;
        return divisor * named_symbol(part);
    }
    return new_symbol(s);
}

static bool polynomial(const Sum &sum, Poly *out)
{
    *out = Poly();
    for (const Term &t : sum) {
        Poly product(t.first), factor;
        for (const std::string &name : t.second) {
            if (!value_of(name, &factor))
                return false;
            product = product * factor;
        }
        *out = *out + product;
    }
    return out->valid();
}

const std::vector<Poly> &assumed_facts()
{
    static std::vector<Poly> known;
    static int of = -1;
    Poly p;
    if (of == symbols() || facts.empty())
        return known;
    of = symbols();
    known.clear();
    for (const Fact &f : facts)
        if (polynomial(f.sum, &p))
            known.push_back(p);
    return known;
}

bool assumed_apart()
{
    return apart;
}

bool assumed_no_view()
{
    return no_view;
}

const std::vector<std::string> &assumed_texts()
{
    return texts;
}

std::string assumed_in_vain()
{
    Poly p;
    for (const Fact &f : facts)
        if (!polynomial(f.sum, &p))
            return f.text;
    for (const Multiple &m : multiples)
        if (!m.used)
            return m.text;
    return "";
}

} // namespace ldadc
