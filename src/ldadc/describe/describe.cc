// Derives the descriptor of a call from its offset and loops.
#include "ldadc/describe/describe.h"
#include "ldadc/poly/assume.h"
#include "ldadc/poly/prove.h"

namespace ldadc
{

static bool is(int id, Atom::Kind kind)
{
    return atom(id).kind == kind;
}

// True if p changes from iteration to iteration.
static bool changes_in_loop(const Poly &p)
{
    return p.has([](int id) { return is(id, Atom::ITERATION); });
}

static bool strange(const Poly &p, int comm)
{
    return p.has([comm](int id) {
        const Atom &a = atom(id);
        return a.kind == Atom::BEFORE || (a.kind == Atom::RANK && a.number != comm) ||
               (a.kind == Atom::NPROCS && a.number != size_of(comm));
    });
}

struct Failed {
    std::string why;
    Place where;
};

// Derives the descriptor in steps. Each returns "false" with a reason if it cannot be
// done.
class Describer
{
  public:
    Describer(const Found &i, const Site &s, Description *d) : in(i), s(s), d(*d)
    {
    }

    bool run()
    {
        return handle() && values() && conditions() && loops() && view() && clip() &&
               levels() && known_ranks();
    }

  private:
    bool fail(const std::string &why, const Place &where)
    {
        d.reason = why;
        d.reason_where = where.line ? where : s.where;
        return false;
    }

    bool fail(const std::string &what, const Value &v)
    {
        return fail(what + (v.text.empty() ? "" : ": " + v.text), v.where);
    }

    bool handle()
    {
        if (in.tired)
            return fail("the program has too many paths to follow", s.where);
        if (s.call.shared && !s.call.ordered)
            return fail("the shared file pointer is moved by all ranks in any order",
                        s.where);
        if (s.opening < 0)
            return fail("\"" + s.handle + "\" may be any file", s.file);
        comm = in.openings[s.opening].comm;
        if (comm < 0 && !in.openings[s.opening].foreign)
            return fail("the communicator of the file is not known",
                        in.openings[s.opening].where);
        return true;
    }

    bool values()
    {
        if (!s.view_start.is_int())
            return fail("the view's displacement is not known", s.view_start);
        if (!s.view_unit.is_int())
            return fail("the view's unit is not known", s.view_unit);
        if (!s.view_type.is_int() && s.view_type.kind != Value::TYPE)
            return fail("the view's datatype is not known", s.view_type);
        if (!s.at.is_int())
            return fail(s.call.at ? "the offset \"" + s.at_text + "\" is not known"
                                  : "the file pointer is not known",
                        s.at);
        if (!s.bytes.is_int())
            return fail(s.count_text.empty()
                            ? "the size is not known"
                            : "the count \"" + s.count_text + "\" is not known",
                        s.bytes);
        position = s.at.p * s.view_unit.p;
        d.size = s.bytes.p;
        return true;
    }

    // Notes the only rank of a condition. A file of MPI_COMM_SELF has one rank; its
    // opener is described among all ranks.
    bool only_where(const Condition &c, int among)
    {
        Poly p = c.p, factor, mine = rank(among);
        if (c.kind != Condition::ZERO || d.one_rank || strange(p, among) ||
            changes_in_loop(p) || !p.linear_in(mine.terms().begin()->first[0], &factor))
            return false;
        if (factor == Poly(-1))
            p = -p;
        else if (factor != Poly(1))
            return false;
        d.one_rank = true;
        d.only = mine - p;
        speak_of_communicator(among);
        d.ranks = "rank == " + d.only.text();
        speak_of_communicator(comm);
        d.ranks_of_all = among != comm;
        return true;
    }

    // True if a condition is the same for all: it may depend on the number of
    // processes.
    bool for_all(const Condition &c) const
    {
        if (c.kind == Condition::OTHER)
            return c.uniform;
        return !changes_in_loop(c.p) && !c.p.has([this](int id) {
            const Atom &a = atom(id);
            return a.kind == Atom::BEFORE || a.kind == Atom::RANK ||
                   (a.kind == Atom::NPROCS && a.number != size_of(comm) &&
                    a.number != WORLD);
        });
    }

    bool conditions()
    {
        int among = comm == SELF ? (int)WORLD : comm;
        for (const Condition &c : s.conditions) {
            suppose(c);
            if (!for_all(c) && !only_where(c, among) && !guarded_by(c))
                return fail("only where " + c.text, c.where);
        }
        return true;
    }

    void suppose(const Condition &c)
    {
        if (c.kind == Condition::LESS)
            given.push_back(-c.p - Poly(1));
        if (c.kind == Condition::ZERO) {
            given.push_back(c.p);
            given.push_back(-c.p);
        }
        // a number that cannot be negative, and is not 0
        if (c.kind == Condition::NOT_ZERO && not_negative(c.p))
            given.push_back(c.p - Poly(1));
    }

    // Multiplies by the condition: ranks for which it does not hold transfer nothing.
    bool guarded_by(const Condition &c)
    {
        Poly holds;
        if (comm == SELF || !c.number(&holds) || strange(holds, comm) ||
            changes_in_loop(holds))
            return false;
        guard = guard * holds;
        return guard.valid();
    }

    // Removes the conditions that are decided at the call.
    Poly decided(Poly p) const
    {
        std::set<int> conditions;
        p.has([&](int id) {
            if (is(id, Atom::BELOW))
                conditions.insert(id);
            return false;
        });
        for (int id : conditions) {
            Poly of = atom(id).of[0];
            if (not_negative(of, given))
                p = p.with(id, Poly(0));
            else if (not_negative(-of - Poly(1), given))
                p = p.with(id, Poly(1));
        }
        return p;
    }

    bool loops()
    {
        for (const Loop &l : s.loops) {
            if (!l.counted)
                return fail(l.why, l.why_where);
            if (changes_in_loop(l.count) || strange(l.count, comm))
                return fail("how often a loop goes round depends on another loop, or "
                            "another communicator",
                            l.where);
        }
        return true;
    }

    bool view()
    {
        d.start = s.view_start.p + position;
        if (s.view_type.kind != Value::TYPE)
            return true;
        const Datatype &t = in.types[s.view_type.number];
        Poly tiles, first;
        if (!t.list.empty() && d.size.divide(t.size, &tiles) &&
            position.divide(t.size, &first)) {
            d.parts = t.list.size();
            d.start = s.view_start.p + t.list[d.part].first + first * t.extent;
            pieces.push_back({t.extent, tiles});
            d.size = t.list[d.part].second;
            return true;
        }
        if (!t.list.empty())
            return within_tile(t);
        if (d.size.divide(t.size, &tiles) && position.divide(t.size, &first)) {
            d.start = s.view_start.p + t.lower + first * t.extent;
            pieces.push_back({t.extent, tiles});
            for (auto &[count, distance] : t.levels)
                pieces.push_back({distance, count});
            d.size = t.block;
            return true;
        }
        bool even = t.levels.size() == 1
                        ? t.extent == t.levels[0].first * t.levels[0].second
                        : t.levels.empty();
        if (even && d.size.divide(t.block, &tiles) &&
            position.divide(t.block, &first)) {
            Poly distance = t.levels.empty() ? t.extent : t.levels[0].second;
            d.start = s.view_start.p + t.lower + first * distance;
            pieces.push_back({distance, tiles});
            d.size = t.block;
            return true;
        }
        return within_tile(t);
    }

    struct Piece {
        int64_t at, size;
    };

    // Finds block number i of a type's tile.
    static bool block_of(const Datatype &t, int64_t i, Piece *out)
    {
        *out = {0, t.block.constant()};
        if (!t.list.empty()) {
            auto &[place, length] = t.list[i];
            *out = {place.constant(), length.constant()};
            return place.is_constant() && length.is_constant();
        }
        for (size_t l = t.levels.size(); l-- > 0;) {
            auto &[count, distance] = t.levels[l];
            if (!count.is_constant() || !distance.is_constant() || !count.constant())
                return false;
            out->at += i % count.constant() * distance.constant();
            i /= count.constant();
        }
        return t.block.is_constant() && t.block.constant() > 0;
    }

    // Finds the place of data in the tiles, if all are numbers.
    static bool piece_at(const Datatype &t, int64_t place, Piece *out)
    {
        int64_t size = t.size.constant(), in_tile = place % size, i = 0;
        if (t.list.empty() && t.block.is_constant() && t.block.constant() > 0) {
            i = in_tile / t.block.constant();
            in_tile %= t.block.constant();
        }
        if (!block_of(t, i, out))
            return false;
        while (!t.list.empty() && in_tile >= out->size) {
            in_tile -= out->size;
            if (!block_of(t, ++i, out))
                return false;
        }
        out->at += place / size * t.extent.constant() + in_tile;
        out->size -= in_tile;
        return true;
    }

    // Describes a transfer that begins or ends within a tile: a few pieces.
    bool within_tile(const Datatype &t)
    {
        enum { MOST_PIECES = 16 };
        std::vector<Piece> found;
        bool numbers = t.size.is_constant() && t.extent.is_constant() &&
                       t.size.constant() > 0 && d.size.is_constant();
        Poly first = numbers ? floordiv(position, t.size) : Poly();
        Poly rest = position - first * t.size;
        numbers = numbers && rest.is_constant() && rest.constant() >= 0;
        int64_t at = rest.constant(), end = at + d.size.constant();
        for (Piece p; numbers && at < end; at += p.size) {
            numbers = found.size() < MOST_PIECES && piece_at(t, at, &p);
            p.size = std::min(p.size, end - at);
            if (numbers && !found.empty() &&
                found.back().at + found.back().size == p.at)
                found.back().size += p.size;
            else if (numbers)
                found.push_back(p);
        }
        if (!numbers || found.empty())
            return fail("the transfer is no whole number of the view's blocks",
                        s.where);
        d.parts = found.size();
        Poly lower = t.list.empty() ? t.lower : Poly();
        d.start = s.view_start.p + lower + first * t.extent + Poly(found[d.part].at);
        d.size = Poly(found[d.part].size);
        return true;
    }

    // Turns a size that only shrinks near the end into a size and an end.
    bool clip()
    {
        bool ranked = d.size.has([](int id) { return is(id, Atom::RANK); });
        if (!changes_in_loop(d.size) && !ranked)
            return true;
        if (cut() || !changes_in_loop(d.size))
            return true;
        return fail("the size changes from iteration to iteration", s.where);
    }

    bool cut()
    {
        for (auto &[m, c] : d.size.terms())
            for (int id : m) {
                Poly factor;
                if ((is(id, Atom::MIN) || is(id, Atom::MAX)) &&
                    d.size.linear_in(id, &factor) &&
                    (d.size - factor * Poly::atom(id)).is_zero() && cut_at(factor, id))
                    return true;
            }
        return false;
    }

    static std::vector<Poly> least_of(int id)
    {
        std::vector<Poly> of = atom(id).of;
        if (is(id, Atom::MIN))
            return of;
        if (of.size() != 2 || (!of[0].is_zero() && !of[1].is_zero()))
            return {};
        const Poly &other = of[of[0].is_zero()];
        if (other.terms().size() == 1 && other.terms().begin()->second == 1 &&
            other.terms().begin()->first.size() == 1 &&
            is(other.terms().begin()->first[0], Atom::MIN))
            return atom(other.terms().begin()->first[0]).of;
        return {other};
    }

    bool cut_at(const Poly &factor, int id)
    {
        Poly size, end;
        bool sized = false, ended = false;
        if (changes_in_loop(factor) || !not_negative(factor))
            return false;
        for (const Poly &one : least_of(id)) {
            Poly here = factor * one, there = d.start + here;
            bool ranked = one.has([](int a) { return is(a, Atom::RANK); });
            if (!changes_in_loop(one) && !ranked) {
                size = sized ? least(size, here) : here;
                sized = true;
            } else if (!changes_in_loop(there)) {
                end = ended ? least(end, there) : there;
                ended = true;
            } else {
                return false;
            }
        }
        if (!sized || !ended || !pieces.empty())
            return false;
        d.size = size;
        d.clip = end;
        d.clipped = true;
        return true;
    }

    bool levels()
    {
        Poly base = d.start;
        for (const Loop &l : s.loops) {
            Poly stride;
            int k = l.k.terms().begin()->first[0];
            if (!base.linear_in(k, &stride) || changes_in_loop(stride))
                return fail("the offset does not grow by the same amount in every "
                            "iteration",
                            l.where);
            base = base - stride * l.k;
            if (l.count != Poly(1))
                d.levels.push_back({stride, l.count});
        }
        for (const Level &l : pieces)
            if (l.count != Poly(1))
                d.levels.push_back(l);
        d.start = base;
        for (const Level &l : d.levels)
            if (changes_in_loop(l.stride) || changes_in_loop(l.count))
                return fail("the pieces change from iteration to iteration", s.where);
        return true;
    }

    bool known_ranks()
    {
        int id = rank(d.ranks_of_all ? (int)WORLD : comm).terms().begin()->first[0];
        auto fix = [&](Poly *p) {
            if (d.one_rank)
                *p = p->with(id, d.only);
            if (!given.empty())
                *p = decided(*p);
            return p->valid() && !strange(*p, comm);
        };
        bool ok = fix(&d.start) && fix(&d.size) && (!d.clipped || fix(&d.clip));
        for (Level &l : d.levels)
            ok = ok && fix(&l.stride) && fix(&l.count);
        d.size = d.size * guard;
        return ok ||
               fail("ranks of another communicator than the file's matter", s.where);
    }

    const Found &in;
    const Site &s;
    Description &d;
    int comm = 0;
    Poly position, guard = Poly(1);
    std::vector<Poly> given; // these are not negative at the call
    std::vector<Level> pieces;
};

// ---- warnings -------------------------------------------------------

static bool value_at(const Poly &p, int id, int64_t n, long double *out)
{
    *out = 0;
    for (auto &[m, c] : p.terms()) {
        long double term = c;
        for (int other : m) {
            if (other != id)
                return false;
            term *= n;
        }
        *out += term;
    }
    return true;
}

static void warn_of(const Found &in, const Site &s, int comm, Description *d)
{
    std::set<int> all = s.at.products;
    all.insert(s.view_start.products.begin(), s.view_start.products.end());
    std::set<std::string> said;
    const long double most_int = 2147483647;
    for (int n : all) {
        const Product &product = in.products[n];
        Poly top = product.p;
        for (const Loop &l : s.loops)
            if (l.counted)
                top = top.with(l.k.terms().begin()->first[0], l.count - Poly(1));
        int r = rank(comm).terms().begin()->first[0];
        int p = nprocs(comm).terms().begin()->first[0];
        top = top.with(r, nprocs(comm) - Poly(1));
        Warning w;
        w.line = product.where.line;
        w.text = "the product \"" + product.text +
                 "\" is computed in 32-bit int: it "
                 "overflows ";
        long double v;
        if (value_at(top, p, 1, &v)) {
            int64_t low = 1, high = 1;
            while (high <= 1 << 22 && value_at(top, p, high, &v) && v <= most_int)
                high *= 2;
            if (high > 1 << 22)
                continue;
            for (low = high / 2; high - low > 1;) {
                int64_t middle = low + (high - low) / 2;
                value_at(top, p, middle, &v);
                (v > most_int ? high : low) = middle;
            }
            w.from_nprocs = high;
            w.text += "from nprocs = " + std::to_string(high) + " on";
        } else {
            w.text += "where " + top.text() + " exceeds 2147483647";
        }
        if (said.insert(w.text).second)
            d->warnings.push_back(w);
    }
}

static Description describe_part(const Found &in, const Site &s, int part)
{
    Description d;
    d.site = &s;
    d.part = part;
    int comm = s.opening >= 0 ? in.openings[s.opening].comm : -1;
    speak_of_communicator(comm);
    d.resolved = Describer(in, s, &d).run();
    warn_of(in, s, comm, &d);
    if (d.resolved)
        d.relation = relation_of(d, in.openings[s.opening], &d.reason);
    if (d.resolved && d.relation == "unresolved" && d.reason == NOT_CERTAIN &&
        assumed_apart())
        d.relation = "disjoint";
    if (d.relation == "unresolved" && !d.reason_where.line)
        d.reason_where = s.where;
    return d;
}

std::vector<Description> describe(const Found &in, const Site &s)
{
    std::vector<Description> all = {describe_part(in, s, 0)};
    for (int part = 1; all[0].resolved && part < all[0].parts; part++)
        all.push_back(describe_part(in, s, part));
    return all;
}

// Prints a product, unexpanded if expansion would make it long.
std::string product_text(const Poly &a, const Poly &b)
{
    if (a.terms().size() <= 1 || b.terms().size() <= 1) {
        std::string product = (a * b).text();
        if (b.terms().size() <= 1 || product.size() < 40)
            return product;
    }
    return "(" + a.text() + ")*(" + b.text() + ")";
}

std::string descriptor_text(const Description &d)
{
    std::string out = "start=" + d.start.text() + " [";
    size_t brackets = 0;
    for (const Level &l : d.levels) {
        if (brackets++)
            out += "[";
        out +=
            "span=" + (l.stride * l.count).text() + " stride=" + l.stride.text() + " ";
        if (l.stride.is_zero())
            out += "count=" + l.count.text() + " ";
    }
    out += "size=" + d.size.text();
    for (size_t i = 0; i < (brackets ? brackets : 1); i++)
        out += "]";
    if (d.clipped)
        out += " end=" + d.clip.text();
    return out;
}

} // namespace ldadc
