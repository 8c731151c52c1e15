// Loops. The body is run with a named unknown value for each modified variable before
// an iteration; a variable to which an iteration only adds something invariant has a
// closed form, and no other has. The number of iterations follows from the condition,
// if nothing else can end the loop.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/prove.h"
#include "clang/AST/ExprCXX.h"
#include <algorithm>

using namespace clang;

namespace ldadc
{

struct Interp::Closed {
    State entry;
    Place where;
    std::set<Cell> modified, odd; // odd: not the same on all ranks
    std::set<std::string> stored;
    std::map<Cell, Poly> before; // names of values before an iteration
    std::map<Cell, Poly> gain;   // increments of an iteration
    State end;                   // state at the end of an iteration
    bool ends = false, uniform = true;
    bool left = false, torn = false; // left early; torn: other than by "break"
    size_t breaks = 0;
};

// Runs one iteration from `now` on. Returns the condition to begin it, or to go on.
Condition Interp::iterate(const Repeat &r, std::vector<State> *breaks,
                          std::set<int> *leaves_at)
{
    Condition c;
    c.kind = Condition::TRUE;
    if (!r.body_first && r.condition)
        c = condition(r.condition);
    if (leaves_at)
        *leaves_at = now.last;
    can_be_left(true);
    size_t depth = now.conditions.size();
    if (alive && c.kind != Condition::FALSE)
        exec(r.body);
    std::vector<State> again = leaves.back().continues;
    *breaks = leaves.back().breaks;
    leaves.pop_back();
    join(again);
    if (alive && now.conditions.size() > depth)
        now.conditions.resize(depth);
    if (alive && r.body_first)
        c = condition(r.condition);
    if (leaves_at && r.body_first)
        *leaves_at = now.last;
    if (alive && r.step)
        eval(r.step);
    return c;
}

State Interp::head(const Closed &c, bool before)
{
    State kept = std::move(now);
    now = c.entry;
    now.stored = c.stored;
    probing++; // each iteration has another value
    for (const Cell &cell : c.modified) {
        auto at = c.before.find(cell);
        if (before && at != c.before.end())
            write(cell, Value::integer(at->second));
        else
            forget(cell, "is modified in a loop", c.where, !c.odd.count(cell));
    }
    probing--;
    std::swap(kept, now);
    return kept;
}

static int marks(const std::vector<Object> &objects)
{
    int n = 0;
    for (const Object &o : objects)
        n += o.escaped + o.poisoned;
    return n;
}

// Finds the statements that leave an iteration early, and whether all ranks do so
// alike.
void Interp::look_at_ways_out(const std::vector<State> &breaks, size_t returned,
                              Closed *c)
{
    size_t depth = c->entry.conditions.size();
    std::vector<const State *> out;
    for (const State &s : breaks)
        out.push_back(&s);
    for (size_t n = returned; n < frames.back().returns.size(); n++)
        out.push_back(&frames.back().returns[n]);
    c->left = c->left || !out.empty();
    for (const State *s : out)
        for (size_t i = depth; i < s->conditions.size(); i++)
            c->uniform = c->uniform && alike(s->conditions[i]);
}

// Tries an iteration: finds whether it ends, and what it stores.
std::set<Cell> Interp::try_iteration(const Repeat &r, Closed *c)
{
    size_t returned = frames.back().returns.size();
    int exits_before = exits;
    auto jumps_before = jumps;
    std::set<Cell> log;
    now = head(*c, true);
    steps += now.cells.size() / 4; // this is work, too
    alive = true;
    probing++;
    logs.push_back(&log);
    loops.push_back(Loop());
    std::vector<State> breaks;
    Condition cond = iterate(r, &breaks);
    loops.pop_back();
    logs.pop_back();
    probing--;
    c->torn = jumps.size() != jumps_before.size() || exits != exits_before ||
              frames.back().returns.size() != returned;
    for (auto &[label, list] : jumps)
        c->torn = c->torn || list.size() != jumps_before[label].size();
    c->left = c->torn;
    c->breaks = breaks.size();
    c->uniform = alike(cond);
    look_at_ways_out(breaks, returned, c);
    frames.back().returns.resize(returned);
    jumps = jumps_before;
    c->ends = alive;
    c->end = now;
    return log;
}

// Adds a modified cell; true if it is a new one.
bool Interp::add_modified(const Cell &cell, Closed *c)
{
    if (!c->modified.insert(cell).second)
        return false;
    Value v = read(c->entry, cell);
    if (v.is_int()) {
        Poly name = new_before();
        QualType t = type_of(cell);
        if (!t.isNull() && t->isUnsignedIntegerType() && context().getTypeSize(t) < 64)
            know_not_negative(name);
        c->before[cell] = name;
        if (alike(v))
            alike_before.insert(name.terms().begin()->first[0]);
    } else if (!alike(v)) {
        c->odd.insert(cell);
    }
    return true;
}

// Runs the body until it modifies no further cells.
void Interp::find_modified(const Repeat &r, Closed *c)
{
    for (bool again = true; again && !tired;) {
        again = false;
        int marked = marks(objects);
        size_t known = objects.size();
        for (const Cell &cell : try_iteration(r, c)) {
            const Object &o = objects[cell.object];
            bool ours = o.kind != Object::LOCAL || cell.object < (int)known ||
                        (o.variable && o.frame == frames.back().number);
            again = (ours && add_modified(cell, c)) || again;
        }
        for (const std::string &s : c->end.stored)
            again = c->stored.insert(s).second || again;
        if (!c->ends)
            continue;
        for (const Cell &cell : c->modified)
            escape(read(c->end, cell));
        for (const Cell &cell : c->modified) {
            bool plain = c->uniform && alike(read(c->end, cell));
            if (plain || !c->odd.insert(cell).second)
                continue;
            again = true;
            auto at = c->before.find(cell);
            if (at != c->before.end())
                alike_before.erase(at->second.terms().begin()->first[0]);
        }
        again = again || marks(objects) != marked;
    }
}

void Interp::close(Closed *c)
{
    if (!c->ends)
        return;
    for (auto &[cell, name] : c->before) {
        Value v = read(c->end, cell);
        if (!v.is_int())
            continue;
        Poly gain = v.p - name;
        // A name of an outer loop counts like any other number here.
        bool ours = false;
        for (auto &[other, b] : c->before)
            ours = ours || gain.has(b.terms().begin()->first[0]);
        if (!ours && gain.valid())
            c->gain[cell] = gain;
    }
}

// Returns the state before iteration k; or, if k is the number of iterations, after
// all.
State Interp::at_iteration(const Closed &c, const Poly &k, bool counted, bool exit)
{
    State kept = std::move(now);
    now = c.entry;
    now.stored = c.stored;
    std::map<Cell, Value> values;
    for (const Cell &cell : c.modified) {
        auto gain = c.gain.find(cell);
        Value v = Value::unknown("\"" + cell_text(cell) + "\" is modified in a loop",
                                 c.where, !c.odd.count(cell) && (!exit || c.uniform));
        Value first = read(c.entry, cell);
        if (gain != c.gain.end() && first.is_int() &&
            (counted || gain->second.is_zero())) {
            Value end = read(c.end, cell);
            v = first;
            v.p = first.p + k * gain->second;
            v.products.insert(end.products.begin(), end.products.end());
        }
        values[cell] = v;
    }
    probing += !exit;              // each iteration has another value
    for (auto &[cell, v] : values) // parts after the whole
        write(cell, v);
    probing -= !exit;
    std::swap(kept, now);
    return kept;
}

static bool linear(const Poly &p, int k, Poly *base, Poly *step)
{
    if (!p.linear_in(k, step))
        return false;
    *base = p - *step * Poly::atom(k);
    return true;
}

// Finds how often the condition holds before it first fails.
static bool trips(const Condition &c, int k, Poly *out, std::string *why)
{
    Poly base, step;
    *why = "how often the loop goes round is not known";
    if (c.kind == Condition::FALSE) {
        *out = Poly(0);
        return true;
    }
    if ((c.kind != Condition::LESS && c.kind != Condition::NOT_ZERO) ||
        !linear(c.p, k, &base, &step))
        return false;
    if (c.kind == Condition::NOT_ZERO) {
        if (step == Poly(1))
            base = -base;
        else if (step != Poly(-1))
            return false;
        *out = base;
        return not_negative(base);
    }
    if (step.is_zero() || !assume_positive(step))
        return false;
    base = -base;
    *out = ceildiv(base, step);
    if (!not_negative(base))
        *out = most(Poly(0), *out);
    return true;
}

// Returns the condition of a loop's one "break", if it is the only one on the way.
static const Condition *way_out(const std::vector<State> &breaks, size_t depth)
{
    bool one = breaks.size() == 1 && breaks[0].conditions.size() == depth + 1;
    return one ? &breaks[0].conditions[depth] : nullptr;
}

// Counts the iterations of an endless loop with one "break": it runs until that is
// reached.
void Interp::count_until_break(const Repeat &r, const Closed &c, Loop *l)
{
    Expr::EvalResult ever;
    bool endless =
        !r.condition || (!r.body_first && r.condition->EvaluateAsInt(ever, context()) &&
                         !ever.Val.getInt().isZero());
    if (!endless || c.torn || !c.ends || c.breaks != 1)
        return;
    probing++;
    now = at_iteration(c, l->k, true, false);
    alive = true;
    loops.push_back(*l);
    std::vector<State> breaks;
    iterate(r, &breaks);
    loops.pop_back();
    probing--;
    std::string why;
    const Condition *out = way_out(breaks, c.entry.conditions.size());
    if (!out)
        return;
    l->counted = trips(out->negated(), l->k.terms().begin()->first[0], &l->count, &why);
    l->until_break = l->counted;
}

// Adjusts counts: calls before the "break" are made once more than those after it, and
// those on the way out only once.
void Interp::tell_from_break(size_t from_site, const Condition &out, const Loop &l)
{
    for (size_t i = from_site; i < sites.size(); i++) {
        std::vector<Condition> &on_the_way = sites[i].conditions;
        auto same = [&](const Condition &c) { return c.id == out.id; };
        auto at = std::find_if(on_the_way.begin(), on_the_way.end(), same);
        if (at == on_the_way.end())
            sites[i].loops[loops.size()].count = l.count + Poly(1);
        else if (at->opposite != out.opposite)
            on_the_way.erase(at);
    }
}

void Interp::count(const Repeat &r, Closed *c, Loop *l)
{
    int k = l->k.terms().begin()->first[0];
    l->why_where = l->where;
    l->why = "how often the loop goes round is not known";
    if (c->left) {
        l->why = "the loop may be left early";
        return count_until_break(r, *c, l);
    }
    if (!r.condition || !c->ends)
        return;
    probing++;
    now = at_iteration(*c, l->k, true, false);
    alive = true;
    loops.push_back(*l);
    auto returned = frames.back().returns.size();
    Condition cond;
    std::vector<State> breaks;
    if (r.body_first)
        cond = iterate(r, &breaks);
    else
        cond = condition(r.condition);
    frames.back().returns.resize(returned);
    loops.pop_back();
    l->made_of = ingredients({r.condition});
    probing--;
    l->counted = trips(cond, k, &l->count, &l->why);
    if (!l->counted)
        l->why += ": while \"" + text_of(context(), r.condition) + "\"";
    if (l->counted && r.body_first)
        l->count =
            cond.kind == Condition::FALSE ? Poly(1) : most(Poly(0), l->count) + Poly(1);
}

// Forgets the progress in a state that leaves the loop early.
void Interp::scrub(State *s, const Closed &c, const Poly &k, const Place &where)
{
    int id = k.terms().begin()->first[0];
    for (auto &[cell, v] : s->cells)
        if (c.modified.count(cell))
            escape(v);
    for (auto &[cell, v] : s->cells)
        if (c.modified.count(cell) || (v.is_int() && v.p.has(id)))
            v = Value::unknown("\"" + cell_text(cell) +
                                   "\" depends on when a loop is left",
                               where, c.uniform && alike(v));
    for (size_t i = c.entry.conditions.size(); i < s->conditions.size(); i++) {
        Condition &cond = s->conditions[i];
        cond.uniform = false;
        cond.kind = Condition::OTHER;
        cond.text = "a loop is left early";
    }
}

// Sets the iteration in which a loop is left.
void Interp::settle_at(State *s, const Poly &k, const Poly &iteration)
{
    int id = k.terms().begin()->first[0];
    for (auto &[cell, v] : s->cells)
        if (v.is_int())
            v.p = v.p.with(id, iteration);
}

static std::string variable_of(const ASTContext &context, const Expr *step)
{
    if (!step)
        return "";
    const Expr *e = step->IgnoreParens();
    if (const auto *u = dyn_cast<UnaryOperator>(e))
        return text_of(context, u->getSubExpr());
    if (const auto *b = dyn_cast<BinaryOperator>(e))
        return text_of(context, b->getLHS());
    return "";
}

// Runs a loop once: macros are written as "do { } while (0)".
void Interp::exec_once(const Stmt *body)
{
    can_be_left(true);
    exec(body);
    std::vector<State> out = leaves.back().continues;
    for (State &s : leaves.back().breaks)
        out.push_back(s);
    leaves.pop_back();
    join(out);
}

// True if all calls in the statement are known, and have no effect.
static bool calls_little(const Stmt *s)
{
    if (!s)
        return true;
    if (const auto *c = dyn_cast<CallExpr>(s)) {
        const FunctionDecl *f = c->getDirectCallee();
        if (!f || !reads_text(f->getNameAsString()))
            return false;
    }
    if (const auto *made = dyn_cast<CXXConstructExpr>(s))
        if (!made->getConstructor()->isTrivial() || destructor_of(made->getType()))
            return false;
    for (const Stmt *part : s->children())
        if (!calls_little(part))
            return false;
    return true;
}

// Runs all iterations of a loop that only fills a few variables.
bool Interp::unroll(const Repeat &r, const Closed &c, const Loop &l)
{
    enum { MOST_TIMES = 64, MOST_IN_ALL = 4096 };
    bool closed = true;
    for (const Cell &cell : c.modified)
        closed = closed && c.gain.count(cell);
    if (closed || !l.counted || !l.count.is_constant() || l.count.constant() < 0 ||
        l.count.constant() > MOST_TIMES ||
        unrolled + l.count.constant() > MOST_IN_ALL || !calls_little(r.body) ||
        !calls_little(r.step) || !calls_little(r.condition))
        return false;
    unrolled += l.count.constant();
    std::vector<State> breaks;
    now = c.entry;
    alive = true;
    for (int64_t i = 0; alive && i < l.count.constant(); i++)
        iterate(r, &breaks);
    if (alive && !r.body_first && r.condition)
        condition(r.condition);
    return true;
}

void Interp::exec_loop(const Repeat &r)
{
    Expr::EvalResult never;
    if (!alive)
        return;
    if (r.body_first && r.condition->EvaluateAsInt(never, context()) &&
        never.Val.getInt().isZero())
        return exec_once(r.body);
    Closed c;
    c.entry = now;
    c.where = here(r.statement);
    c.stored = now.stored;
    find_modified(r, &c);
    close(&c);
    Loop l;
    l.k = new_iteration();
    l.where = c.where;
    l.variable = variable_of(context(), r.step);
    count(r, &c, &l);
    if (unroll(r, c, l))
        return;
    // The iteration to examine.
    size_t returned = frames.back().returns.size();
    auto jumps_before = jumps;
    std::vector<State> breaks;
    now = at_iteration(c, l.k, true, false);
    alive = true;
    loops.push_back(l);
    int exits_before = exits;
    size_t known_sites = sites.size();
    int top = flow_node(FlowNode::LOOP, c.where);
    std::set<int> leaves_at;
    pass(top);
    iterate(r, &breaks, &leaves_at);
    if (alive && l.count != Poly(1))
        flow_to(top, true);
    if (leaves_at == std::set<int>{top}) { // past an iteration, or past the loop
        leaves_at = alive ? now.last : std::set<int>();
        if (!l.counted || !positive(l.count))
            leaves_at.insert(c.entry.last.begin(), c.entry.last.end());
    }
    // A condition that is not followed can differ from iteration to iteration.
    for (size_t i = known_sites; i < sites.size(); i++)
        for (size_t n = c.entry.conditions.size(); n < sites[i].conditions.size(); n++)
            if (sites[i].conditions[n].kind == Condition::OTHER)
                sites[i].conditions[n].uniform = false;
    loops.pop_back();
    const Condition *out = way_out(breaks, c.entry.conditions.size());
    l.until_break = l.until_break && out;
    if (l.until_break)
        tell_from_break(known_sites, *out, l);
    bool leaves_function =
        frames.back().returns.size() > returned || exits > exits_before;
    for (size_t i = returned; i < frames.back().returns.size(); i++)
        scrub(&frames.back().returns[i], c, l.k, c.where);
    for (auto &[label, list] : jumps)
        for (size_t i = jumps_before[label].size(); i < list.size(); i++) {
            scrub(&list[i], c, l.k, c.where);
            leaves_function = true;
        }
    // The state after the loop.
    now = at_iteration(c, l.counted ? l.count : Poly(0), l.counted, true);
    now.last = leaves_at;
    alive = r.condition != nullptr && !l.until_break;
    if (alive && !r.body_first) {
        probing++;
        condition(r.condition);
        probing--;
    }
    for (State &s : breaks) {
        if (l.until_break)
            settle_at(&s, l.k, l.count);
        else
            scrub(&s, c, l.k, c.where);
        s.conditions = c.entry.conditions;
    }
    join(breaks);
    if (!alive)
        return;
    if (leaves_function) {
        Condition stays;
        stays.text = "a loop is not left early";
        stays.uniform = c.uniform && !c.torn;
        stays.where = c.where;
        stays.id = next_condition++;
        now.conditions.push_back(stays);
    }
    for (const Cell &cell : c.modified) {
        auto at = now.cells.find(cell);
        if (at != now.cells.end())
            at->second = settle(cell, at->second);
    }
}

} // namespace ldadc
