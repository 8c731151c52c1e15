#include "ldadc/handles.h"
#include "ldadc/interp/interp.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace ldadc
{

// True if libldad has the call. Calls with error handlers are left out: a program's
// handler gets an MPI_File.
bool ldad_has(const std::string &name)
{
    static const std::set<std::string> calls = {"MPI_File_open",
                                                "MPI_File_close",
                                                "MPI_File_sync",
                                                "MPI_File_set_view",
                                                "MPI_File_get_view",
                                                "MPI_File_seek",
                                                "MPI_File_seek_shared",
                                                "MPI_File_get_position",
                                                "MPI_File_get_position_shared",
                                                "MPI_File_get_byte_offset",
                                                "MPI_File_get_type_extent",
                                                "MPI_File_get_size",
                                                "MPI_File_set_size",
                                                "MPI_File_preallocate",
                                                "MPI_File_get_atomicity",
                                                "MPI_File_set_atomicity",
                                                "MPI_File_get_group",
                                                "MPI_File_get_amode",
                                                "MPI_File_get_info",
                                                "MPI_File_set_info"};
    IoCall io;
    return calls.count(name) || io_call(name, &io);
}

SourceLocation written_at(const ASTContext &c, SourceLocation at,
                          const std::string &word)
{
    const SourceManager &s = c.getSourceManager();
    SourceLocation file = s.getFileLoc(at);
    bool same = file.isFileID() &&
                !std::string(s.getCharacterData(file)).compare(0, word.size(), word);
    return same ? file : SourceLocation();
}

static bool is_file(QualType t)
{
    while (!t.isNull()) {
        if (auto *name = t->getAs<TypedefType>())
            if (name->getDecl()->getName() == "MPI_File")
                return true;
        if (t->isPointerType() || t->isArrayType())
            t = t->isPointerType() ? t->getPointeeType()
                                   : QualType(t->getPointeeOrArrayElementType(), 0);
        else
            return false;
    }
    return false;
}

// Returns the place of the type's name in a variable's declaration.
static SourceLocation type_word(const ValueDecl *v)
{
    auto *d = dyn_cast<DeclaratorDecl>(v);
    TypeSourceInfo *info = d ? d->getTypeSourceInfo() : nullptr;
    TypeLoc t = info ? info->getTypeLoc() : TypeLoc();
    while (!t.isNull()) {
        if (auto name = t.getAs<TypedefTypeLoc>())
            return name.getNameLoc();
        t = t.getNextTypeLoc();
    }
    return SourceLocation();
}

// Returns the variable or member that an expression names, or takes the address of.
static const ValueDecl *named_by(const Expr *e)
{
    e = bare(e);
    if (auto *u = dyn_cast<UnaryOperator>(e))
        if (u->getOpcode() == UO_AddrOf || u->getOpcode() == UO_Deref)
            e = bare(u->getSubExpr());
    if (auto *r = dyn_cast<DeclRefExpr>(e))
        return dyn_cast<ValueDecl>(r->getDecl()->getCanonicalDecl());
    if (auto *m = dyn_cast<MemberExpr>(e))
        return m->getMemberDecl();
    return nullptr;
}

namespace
{

// Visits every mention of a variable, which must be one that is understood.
class Finder : public RecursiveASTVisitor<Finder>
{
  public:
    explicit Finder(const Program &p) : p(p)
    {
    }

    void read(const ASTContext &c)
    {
        context = &c;
        TraverseDecl(c.getTranslationUnitDecl());
    }

    bool TraverseFunctionDecl(FunctionDecl *f)
    {
        if (context->getSourceManager().isInSystemHeader(f->getLocation()))
            return true;
        for (ParmVarDecl *v : f->parameters())
            if (is_file(v->getType()))
                parameter(f, v);
        return RecursiveASTVisitor::TraverseFunctionDecl(f);
    }

    bool VisitVarDecl(VarDecl *v)
    {
        if (!is_file(v->getType()) || isa<ParmVarDecl>(v))
            return true;
        add(v->getCanonicalDecl());
        for (VarDecl *again : v->redecls())
            join(v->getCanonicalDecl(), again);
        const VarDecl *global = p.the_global(v);
        if (global)
            join(v->getCanonicalDecl(), global->getCanonicalDecl());
        if (v->getType()->isArrayType())
            refuse(v->getCanonicalDecl(), "arrays of files are not followed",
                   v->getLocation());
        if (v->hasInit())
            assign(v->getCanonicalDecl(), v->getInit());
        return true;
    }

    bool VisitFieldDecl(FieldDecl *f)
    {
        if (is_file(f->getType()))
            add(f);
        return true;
    }

    bool VisitBinaryOperator(BinaryOperator *e)
    {
        const ValueDecl *to = e->isAssignmentOp() ? named_by(e->getLHS()) : nullptr;
        if (to && is_file(to->getType())) {
            understood.insert(bare(e->getLHS()));
            assign(to, e->getRHS());
        }
        for (auto [one, other] : {std::make_pair(e->getLHS(), e->getRHS()),
                                  std::make_pair(e->getRHS(), e->getLHS())}) {
            const ValueDecl *v = e->isEqualityOp() ? named_by(one) : nullptr;
            if (v && is_file(v->getType()) && is_null(other)) {
                understand(one);
                note_null(v, other);
            }
        }
        return true;
    }

    bool VisitCallExpr(CallExpr *e)
    {
        const FunctionDecl *f = e->getDirectCallee();
        std::string name = f ? f->getNameAsString() : "";
        const FunctionDecl *body = f ? p.body_of(f) : nullptr;
        if (name == "MPI_File_delete")
            deletes.push_back({e, name, context});
        for (unsigned i = 0; i < e->getNumArgs(); i++) {
            const ValueDecl *v = named_by(e->getArg(i));
            if (!v || !is_file(v->getType()))
                continue;
            if (!name.compare(0, 9, "MPI_File_"))
                use(e, name, v, i);
            else if (body && i < body->getNumParams()) {
                join(v, body->getParamDecl(i)->getCanonicalDecl());
                understand(e->getArg(i));
            }
        }
        return true;
    }

    bool VisitDeclRefExpr(DeclRefExpr *e)
    {
        return mention(e, dyn_cast<ValueDecl>(e->getDecl()->getCanonicalDecl()));
    }

    bool VisitMemberExpr(MemberExpr *e)
    {
        return mention(e, e->getMemberDecl());
    }

    Handles result()
    {
        for (auto &[e, m] : mentions)
            if (!understood.count(e))
                refuse_at(m.variable, "the file is used in a way that is not followed",
                          m.where);
        Handles out;
        out.deletes = deletes;
        std::map<const ValueDecl *, size_t> group;
        std::vector<const ValueDecl *> all;
        for (auto &[v, parent] : parents)
            all.push_back(v);
        for (const ValueDecl *v : all) {
            const ValueDecl *root = find(v);
            if (!group.count(root)) {
                group[root] = out.groups.size();
                out.groups.emplace_back();
            }
            Handles::Group &g = out.groups[group[root]];
            g.uses.insert(g.uses.end(), uses[v].begin(), uses[v].end());
            g.types.insert(g.types.end(), types[v].begin(), types[v].end());
            g.nulls.insert(g.nulls.end(), nulls[v].begin(), nulls[v].end());
            if (g.why.empty() && reasons.count(v)) {
                g.why = reasons[v].first;
                g.where = reasons[v].second;
            }
        }
        return out;
    }

  private:
    struct Mention {
        const ValueDecl *variable;
        Place where;
    };

    // Adds a variable. Those that are declared by the same word stay together.
    void add(const ValueDecl *v)
    {
        if (!parents.emplace(v, v).second)
            return;
        const ASTContext *c = &v->getASTContext();
        SourceLocation at = type_word(v);
        auto key = std::make_pair(c, at.getRawEncoding());
        if (at.isInvalid() || at.isMacroID())
            reasons.emplace(v, std::make_pair("the type of the file variable is not "
                                              "written out",
                                              place_of(*c, v->getLocation())));
        if (at.isInvalid() || at.isMacroID())
            return;
        auto made = words.emplace(key, v);
        if (made.second)
            types[v].push_back({c, at, "MPI_File"});
        else
            join(v, made.first->second);
    }

    bool is_null(const Expr *e) const
    {
        return text_of(*context, e) == "MPI_FILE_NULL";
    }

    void note_null(const ValueDecl *v, const Expr *e)
    {
        add(v);
        SourceLocation at =
            context->getSourceManager().getExpansionLoc(e->getBeginLoc());
        nulls[v].push_back({context, at, "MPI_FILE_NULL"});
    }

    const ValueDecl *find(const ValueDecl *v)
    {
        add(v);
        while (parents[v] != v)
            v = parents[v] = parents[parents[v]];
        return v;
    }

    void join(const ValueDecl *a, const ValueDecl *b)
    {
        parents[find(a)] = find(b);
    }

    void refuse_at(const ValueDecl *v, const std::string &why, const Place &where)
    {
        add(v);
        reasons.emplace(v, std::make_pair(why, where));
    }

    void refuse(const ValueDecl *v, const std::string &why, SourceLocation at)
    {
        refuse_at(v, why, place_of(*context, at));
    }

    // Adds a parameter and joins it with those of the function's prototypes.
    void parameter(const FunctionDecl *f, const ParmVarDecl *v)
    {
        unsigned i = v->getFunctionScopeIndex();
        const FunctionDecl *body = p.body_of(f);
        add(v->getCanonicalDecl());
        if (body && i < body->getNumParams())
            join(v->getCanonicalDecl(), body->getParamDecl(i)->getCanonicalDecl());
        else
            refuse(v->getCanonicalDecl(),
                   "the file is given to " + f->getNameAsString() +
                       "(), which is not among the sources",
                   v->getLocation());
        if (p.pointed.count(body))
            refuse(v->getCanonicalDecl(),
                   "the file is given to a function that is "
                   "called through a pointer",
                   v->getLocation());
    }

    void understand(const Expr *e)
    {
        e = bare(e);
        understood.insert(e);
        if (auto *u = dyn_cast<UnaryOperator>(e))
            understood.insert(bare(u->getSubExpr()));
    }

    void assign(const ValueDecl *to, const Expr *value)
    {
        if (is_null(value))
            return note_null(to, value);
        const ValueDecl *from = named_by(value);
        if (!from || !is_file(from->getType()))
            return refuse(to, "the file variable is set to something else than a file",
                          value->getBeginLoc());
        join(to, from);
        understand(value);
    }

    void use(CallExpr *e, const std::string &name, const ValueDecl *v, unsigned i)
    {
        bool opens = name == "MPI_File_open";
        uses[v].push_back({e, name, context});
        add(v);
        understand(e->getArg(i));
        if (!ldad_has(name) || i != (opens ? 4u : 0u))
            refuse(v, "libldad has no " + name + " (or not so)", e->getBeginLoc());
        bool written =
            written_at(*context, e->getCallee()->getBeginLoc(), name).isValid() &&
            (!opens || written_at(*context, e->getRParenLoc(), ")").isValid());
        if (!written)
            refuse(v,
                   name + " is called by the macro " +
                       Lexer::getImmediateMacroName(e->getBeginLoc(),
                                                    context->getSourceManager(),
                                                    context->getLangOpts())
                           .str(),
                   e->getBeginLoc());
    }

    bool mention(const Expr *e, const ValueDecl *v)
    {
        if (v && !isa<FunctionDecl>(v) && is_file(v->getType()))
            mentions[e] = {v, place_of(*context, e->getBeginLoc())};
        return true;
    }

    const Program &p;
    const ASTContext *context = nullptr;
    std::map<const ValueDecl *, const ValueDecl *> parents;
    std::map<const ValueDecl *, std::vector<Use>> uses;
    std::vector<Use> deletes;
    std::map<const ValueDecl *, std::vector<Word>> types, nulls;
    std::map<std::pair<const ASTContext *, unsigned>, const ValueDecl *> words;
    std::map<const ValueDecl *, std::pair<std::string, Place>> reasons;
    std::map<const Expr *, Mention> mentions;
    std::set<const Expr *> understood;
};

} // namespace

Handles handles_of(const Program &p)
{
    Finder f(p);
    for (clang::ASTContext *source : p.sources)
        f.read(*source);
    return f.result();
}

} // namespace ldadc
