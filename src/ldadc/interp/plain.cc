// What C++ has beyond C is not followed: a program that uses it is refused, as a
// reference or a constructor changes variables where nothing shows it.
#include "ldadc/interp/program.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"

using namespace clang;

namespace ldadc
{

namespace
{

class Beyond : public RecursiveASTVisitor<Beyond>
{
  public:
    explicit Beyond(const ASTContext &c) : c(c)
    {
    }

    std::string what;
    Place where;

    bool TraverseDecl(Decl *d)
    {
        if (d && !isa<TranslationUnitDecl>(d) &&
            c.getSourceManager().isInSystemHeader(d->getLocation()))
            return true;
        return RecursiveASTVisitor::TraverseDecl(d);
    }

    bool VisitVarDecl(VarDecl *v)
    {
        return !v->getType()->isReferenceType() ||
               found("the reference \"" + v->getNameAsString() + "\"",
                     v->getLocation());
    }

    bool VisitNamespaceDecl(NamespaceDecl *d)
    {
        return found("a namespace", d->getLocation());
    }

    bool VisitLinkageSpecDecl(LinkageSpecDecl *d)
    {
        for (const Decl *one : d->decls())
            if (const auto *f = dyn_cast<FunctionDecl>(one))
                if (f->doesThisDeclarationHaveABody())
                    return found("a function in a block for C", f->getLocation());
        return true;
    }

    bool VisitTemplateDecl(TemplateDecl *d)
    {
        return found("a template", d->getLocation());
    }

    bool VisitStmt(Stmt *s)
    {
        return !beyond(s) ||
               found(std::string("a ") + s->getStmtClassName(), s->getBeginLoc());
    }

  private:
    static bool beyond(const Stmt *s)
    {
        if (isa<CXXBoolLiteralExpr>(s) || isa<CXXNullPtrLiteralExpr>(s) ||
            isa<CXXNamedCastExpr>(s) || isa<CXXFunctionalCastExpr>(s) ||
            isa<CXXDefaultArgExpr>(s))
            return false;
        if (auto *made = dyn_cast<CXXConstructExpr>(s))
            return !made->getConstructor()->isTrivial();
        if (isa<CXXOperatorCallExpr>(s))
            return !prints(cast<CXXOperatorCallExpr>(s));
        if (auto *call = dyn_cast<CallExpr>(s))
            if (const FunctionDecl *f = call->getDirectCallee())
                for (const ParmVarDecl *v : f->parameters())
                    if (v->getType()->isReferenceType())
                        return true;
        return isa<LambdaExpr>(s) ||
               !std::string(s->getStmtClassName()).compare(0, 3, "CXX");
    }

    // std::cout << value
    static bool prints(const CXXOperatorCallExpr *e)
    {
        const Expr *to = e->getArg(0)->IgnoreParenImpCasts();
        while (isa<CXXOperatorCallExpr>(to))
            to = cast<CXXOperatorCallExpr>(to)->getArg(0)->IgnoreParenImpCasts();
        const auto *name = dyn_cast<DeclRefExpr>(to);
        return e->getOperator() == OO_LessLess && name &&
               name->getDecl()->getASTContext().getSourceManager().isInSystemHeader(
                   name->getDecl()->getLocation());
    }

    bool found(const std::string &it, SourceLocation at)
    {
        what = it;
        where = place_of(c, at);
        return false; // the first one will do
    }

    const ASTContext &c;
};

} // namespace

std::string beyond_c(const ASTContext &c)
{
    if (!c.getLangOpts().CPlusPlus)
        return "";
    Beyond b(c);
    b.TraverseDecl(c.getTranslationUnitDecl());
    return b.what.empty() ? ""
                          : b.where.file + ":" + std::to_string(b.where.line) + ": " +
                                b.what + ": of C++, only what C has, too, is followed";
}

} // namespace ldadc
