// Statements, and where execution continues.
#include "ldadc/interp/interp.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace ldadc
{

enum { MOST_STEPS = 200000 }; // more than that takes too long

// Prepares for leaving a statement early, which ends the objects made in it.
void Interp::can_be_left(bool loop)
{
    leaves.push_back(Leave());
    leaves.back().loop = loop;
    leaves.back().ending = frames.back().ending.size();
}

void Interp::exec_block(const CompoundStmt *s, const std::function<void()> &inside)
{
    size_t before = frames.back().ending.size();
    const CompoundStmt *outer = frames.back().block;
    frames.back().block = s;
    inside();
    end_objects(before, s);
    frames.back().ending.resize(before);
    frames.back().block = outer;
}

void Interp::exec_declaration(const VarDecl *v)
{
    if (v->hasGlobalStorage())
        return;
    Cell c = {object_of(v), {}};
    if (v->getType()->isVariableArrayType()) {
        if (const auto *a = context().getAsVariableArrayType(v->getType()))
            if (a->getSizeExpr())
                eval(a->getSizeExpr());
    }
    if (v->getType()->isReferenceType()) {
        Value to = bound(v->getInit());
        if (alive)
            write(c, to);
    } else if (v->hasInit()) {
        initialise(c, v->getType(), v->getInit());
    } else {
        Value none = Value::unknown("\"" + v->getNameAsString() + "\" has no value yet",
                                    place_of(context(), v->getLocation()), true);
        write(c, none);
    }
    if (alive && destructor_of(v->getType()))
        frames.back().ending.push_back({v, frames.back().block});
}

void Interp::exec_return(const ReturnStmt *s)
{
    Frame &f = frames.back();
    Cell result = {f.result, {}};
    if (const Expr *e = s->getRetValue()) {
        if (f.function->getReturnType()->isReferenceType()) {
            Value to = bound(e);
            if (alive)
                write(result, to);
        } else if (e->getType()->isRecordType()) {
            Target from = target(e);
            if (alive && from.kind == Target::CELL && !from.opaque) {
                copy(result, from.cell, e->getType());
            } else {
                load(from, e);
                forget(result, "is not followed", here(e));
            }
        } else {
            Value v = eval(e);
            if (alive)
                write(result, v);
        }
    }
    end_objects(0, s);
    if (!alive)
        return;
    frames.back().returns.push_back(std::move(now));
    now = State();
    alive = false;
    ends++;
}

// Runs the cases of a switch: each is reached from its head, and from the case before
// it.
void Interp::exec_cases(const Stmt *s, const State &entry, const Condition &c,
                        bool *fallback)
{
    if (const auto *label = dyn_cast<SwitchCase>(s)) {
        State chosen = entry;
        Condition mine = c;
        mine.id = next_condition++;
        mine.text += isa<DefaultStmt>(label) ? ": default" : ": a case";
        chosen.conditions.push_back(mine);
        join({chosen});
        *fallback = *fallback || isa<DefaultStmt>(label);
        return exec_cases(label->getSubStmt(), entry, c, fallback);
    }
    const auto *block = dyn_cast<CompoundStmt>(s);
    if (!block)
        return exec(s);
    exec_block(block, [&] {
        for (const Stmt *part : block->body())
            exec_cases(part, entry, c, fallback);
    });
}

void Interp::exec_switch(const SwitchStmt *s)
{
    Value v = eval(s->getCond());
    if (!alive)
        return;
    Condition c;
    c.text = "switch (" + text_of(context(), s->getCond()) + ")";
    c.where = here(s);
    c.uniform = alike(v);
    c.id = next_condition++;
    State entry = now;
    can_be_left(false);
    alive = false;
    bool fallback = false;
    exec_cases(s->getBody(), entry, c, &fallback);
    std::vector<State> out = leaves.back().breaks;
    leaves.pop_back();
    if (!fallback) {
        c.id = next_condition++;
        entry.conditions.push_back(c);
        out.push_back(entry);
    }
    join(out);
}

void Interp::exec(const Stmt *s)
{
    if (!s)
        return;
    if (const auto *l = dyn_cast<LabelStmt>(s)) {
        join(jumps[l->getDecl()]);
        jumps[l->getDecl()].clear();
        return exec(l->getSubStmt());
    }
    if (const auto *c = dyn_cast<CompoundStmt>(s))
        return exec_block(c, [&] {
            for (const Stmt *part : c->body())
                exec(part);
        });
    if (!alive && anywhere) {
        now = *anywhere;
        alive = true;
    }
    if (!alive) { // only a label can be reached then
        for (const Stmt *part : s->children())
            if (part && !isa<Expr>(s) && !isa<ForStmt>(s) && !isa<WhileStmt>(s) &&
                !isa<DoStmt>(s) && !isa<SwitchStmt>(s))
                exec(part);
        return;
    }
    if (++steps > MOST_STEPS) {
        tired = true;
        alive = false;
        return;
    }
    if (const auto *e = dyn_cast<Expr>(s)) {
        if (e->getType()->isRecordType())
            target(e);
        else
            eval(e);
    } else if (const auto *d = dyn_cast<DeclStmt>(s)) {
        for (const Decl *one : d->decls())
            if (const auto *v = dyn_cast<VarDecl>(one))
                exec_declaration(v);
    } else if (const auto *a = dyn_cast<AttributedStmt>(s)) {
        exec(a->getSubStmt());
    } else if (!exec_jump(s) && !exec_choice(s) && !isa<NullStmt>(s)) {
        for (const Stmt *part : s->children())
            exec(part);
    }
}

// Handles a statement that leaves its place; false: it is none.
bool Interp::exec_jump(const Stmt *s)
{
    if (const auto *r = dyn_cast<ReturnStmt>(s)) {
        exec_return(r);
        return true;
    }
    const auto *g = dyn_cast<GotoStmt>(s);
    bool goes_on = isa<ContinueStmt>(s);
    if (!g && !goes_on && !isa<BreakStmt>(s))
        return false;
    std::vector<State> *to = g ? &jumps[g->getLabel()] : nullptr;
    if (!g) {
        size_t n = leaves.size() - 1;
        while (goes_on && !leaves[n].loop)
            n--;
        end_objects(leaves[n].ending, s);
        to = goes_on ? &leaves[n].continues : &leaves[n].breaks;
    }
    if (!alive)
        return true;
    to->push_back(std::move(now));
    alive = false;
    ends++;
    return true;
}

bool Interp::exec_choice(const Stmt *s)
{
    if (const auto *i = dyn_cast<IfStmt>(s)) {
        Condition c = condition(i->getCond());
        with_condition(
            c, [&] { exec(i->getThen()); }, [&] { exec(i->getElse()); });
    } else if (const auto *f = dyn_cast<ForStmt>(s)) {
        exec(f->getInit());
        exec_loop({f, f->getCond(), f->getInc(), f->getBody(), false});
    } else if (const auto *w = dyn_cast<WhileStmt>(s)) {
        exec_loop({w, w->getCond(), nullptr, w->getBody(), false});
    } else if (const auto *o = dyn_cast<DoStmt>(s)) {
        exec_loop({o, o->getCond(), nullptr, o->getBody(), true});
    } else if (const auto *w = dyn_cast<SwitchStmt>(s)) {
        exec_switch(w);
    } else {
        return false;
    }
    return true;
}

// Forgets the parameters of a recursive function: they differ in each call.
void Interp::forget_parameters(const FunctionDecl *f, const Place &where)
{
    probing++;
    for (const ParmVarDecl *v : f->parameters())
        forget({object_of(v), {}},
               "is another one in each call, as " + f->getNameAsString() +
                   "() calls itself",
               where);
    probing--;
    bool method = isa<CXXMethodDecl>(f) && !isa<CXXConstructorDecl>(f) &&
                  !isa<CXXDestructorDecl>(f) &&
                  frames.back().self.kind == Value::POINTER;
    if (method) {
        escape(frames.back().self);
        frames.back().self =
            Value::unknown("\"this\" is another object in each call", where);
    }
}

// Runs a function's body. If its jumps are not followed, all that it modifies is
// unknown all the time.
void Interp::exec_body(const FunctionDecl *f)
{
    if (!program.jumping.count(f) && !program.recursive.count(f))
        return exec(f->getBody());
    Condition c;
    c.text = program.jumping.count(f) ? f->getNameAsString() + "() jumps back"
                                      : f->getNameAsString() + "() calls itself";
    c.where = place_of(context(), f->getLocation());
    c.id = next_condition++;
    now.conditions.push_back(c);
    if (program.recursive.count(f))
        forget_parameters(f, c.where);
    std::set<Cell> modified;
    State entry = now;
    int known = objects.size();
    size_t before;
    const State *outside = anywhere;
    do {
        before = modified.size();
        std::set<Cell> log;
        now = entry;
        for (const Cell &cell : modified)
            forget(cell, "is modified where the program jumps", c.where);
        logs.push_back(&log);
        probing++;
        size_t returned = frames.back().returns.size();
        auto jumps_before = jumps;
        State unknown = now;
        anywhere = &unknown;
        alive = true;
        exec(f->getBody());
        anywhere = outside;
        frames.back().returns.resize(returned);
        jumps = jumps_before;
        probing--;
        logs.pop_back();
        for (const Cell &cell : log) {
            const Object &o = objects[cell.object];
            if (o.kind != Object::LOCAL || cell.object < known ||
                (o.variable && o.frame == frames.back().number))
                modified.insert(cell);
        }
    } while (modified.size() > before);
    now = entry;
    alive = true;
    probing++; // they have another value each time
    for (const Cell &cell : modified)
        forget(cell, "is modified where the program jumps", c.where);
    probing--;
    int outer = jumps_at;
    jumps_at = flow_node(FlowNode::JUMPS, c.where);
    pass(jumps_at);
    State unknown = now;
    anywhere = &unknown;
    exec(f->getBody());
    anywhere = outside;
    // It may be left from anywhere.
    frames.back().returns.clear();
    now = unknown;
    alive = true;
    if (outer >= 0)
        flow_to(outer, true);
    jumps_at = outer;
}

} // namespace ldadc
