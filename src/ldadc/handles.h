// The variables of a program that hold files, in groups whose members may hold the same
// file. A group's variables change their type together or not at all.
#ifndef LDADC_HANDLES_H
#define LDADC_HANDLES_H

#include "ldadc/interp/program.h"

namespace ldadc
{

struct Use { // a call of MPI-IO
    const clang::CallExpr *call;
    std::string name; // "MPI_File_open"
    const clang::ASTContext *context;
};

struct Word { // a word of a source file, to be replaced
    const clang::ASTContext *context;
    clang::SourceLocation at;
    std::string text;
};

struct Handles {
    struct Group {
        std::vector<Use> uses;
        std::vector<Word> types; // "MPI_File" in declarations of variables
        std::vector<Word> nulls; // "MPI_FILE_NULL"
        std::string why;         // the reason why it cannot change; empty: it can
        Place where;
    };
    std::vector<Group> groups;
    std::vector<Use> deletes; // calls of MPI_File_delete
};

Handles handles_of(const Program &p);

// True if libldad has the call.
bool ldad_has(const std::string &mpi_name);

// Returns the place of the word in a file, which may be in the argument of a macro;
// invalid: it comes from a macro's own text.
clang::SourceLocation written_at(const clang::ASTContext &c, clang::SourceLocation at,
                                 const std::string &word);

} // namespace ldadc

#endif
