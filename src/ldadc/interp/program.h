// The files of a program as clang has read them, and facts about its functions that are
// known before interpretation.
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
    std::vector<clang::ASTContext *> sources;           // contexts of the units
    std::vector<const clang::FunctionDecl *> functions; // with bodies, in order
    std::vector<clang::VarDecl *> initialised; // with initial values, outside functions
    std::map<std::string, const clang::FunctionDecl *> visible;
    // definitions with external linkage
    std::map<std::string, const clang::VarDecl *> globals;
    const clang::FunctionDecl *main = nullptr;
    std::string beyond_c; // not empty: the first feature that C does not have
    std::set<const clang::FunctionDecl *> called, pointed, recursive;
    std::set<const clang::Decl *>
        jumping; // functions whose control flow is not followed
    // Variables that may be changed by a function which can be called at any time, such
    // as a handler.
    std::set<const clang::VarDecl *> volatile_ones;
    std::set<const clang::VarDecl *> assigned; // globals, anywhere
    // Variables whose addresses are in the initial values of others, by these others.
    std::map<const clang::VarDecl *, std::set<const clang::VarDecl *>> addressed;
    // A function that may be called at any time uses a stored pointer.
    bool changes_by_pointer = false;
    std::map<uint64_t, std::string> by_value;   // MPI's constants by value, as in MPICH
    std::map<std::string, std::string> by_name; // indexed by name, as in Open MPI
    std::map<std::string, int64_t> numbers;     // whole ones

    const clang::FunctionDecl *body_of(const clang::FunctionDecl *f) const;
    const clang::VarDecl *the_global(const clang::VarDecl *v) const;
};

// Reads a program. Returns 0; 1 after the compiler's own messages, or with a sentence
// (err_get). With a folder, each source is read as its compile_commands.json has it;
// without files, all of its sources that use MPI_File_ are read.
int program_read(Program *p, std::vector<std::string> *files,
                 const std::vector<std::string> &flags, const std::string &folder);

// Returns the first feature in a C++ source that is not followed, or with `at_all` one
// that C does not have, as a sentence; empty: there is none.
std::string beyond_c(const clang::ASTContext &c, bool at_all);

Place place_of(const clang::ASTContext &c, clang::SourceLocation at);
std::string text_of(const clang::ASTContext &c, const clang::Expr *e);
// True if it belongs to C++'s library, or to another library in a namespace.
bool of_standard_library(const clang::Decl *d);
const clang::Expr *bare(const clang::Expr *e); // without parentheses and casts
// True if the end of an object of this type, or of a table of it, has an effect: by a
// destructor of its own, of a member, or of an element in a library's object.
bool ends_with_effect(clang::QualType t);
// Returns the destructor of such an object, if its class is the program's; else null.
const clang::CXXDestructorDecl *destructor_of(clang::QualType t);

} // namespace ldadc

#endif
