// The files of a program as clang has read them, and what is known of its functions
// before any of it is interpreted.
#ifndef LDADC_INTERP_PROGRAM_H
#define LDADC_INTERP_PROGRAM_H

#include "ldadc/poly/value.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include <memory>

namespace clang
{
class CXXDestructorDecl;
class ASTUnit; // its header takes longer to compile than all others together
} // namespace clang

namespace ldadc
{

struct Program {
    std::vector<std::shared_ptr<clang::ASTUnit>> units;
    std::vector<clang::ASTContext *> sources;           // theirs
    std::vector<const clang::FunctionDecl *> functions; // with bodies, in order
    std::vector<clang::VarDecl *> initialised; // outside functions, with initial values
    std::map<std::string, const clang::FunctionDecl *> visible;
    std::map<std::string, const clang::VarDecl *> globals; // definitions others can see
    const clang::FunctionDecl *main = nullptr;
    std::string beyond_c; // not empty: the first thing that C has not
    std::set<const clang::FunctionDecl *> called, pointed, recursive;
    std::set<const clang::Decl *>
        jumping; // functions whose control flow is not followed
    // Variables that a function may change which is called at any time, as handlers.
    std::set<const clang::VarDecl *> volatile_ones;
    std::set<const clang::VarDecl *> assigned; // globals, anywhere
    // Variables whose addresses are in the initial values of others, by these others.
    std::map<const clang::VarDecl *, std::set<const clang::VarDecl *>> addressed;
    // A function that may be called at any time uses a pointer that the program keeps.
    bool changes_by_pointer = false;
    std::map<uint64_t, std::string> by_value;   // MPI's constants, as in MPICH
    std::map<std::string, std::string> by_name; // and as in Open MPI
    std::map<std::string, int64_t> numbers;     // whole ones

    const clang::FunctionDecl *body_of(const clang::FunctionDecl *f) const;
    const clang::VarDecl *the_global(const clang::VarDecl *v) const;
};

// 0; 1 after the compiler's own messages, or with a sentence (err_get). Where there is
// a folder, each source is read as its compile_commands.json has it, and where there
// are no files, they are all of its sources that use MPI_File_.
int program_read(Program *p, std::vector<std::string> *files,
                 const std::vector<std::string> &flags, const std::string &folder);

// The first thing in a source of C++ that is not followed, as a sentence; empty: there
// is none. Or that C has not.
std::string beyond_c(const clang::ASTContext &c, bool at_all);

Place place_of(const clang::ASTContext &c, clang::SourceLocation at);
std::string text_of(const clang::ASTContext &c, const clang::Expr *e);
// Whether it is of C++'s library, or of another one's in a namespace.
bool of_standard_library(const clang::Decl *d);
const clang::Expr *bare(const clang::Expr *e); // without parentheses and casts
// Whether the program does something where an object of this type, or of a table of it,
// ends: by a destructor of its own, of a member, or of what the library keeps in it.
bool ends_with_effect(clang::QualType t);
// The destructor of such an object, of a class of the program's; else null.
const clang::CXXDestructorDecl *destructor_of(clang::QualType t);

} // namespace ldadc

#endif
