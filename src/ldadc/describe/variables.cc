// The paper's classes of values, for the variables that determine a call's place and
// size.
#include "ldadc/interp/interp.h"
#include <algorithm>

using namespace clang;

namespace ldadc
{

using Variables = std::vector<const VarDecl *>; // in the order of the text

static void mentioned(const Stmt *s, Variables *out)
{
    if (!s)
        return;
    if (const auto *r = dyn_cast<DeclRefExpr>(s)) {
        const auto *v = dyn_cast<VarDecl>(r->getDecl());
        if (v && v->getType()->isIntegerType() &&
            std::find(out->begin(), out->end(), v) == out->end())
            out->push_back(v);
    }
    for (const Stmt *part : s->children())
        mentioned(part, out);
}

static const VarDecl *variable(const Expr *e)
{
    const auto *r = dyn_cast<DeclRefExpr>(bare(e));
    return r ? dyn_cast<VarDecl>(r->getDecl()) : nullptr;
}

// Finds the places that modify variables; there can be several for one.
void Interp::find_sources(const Stmt *s, Sources *out) const
{
    auto add = [&](const VarDecl *v, const Expr *from) {
        if (!v)
            return;
        (*out)[v].times++;
        mentioned(from, &(*out)[v].from);
    };
    if (!s)
        return;
    if (const auto *d = dyn_cast<DeclStmt>(s)) {
        for (const Decl *one : d->decls())
            if (const auto *v = dyn_cast<VarDecl>(one))
                if (v->hasInit())
                    add(v, v->getInit());
    } else if (const auto *b = dyn_cast<BinaryOperator>(s)) {
        if (b->isAssignmentOp())
            add(variable(b->getLHS()), b->getRHS());
        if (b->isCompoundAssignmentOp())
            add(variable(b->getLHS()), nullptr);
    } else if (const auto *u = dyn_cast<UnaryOperator>(s)) {
        if (u->isIncrementDecrementOp() || u->getOpcode() == UO_AddrOf)
            add(variable(u->getSubExpr()), nullptr);
    }
    for (const Stmt *part : s->children())
        find_sources(part, out);
}

std::string Interp::value_class(const VarDecl *v, const Sources &sources)
{
    Value value = read(now, {object_of(v), {}});
    auto at = sources.find(v);
    bool moves = value.p.has([](int id) { return atom(id).kind == Atom::ITERATION; });
    if (!value.is_int())
        return "not resolvable";
    if (moves || (at != sources.end() && at->second.times > 1))
        return "modified, resolved";
    return value.p.is_constant() ? "constant" : "set once";
}

static bool begins_with(const std::string &s, const std::string &with)
{
    return s.compare(0, with.size(), with) == 0;
}

// Returns the text between these two, or nothing if one is missing.
static std::string between(const std::string &s, const char *before, const char *after)
{
    size_t from = s.find(before);
    if (from == std::string::npos)
        return "";
    from += strlen(before);
    size_t to = s.find(after, from);
    return to == std::string::npos ? "" : s.substr(from, to - from);
}

// Returns the origin of a value with that reason, without the place that follows it.
static std::string origin(const std::string &why)
{
    const std::string comes = "comes from ";
    std::string unseen = between(why, "the result of ", "() is not known");
    std::string known = between(why, "the result of ", "() is not followed");
    std::string changes = between(why, "may be changed by ", "()");
    std::string expression = between(why, "\"", "\" is not the same on all ranks");
    auto says = [&](const char *words) { return why.find(words) != std::string::npos; };
    if (!unseen.empty())
        return comes + unseen + "(), which is not in these sources,";
    if (!known.empty())
        return comes + known + "()";
    if (begins_with(changes, "MPI_"))
        return comes + changes + "()";
    if (!changes.empty())
        return "may be changed by " + changes + "()";
    if (!expression.empty())
        return "may differ from rank to rank, as it comes from " + expression;
    if (says("is modified in a loop"))
        return "changes in the loop";
    if (says("depends on when a loop is left"))
        return "depends on when the loop is left";
    if (says("depends on a condition"))
        return "depends on the condition";
    if (says("is read from a file"))
        return "is read from a file";
    if (says("is a caller's"))
        return "is a caller's, who is not seen; the function begins";
    return why.empty() ? "" : "is not known: " + why + ",";
}

void Interp::tell_origin(const VarDecl *v, Ingredient *out)
{
    Value value = read(now, {object_of(v), {}});
    out->where = value.where;
    if (value.kind == Value::UNKNOWN) {
        out->origin = origin(value.text);
        return;
    }
    if (!value.is_int() || value.p.terms().size() != 1)
        return;
    auto &[atoms, factor] = *value.p.terms().begin();
    if (factor != 1 || atoms.size() != 1 || atom(atoms[0]).kind != Atom::SYMBOL)
        return;
    const Symbol &s = symbol(atom(atoms[0]).number);
    out->given = s.whole.empty() ? s.text : s.whole;
    out->where.line = s.line;
    if (!s.from.empty() && s.line) {
        out->origin = origin(s.from);
        if (begins_with(out->origin, "is not known: "))
            out->origin = "comes from " + s.from;
    }
}

const Interp::Sources &Interp::sources_here()
{
    const FunctionDecl *f = frames.back().function;
    if (!sources_of.count(f))
        find_sources(f->getBody(), &sources_of[f]);
    return sources_of[f];
}

// Lists the integers in expressions, and those from which these are computed in the
// function.
std::vector<Ingredient> Interp::ingredients(const std::vector<const Expr *> &of)
{
    const Sources &sources = sources_here();
    Variables all;
    for (const Expr *e : of)
        mentioned(e, &all);
    for (size_t i = 0; i < all.size(); i++) {
        auto at = sources.find(all[i]);
        for (const VarDecl *v : at == sources.end() ? Variables() : at->second.from)
            if (std::find(all.begin(), all.end(), v) == all.end())
                all.push_back(v);
    }
    std::vector<Ingredient> out;
    for (const VarDecl *v : all) {
        Ingredient one = {v->getNameAsString(), value_class(v, sources), "", {}, ""};
        tell_origin(v, &one);
        out.push_back(one);
    }
    return out;
}

void Interp::classify_variables(const CallExpr *e, const IoCall &io, Site *s)
{
    std::vector<const Expr *> of = {e->getArg(io.at ? 3 : 2)};
    if (io.at)
        of.insert(of.begin(), e->getArg(1));
    s->variables = ingredients(of);
    if (s->opening >= 0)
        s->other_variables = openings[s->opening].view_variables;
    for (const Condition &c : s->conditions)
        s->other_variables.insert(s->other_variables.end(), made_of[c.made_of].begin(),
                                  made_of[c.made_of].end());
}

} // namespace ldadc
