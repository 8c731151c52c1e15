// Communicators, and messages between ranks.
#include "ldadc/interp/interp.h"

using namespace clang;

namespace ldadc
{

// Returns the number of a communicator; -1: not known.
int Interp::communicator(const Value &v)
{
    std::string name = constant_name(v);
    if (v.kind == Value::COMM && grids.count(v.number))
        return grids[v.number].comm;
    if (v.kind == Value::COMM)
        return v.number;
    return name == "MPI_COMM_WORLD" ? WORLD : name == "MPI_COMM_SELF" ? SELF : -1;
}

// Makes a communicator with ranks of its own, unless each iteration makes another one.
Value Interp::new_communicator(const CallExpr *e)
{
    if (!loops.empty() || anywhere)
        return Value::unknown("a communicator is made again and again", here(e));
    auto key = chain(e);
    if (!made.count(key)) {
        parted.insert(comms);
        made[key] = comms++;
    }
    return Value::handle(Value::COMM, made[key]);
}

bool Interp::mpi_communicator(const CallExpr *e, const std::string &name, const Args &a)
{
    static const std::map<std::string, size_t> makers = {
        {"MPI_Comm_split", 3},     {"MPI_Comm_split_type", 4},
        {"MPI_Comm_create", 2},    {"MPI_Comm_create_group", 3},
        {"MPI_Cart_sub", 2},       {"MPI_Graph_create", 5},
        {"MPI_Intercomm_merge", 2}};
    auto maker = makers.find(name);
    bool size = name == "MPI_Comm_size";
    Value v = Value::unknown("the communicator is not known", here(e));
    if (maker != makers.end() && a.size() == maker->second + 1) {
        put(a[maker->second], new_communicator(e), e);
        return true;
    }
    if (a.size() != 2 || (!size && name != "MPI_Comm_rank" && name != "MPI_Comm_dup"))
        return false;
    int comm = communicator(a[0]);
    if (comm >= 0 && name == "MPI_Comm_dup")
        v = Value::handle(Value::COMM, a[0].kind == Value::COMM ? a[0].number : comm);
    else if (comm == SELF)
        v = Value::integer(size);
    else if (comm >= 0)
        v = Value::integer(size ? nprocs(comm) : rank(comm));
    put(a[1], v, e);
    return true;
}

// Notes that all ranks have the same value in `to` afterwards: by a broadcast or a
// reduction. It follows only variables that are written as a whole.
void Interp::told(const CallExpr *e, const Value &to, const Value &count,
                  const Value &type, const std::string &how)
{
    Datatype t;
    Cell whole = to.to;
    auto bytes_of = [&](const Cell &c) {
        QualType q = type_of(c);
        return q.isNull() || q->isIncompleteType() || q->isVariableArrayType()
                   ? -1
                   : context().getTypeSizeInChars(q).getQuantity();
    };
    if (to.kind != Value::POINTER || to.anywhere || !count.is_int() ||
        !datatype(type, &t))
        return;
    Poly bytes = count.p * t.size;
    if (bytes != Poly(bytes_of(whole)) && !whole.path.empty() &&
        whole.path.back() == ELEMENT)
        whole.path.pop_back();
    if (bytes != Poly(bytes_of(whole)))
        return;
    std::vector<Cell> parts;
    parts_of(whole, &parts);
    for (const Cell &c : parts) {
        if (!type_of(c)->isIntegerType())
            continue;
        forget(c, how, here(e), true);
        auto at = now.cells.find(c);
        at->second =
            settle(c, at->second, " as of line " + std::to_string(here(e).line));
    }
}

// Finds the variable of a message of one whole number, if it is as large as the type.
bool Interp::one_number(const Value &at, const Value &count, const Value &type,
                        Cell *out)
{
    Datatype t;
    QualType q =
        at.kind == Value::POINTER && !at.anywhere ? type_of(at.to) : QualType();
    if (q.isNull() || !count.is_int(1) || !datatype(type, &t) || !q->isIntegerType())
        return false;
    *out = at.to;
    return t.dense() && t.size == Poly(context().getTypeSizeInChars(q).getQuantity());
}

// ---- sums over ranks -------------------------------------------------

// Sums a power of the numbers below n.
static bool power_sum(const Poly &n, int power, Poly *out)
{
    Poly below = n * (n - Poly(1)), half;
    if (power == 0)
        *out = n;
    else if (power == 1)
        *out = floordiv(below, Poly(2));
    else if (power == 2)
        *out = floordiv(below * (n * Poly(2) - Poly(1)), Poly(6));
    else
        return false;
    return true;
}

// Sums p over the lower ranks. A condition on the rank holds for the first of them, or
// for all but those.
bool Interp::summed_below(const Poly &p, int comm, Poly *out) const
{
    Poly mine = rank(comm);
    int id = mine.terms().begin()->first[0];
    bool others = p.has([&](int other) {
        const Atom &a = atom(other);
        return (a.kind == Atom::RANK && a.number != comm) ||
               (a.kind == Atom::BEFORE && !alike_before.count(other)) ||
               (a.kind == Atom::NPROCS && a.number != size_of(comm) &&
                parted.count(a.number));
    });
    if (others)
        return false;
    *out = Poly();
    for (auto &[m, c] : p.terms()) {
        Poly factor(c), sum = mine, from;
        int power = 0, conditions = 0;
        for (int other : m) {
            const Atom &a = atom(other);
            if (other == id) {
                power++;
            } else if (!Poly::atom(other).has(id)) {
                factor = factor * Poly::atom(other);
            } else if (a.kind == Atom::BELOW && !(a.of[0] - mine).has(id)) {
                sum = least(mine, most(mine - a.of[0], Poly(0)));
                conditions++;
            } else if (a.kind == Atom::BELOW && !(a.of[0] + mine).has(id)) {
                sum = mine - least(mine, most(a.of[0] + mine + Poly(1), Poly(0)));
                conditions++;
            } else {
                return false;
            }
        }
        if (conditions > 1 || (conditions && power) ||
            (!conditions && !power_sum(mine, power, &sum)))
            return false;
        *out = *out + factor * sum;
    }
    return out->valid();
}

// True for MPI_IN_PLACE: the only number that a buffer can be, except NULL.
static bool in_place(const Value &buffer)
{
    return buffer.is_int() && buffer.p.is_constant() && !buffer.is_int(0);
}

// Handles prefix sums. MPI_Exscan() leaves the old value on rank 0; it matters if that
// is not 0.
bool Interp::mpi_prefix(const CallExpr *e, const std::string &name, const Args &a)
{
    bool with_own = name == "MPI_Scan";
    if ((!with_own && name != "MPI_Exscan") || a.size() != 6)
        return false;
    const Value &from = in_place(a[0]) ? a[1] : a[0];
    Value sum = Value::unknown("the result of " + name + "() is not followed", here(e));
    int comm = communicator(a[5]);
    Cell source, goal;
    bool one =
        one_number(from, a[2], a[3], &source) && one_number(a[1], a[2], a[3], &goal);
    if (!one || comm < 0 || comm == SELF || constant_name(a[4]) != "MPI_SUM") {
        mpi_other(e, name, a);
        return true;
    }
    Value own = read(now, source), before = read(now, goal);
    Poly below;
    if (own.is_int() && summed_below(own.p, comm, &below)) {
        sum = own;
        sum.p = with_own ? below + own.p : below;
        if (!with_own && !before.is_int(0)) // an unknown number, on rank 0
            sum.p = sum.p + new_before() * below_zero(rank(comm) - Poly(1));
    }
    put(a[1], sum, e);
    return true;
}

// Finds the value that all ranks have after an all-reduction of one whole number.
bool Interp::reduced(const Args &a, Value *out)
{
    int comm = communicator(a[5]);
    std::string how = constant_name(a[4]);
    const Value &from = in_place(a[0]) ? a[1] : a[0];
    Cell source, goal;
    if (comm < 0 || comm == SELF || !one_number(from, a[2], a[3], &source) ||
        !one_number(a[1], a[2], a[3], &goal))
        return false;
    Poly sum;
    *out = read(now, source);
    if (!out->is_int())
        return false;
    if (how == "MPI_SUM" && summed_below(out->p, comm, &sum))
        out->p = sum.with(rank(comm).terms().begin()->first[0], nprocs(comm));
    else
        return (how == "MPI_MAX" || how == "MPI_MIN") && alike(*out);
    return out->p.valid();
}

bool Interp::mpi_told(const CallExpr *e, const std::string &name, const Args &a)
{
    bool from_one = name == "MPI_Bcast" && a.size() == 5;
    bool from_all = name == "MPI_Allreduce" && a.size() == 6;
    if (!from_one && !from_all)
        return false;
    size_t to = from_one ? 0 : 1;
    if (from_one && a[0].kind == Value::POINTER && !a[0].anywhere &&
        type_of(a[0].to)->isIntegerType() && a[1].is_int(1)) {
        Value v = read(now, a[0].to);
        if (v.is_int() && alike(v))
            return true; // all ranks have the value already
        int comm = communicator(a[4]);
        Cell whole;
        if (v.is_int() && comm >= 0 && comm != SELF && a[3].is_int() && alike(a[3]) &&
            one_number(a[0], a[1], a[2], &whole)) {
            v.p = v.p.with(rank(comm).terms().begin()->first[0], a[3].p);
            if (alike(v)) {
                put(a[0], v, e);
                return true;
            }
        }
    }
    Value all;
    if (from_all && reduced(a, &all)) {
        put(a[1], all, e);
        return true;
    }
    mpi_other(e, name, a);
    if (communicator(a[from_one ? 4 : 5]) == WORLD)
        told(e, a[to], a[to + 1], a[to + 2], "is told by another rank");
    return true;
}

} // namespace ldadc
