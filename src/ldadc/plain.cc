// Finds parts of C++ that the interpreter does not follow. A program that uses them is
// refused, as a destructor or an operator changes variables without a visible call.
#include "ldadc/interp/program.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include <algorithm>
#include <functional>

using namespace clang;

namespace ldadc
{

namespace
{

// For an object whose end is not followed.
const std::string WITH = " with a destructor";

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

    // Visits the instances of a template.
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
        if (ends_with_effect(v->getType()))
            if (const char *how = ends_elsewhere(v))
                return found("the object " + name + WITH + ", which " + how,
                             v->getLocation());
        is_the_variable(v->getInit());
        const Expr *init = v->hasInit() && !v->hasGlobalStorage()
                               ? v->getInit()->IgnoreUnlessSpelledInSource()
                               : nullptr;
        if (const auto *l = dyn_cast_or_null<LambdaExpr>(init))
            if (v->getType()->getAsCXXRecordDecl() == l->getLambdaClass())
                named.insert(l);
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

    bool VisitFieldDecl(FieldDecl *f)
    {
        QualType t = f->getType();
        bool followed = !f->getParent()->isUnion() && destructor_of(t);
        return !ends_with_effect(t) || followed ||
               found("the member \"" + f->getNameAsString() +
                         "\", a table, container or union of objects" + WITH,
                     f->getLocation());
    }

    bool VisitFunctionDecl(FunctionDecl *f)
    {
        std::string name = "\"" + f->getNameAsString() + "\"";
        if (isa<CXXConversionDecl>(f) ||
            (f->isOverloadedOperator() && !f->isImplicit() && !f->isDefaulted() &&
             !f->isDeleted()))
            return found("the operator " + name, f->getLocation());
        if (ends_with_effect(f->getReturnType()))
            return found("the function " + name + ", which returns an object" + WITH,
                         f->getLocation());
        if (f->doesThisDeclarationHaveABody() && ends_objects(f->getBody()) &&
            any(f->getBody(),
                [](const Stmt *s) { return isa<GotoStmt, IndirectGotoStmt>(s); }))
            return found("the function " + name + ", which has a goto and an object" +
                             WITH,
                         f->getLocation());
        return true;
    }

    bool TraverseCompoundStmt(CompoundStmt *s)
    {
        for (const Stmt *part : s->body()) {
            while (const auto *label = dyn_cast<SwitchCase>(part))
                part = label->getSubStmt();
            if (const auto *d = dyn_cast<DeclStmt>(part))
                for (const Decl *one : d->decls())
                    if (const auto *v = dyn_cast<VarDecl>(one))
                        in_blocks.insert(v);
        }
        return RecursiveASTVisitor::TraverseCompoundStmt(s);
    }

    // Accepts a lambda that is called by its name, or at the place where it stands.
    bool VisitLambdaExpr(LambdaExpr *l)
    {
        if (at_all)
            return true;
        const char *has = nullptr;
        if (!named.count(l))
            has = "is called neither by a name nor where it stands";
        else if (l->isGenericLambda() || l->isMutable())
            has = "is generic or mutable";
        else if (any(l->getBody(), [](const Stmt *s) { return isa<LambdaExpr>(s); }))
            has = "has another one";
        for (const LambdaCapture &one : l->captures())
            if (!is_plain(one))
                has = "captures a copy of an object, a reference or a lambda";
        return !has || found(std::string("a lambda, which ") + has, l->getBeginLoc());
    }

    bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *e)
    {
        const Expr *object = e->getArg(0);
        if (is_lambda(object->getType()))
            called.insert(object->IgnoreParenImpCasts());
        if (const auto *l = dyn_cast<LambdaExpr>(object->IgnoreUnlessSpelledInSource()))
            named.insert(l);
        return true;
    }

    bool VisitDeclRefExpr(DeclRefExpr *e)
    {
        return at_all || !is_lambda(e->getType()) || called.count(e) ||
               found("the lambda \"" + e->getDecl()->getNameAsString() +
                         "\", which is passed on",
                     e->getBeginLoc());
    }

    bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr *e)
    {
        return !ends_with_effect(e->getType()) || variables.count(e) ||
               found("a temporary object" + WITH, e->getBeginLoc());
    }

    bool TraverseStmtExpr(StmtExpr *s)
    {
        if (ends_objects(s))
            return found("an expression with an object" + WITH, s->getBeginLoc());
        return RecursiveASTVisitor::TraverseStmtExpr(s);
    }

    // Refuses classes whose objects are copied, moved or ended by calls that nothing
    // shows.
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
        else if ((at_all || r->isUnion()) && r->hasUserDeclaredDestructor() &&
                 r->getDestructor() && r->getDestructor()->isUserProvided())
            has = "has a destructor";
        for (const CXXMethodDecl *m : r->methods())
            if (!has && r->isLocalClass() && m->isUserProvided())
                has = "is within a function";
        for (const CXXMethodDecl *m : r->methods())
            if (m->isUserProvided() && !m->isDeleted() &&
                (m->isCopyAssignmentOperator() || m->isMoveAssignmentOperator()))
                has = "says how it is copied";
        for (const CXXConstructorDecl *m : r->ctors())
            if (m->isUserProvided() && !m->isDeleted() && m->isCopyOrMoveConstructor())
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
    std::set<const VarDecl *> in_blocks;
    // expressions that become a variable, not a temporary object
    std::set<const Expr *> variables;

    std::set<const LambdaExpr *> named; // also those called at their place
    std::set<const Expr *> called;      // names of lambdas

    static bool is_lambda(QualType t)
    {
        const CXXRecordDecl *r = t.getNonReferenceType()->getAsCXXRecordDecl();
        return r && r->isLambda();
    }

    static bool is_plain(const LambdaCapture &one)
    {
        if (one.capturesThis())
            return one.getCaptureKind() == LCK_This;
        if (!one.capturesVariable() || one.isPackExpansion() ||
            one.getCapturedVar()->isInitCapture())
            return false;
        QualType t = one.getCapturedVar()->getType();
        return !is_lambda(t) &&
               (one.getCaptureKind() == LCK_ByRef || t->isScalarType());
    }

    // Notes an expression that becomes the variable, as in "auto x = T(1)", since
    // C++17.
    void is_the_variable(const Expr *e)
    {
        e = e ? e->IgnoreParens() : nullptr;
        if (const auto *c = dyn_cast_or_null<ExprWithCleanups>(e))
            return is_the_variable(c->getSubExpr());
        if (const auto *c = dyn_cast_or_null<CXXFunctionalCastExpr>(e))
            return is_the_variable(c->getSubExpr());
        if (isa_and_nonnull<CXXBindTemporaryExpr>(e))
            variables.insert(e);
    }

    static bool any(const Stmt *s, const std::function<bool(const Stmt *)> &is)
    {
        return s && (is(s) || std::any_of(s->child_begin(), s->child_end(),
                                          [&](const Stmt *c) { return any(c, is); }));
    }

    static bool ends_objects(const Stmt *s)
    {
        return any(s, [](const Stmt *part) {
            const auto *d = dyn_cast<DeclStmt>(part);
            return d &&
                   std::any_of(d->decl_begin(), d->decl_end(), [](const Decl *one) {
                       const auto *v = dyn_cast<VarDecl>(one);
                       return v && ends_with_effect(v->getType());
                   });
        });
    }

    // Tells why an object's end is not followed. Null: it ends when its block is left.
    const char *ends_elsewhere(const VarDecl *v) const
    {
        if (v->hasGlobalStorage())
            return "ends after main()";
        if (isa<ParmVarDecl>(v))
            return "is a parameter";
        if (!destructor_of(v->getType()))
            return "is in a table or container";
        return in_blocks.count(v) ? nullptr : "is declared outside of a block";
    }

    bool beyond(const Stmt *s) const
    {
        return at_all ? beyond_all(s) : beyond_followed(s);
    }

    static bool of_cplus(const Stmt *s)
    {
        return isa<LambdaExpr>(s) ||
               !std::string(s->getStmtClassName()).compare(0, 3, "CXX");
    }

    // True if C has no such expression.
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

    // True if the object is made without changing anything else.
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

    // True if the library may call the program's constructors for these arguments.
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
            if (ends_with_effect(t))
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
            if (library_makes_ours(f) || f->isConsteval() ||
                isa_and_nonnull<CXXDestructorDecl>(m))
                return true;
            if (isa<CXXOperatorCallExpr>(s) && !(m && m->getParent()->isLambda()))
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
            isa<CXXScalarValueInitExpr>(s) || isa<CXXStdInitializerListExpr>(s) ||
            isa<LambdaExpr>(s))
            return false;
        return of_cplus(s) || isa<UserDefinedLiteral>(s) || declares(s);
    }

    // True for "std::cout << value".
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
        return false; // the first one is enough
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
