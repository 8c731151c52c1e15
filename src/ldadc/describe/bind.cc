#include "ldadc/describe/bind.h"
#include "ldadc/describe/shell.h"

namespace ldadc
{

// One evaluation. Each step returns false if it or an inner one failed.
class Evaluation
{
  public:
    Evaluation(const Binding &b, std::string *why) : b(b), why(*why)
    {
    }

    bool poly(const Poly &p, int64_t *out)
    {
        int64_t sum = 0;
        for (auto &[m, c] : p.terms()) {
            int64_t term = c, v;
            for (int id : m)
                if (!one(id, &v) || __builtin_mul_overflow(term, v, &term))
                    return large();
            if (__builtin_add_overflow(sum, term, &sum))
                return large();
        }
        *out = sum;
        return p.valid() || large();
    }

  private:
    bool large()
    {
        if (why.empty())
            why = "a number exceeds 63 bits";
        return false;
    }

    bool named(int number, int64_t *out)
    {
        auto at = b.value.find(number), of_whole = b.value.find(-1 - number);
        const std::string &name = given_name(symbol(number));
        if (at == b.value.end() && of_whole != b.value.end())
            return part(symbol(number), of_whole->second, out);
        *out = at == b.value.end() ? 0 : at->second;
        if (at == b.value.end())
            why = "the value of " + name + " is not given: " + set_option(name);
        return at != b.value.end();
    }

    // Evaluates a number that is assumed to be a multiple.
    bool part(const Symbol &s, int64_t whole, int64_t *out)
    {
        int64_t divisor;
        if (!poly(s.divisor, &divisor))
            return false;
        if (divisor < 1 || whole % divisor)
            why = s.whole + " is assumed to be a multiple of " + s.divisor.text() +
                  ", and " + std::to_string(whole) + " is not";
        else
            *out = whole / divisor;
        return why.empty();
    }

    bool of_one(const Atom &a, int64_t x, int64_t *out)
    {
        if (a.kind == Atom::BELOW)
            *out = x < 0;
        else if (a.kind == Atom::ROOT)
            *out = x < 0 ? -1 : root(Poly(x)).constant();
        else
            *out = dim_of(x, a.of[1].constant(), a.of[2].constant());
        if (a.kind == Atom::ROOT && (*out < 0 || x >= 1 << 30))
            why = a.of[0].text() + " is negative or too large for a square root";
        else if (a.kind == Atom::DIM && !*out)
            why = "MPIs make different grids of " + std::to_string(x) + " processes";
        return why.empty();
    }

    bool function(const Atom &a, int64_t *out)
    {
        int64_t x, y;
        if (a.of.empty() || !poly(a.of[0], &x))
            return false;
        if (a.kind == Atom::BELOW || a.kind == Atom::ROOT || a.kind == Atom::DIM)
            return of_one(a, x, out);
        for (size_t i = 1; i < a.of.size(); i++) {
            if (!poly(a.of[i], &y))
                return false;
            bool divides = a.kind == Atom::FLOORDIV || a.kind == Atom::MOD;
            if (divides && y <= 0) {
                why = "a divisor, " + a.of[i].text() + ", is not positive";
                return false;
            }
            if (a.kind == Atom::MIN)
                x = std::min(x, y);
            else if (a.kind == Atom::MAX)
                x = std::max(x, y);
            else {
                int64_t rest = (x % y + y) % y;
                x = a.kind == Atom::MOD ? rest : (x - rest) / y;
            }
        }
        *out = x;
        return true;
    }

    bool one(int id, int64_t *out)
    {
        const Atom &a = atom(id);
        switch (a.kind) {
        case Atom::NPROCS:
        case Atom::RANK:
            *out = a.kind == Atom::RANK ? b.rank : b.nprocs;
            if (a.number != (a.kind == Atom::RANK ? b.comm : size_of(b.comm)))
                why = "ranks of another communicator matter";
            return why.empty();
        case Atom::SYMBOL:
            return named(a.number, out);
        case Atom::ITERATION:
        case Atom::BEFORE:
            why = "it changes from iteration to iteration";
            return false;
        default:
            return function(a, out);
        }
    }

    const Binding &b;
    std::string &why;
};

const std::string &given_name(const Symbol &s)
{
    return s.whole.empty() ? s.text : s.whole;
}

bool bind_named(std::map<int, int64_t> *value, const std::string &name, int64_t v)
{
    bool found = false;
    for (int n = 0; n < symbols(); n++)
        if (symbol(n).text == name || symbol(n).id == name) {
            (*value)[n] = v;
            found = true;
        } else if (!name.empty() && symbol(n).whole == name) {
            (*value)[-1 - n] = v;
            found = true;
        }
    return found;
}

bool evaluate(const Poly &p, const Binding &b, int64_t *out, std::string *why)
{
    why->clear();
    return Evaluation(b, why).poly(p, out);
}

bool transfers_of(const Description &d, const Binding &b, Transfers *out,
                  std::string *why)
{
    Transfers n;
    int64_t only;
    if (d.one_rank) {
        if (!evaluate(d.only, b, &only, why))
            return false;
        n.none = only != (d.ranks_of_all ? b.world_rank : b.rank);
    }
    if (!evaluate(d.start, b, &n.start, why) || !evaluate(d.size, b, &n.size, why) ||
        (d.clipped && !evaluate(d.clip, b, &n.end, why)))
        return false;
    for (const Level &l : d.levels) {
        Transfers::Repeat r;
        if (!evaluate(l.stride, b, &r.stride, why) ||
            !evaluate(l.count, b, &r.count, why))
            return false;
        n.levels.push_back(r);
    }
    *out = n;
    return true;
}

static void repeat(const Transfers &n, size_t level, int64_t at,
                   const std::function<void(int64_t, int64_t)> &f)
{
    if (level < n.levels.size()) {
        const Transfers::Repeat &r = n.levels[level];
        for (int64_t k = 0; k < r.count; k++)
            repeat(n, level + 1, at + k * r.stride, f);
        return;
    }
    int64_t bytes = std::min(n.size, n.end - at);
    if (bytes > 0)
        f(at, bytes);
}

void each_chunk(const Transfers &n, const std::function<void(int64_t, int64_t)> &f)
{
    if (!n.none)
        repeat(n, 0, n.start, f);
}

} // namespace ldadc
