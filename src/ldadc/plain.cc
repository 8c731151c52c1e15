// What of C++ is not followed: a program that uses it is refused, as a destructor or an
// operator changes variables where nothing shows it.
#include "ldadc/interp/program.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include <algorithm>

using namespace clang;

namespace ldadc
{

namespace
{

class Beyond : public RecursiveASTVisitor<Beyond>
{
  public:
    Beyond(const ASTContext &c, bool at_all) : c(c), at_all(at_all)
    {
    }

    std::string what;
    Place where;

    bool shouldVisitTemplateInstantiations() const
    {
        return true;
    }

    bool TraverseDecl(Decl *d)
    {
        if (d && !isa<TranslationUnitDecl>(d) &&
            c.getSourceManager().isInSystemHeader(d->getLocation()))
            return true;
        return RecursiveASTVisitor::TraverseDecl(d);
    }

    // Of a template, what it became.
    bool TraverseFunctionTemplateDecl(FunctionTemplateDecl *d)
    {
        if (at_all)
            return found("a template", d->getLocation());
        for (FunctionDecl *one : d->specializations())
            if (!TraverseDecl(one))
                return false;
        return true;
    }

    bool VisitVarDecl(VarDecl *v)
    {
        std::string name = "\"" + v->getNameAsString() + "\"";
        bool refers = v->getType()->isReferenceType();
        if (refers &&
            (at_all || v->hasGlobalStorage() || v->getType()->isRValueReferenceType()))
            return found("the reference " + name, v->getLocation());
        if (isa<DecompositionDecl>(v))
            return found("a list of variables", v->getLocation());
        const DeclContext *in = v->getDeclContext();
        if (((in->isNamespace() && v->isExternallyVisible()) || in->isRecord()) &&
            !v->getType().isConstQualified())
            return found("the variable " + name + " of a namespace or class",
                         v->getLocation());
        if (v->hasGlobalStorage() && v->hasInit() &&
            !v->getInit()->isValueDependent() &&
            !v->getInit()->isConstantInitializer(v->getASTContext(), refers) &&
            !(standard(v->getType()) && plainly_made(v->getInit())))
            return found("the initial value of " + name, v->getLocation());
        return true;
    }

    bool VisitNamespaceDecl(NamespaceDecl *d)
    {
        return !at_all || found("a namespace", d->getLocation());
    }

    bool VisitLinkageSpecDecl(LinkageSpecDecl *d)
    {
        for (const Decl *one : d->decls())
            if (const auto *f = dyn_cast<FunctionDecl>(one))
                if (at_all && f->doesThisDeclarationHaveABody())
                    return found("a function in a block for C", f->getLocation());
        return true;
    }

    bool VisitTemplateDecl(TemplateDecl *d)
    {
        return isa<FunctionTemplateDecl>(d) || isa<TemplateTypeParmDecl>(d) ||
               found("a template", d->getLocation());
    }

    bool VisitFriendDecl(FriendDecl *d)
    {
        const auto *f = dyn_cast_or_null<FunctionDecl>(d->getFriendDecl());
        return !f || !f->doesThisDeclarationHaveABody() ||
               found("a friend", d->getLocation());
    }

    bool VisitFunctionDecl(FunctionDecl *f)
    {
        if (isa<CXXConversionDecl>(f) ||
            (f->isOverloadedOperator() && !f->isImplicit() && !f->isDefaulted()))
            return found("the operator \"" + f->getNameAsString() + "\"",
                         f->getLocation());
        return true;
    }

    // What copies, moves and ends an object is called where nothing shows it.
    bool VisitCXXRecordDecl(CXXRecordDecl *r)
    {
        if (!r->isThisDeclarationADefinition() || r->isLambda())
            return true;
        std::string name = "the class \"" + r->getNameAsString() + "\", which ";
        const char *has = nullptr;
        if (r->getNumBases())
            has = "is made of another one";
        else if (r->isPolymorphic())
            has = "has virtual functions";
        else if (r->hasUserDeclaredDestructor() && r->getDestructor() &&
                 r->getDestructor()->isUserProvided())
            has = "has a destructor";
        for (const CXXMethodDecl *m : r->methods())
            if (!has && r->isLocalClass() && m->isUserProvided())
                has = "is within a function";
        for (const CXXMethodDecl *m : r->methods())
            if (m->isUserProvided() &&
                (m->isCopyAssignmentOperator() || m->isMoveAssignmentOperator()))
                has = "says how it is copied";
        for (const CXXConstructorDecl *m : r->ctors())
            if (m->isUserProvided() && m->isCopyOrMoveConstructor())
                has = "says how it is copied";
        for (const FieldDecl *f : r->fields())
            if (f->getType()->isReferenceType())
                has = "has a reference";
        return !has || found(name + has, r->getLocation());
    }

    bool VisitStmt(Stmt *s)
    {
        return !beyond(s) ||
               found(std::string("a ") + s->getStmtClassName(), s->getBeginLoc());
    }

  private:
    bool beyond(const Stmt *s) const
    {
        return at_all ? beyond_all(s) : beyond_followed(s);
    }

    static bool of_cplus(const Stmt *s)
    {
        return isa<LambdaExpr>(s) ||
               !std::string(s->getStmtClassName()).compare(0, 3, "CXX");
    }

    // Beyond what C has.
    static bool beyond_all(const Stmt *s)
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
        return of_cplus(s);
    }

    static bool standard(QualType t)
    {
        const CXXRecordDecl *r = t->getAsCXXRecordDecl();
        return r && of_standard_library(r);
    }

    // By what changes nothing.
    static bool plainly_made(const Expr *e)
    {
        if (const auto *c = dyn_cast<ExprWithCleanups>(e))
            return plainly_made(c->getSubExpr());
        if (const auto *t = dyn_cast<MaterializeTemporaryExpr>(e))
            return plainly_made(t->getSubExpr());
        if (const auto *b = dyn_cast<CXXBindTemporaryExpr>(e))
            return plainly_made(b->getSubExpr());
        if (const auto *c = dyn_cast<CastExpr>(e))
            return plainly_made(c->getSubExpr());
        if (const auto *made = dyn_cast<CXXConstructExpr>(e))
            return std::all_of(made->arg_begin(), made->arg_end(), plainly_made);
        return isa<CXXDefaultArgExpr>(e) || isa<StringLiteral>(e) ||
               isa<IntegerLiteral>(e);
    }

    // Whether the library may call the program's constructors for it.
    static bool makes_ours(llvm::ArrayRef<TemplateArgument> args)
    {
        for (const TemplateArgument &a : args) {
            if (a.getKind() == TemplateArgument::Pack && makes_ours(a.pack_elements()))
                return true;
            if (a.getKind() != TemplateArgument::Type)
                continue;
            QualType t = a.getAsType().getNonReferenceType();
            const CXXRecordDecl *r =
                t->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
            const auto *made =
                r ? dyn_cast<ClassTemplateSpecializationDecl>(r) : nullptr;
            if (made && makes_ours(made->getTemplateArgs().asArray()))
                return true;
            if (!r || of_standard_library(r) || !r->hasDefinition())
                continue;
            for (const CXXConstructorDecl *one : r->ctors())
                if (one->isUserProvided())
                    return true;
        }
        return false;
    }

    static bool library_makes_ours(const FunctionDecl *f)
    {
        if (!of_standard_library(f))
            return false;
        const auto *m = dyn_cast<CXXMethodDecl>(f);
        const auto *of =
            m ? dyn_cast<ClassTemplateSpecializationDecl>(m->getParent()) : nullptr;
        const TemplateArgumentList *own = f->getTemplateSpecializationArgs();
        return (of && makes_ours(of->getTemplateArgs().asArray())) ||
               (own && makes_ours(own->asArray()));
    }

    static bool declares(const Stmt *s)
    {
        if (auto *i = dyn_cast<IfStmt>(s))
            return i->hasInitStorage() || i->hasVarStorage();
        if (auto *w = dyn_cast<SwitchStmt>(s))
            return w->hasInitStorage() || w->hasVarStorage();
        if (auto *w = dyn_cast<WhileStmt>(s))
            return w->hasVarStorage();
        if (auto *f = dyn_cast<ForStmt>(s))
            return f->getConditionVariable();
        return false;
    }

    static bool beyond_followed(const Stmt *s)
    {
        if (auto *made = dyn_cast<CXXConstructExpr>(s))
            return library_makes_ours(made->getConstructor());
        if (auto *made = dyn_cast<CXXNewExpr>(s))
            return made->getNumPlacementArgs() ||
                   !made->getAllocatedType().isPODType(
                       made->getOperatorNew()->getASTContext());
        if (auto *gone = dyn_cast<CXXDeleteExpr>(s))
            return !gone->getDestroyedType().isNull() &&
                   gone->getDestroyedType()->isRecordType();
        if (auto *call = dyn_cast<CallExpr>(s)) {
            const FunctionDecl *f = call->getDirectCallee();
            const auto *m = f ? dyn_cast<CXXMethodDecl>(f) : nullptr;
            if (!f)
                return isa<CXXMemberCallExpr>(s);
            if (library_makes_ours(f) || f->isConsteval())
                return true;
            if (isa<CXXOperatorCallExpr>(s))
                return !of_standard_library(f) && (!m || m->isUserProvided());
            for (const ParmVarDecl *v : f->parameters())
                if (v->getType()->isRValueReferenceType() && !of_standard_library(f))
                    return true;
            return false;
        }
        if (isa<CXXBoolLiteralExpr>(s) || isa<CXXNullPtrLiteralExpr>(s) ||
            isa<CXXStaticCastExpr>(s) || isa<CXXReinterpretCastExpr>(s) ||
            isa<CXXConstCastExpr>(s) || isa<CXXFunctionalCastExpr>(s) ||
            isa<CXXDefaultArgExpr>(s) || isa<CXXDefaultInitExpr>(s) ||
            isa<CXXBindTemporaryExpr>(s) || isa<CXXThisExpr>(s) ||
            isa<CXXScalarValueInitExpr>(s) || isa<CXXStdInitializerListExpr>(s))
            return false;
        return of_cplus(s) || isa<UserDefinedLiteral>(s) || declares(s);
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
    const bool at_all;
};

} // namespace

std::string beyond_c(const ASTContext &c, bool at_all)
{
    if (!c.getLangOpts().CPlusPlus)
        return "";
    Beyond b(c, at_all);
    b.TraverseDecl(c.getTranslationUnitDecl());
    return b.what.empty() ? ""
                          : b.where.file + ":" + std::to_string(b.where.line) + ": " +
                                b.what + ": of C++, this is not followed";
}

} // namespace ldadc
