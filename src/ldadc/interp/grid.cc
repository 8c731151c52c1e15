// Grids of ranks, and the places of ranks in them.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/prove.h"

using namespace clang;

namespace ldadc
{

enum { MOST_DIMENSIONS = 4 };

void Interp::put_list(const Value &pointer, const std::vector<Poly> &list,
                      const CallExpr *e)
{
    for (size_t i = 0; i < list.size(); i++)
        put(moved(pointer, Value::integer(i), false, e), Value::integer(list[i]), e);
}

// Handles MPI_Dims_create. Entries that are not 0 before stay.
void Interp::dims_create(const CallExpr *e, const Args &a)
{
    std::vector<Poly> extents;
    bool ok = a[0].is_int() && list(a[2], a[1], &extents) &&
              extents.size() <= MOST_DIMENSIONS;
    Poly left = a[0].p;
    int n = 0, i = 0;
    for (const Poly &p : extents) {
        ok = ok && p.is_constant() && p.constant() >= 0;
        if (ok && p.constant() > 0)
            left = floordiv(left, p);
        n += ok && p.is_zero();
    }
    if (!ok)
        return mpi_other(e, "MPI_Dims_create", a);
    for (Poly &p : extents)
        if (p.is_zero())
            p = dim(left, n, i++);
    put_list(a[2], extents, e);
}

// Handles MPI_Cart_create. If no rank is left out or renumbered, the grid is the old
// communicator.
void Interp::cart_create(const CallExpr *e, const Args &a)
{
    Grid g = {communicator(a[0]), {}};
    Poly all = Poly(1);
    bool known = g.comm >= 0 && list(a[2], a[1], &g.extents) &&
                 g.extents.size() <= MOST_DIMENSIONS;
    for (const Poly &p : g.extents)
        all = all * p;
    Value made = new_communicator(e);
    bool full = known && all == (g.comm == SELF ? Poly(1) : nprocs(g.comm));
    if (made.kind == Value::COMM && full) {
        if (a[4].is_int(0) || g.comm == SELF) {
            if (!parted.count(g.comm))
                parted.erase(made.number);
        } else {
            g.comm = made.number;
            if (!parted.count(communicator(a[0])))
                parted.erase(made.number);
            same_size(g.comm, communicator(a[0]));
        }
        grids[made.number] = g;
    }
    put(a[5], made, e);
}

std::vector<Poly> coordinates(const std::vector<Poly> &extents, const Poly &rank)
{
    std::vector<Poly> out(extents.size());
    Poly inner = Poly(1);
    for (size_t i = extents.size(); i-- > 0;) {
        Poly at = floordiv(rank, inner);
        out[i] = i ? mod(at, extents[i]) : at;
        inner = inner * extents[i];
    }
    return out;
}

// Handles queries of a grid.
bool Interp::cart_asked(const CallExpr *e, const std::string &name, const Args &a)
{
    if (a.empty() || a[0].kind != Value::COMM || !grids.count(a[0].number))
        return false;
    const Grid g = grids[a[0].number];
    Poly own = g.comm == SELF ? Poly(0) : rank(g.comm);
    if (name == "MPI_Cart_coords" && a.size() == 4 && a[1].is_int() &&
        not_negative(a[1].p)) {
        put_list(a[3], coordinates(g.extents, a[1].p), e);
    } else if (name == "MPI_Cart_get" && a.size() == 5) {
        put_list(a[2], g.extents, e);
        forget_arguments(e, name,
                         {Value::integer(0), Value::integer(0), Value::integer(0), a[3],
                          Value::integer(0)},
                         true);
        put_list(a[4], coordinates(g.extents, own), e);
    } else if (name == "MPI_Cart_rank" && a.size() == 3) {
        std::vector<Poly> at;
        Poly sum;
        if (!list(a[1], Value::integer(Poly(g.extents.size())), &at))
            return false;
        for (size_t i = 0; i < at.size(); i++) {
            if (!not_negative(at[i]) || !positive(g.extents[i] - at[i]))
                return false;
            sum = sum * g.extents[i] + at[i];
        }
        put(a[2], Value::integer(sum), e);
    } else {
        return false;
    }
    return true;
}

bool Interp::mpi_grid(const CallExpr *e, const std::string &name, const Args &a)
{
    if (name == "MPI_Dims_create" && a.size() == 3)
        dims_create(e, a);
    else if (name == "MPI_Cart_create" && a.size() == 6)
        cart_create(e, a);
    else
        return cart_asked(e, name, a);
    return true;
}

} // namespace ldadc
