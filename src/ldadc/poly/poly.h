// Values of integer expressions: polynomials with whole coefficients over atoms. An
// atom is the number of processes, a rank, a named variable, the number of an
// iteration, or a function of polynomials that is none itself. Atoms are kept once
// each, so that equal values are equal polynomials.
#ifndef LDADC_POLY_POLY_H
#define LDADC_POLY_POLY_H

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ldadc
{

using Monomial = std::vector<int>; // atoms, sorted; one that occurs twice is a square

class Poly
{
  public:
    Poly() = default;
    Poly(int64_t constant);
    static Poly atom(int id);

    bool valid() const; // no coefficient has exceeded 63 bits
    bool is_constant() const;
    bool is_zero() const;
    int64_t constant() const; // the term without atoms
    const std::map<Monomial, int64_t> &terms() const;

    Poly operator+(const Poly &o) const;
    Poly operator-(const Poly &o) const;
    Poly operator*(const Poly &o) const;
    Poly operator-() const;
    bool operator==(const Poly &o) const;
    bool operator!=(const Poly &o) const;
    bool operator<(const Poly &o) const; // any order, for tables

    // Whether the atom occurs, in functions too; whether one does of which it holds.
    bool has(int id) const;
    bool has(const std::function<bool(int)> &which) const;

    // What stands with an atom that occurs to the first power and in no function.
    bool linear_in(int id, Poly *factor) const;

    // With something else in the place of an atom, in functions too.
    Poly with(int id, const Poly &value) const;
    // *out * divisor is this one.
    bool divide(const Poly &divisor, Poly *out) const;

    // As Python evaluates it.
    std::string text() const;

  private:
    void add(const Monomial &m, int64_t c);
    void add_simplified(Monomial m, int64_t c);
    std::map<Monomial, int64_t> terms_;
    bool valid_ = true;
};

struct Atom {
    enum Kind {
        NPROCS,
        RANK,
        SYMBOL,
        ITERATION,
        BEFORE,
        FLOORDIV,
        MOD,
        MIN,
        MAX,
        BELOW, // 1 where what it is of is negative, else 0
        ROOT,  // the whole part of a square root
        DIM    // MPI_Dims_create()'s: of how many processes, in how many, which one
    };
    Kind kind;
    int number; // of the communicator, symbol, loop, or value before an iteration
    std::vector<Poly> of;
};

const Atom &atom(int id); // stays where it is, whatever atoms are made
int atom_id(const Atom &a);

// What an atom is called in texts; for ranks and numbers of processes it depends on the
// communicator that is spoken of.
std::string atom_text(int id);
void speak_of_communicator(int comm);

// Communicators of the same number of processes, in another order.
void same_size(int comm, int as);
int size_of(int comm); // the one that stands for all of its size
Poly nprocs(int comm);
Poly rank(int comm);
Poly new_iteration();
Poly new_before();

// A named variable.
struct Symbol {
    std::string id, text, kind;
    unsigned line = 0;
    bool named = true;      // it has been stored in a variable
    bool foreign = false;   // of a function whose callers are not seen
    std::string whole = ""; // not empty: of which variable, divided by this
    Poly divisor = Poly();
    std::string from = ""; // why it is not known what it is, or the text that it is of
};
Poly new_symbol(const Symbol &s);
Symbol &symbol(int number);
int symbols();
// A Python identifier that no other symbol has.
std::string symbol_id(const std::string &text);

// Simplified; the divisor is positive.
Poly floordiv(const Poly &a, const Poly &b);
Poly mod(const Poly &a, const Poly &b);
Poly least(const Poly &a, const Poly &b);
Poly most(const Poly &a, const Poly &b);
Poly below_zero(const Poly &p);
Poly is_zero(const Poly &p);
Poly root(const Poly &p);
// Number i of the n extents that so many processes are dealt out in.
Poly dim(const Poly &processes, int n, int i);
// 0: how many they are differs from one MPI to another.
int64_t dim_of(int64_t processes, int n, int i);
// How many steps of `step` > 0 it takes to cover `a`, rounded up.
Poly ceildiv(const Poly &a, const Poly &step);

} // namespace ldadc

#endif
