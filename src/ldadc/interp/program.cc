// Reads a program's files, and examines each function once: the functions that it calls
// and points to, and whether its control flow can be followed.
#include "ldadc/interp/program.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/MemoryBuffer.h"

extern "C" {
#include "base/err.h"
}

using namespace clang;

namespace ldadc
{

// Variables that have another name, too.
static std::set<std::string> aliased;

// Files have the names that the user gives them.
static std::map<std::string, std::string> given_names;

Place place_of(const ASTContext &c, SourceLocation at)
{
    const SourceManager &s = c.getSourceManager();
    PresumedLoc p = s.getPresumedLoc(s.getExpansionLoc(at));
    Place out;
    if (p.isValid()) {
        auto given = given_names.find(p.getFilename());
        out.file = given == given_names.end() ? p.getFilename() : given->second;
        out.line = p.getLine();
        out.column = p.getColumn();
    }
    return out;
}

// Returns the text as written, also in an argument of a macro.
std::string text_of(const ASTContext &c, const Expr *e)
{
    const SourceManager &s = c.getSourceManager();
    CharSourceRange r = Lexer::makeFileCharRange(
        CharSourceRange::getTokenRange(e->getSourceRange()), s, c.getLangOpts());
    if (r.isInvalid())
        r = s.getExpansionRange(e->getSourceRange());
    std::string text = Lexer::getSourceText(r, s, c.getLangOpts()).str(), out;
    for (char ch : text)
        if (!isspace((unsigned char)ch))
            out += ch;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    return out;
}

const Expr *bare(const Expr *e)
{
    return e->IgnoreParenCasts();
}

const FunctionDecl *Program::body_of(const FunctionDecl *f) const
{
    const FunctionDecl *body = nullptr;
    if (of_standard_library(f))
        return nullptr;
    if (f->hasBody(body))
        return body;
    if (f->getASTContext().getLangOpts().CPlusPlus && !f->isExternC())
        return nullptr; // the function of that name is another one
    auto at = visible.find(f->getNameAsString());
    return at == visible.end() ? nullptr : at->second;
}

// True if its name alone identifies a variable in all sources; not for a member of a
// class or namespace, wherever that is defined.
static bool known_by_name(const VarDecl *v)
{
    const DeclContext *in = v->getDeclContext();
    return v->isExternallyVisible() && !in->isNamespace() && !in->isRecord();
}

const VarDecl *Program::the_global(const VarDecl *v) const
{
    if (known_by_name(v)) {
        auto at = globals.find(v->getNameAsString());
        if (at != globals.end())
            return at->second;
    }
    return v->getCanonicalDecl();
}

// ---- properties of functions ----------------------------------------

struct Seen {
    std::set<const FunctionDecl *> calls;
    std::set<const VarDecl *> mentions;
};

// Collects variables whose addresses are in an initial value.
class Addresses : public RecursiveASTVisitor<Addresses>
{
  public:
    std::vector<const VarDecl *> found;

    bool VisitDeclRefExpr(DeclRefExpr *e)
    {
        auto *v = dyn_cast<VarDecl>(e->getDecl());
        if (v && v->hasGlobalStorage())
            found.push_back(v);
        return true;
    }

    bool TraverseImplicitCastExpr(ImplicitCastExpr *e)
    {
        return e->getCastKind() == CK_LValueToRValue ||
               RecursiveASTVisitor::TraverseImplicitCastExpr(e);
    }

    bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *)
    {
        return true;
    }
};

class Look : public RecursiveASTVisitor<Look>
{
  public:
    Look(Program &p, Seen &seen, const FunctionDecl *in) : p(p), seen(seen), in(in)
    {
    }

    bool TraverseCallExpr(CallExpr *e)
    {
        if (const FunctionDecl *f = e->getDirectCallee()) {
            calls(f, {e->arg_begin(), e->arg_end()});
            if (auto *m = dyn_cast<MemberExpr>(e->getCallee()->IgnoreParenImpCasts()))
                TraverseStmt(m->getBase());
            std::string name = f->getNameAsString();
            if (name.find("setjmp") != std::string::npos || name == "vfork")
                p.jumping.insert(in);
            for (Expr *a : e->arguments())
                TraverseStmt(a);
            return true;
        }
        return RecursiveASTVisitor::TraverseCallExpr(e);
    }

    // Visits the initial values of members, default arguments, and the ends of members.
    void at_the_ends()
    {
        if (const auto *c = dyn_cast<CXXConstructorDecl>(in))
            for (const CXXCtorInitializer *i : c->inits()) {
                auto *member = dyn_cast<CXXDefaultInitExpr>(i->getInit());
                TraverseStmt(member ? member->getExpr() : i->getInit());
            }
        if (const auto *d = dyn_cast<CXXDestructorDecl>(in))
            for (const FieldDecl *member : d->getParent()->fields())
                ends(member->getType());
        for (ParmVarDecl *v : in->parameters())
            if (v->hasDefaultArg() && !v->hasUnparsedDefaultArg() &&
                !v->hasUninstantiatedDefaultArg())
                TraverseStmt(v->getDefaultArg());
    }

    bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *e)
    {
        if (e->getMethodDecl())
            calls(e->getMethodDecl(), {e->arg_begin(), e->arg_end()});
        changes(e->getImplicitObjectArgument());
        return RecursiveASTVisitor::TraverseCXXMemberCallExpr(e);
    }

    bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr *e)
    {
        for (Expr *a : e->arguments()) {
            changes(a);
            TraverseStmt(a);
        }
        return true;
    }

    bool VisitCXXConstructExpr(CXXConstructExpr *e)
    {
        calls(e->getConstructor(), {e->arg_begin(), e->arg_end()});
        return true;
    }

    bool VisitReturnStmt(ReturnStmt *s)
    {
        if (in && in->getReturnType()->isReferenceType() && s->getRetValue())
            changes(s->getRetValue());
        return true;
    }

    bool VisitDeclRefExpr(DeclRefExpr *e)
    {
        if (auto *f = dyn_cast<FunctionDecl>(e->getDecl())) {
            if (const FunctionDecl *body = p.body_of(f))
                p.pointed.insert(body);
        } else if (auto *v = dyn_cast<VarDecl>(e->getDecl())) {
            if (v->hasGlobalStorage())
                seen.mentions.insert(p.the_global(v));
        }
        return true;
    }

    bool VisitUnaryOperator(UnaryOperator *e)
    {
        if (e->isIncrementDecrementOp() || e->getOpcode() == UO_AddrOf)
            changes(e->getSubExpr());
        return true;
    }

    bool VisitBinaryOperator(BinaryOperator *e)
    {
        if (e->isAssignmentOp())
            changes(e->getLHS());
        return true;
    }

    bool VisitVarDecl(VarDecl *v)
    {
        if (v->hasGlobalStorage() && v->hasInit())
            starts_with(v);
        if (v->getType()->isReferenceType() && v->hasInit())
            changes(v->getInit());
        ends(v->getType());
        if (auto *a = v->getAttr<CleanupAttr>()) { // called without a visible call
            p.jumping.insert(in);
            if (const FunctionDecl *body = p.body_of(a->getFunctionDecl()))
                p.pointed.insert(body);
        }
        return true;
    }

    bool VisitLambdaExpr(LambdaExpr *e)
    {
        lambdas.push_back(e->getCallOperator());
        return true;
    }

    void starts_with(VarDecl *v)
    {
        Addresses all;
        all.TraverseStmt(v->getInit());
        for (const VarDecl *one : all.found)
            p.addressed[p.the_global(v)].insert(p.the_global(one));
    }

    // Extends to lambdas what holds for a function: they are not followed, either.
    void lambdas_too() const
    {
        if (p.jumping.count(in))
            p.jumping.insert(lambdas.begin(), lambdas.end());
    }

    bool VisitIndirectGotoStmt(IndirectGotoStmt *)
    {
        p.jumping.insert(in);
        return true;
    }

    bool VisitGCCAsmStmt(GCCAsmStmt *)
    {
        p.jumping.insert(in);
        return true;
    }

  private:
    // Notes a call; it may change arguments that are passed by reference.
    void calls(const FunctionDecl *f, const std::vector<Expr *> &args)
    {
        if (const FunctionDecl *body = p.body_of(f)) {
            seen.calls.insert(body);
            p.called.insert(body);
        }
        for (size_t i = 0; i < args.size() && i < f->getNumParams(); i++)
            if (f->getParamDecl(i)->getType()->isReferenceType())
                changes(args[i]);
    }

    void ends(QualType t)
    {
        const CXXDestructorDecl *d = destructor_of(t);
        if (!d)
            return;
        calls(d, {});
        if (!p.body_of(d))
            for (const FieldDecl *member : d->getParent()->fields())
                ends(member->getType());
    }

    void changes(Expr *e)
    {
        if (auto *c = dyn_cast<ConditionalOperator>(e->IgnoreParenCasts())) {
            changes(c->getTrueExpr());
            return changes(c->getFalseExpr());
        }
        e = e->IgnoreParenCasts();
        for (;;) {
            if (auto *m = dyn_cast<MemberExpr>(e))
                e = m->getBase()->IgnoreParenCasts();
            else if (auto *a = dyn_cast<ArraySubscriptExpr>(e))
                e = a->getBase()->IgnoreParenCasts();
            else
                break;
        }
        if (auto *r = dyn_cast<DeclRefExpr>(e))
            if (auto *v = dyn_cast<VarDecl>(r->getDecl()))
                if (v->hasGlobalStorage())
                    p.assigned.insert(p.the_global(v));
    }

    Program &p;
    Seen &seen;
    const FunctionDecl *in;
    std::vector<const FunctionDecl *> lambdas;
};

// Checks jumps: those that go forward, and into no further loop or switch, are
// followed.
class Jumps : public RecursiveASTVisitor<Jumps>
{
  public:
    bool sound = true;

    bool VisitGotoStmt(GotoStmt *g)
    {
        gotos[g->getLabel()].push_back(inside);
        if (labels.count(g->getLabel()))
            sound = false; // it goes backwards
        return true;
    }

    bool VisitLabelStmt(LabelStmt *l)
    {
        labels.insert(l->getDecl());
        for (auto &from : gotos[l->getDecl()])
            for (size_t i = 0; i < inside.size(); i++)
                if (i >= from.size() || from[i] != inside[i])
                    sound = false;
        return true;
    }

    bool VisitSwitchCase(SwitchCase *)
    {
        sound = sound && !inside.empty() && isa<SwitchStmt>(inside.back());
        return true;
    }

    bool TraverseStmt(Stmt *s)
    {
        bool nest = s && (isa<ForStmt>(s) || isa<WhileStmt>(s) || isa<DoStmt>(s) ||
                          isa<SwitchStmt>(s) || isa<StmtExpr>(s) || isa<IfStmt>(s));
        if (nest)
            inside.push_back(s);
        RecursiveASTVisitor::TraverseStmt(s);
        if (nest)
            inside.pop_back();
        return true;
    }

  private:
    std::vector<const Stmt *> inside;
    std::map<const LabelDecl *, std::vector<std::vector<const Stmt *>>> gotos;
    std::set<const LabelDecl *> labels;
};

static void reach_called(const std::map<const FunctionDecl *, Seen> &seen,
                         const FunctionDecl *f, std::set<const FunctionDecl *> *out)
{
    auto at = seen.find(f);
    if (at == seen.end())
        return;
    for (const FunctionDecl *g : at->second.calls)
        if (out->insert(g).second)
            reach_called(seen, g, out);
}

// Notes a variable that may change at any time, and the targets of its initial value.
static void changes_at_any_time(Program *p, const VarDecl *v)
{
    bool points =
        v->getASTContext().getBaseElementType(v->getType())->isPointerType() ||
        v->getType()->isRecordType();
    p->changes_by_pointer |= points && !v->getType().isConstQualified();
    if (p->volatile_ones.insert(v).second)
        for (const VarDecl *one : p->addressed[v])
            changes_at_any_time(p, one);
}

static void look_at_functions(Program *p)
{
    std::map<const FunctionDecl *, Seen> seen;
    for (const std::string &name : aliased)
        if (p->globals.count(name))
            p->volatile_ones.insert(p->globals[name]);
    for (VarDecl *v : p->initialised) { // tables of functions, too
        Seen none;
        Look look(*p, none, nullptr);
        look.TraverseStmt(v->getInit());
        look.starts_with(v);
    }
    for (const FunctionDecl *f : p->functions) {
        Look look(*p, seen[f], f);
        look.TraverseStmt(f->getBody());
        look.at_the_ends();
        Jumps j;
        j.TraverseStmt(f->getBody());
        if (!j.sound)
            p->jumping.insert(f);
        look.lambdas_too();
    }
    for (const FunctionDecl *f : p->functions) {
        std::set<const FunctionDecl *> all;
        reach_called(seen, f, &all);
        if (all.count(f))
            p->recursive.insert(f);
        if (!p->pointed.count(f))
            continue;
        all.insert(f);
        for (const FunctionDecl *g : all)
            for (const VarDecl *v : seen[g].mentions)
                changes_at_any_time(p, v);
    }
}

// ---- constants of MPI -----------------------------------------------

static void learn_constants(Program *p, ASTUnit *unit)
{
    Preprocessor &pp = unit->getPreprocessor();
    for (auto &entry : pp.getIdentifierTable()) {
        llvm::StringRef name = entry.getKey();
        IdentifierInfo *id = entry.getValue();
        if (name.take_front(4) != "MPI_" || !id->hasMacroDefinition())
            continue;
        const MacroInfo *m = pp.getMacroInfo(id);
        if (!m || !m->isObjectLike())
            continue;
        bool handle = false;
        for (const Token &t : m->tokens()) {
            if (t.isAnyIdentifier()) {
                llvm::StringRef word = t.getIdentifierInfo()->getName();
                handle |=
                    word == "MPI_Datatype" || word == "MPI_Comm" || word == "MPI_Op";
                if (word.take_front(9) == "ompi_mpi_")
                    p->by_name[word.str()] = name.str();
            } else if (t.is(tok::numeric_constant) && handle && t.getLiteralData()) {
                llvm::StringRef digits(t.getLiteralData(), t.getLength());
                uint64_t value;
                if (!digits.getAsInteger(0, value))
                    p->by_value.emplace(value, name.str());
            } else if (t.is(tok::numeric_constant) && t.getLiteralData()) {
                llvm::StringRef digits(t.getLiteralData(), t.getLength());
                int64_t value;
                if (!digits.getAsInteger(0, value))
                    p->numbers.emplace(name.str(), value);
            }
        }
    }
}

// ---- reading --------------------------------------------------------

static bool set_main(Program *p, const FunctionDecl *f)
{
    if (p->main) {
        Place one = place_of(p->main->getASTContext(), p->main->getLocation()),
              other = place_of(f->getASTContext(), f->getLocation());
        err_usage("these are two programs: main() is in %s:%u, and in %s:%u",
                  one.file.c_str(), one.line, other.file.c_str(), other.line);
        return false;
    }
    p->main = f;
    return true;
}

static bool list_function(Program *p, FunctionDecl *f)
{
    if (!f->doesThisDeclarationHaveABody() || f->isDependentContext() ||
        of_standard_library(f))
        return true;
    p->functions.push_back(f);
    if (f->hasAttr<ConstructorAttr>() || f->hasAttr<DestructorAttr>())
        p->pointed.insert(f); // no visible call of them exists
    bool named = !f->getASTContext().getLangOpts().CPlusPlus || f->isExternC();
    if (f->isExternallyVisible() && (named || f->isMain())) // the one with its name
        p->visible[f->getNameAsString()] = f;
    return !f->isMain() || set_main(p, f);
}

// Lists declarations; of C++, also those within namespaces and classes, and instances
// of templates.
static bool list_declarations(Program *p, DeclContext *in)
{
    for (Decl *d : in->decls()) {
        if (auto *f = dyn_cast<FunctionDecl>(d)) {
            if (!list_function(p, f))
                return false;
        } else if (auto *t = dyn_cast<FunctionTemplateDecl>(d)) {
            for (FunctionDecl *one : t->specializations())
                if (one->isTemplateInstantiation()) // others stand for themselves
                    list_function(p, one);
        } else if (auto *v = dyn_cast<VarDecl>(d)) {
            if (v->hasInit())
                p->initialised.push_back(v);
            // with two names, neither can be followed
            if (const auto *other = v->getAttr<AliasAttr>()) {
                p->volatile_ones.insert(p->the_global(v));
                aliased.insert(other->getAliasee().str());
            }
            if (known_by_name(v) &&
                v->isThisDeclarationADefinition() != VarDecl::DeclarationOnly) {
                auto &known = p->globals[v->getNameAsString()];
                if (!known || v->hasInit())
                    known = v;
            }
        } else if (isa<NamespaceDecl>(d) || isa<LinkageSpecDecl>(d) ||
                   isa<CXXRecordDecl>(d)) {
            if (!of_standard_library(d) && !list_declarations(p, cast<DeclContext>(d)))
                return false;
        }
    }
    return true;
}

// ---- compile_commands.json ------------------------------------------

namespace
{

// Compilation commands. Of several for a source the last one counts, with the additions
// of the MPI compiler.
class Commands : public tooling::CompilationDatabase
{
  public:
    Commands(std::unique_ptr<CompilationDatabase> of,
             const std::vector<std::string> &more)
        : of(std::move(of)), more(more)
    {
    }

    std::vector<tooling::CompileCommand>
    getCompileCommands(llvm::StringRef file) const override
    {
        std::vector<tooling::CompileCommand> all = of->getCompileCommands(file);
        if (all.empty())
            return all;
        all.erase(all.begin(), all.end() - 1);
        auto &line = all[0].CommandLine;
        line.insert(line.begin() + 1, more.begin(), more.end());
        return all;
    }

    std::vector<std::string> getAllFiles() const override
    {
        return of->getAllFiles();
    }

  private:
    std::unique_ptr<CompilationDatabase> of;
    std::vector<std::string> more;
};

} // namespace

// Loads the commands; null, after a message: there are none.
static std::unique_ptr<tooling::CompilationDatabase>
commands_of(const std::string &folder, const std::vector<std::string> &flags)
{
    std::string why, path = folder + "/compile_commands.json";
    auto json = tooling::JSONCompilationDatabase::loadFromFile(
        path, why, tooling::JSONCommandLineSyntax::AutoDetect);
    if (!json) {
        err_usage("%s cannot be used: %s", path.c_str(), why.c_str());
        return nullptr;
    }
    auto nearest = tooling::inferMissingCompileCommands(std::move(json));
    return std::make_unique<Commands>(std::move(nearest), flags);
}

// Returns the sources that use files by MPI.
static std::vector<std::string> users_of(const tooling::CompilationDatabase &all)
{
    std::set<std::string> out;
    for (const std::string &file : all.getAllFiles()) {
        auto text = llvm::MemoryBuffer::getFile(file);
        if (text && (*text)->getBuffer().contains("MPI_File_"))
            out.insert(file);
    }
    return {out.begin(), out.end()};
}

int program_read(Program *p, std::vector<std::string> *files,
                 const std::vector<std::string> &flags, const std::string &folder)
{
    std::unique_ptr<tooling::CompilationDatabase> database;
    if (folder.empty())
        database = std::make_unique<tooling::FixedCompilationDatabase>(".", flags);
    else
        database = commands_of(folder, flags);
    if (!database)
        return 1;
    if (files->empty())
        *files = users_of(*database);
    if (files->empty()) {
        err_usage("none of the sources in %s/compile_commands.json uses MPI_File_",
                  folder.c_str());
        return 1;
    }
    for (const std::string &file : *files)
        given_names[tooling::getAbsolutePath(file)] = file;
    tooling::ClangTool tool(*database, *files);
    tool.clearArgumentsAdjusters();
    tool.appendArgumentsAdjuster(tooling::getClangStripOutputAdjuster());
    tool.appendArgumentsAdjuster(tooling::getClangStripDependencyFileAdjuster());
    tool.appendArgumentsAdjuster(tooling::getClangSyntaxOnlyAdjuster());
    std::vector<std::unique_ptr<ASTUnit>> units;
    if (tool.buildASTs(units) || units.empty())
        return 1;
    std::move(units.begin(), units.end(), std::back_inserter(p->units));
    for (auto &unit : p->units)
        p->sources.push_back(&unit->getASTContext());
    for (auto &unit : p->units)
        if (unit->getDiagnostics().hasErrorOccurred())
            return 1;
    for (auto &unit : p->units) {
        std::string beyond = beyond_c(unit->getASTContext(), false);
        if (p->beyond_c.empty())
            p->beyond_c = beyond_c(unit->getASTContext(), true);
        if (!beyond.empty())
            err_usage("%s", beyond.c_str());
        if (!beyond.empty() ||
            !list_declarations(p, unit->getASTContext().getTranslationUnitDecl()))
            return 1;
        learn_constants(p, unit.get());
    }
    look_at_functions(p);
    return 0;
}

} // namespace ldadc
