// Values of integer expressions: polynomials with whole coefficients over atoms. An
// atom is the number of processes, a rank, a named variable, the number of an
// iteration, or a function of polynomials that is no polynomial itself. Each atom
// exists once, so that equal values are equal polynomials.
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

using Monomial = std::vector<int>; // atoms, sorted; one that occurs twice is squared

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
    bool operator<(const Poly &o) const; // an arbitrary order, for tables

    // True if the atom occurs, also in functions; or an atom for which `which` is true.
    bool has(int id) const;
    bool has(const std::function<bool(int)> &which) const;

    // Finds the factor of an atom that occurs to the first power and in no function.
    bool linear_in(int id, Poly *factor) const;

    // Replaces an atom by a value, also in functions.
    Poly with(int id, const Poly &value) const;
    // Finds *out with *out * divisor equal to this.
    bool divide(const Poly &divisor, Poly *out) const;

    // Prints it as Python evaluates it.
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
        BELOW, // 1 if its argument is negative, else 0
        ROOT,  // the whole part of a square root
        DIM    // result of MPI_Dims_create: processes, number of extents, index
    };
    Kind kind;
    int number; // communicator, symbol, loop, or value before an iteration
    std::vector<Poly> of;
};

const Atom &atom(int id); // stays in place when atoms are added
int atom_id(const Atom &a);

// Returns the name of an atom in texts; for ranks and numbers of processes it depends
// on the communicator that speak_of_communicator sets.
std::string atom_text(int id);
void speak_of_communicator(int comm);

// Notes that communicators have the same number of processes, in another order.
void same_size(int comm, int as);
int size_of(int comm); // the communicator that stands for all of its size
Poly nprocs(int comm);
Poly rank(int comm);
Poly new_iteration();
Poly new_before();

// A named variable.
struct Symbol {
    std::string id, text, kind;
    unsigned line = 0;
    bool named = true;      // has been stored in a variable
    bool foreign = false;   // belongs to a function whose callers are not seen
    std::string whole = ""; // not empty: this is that variable, divided by `divisor`
    Poly divisor = Poly();
    // the reason why it is not known, or the text that it comes from
    std::string from = "";
};
Poly new_symbol(const Symbol &s);
Symbol &symbol(int number);
int symbols();
// Returns a Python identifier that no other symbol has.
std::string symbol_id(const std::string &text);

// Functions, simplified; the divisor is positive.
Poly floordiv(const Poly &a, const Poly &b);
Poly mod(const Poly &a, const Poly &b);
Poly least(const Poly &a, const Poly &b);
Poly most(const Poly &a, const Poly &b);
Poly below_zero(const Poly &p);
Poly is_zero(const Poly &p);
Poly root(const Poly &p);
// Returns extent i of the n extents into which so many processes are dealt out.
Poly dim(const Poly &processes, int n, int i);
// Returns the same as a number; 0: it differs from one MPI to another.
int64_t dim_of(int64_t processes, int n, int i);
// Returns the number of steps of `step` > 0 that cover `a`, rounded up.
Poly ceildiv(const Poly &a, const Poly &step);

} // namespace ldadc

#endif
