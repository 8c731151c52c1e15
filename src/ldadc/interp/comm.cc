// Communicators, and what ranks tell each other.
#include "ldadc/interp/interp.h"

using namespace clang;

namespace ldadc
{

// -1: not known.
int Interp::communicator(const Value &v)
{
    std::string name = constant_name(v);
    if (v.kind == Value::COMM)
        return v.number;
    return name == "MPI_COMM_WORLD" ? WORLD : name == "MPI_COMM_SELF" ? SELF : -1;
}

// A communicator with ranks of its own, unless each iteration makes another one.
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
        {"MPI_Comm_split", 3},   {"MPI_Comm_split_type", 4},
        {"MPI_Comm_create", 2},  {"MPI_Comm_create_group", 3},
        {"MPI_Cart_create", 5},  {"MPI_Cart_sub", 2},
        {"MPI_Graph_create", 5}, {"MPI_Intercomm_merge", 2}};
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
        v = Value::handle(Value::COMM, comm);
    else if (comm == SELF)
        v = Value::integer(size);
    else if (comm >= 0)
        v = Value::integer(size ? nprocs(comm) : rank(comm));
    put(a[1], v, e);
    return true;
}

// After it, all ranks have the same in `to`: they are told so, or have found so
// together. Only what is written as a whole is followed.
void Interp::told(const CallExpr *e, const Value &to, const Value &count,
                  const Value &type)
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
        forget(c, "is told by another rank", here(e), true);
        auto at = now.cells.find(c);
        at->second =
            settle(c, at->second, " as of line " + std::to_string(here(e).line));
    }
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
            return true; // all have what they get
    }
    mpi_other(e, name, a);
    if (communicator(a[from_one ? 4 : 5]) == WORLD)
        told(e, a[to], a[to + 1], a[to + 2]);
    return true;
}

} // namespace ldadc
