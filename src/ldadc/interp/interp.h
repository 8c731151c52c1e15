// Runs a program with polynomials for values. It follows one path: where two ways meet,
// common values stay and all others become unknown, and so do values that a loop
// modifies unless every iteration adds the same. Nothing is ever guessed: an unknown
// value carries the reason and the line.
#ifndef LDADC_INTERP_INTERP_H
#define LDADC_INTERP_INTERP_H

#include "ldadc/interp/found.h"
#include "ldadc/interp/program.h"
#include "clang/AST/Stmt.h"
#include <functional>

namespace ldadc
{

struct Object {
    enum Kind { LOCAL, GLOBAL, FOREIGN, HEAP, OPENING };
    Kind kind;
    std::string name;
    clang::QualType type;
    const clang::VarDecl *variable = nullptr;
    int frame = 0;
    bool escaped = false;  // its address may be held elsewhere
    bool poisoned = false; // may change at any time
    bool constant = false; // a foreign object behind a pointer to const
};

// Cells of an opening. FILLED: 1 if the file has contents, or may have, from before or
// by some rank's write; else it is empty, and a read gets nothing. SHARED_POINTER:
// valid as long as all ranks move it together. OPENED: 0 before it is opened and after
// it is closed; KEPT or WRITTEN between.
enum { VIEW_START, VIEW_UNIT, VIEW_TYPE, FILE_POINTER, FILLED, SHARED_POINTER, OPENED };

struct Target {
    enum Kind { CELL, INSIDE, NOWHERE };
    Kind kind = NOWHERE;
    Cell cell; // INSIDE: cell of the whole
    bool opaque = false;
    bool uniform = false;
    bool given = false; // NOWHERE: it is in the arguments, or in a string of the source
    std::string text;   // NOWHERE: name of the argument
};

class Interp : public Found
{
  public:
    explicit Interp(const Program &p);
    void run();

  private:
    struct Frame {
        const clang::FunctionDecl *function = nullptr;
        const clang::Expr *call = nullptr;
        // for the end of an object: which one, and where
        std::vector<const void *> ended;
        Place called;
        Value self; // the value of "this"
        int number = 0, result = 0;
        std::map<const clang::VarDecl *, int> locals;
        std::vector<State> returns;
        const clang::CompoundStmt *block = nullptr;
        // Objects that end when their blocks are left.
        std::vector<std::pair<const clang::VarDecl *, const clang::CompoundStmt *>>
            ending;
    };
    struct Leave {
        bool loop = false;
        size_t ending = 0; // number of the frame's objects that stay
        std::vector<State> breaks, continues;
    };

    const Program &program;
    std::vector<Object> objects;
    std::map<const clang::VarDecl *, int> globals;
    std::map<Cell, int> children; // targets of foreign pointers
    std::map<Cell, Poly> members; // names of foreign variables
    std::map<Cell, int> handles;  // openings and communicators in foreign variables
    std::map<std::vector<const void *>, int> made; // openings, memory, communicators
    struct Grid { // a grid of the ranks of a communicator
        int comm;
        std::vector<Poly> extents;
    };
    std::map<int, Grid> grids; // indexed by the communicator of the grid
    std::set<int> parted;      // communicators that are a part of another one
    // values before an iteration that are the same on all ranks
    std::set<int> alike_before;
    State now;
    bool alive = true, from_main = false;
    const State *anywhere = nullptr; // the knowledge at the target of any jump
    std::vector<Frame> frames;
    std::vector<Loop> loops;
    std::vector<Leave> leaves;
    std::map<const clang::LabelDecl *, std::vector<State>> jumps;
    std::vector<std::set<Cell> *> logs;
    int probing = 0, ends = 0, exits = 0, next_condition = 1, next_frame = 1, comms = 2;
    long steps = 0;

    // run.cc: entries
    void enter(const clang::FunctionDecl *f, const std::string &how);
    void parameter(const clang::ParmVarDecl *v);
    std::set<const clang::FunctionDecl *> visited;
    std::map<std::string, int> parameters;
    // node from which jumps may lead anywhere, and to which they may lead
    int jumps_at = -1;
    int flow_node(FlowNode::Kind kind, const Place &where);
    void flow_to(int node, bool back = false);
    void pass(int node);
    void add_site(const Site &s);

    // memory.cc
    const clang::ASTContext &context() const;
    Place here(const clang::Stmt *s) const;
    int new_object(const Object &o);
    int object_of(const clang::VarDecl *v);
    clang::QualType type_of(const Cell &c) const;
    std::string cell_text(const Cell &c) const;
    Value read(const State &s, const Cell &c);
    Value initial(const State &s, const Cell &c);
    Value initial_global(const State &s, const Cell &c, clang::QualType t);
    Value initial_foreign(const State &s, const Cell &c, clang::QualType t);
    Value foreign_value(const Cell &c, clang::QualType t, const std::string &text);
    Value from_initialiser(const Object &o, const Cell &c, clang::QualType t);
    Value address_in(const clang::APValue &v, const Value &no);
    void write(const Cell &c, const Value &v);
    void forget(const Cell &c, const std::string &why, const Place &where,
                bool uniform = false);
    void forget_compatible(clang::QualType t, const Cell *but, const Place &where);
    void forget_reachable(const std::string &name, const Place &where);
    void forget_file(int opening, const std::string &why, const Place &where);
    void escape(const Value &v);
    void lose(const Cell &c);
    bool is_as_large(const Cell &c, clang::QualType t);
    void copy(const Cell &to, const Cell &from, clang::QualType t);
    Value named(const Cell &c, const Value &v);
    Value settle(const Cell &c, const Value &v, const std::string &since = "");
    void parts_of(const Cell &whole, std::vector<Cell> *out) const;
    void drop_frame(int number);

    // names.cc
    int next_one = 1;
    Value itself(const Value &v);
    Cell texts_cell();
    void texts_change();
    void change_text(const Cell &part);
    Value text_at(const Value &pointer);
    std::string key_of_text(const Value &pointer);
    std::string key_of_file(const Value &pointer);
    Value lasting_text(const Value &pointer);
    bool number_text(const Value &v, std::string *out) const;
    Value printed(const std::vector<Value> &args, size_t format, const clang::Expr *e);
    bool made_text(const clang::CallExpr *e, const std::string &name,
                   const std::vector<Value> &args, Value *out);
    void keep_text(const Value &buffer, const Value &text);
    Touch new_touch(const clang::CallExpr *e, const std::string &name) const;
    void touch(const clang::CallExpr *e, const std::string &name,
               const std::vector<Value> &args);
    void touch_open(const clang::CallExpr *e, const std::string &name, int opening);

    // merge.cc
    bool alike(const Value &v) const;
    bool alike(const Condition &c) const;
    State merge(State a, State b);
    Value choose(const Cell &c, const Value &a, const Value &b, const Condition *which,
                 bool uniform);
    void join(std::vector<State> states);

    // expr.cc
    Value eval(const clang::Expr *e);
    Value eval_cast(const clang::CastExpr *e);
    Value eval_unary(const clang::UnaryOperator *e);
    Value eval_binary(const clang::BinaryOperator *e);
    Value eval_assignment(const clang::BinaryOperator *e);
    Value eval_compound(const clang::CompoundAssignOperator *e);
    Value eval_block(const clang::StmtExpr *e);
    Value eval_choice(const clang::AbstractConditionalOperator *e);
    Value arithmetic(int op, Value a, Value b, clang::QualType t, const clang::Expr *e);
    Value divide(bool rest, const Value &a, const Value &b, clang::QualType t,
                 const clang::Expr *e);
    Value fit(Value v, clang::QualType t, const clang::Expr *e);
    Value moved(const Value &p, const Value &by, bool back, const clang::Expr *e);
    // target.cc
    Target target(const clang::Expr *e);
    Target element(const Value &base, const Value &index, clang::QualType t,
                   const clang::Expr *e);
    bool past_end(const Cell &c, int least) const;
    Value load(const Target &t, const clang::Expr *e);
    void store(const Target &t, const Value &v, clang::QualType type,
               const clang::Expr *e);
    void initialise(const Cell &c, clang::QualType t, const clang::Expr *init);
    void eval_lost(const clang::Expr *init);

    // condition.cc
    Condition condition(const clang::Expr *e);
    Condition compare(const clang::BinaryOperator *e);
    Condition both(const clang::BinaryOperator *e);
    Value truth(const Condition &c, const clang::Expr *e) const;
    void with_condition(const Condition &c, const std::function<void()> &yes,
                        const std::function<void()> &no);

    // stmt.cc
    void exec(const clang::Stmt *s);
    bool exec_jump(const clang::Stmt *s);
    bool exec_choice(const clang::Stmt *s);
    void exec_block(const clang::CompoundStmt *s, const std::function<void()> &inside);
    void exec_declaration(const clang::VarDecl *v);
    void exec_return(const clang::ReturnStmt *s);
    void exec_switch(const clang::SwitchStmt *s);
    void exec_cases(const clang::Stmt *s, const State &entry, const Condition &c,
                    bool *fallback);
    void exec_body(const clang::FunctionDecl *f);
    void forget_parameters(const clang::FunctionDecl *f, const Place &where);
    void can_be_left(bool loop);

    // loop.cc
    struct Repeat {
        const clang::Stmt *statement;
        const clang::Expr *condition, *step;
        const clang::Stmt *body;
        bool body_first;
    };
    struct Closed;
    void exec_loop(const Repeat &r);
    bool unroll(const Repeat &r, const Closed &c, const Loop &l);
    int64_t unrolled = 0; // iterations in all
    void exec_once(const clang::Stmt *body);
    Condition iterate(const Repeat &r, std::vector<State> *breaks,
                      std::set<int> *leaves_at = nullptr);
    void find_modified(const Repeat &r, Closed *c);
    std::set<Cell> try_iteration(const Repeat &r, Closed *c);
    void look_at_ways_out(const std::vector<State> &breaks, size_t returned, Closed *c);
    bool add_modified(const Cell &cell, Closed *c);
    State head(const Closed &c, bool before);
    State at_iteration(const Closed &c, const Poly &k, bool counted, bool exit);
    void close(Closed *c);
    void count(const Repeat &r, Closed *c, Loop *l);
    void count_until_break(const Repeat &r, const Closed &c, Loop *l);
    void tell_from_break(size_t from_site, const Condition &out, const Loop &l);
    void settle_at(State *s, const Poly &k, const Poly &iteration);
    void scrub(State *s, const Closed &c, const Poly &k, const Place &where);

    // cplus.cc
    std::map<Cell, int> elements; // elements of objects of the standard library
    using Given = std::vector<const clang::Expr *>;
    void escape_all_in(const clang::Expr *e);
    Value bound(const clang::Expr *e);
    Value argument(const clang::Expr *e);
    Target temporary(const clang::Expr *e);
    void construct(const Cell &c, const clang::CXXConstructExpr *e);
    void construct_all(const Cell &c, const clang::CXXConstructExpr *e);
    void construct_standard(const Cell &c, const clang::CXXConstructExpr *e);
    void construct_members(const clang::CXXConstructorDecl *f);
    void end_objects(size_t from, const clang::Stmt *leaves);
    void end_object(const Cell &c, clang::QualType t,
                    const std::vector<const void *> &which, const Place &where);
    void end_members();
    void make_lambda(const Cell &c, const clang::LambdaExpr *l);
    void enter_lambda(const clang::CXXRecordDecl *l, const Cell &c);
    void forget_given(const clang::FunctionDecl *f, const clang::Expr *const *of,
                      const std::vector<Value> &args, const Place &where);
    Cell elements_of(const Target &object, const clang::Expr *e);
    Value least_or_most(const std::string &name, const clang::CallExpr *e,
                        const std::vector<Value> &args);
    Value call_standard(const clang::CallExpr *e, const clang::FunctionDecl *f,
                        Target *at);
    void call_unseen(const clang::FunctionDecl *f, const Given &given,
                     const Value &self, const Place &where);
    bool call_cplus(const clang::CallExpr *e, Value *out, Target *at);
    bool target_cplus(const clang::Expr *e, Target *t);
    bool eval_cplus(const clang::Expr *e, Value *out);

    // call.cc
    Value call(const clang::CallExpr *e, Target *at = nullptr);
    bool is_running(const clang::FunctionDecl *f);
    bool is_of_mpi(const std::string &name) const;
    Value run_function(const clang::Expr *e, const Given &given,
                       const clang::FunctionDecl *f, const Value &self);
    void enter_frame(const clang::FunctionDecl *f, const Value &self,
                     const Place &called);
    void run_frame();
    Value call_library(const clang::CallExpr *e, const std::string &name,
                       const std::vector<Value> &args, bool *known);
    bool call_exit(const std::string &name, const std::vector<Value> &args);
    bool call_memory(const clang::CallExpr *e, const std::string &name,
                     const std::vector<Value> &args, Value *out);
    Value call_input(const clang::CallExpr *e, const std::string &name,
                     const std::vector<Value> &args);
    Value call_unknown(const clang::CallExpr *e, const std::string &name,
                       const std::vector<Value> &args);
    Cell written_by(const clang::CallExpr *e, const std::string &name, unsigned i,
                    const std::vector<Value> &args);
    bool given_bytes(const std::string &name, unsigned i,
                     const std::vector<Value> &args, Poly *out);
    void forget_by_table(const clang::CallExpr *e, const std::string &name,
                         const std::vector<Value> &args);
    void forget_arguments(const clang::CallExpr *e, const std::string &name,
                          const std::vector<Value> &args, bool uniform);
    Value input(const clang::CallExpr *e, bool uniform);
    Value memory(const clang::Expr *e);
    void end(bool error);
    std::vector<const void *> chain(const clang::Expr *e) const;

    // mpi.cc
    using Args = std::vector<Value>;
    Value call_mpi(const clang::CallExpr *e, const std::string &name, const Args &a);
    void mpi_open(const clang::CallExpr *e, const Args &a);
    std::vector<std::pair<std::string, Poly>> known_here(const clang::CallExpr *e);
    bool can_name(const Object &o, const clang::CallExpr *e) const;
    void mpi_view(const clang::CallExpr *e, const Args &a);
    void mpi_seek(const clang::CallExpr *e, const Args &a, bool shared);
    bool only_reads(const Opening &o) const;
    bool keeps(int opening);
    void mpi_size(const clang::CallExpr *e, const Args &a);
    bool reads_alike(const Site &s, const Value &count);
    Value turn(const Site &s, const clang::CallExpr *e);
    Site new_site(const clang::CallExpr *e, const IoCall &io, const clang::Expr *file);
    void note(const clang::CallExpr *e, const std::string &name, int opening);
    void mpi_transfer(const clang::CallExpr *e, const IoCall &io, const Args &a);
    bool mpi_type(const clang::CallExpr *e, const std::string &name, const Args &a);
    void mpi_other(const clang::CallExpr *e, const std::string &name, const Args &a);
    bool mpi_file(const clang::CallExpr *e, const std::string &name, const Args &a);

    // comm.cc
    int communicator(const Value &v);
    Value new_communicator(const clang::CallExpr *e);
    void put_list(const Value &pointer, const std::vector<Poly> &list,
                  const clang::CallExpr *e);
    void dims_create(const clang::CallExpr *e, const Args &a);
    void cart_create(const clang::CallExpr *e, const Args &a);
    bool cart_asked(const clang::CallExpr *e, const std::string &name, const Args &a);
    bool mpi_grid(const clang::CallExpr *e, const std::string &name, const Args &a);
    bool one_number(const Value &at, const Value &count, const Value &type, Cell *out);
    bool summed_below(const Poly &p, int comm, Poly *out) const;
    bool mpi_prefix(const clang::CallExpr *e, const std::string &name, const Args &a);
    bool reduced(const Args &a, Value *out);
    bool mpi_communicator(const clang::CallExpr *e, const std::string &name,
                          const Args &a);
    void told(const clang::CallExpr *e, const Value &to, const Value &count,
              const Value &type, const std::string &how);
    bool mpi_told(const clang::CallExpr *e, const std::string &name, const Args &a);

    // datatype.cc
    std::string constant_name(const Value &v) const;
    bool datatype(const Value &v, Datatype *out);
    bool list(const Value &pointer, const Value &n, std::vector<Value> *out);
    bool list(const Value &pointer, const Value &n, std::vector<Poly> *out);
    bool type_copy(const Args &a, bool bytes, Datatype *made);
    bool type_contiguous(const Args &a, bool bytes, Datatype *made);
    bool type_vector(const Args &a, bool bytes, Datatype *made);
    bool type_resized(const Args &a, bool bytes, Datatype *made);
    struct Part { // a part of a dimension: elements at this distance
        Poly count, start, step;
    };
    bool order_is(const char *which, const Value &v) const;
    bool distributed(const Value &how, const Poly &whole, const Poly &processes,
                     const Poly &at, const Poly &block, std::vector<Part> *out);
    bool type_darray(const Args &a, bool bytes, Datatype *made);
    bool type_subarray(const Args &a, bool bytes, Datatype *made);
    bool type_indexed(const Args &a, bool bytes, Datatype *made);
    bool type_blocks(const Args &a, bool bytes, Datatype *made);
    bool type_struct(const Args &a, bool bytes, Datatype *made);
    Value first_unknown(const Args &a);
    void type_measured(const clang::CallExpr *e, bool extent, const Args &a,
                       const Value &no);
    Value new_type(Datatype t);
    Cell file_cell(int opening, int part);
    void put(const Value &pointer, const Value &v, const clang::CallExpr *e);
    void fill(int opening);
    bool filled(int opening);
    void advance(int opening, const Value &bytes, const Place &where);

    // describe/variables.cc
    struct Source {
        int times = 0; // number of places that modify it
        std::vector<const clang::VarDecl *> from;
    };
    using Sources = std::map<const clang::VarDecl *, Source>;
    std::map<const clang::FunctionDecl *, Sources> sources_of;
    void find_sources(const clang::Stmt *s, Sources *out) const;
    const Sources &sources_here();
    std::string value_class(const clang::VarDecl *v, const Sources &sources);
    void tell_origin(const clang::VarDecl *v, Ingredient *out);
    std::vector<Ingredient> ingredients(const std::vector<const clang::Expr *> &of);
    void classify_variables(const clang::CallExpr *e, const IoCall &io, Site *s);
};

// Functions for C++. stored_type: a variable's type, for a reference that of a pointer;
// meant_in_cplus: the expression that another one wraps, or null; construction: the
// construction in an expression.
clang::QualType stored_type(const clang::ValueDecl *v);
const clang::Expr *meant_in_cplus(const clang::Expr *e);
const clang::CXXConstructExpr *construction(const clang::Expr *e);

// The assumption about calls of functions whose bodies are missing.
inline constexpr char UNSEEN[] = "functions that are not seen do not change what they "
                                 "are given to read only, nor use the files";

// True for a text of the arguments or of the source, which is no variable of the
// program.
bool is_given_text(const Value &v);

// reads_text: the function only makes a number from text or numbers.
bool reads_text(const std::string &name);

bool io_call(const std::string &name, IoCall *out);

} // namespace ldadc

#endif
