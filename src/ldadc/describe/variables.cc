// The paper's classes of values, for the variables that a call's place and size are
// made of.
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

// Who gives a variable its values: more than one place modifies it.
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

// The place and the count, and what these are made of in the function.
void Interp::classify_variables(const CallExpr *e, const IoCall &io, Site *s)
{
    const FunctionDecl *f = frames.back().function;
    if (!sources_of.count(f))
        find_sources(f->getBody(), &sources_of[f]);
    const Sources &sources = sources_of[f];
    Variables all;
    if (io.at)
        mentioned(e->getArg(1), &all);
    mentioned(e->getArg(io.at ? 3 : 2), &all);
    for (size_t i = 0; i < all.size(); i++) {
        auto at = sources.find(all[i]);
        for (const VarDecl *v : at == sources.end() ? Variables() : at->second.from)
            if (std::find(all.begin(), all.end(), v) == all.end())
                all.push_back(v);
    }
    for (const VarDecl *v : all)
        s->variables.push_back({v->getNameAsString(), value_class(v, sources)});
}

} // namespace ldadc
