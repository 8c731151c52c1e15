// MPI's datatypes: named ones, and those made of them.
#include "ldadc/interp.h"
#include "ldadc/prove.h"

using namespace clang;

namespace ldadc
{

bool Datatype::dense() const
{
    return levels.empty() && lower.is_zero() && size == extent;
}

bool Datatype::operator==(const Datatype &o) const
{
    return size == o.size && extent == o.extent && lower == o.lower &&
           block == o.block && levels == o.levels;
}

static Datatype plain(const Poly &bytes)
{
    return {bytes, bytes, Poly(), bytes, {}};
}

// Bytes of a named type, as the compiler has them; 0: not known.
static int64_t named_bytes(const std::string &name, const ASTContext &c)
{
    const std::map<std::string, QualType> types = {
        {"MPI_CHAR", c.CharTy},
        {"MPI_SIGNED_CHAR", c.CharTy},
        {"MPI_UNSIGNED_CHAR", c.CharTy},
        {"MPI_BYTE", c.CharTy},
        {"MPI_SHORT", c.ShortTy},
        {"MPI_UNSIGNED_SHORT", c.ShortTy},
        {"MPI_INT", c.IntTy},
        {"MPI_UNSIGNED", c.IntTy},
        {"MPI_LONG", c.LongTy},
        {"MPI_UNSIGNED_LONG", c.LongTy},
        {"MPI_LONG_LONG", c.LongLongTy},
        {"MPI_LONG_LONG_INT", c.LongLongTy},
        {"MPI_UNSIGNED_LONG_LONG", c.LongLongTy},
        {"MPI_FLOAT", c.FloatTy},
        {"MPI_DOUBLE", c.DoubleTy},
        {"MPI_LONG_DOUBLE", c.LongDoubleTy},
        {"MPI_WCHAR", c.IntTy},
        {"MPI_C_BOOL", c.BoolTy},
    };
    static const std::map<std::string, int> fixed = {{"MPI_INT8_T", 1},
                                                     {"MPI_UINT8_T", 1},
                                                     {"MPI_INT16_T", 2},
                                                     {"MPI_UINT16_T", 2},
                                                     {"MPI_INT32_T", 4},
                                                     {"MPI_UINT32_T", 4},
                                                     {"MPI_INT64_T", 8},
                                                     {"MPI_UINT64_T", 8},
                                                     {"MPI_OFFSET", 8},
                                                     {"MPI_COUNT", 8},
                                                     {"MPI_AINT", 8},
                                                     {"MPI_C_COMPLEX", 8},
                                                     {"MPI_C_FLOAT_COMPLEX", 8},
                                                     {"MPI_C_DOUBLE_COMPLEX", 16},
                                                     {"MPI_2INT", 8}};
    auto known = fixed.find(name);
    if (known != fixed.end())
        return known->second;
    auto at = types.find(name);
    return at == types.end() ? 0 : c.getTypeSizeInChars(at->second).getQuantity();
}

bool Interp::datatype(const Value &v, Datatype *out)
{
    if (v.kind == Value::TYPE) {
        *out = types[v.number];
        return true;
    }
    int64_t bytes = named_bytes(constant_name(v), context());
    *out = plain(Poly(bytes));
    return bytes > 0;
}

// Blocks that touch are one block.
Value Interp::new_type(Datatype t)
{
    while (!t.levels.empty()) {
        auto &[count, distance] = t.levels.back();
        if (distance == t.block)
            t.block = t.block * count;
        else if (count != Poly(1))
            break;
        t.levels.pop_back();
    }
    if (!t.size.valid() || !t.extent.valid() || !t.lower.valid())
        return Value::unknown("a datatype exceeds 63 bits", {});
    for (size_t i = 0; i < types.size(); i++)
        if (types[i] == t)
            return Value::handle(Value::TYPE, i);
    types.push_back(t);
    return Value::handle(Value::TYPE, types.size() - 1);
}

bool Interp::list(const Value &pointer, int n, std::vector<Poly> *out)
{
    if (pointer.kind != Value::POINTER)
        return false;
    for (int i = 0; i < n; i++) {
        Target t = element(pointer, Value::integer(i), nullptr);
        Value v = t.kind == Target::CELL ? read(now, t.cell) : Value();
        if (!v.is_int())
            return false;
        out->push_back(v.p);
    }
    return true;
}

static Datatype repeated(const Datatype &old, const Poly &count, const Poly &distance)
{
    Datatype t = old;
    t.levels.insert(t.levels.begin(), {count, distance});
    t.size = old.size * count;
    t.extent = (count - Poly(1)) * distance + old.extent;
    return t;
}

static bool subarray(int n, std::vector<Poly> sizes, std::vector<Poly> parts,
                     std::vector<Poly> starts, bool fortran, const Datatype &old,
                     Datatype *out)
{
    if (fortran) {
        std::reverse(sizes.begin(), sizes.end());
        std::reverse(parts.begin(), parts.end());
        std::reverse(starts.begin(), starts.end());
    }
    Poly distance = old.extent, lower;
    *out = old;
    for (int i = n; i-- > 0;) {
        *out = repeated(*out, parts[i], distance);
        lower = lower + starts[i] * distance;
        distance = distance * sizes[i];
    }
    out->lower = lower;
    out->extent = distance;
    return true;
}

bool Interp::mpi_type(const CallExpr *e, const std::string &name, const Args &a)
{
    Datatype old, made;
    Value no = Value::unknown("the datatype is made by " + name +
                                  "(), which is not "
                                  "followed",
                              here(e));
    auto old_is = [&](size_t i) { return i < a.size() && datatype(a[i], &old); };
    if (name == "MPI_Type_commit" || name == "MPI_Type_free" ||
        name == "MPI_Type_set_name")
        return true;
    if (name == "MPI_Type_size" || name == "MPI_Type_size_x") {
        put(a[1], old_is(0) ? Value::integer(old.size) : no, e);
        return true;
    }
    if (name == "MPI_Type_get_extent") {
        put(a[1], old_is(0) ? Value::integer(0) : no, e);
        put(a[2], old_is(0) ? Value::integer(old.extent) : no, e);
        return true;
    }
    if (name == "MPI_Type_dup" && a.size() == 2) {
        put(a[1], old_is(0) ? new_type(old) : no, e);
    } else if (name == "MPI_Type_contiguous" && a.size() == 3) {
        bool ok = old_is(1) && a[0].is_int() && old.lower.is_zero();
        put(a[2], ok ? new_type(repeated(old, a[0].p, old.extent)) : no, e);
    } else if ((name == "MPI_Type_vector" || name == "MPI_Type_create_hvector") &&
               a.size() == 5) {
        bool ok =
            old_is(3) && old.dense() && a[0].is_int() && a[1].is_int() && a[2].is_int();
        if (ok) {
            Poly block = a[1].p * old.extent, unit = old.extent;
            Poly distance = name == "MPI_Type_vector" ? a[2].p * unit : a[2].p;
            ok = not_negative(distance - block) && not_negative(a[0].p);
            made = repeated(plain(block), a[0].p, distance);
        }
        put(a[4], ok ? new_type(made) : no, e);
    } else if (name == "MPI_Type_create_resized" && a.size() == 4) {
        bool ok = old_is(0) && a[1].is_int(0) && a[2].is_int() && old.lower.is_zero();
        made = old;
        if (ok)
            made.extent = a[2].p;
        put(a[3], ok ? new_type(made) : no, e);
    } else if (name == "MPI_Type_create_subarray" && a.size() == 7) {
        std::vector<Poly> sizes, parts, starts;
        bool ok = old_is(5) && old.dense() && a[0].is_int() && a[0].p.is_constant() &&
                  a[0].p.constant() > 0 && a[0].p.constant() <= 4;
        int n = ok ? a[0].p.constant() : 0;
        auto order = [&](const char *which) {
            auto at = program.numbers.find(which);
            return at != program.numbers.end() && a[4].is_int(at->second);
        };
        ok = ok && list(a[1], n, &sizes) && list(a[2], n, &parts) &&
             list(a[3], n, &starts) &&
             (order("MPI_ORDER_C") || order("MPI_ORDER_FORTRAN"));
        ok = ok &&
             subarray(n, sizes, parts, starts, order("MPI_ORDER_FORTRAN"), old, &made);
        put(a[6], ok ? new_type(made) : no, e);
    } else {
        return false;
    }
    return true;
}

} // namespace ldadc
