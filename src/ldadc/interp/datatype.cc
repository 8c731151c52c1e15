// MPI's datatypes: named ones, and those derived from them.
#include "ldadc/interp/interp.h"
#include "ldadc/poly/prove.h"

using namespace clang;

namespace ldadc
{

bool Datatype::placed() const
{
    return !open && !loose && list.empty();
}

bool Datatype::dense() const
{
    return placed() && !shifted && levels.empty() && lower.is_zero() && size == extent;
}

bool Datatype::operator==(const Datatype &o) const
{
    return size == o.size && extent == o.extent && lower == o.lower &&
           block == o.block && levels == o.levels && open == o.open &&
           loose == o.loose && shifted == o.shifted && list == o.list;
}

static Datatype datatype_plain(const Poly &bytes)
{
    Datatype t;
    t.size = t.extent = t.block = bytes;
    return t;
}

// Returns the bytes of a named type, by the compiler; 0: not known.
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
        {"MPI_DOUBLE_PRECISION", c.DoubleTy},
        {"MPI_REAL", c.FloatTy},
        {"MPI_INTEGER", c.IntTy},
        {"MPI_LOGICAL", c.IntTy},
        {"MPI_CHARACTER", c.CharTy},
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
                                                     {"MPI_COMPLEX", 8},
                                                     {"MPI_DOUBLE_COMPLEX", 16},
                                                     {"MPI_CXX_BOOL", 1},
                                                     {"MPI_CXX_FLOAT_COMPLEX", 8},
                                                     {"MPI_CXX_DOUBLE_COMPLEX", 16},
                                                     {"MPI_PACKED", 1},
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
    *out = datatype_plain(Poly(bytes));
    return bytes > 0;
}

// Makes a type; blocks that touch become one.
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

// Reads the first n elements of a table; false: they are not known, or too many.
bool Interp::list(const Value &pointer, const Value &n, std::vector<Value> *out)
{
    enum { MOST = 64 };
    if (pointer.kind != Value::POINTER || !n.is_int() || !n.p.is_constant() ||
        n.p.constant() < 1 || n.p.constant() > MOST)
        return false;
    for (int i = 0; i < n.p.constant(); i++) {
        Target t = element(pointer, Value::integer(i), QualType(), nullptr);
        Value v = t.kind == Target::CELL ? read(now, t.cell) : Value();
        if (v.kind == Value::UNKNOWN)
            return false;
        out->push_back(v);
    }
    return true;
}

bool Interp::list(const Value &pointer, const Value &n, std::vector<Poly> *out)
{
    std::vector<Value> values;
    if (!list(pointer, n, &values))
        return false;
    for (const Value &v : values) {
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
    Poly distance = old.extent, lower = old.lower;
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

// ---- constructors ---------------------------------------------------

bool Interp::type_copy(const Args &a, bool, Datatype *made)
{
    return datatype(a[0], made);
}

bool Interp::type_contiguous(const Args &a, bool, Datatype *made)
{
    Datatype old;
    if (!datatype(a[1], &old) || !old.placed() || !a[0].is_int())
        return false;
    *made = repeated(old, a[0].p, old.extent);
    return true;
}

bool Interp::type_vector(const Args &a, bool bytes, Datatype *made)
{
    Datatype old;
    if (!datatype(a[3], &old) || !old.placed() || !a[0].is_int() || !a[1].is_int() ||
        !a[2].is_int())
        return false;
    Poly block = a[1].p * old.extent, distance = bytes ? a[2].p : a[2].p * old.extent;
    *made = repeated(a[1].is_int(1) ? old : repeated(old, a[1].p, old.extent), a[0].p,
                     distance);
    // Blocks that overlap have fewer bytes than their sum.
    made->loose = a[0].p != Poly(1) && !not_negative(distance - block);
    return not_negative(a[0].p);
}

bool Interp::type_resized(const Args &a, bool, Datatype *made)
{
    bool ok = datatype(a[0], made) && a[1].is_int() && a[2].is_int();
    made->extent = a[2].p;
    made->open = false;
    made->shifted = !a[1].is_int(0);
    return ok;
}

bool Interp::order_is(const char *which, const Value &v) const
{
    auto at = program.numbers.find(which);
    return at != program.numbers.end() && v.is_int(at->second);
}

bool Interp::type_subarray(const Args &a, bool, Datatype *made)
{
    Datatype old;
    std::vector<Poly> sizes, parts, starts;
    bool fortran = order_is("MPI_ORDER_FORTRAN", a[4]);
    if (!datatype(a[5], &old) || !old.placed() || !list(a[1], a[0], &sizes) ||
        !list(a[2], a[0], &parts) || !list(a[3], a[0], &starts) || sizes.size() > 4 ||
        (!fortran && !order_is("MPI_ORDER_C", a[4])))
        return false;
    return subarray(sizes.size(), sizes, parts, starts, fortran, old, made);
}

// Finds a process's part of one dimension of a distributed array.
bool Interp::distributed(const Value &how, const Poly &whole, const Poly &processes,
                         const Poly &at, const Poly &block, std::vector<Part> *out)
{
    auto is = [&](const char *name) {
        auto number = program.numbers.find(name);
        return number != program.numbers.end() && how.is_int(number->second);
    };
    bool given = !not_negative(-block);
    Poly length = given ? block : ceildiv(whole, processes), cycles;
    if (is("MPI_DISTRIBUTE_NONE") || processes == Poly(1)) {
        out->push_back({whole, Poly(), Poly(1)});
    } else if (is("MPI_DISTRIBUTE_BLOCK")) {
        Poly start = at * length, left = whole - start;
        if (length * processes != whole)
            length = least(length, most(Poly(0), left));
        out->push_back({length, start, Poly(1)});
    } else if (is("MPI_DISTRIBUTE_CYCLIC")) {
        length = given ? block : Poly(1);
        if (!whole.divide(length * processes, &cycles))
            return false;
        out->push_back({cycles, Poly(), processes * length});
        out->push_back({length, at * length, Poly(1)});
    } else {
        return false;
    }
    return true;
}

bool Interp::type_darray(const Args &a, bool, Datatype *made)
{
    std::vector<Poly> wholes, blocks, processes, at;
    std::vector<Value> how;
    bool fortran = order_is("MPI_ORDER_FORTRAN", a[7]);
    if (!datatype(a[8], made) || !made->placed() || !a[1].is_int() ||
        !not_negative(a[1].p) || !list(a[3], a[2], &wholes) ||
        !list(a[4], a[2], &how) || !list(a[5], a[2], &blocks) ||
        !list(a[6], a[2], &processes) || wholes.size() > 4 ||
        (!fortran && !order_is("MPI_ORDER_C", a[7])))
        return false;
    at = coordinates(processes, a[1].p);
    Poly distance = made->extent;
    int n = wholes.size();
    for (int k = 0; k < n; k++) {
        int i = fortran ? k : n - 1 - k;
        std::vector<Part> parts;
        if (!distributed(how[i], wholes[i], processes[i], at[i], blocks[i], &parts))
            return false;
        for (size_t j = parts.size(); j-- > 0;) { // innermost first
            made->lower = made->lower + parts[j].start * distance;
            *made = repeated(*made, parts[j].count, parts[j].step * distance);
        }
        distance = distance * wholes[i];
    }
    made->extent = distance;
    return true;
}

// True if the places have one distance in groups, and the groups have another one.
static bool in_two_levels(const std::vector<Poly> &places, size_t inner)
{
    size_t n = places.size();
    for (size_t i = 0; i < n; i++) {
        Poly expected = places[0];
        if (inner > 1)
            expected = expected + Poly(i % inner) * (places[1] - places[0]);
        if (n > inner)
            expected = expected + Poly(i / inner) * (places[inner] - places[0]);
        if (places[i] != expected)
            return false;
    }
    return true;
}

static bool blocks_evenly(const Poly &length, const std::vector<Poly> &places,
                          Datatype *made)
{
    size_t n = places.size();
    for (size_t inner = n; inner > 0; inner--) {
        if (n % inner || !in_two_levels(places, inner))
            continue;
        Poly near = inner > 1 ? places[1] - places[0] : length;
        Poly far = n > inner ? places[inner] - places[0] : near * Poly(inner);
        Datatype row = repeated(datatype_plain(length), Poly(inner), near);
        if (!not_negative(near - length) || !not_negative(far - row.extent))
            continue;
        *made = n > inner ? repeated(row, Poly(n / inner), far) : row;
        made->lower = places[0];
        return true;
    }
    return false;
}

// Makes blocks: equal ones at even distances become levels; a few others, a list; of
// more, only the number of bytes is known.
static void blocks(const std::vector<Poly> &lengths, const std::vector<Poly> &places,
                   Datatype *made)
{
    enum { MOST_PARTS = 16 };
    std::vector<Poly> some_lengths, some_places;
    Poly size, end;
    bool alike = true, in_order = true;
    for (size_t i = 0; i < lengths.size(); i++) {
        size = size + lengths[i];
        if (lengths[i].is_zero())
            continue;
        in_order = in_order && not_negative(places[i] - end);
        end = places[i] + lengths[i];
        some_lengths.push_back(lengths[i]);
        some_places.push_back(places[i]);
        alike = alike && lengths[i] == some_lengths[0];
    }
    size_t n = some_places.size();
    if (n && in_order && alike && blocks_evenly(some_lengths[0], some_places, made))
        return;
    *made = datatype_plain(size);
    made->loose = !n || !in_order || n > MOST_PARTS;
    if (n)
        made->lower = some_places[0];
    for (size_t i = 0; !made->loose && i < n; i++)
        made->list.push_back({some_places[i], some_lengths[i]});
    if (!made->loose) // its lower end is the first byte's, whatever the length
        made->extent = end - some_places[0];
}

bool Interp::type_indexed(const Args &a, bool bytes, Datatype *made)
{
    Datatype old;
    std::vector<Poly> lengths, places;
    if (!datatype(a[3], &old) || !old.dense() || !list(a[1], a[0], &lengths) ||
        !list(a[2], a[0], &places))
        return false;
    for (size_t i = 0; i < lengths.size(); i++) {
        lengths[i] = lengths[i] * old.extent;
        places[i] = bytes ? places[i] : places[i] * old.extent;
    }
    blocks(lengths, places, made);
    return true;
}

bool Interp::type_blocks(const Args &a, bool bytes, Datatype *made)
{
    Datatype old;
    std::vector<Poly> places;
    if (!datatype(a[3], &old) || !old.dense() || !a[1].is_int() ||
        !list(a[2], a[0], &places))
        return false;
    for (Poly &p : places)
        p = bytes ? p : p * old.extent;
    blocks(std::vector<Poly>(places.size(), a[1].p * old.extent), places, made);
    return true;
}

// Makes a structure. Its end may follow the compiler's rules of alignment, unless it
// has MPI_UB, or is resized.
bool Interp::type_struct(const Args &a, bool, Datatype *made)
{
    std::vector<Poly> counts, places, lengths, starts;
    std::vector<Value> kinds;
    if (!list(a[1], a[0], &counts) || !list(a[2], a[0], &places) ||
        !list(a[3], a[0], &kinds))
        return false;
    Datatype part;
    Poly end;
    bool ended = false, odd = false, same = true;
    for (size_t i = 0; i < kinds.size(); i++) {
        std::string name = constant_name(kinds[i]);
        if (name == "MPI_UB") {
            end = places[i];
            ended = true;
        } else if (name == "MPI_LB" ? !places[i].is_zero()
                                    : !datatype(kinds[i], &part)) {
            return false;
        } else if (name != "MPI_LB") {
            lengths.push_back(counts[i] * part.size);
            starts.push_back(places[i] + part.lower);
            odd = odd || !part.dense();
            same = same && kinds[i].same(kinds[0]);
            *made = repeated(part, counts[i], part.extent);
        }
    }
    if (lengths.empty())
        return false;
    made->lower = starts[0];
    made->loose = part.open || part.loose;
    if (lengths.size() > 1) {
        blocks(lengths, starts, made);
        made->loose = made->loose || odd;
    }
    if (!ended && same && !odd && made->size.divide(part.size, &end)) {
        end = starts.back() + lengths.back() - made->lower;
        ended = !made->loose && end.divide(part.size, &starts[0]);
    }
    made->extent = end;
    made->open = !ended;
    return true;
}

// Returns the first unknown argument of a datatype, also in a table.
Value Interp::first_unknown(const Args &a)
{
    enum { LOOK_AT = 16 };
    for (const Value &v : a) {
        if (v.kind == Value::UNKNOWN && !v.text.empty())
            return v;
        bool table = v.kind == Value::POINTER && !v.anywhere && !v.to.path.empty() &&
                     v.to.path.back() >= ELEMENT && &v != &a.back();
        for (int i = 0; table && i < LOOK_AT; i++) {
            Target t = element(v, Value::integer(i), QualType(), nullptr);
            if (t.kind != Target::CELL || !now.cells.count(t.cell))
                break;
            Value one = read(now, t.cell);
            if (one.kind == Value::UNKNOWN && !one.text.empty())
                return one;
        }
    }
    return Value();
}

bool Interp::mpi_type(const CallExpr *e, const std::string &name, const Args &a)
{
    static const struct {
        const char *name;
        size_t args, out;
        bool (Interp::*make)(const Args &, bool, Datatype *);
        bool bytes; // distances are in bytes
    } ways[] = {
        {"MPI_Type_dup", 2, 1, &Interp::type_copy, false},
        {"MPI_Type_contiguous", 3, 2, &Interp::type_contiguous, false},
        {"MPI_Type_vector", 5, 4, &Interp::type_vector, false},
        {"MPI_Type_create_hvector", 5, 4, &Interp::type_vector, true},
        {"MPI_Type_hvector", 5, 4, &Interp::type_vector, true},
        {"MPI_Type_create_resized", 4, 3, &Interp::type_resized, false},
        {"MPI_Type_create_subarray", 7, 6, &Interp::type_subarray, false},
        {"MPI_Type_create_darray", 10, 9, &Interp::type_darray, false},
        {"MPI_Type_indexed", 5, 4, &Interp::type_indexed, false},
        {"MPI_Type_create_hindexed", 5, 4, &Interp::type_indexed, true},
        {"MPI_Type_hindexed", 5, 4, &Interp::type_indexed, true},
        {"MPI_Type_create_indexed_block", 5, 4, &Interp::type_blocks, false},
        {"MPI_Type_create_hindexed_block", 5, 4, &Interp::type_blocks, true},
        {"MPI_Type_create_struct", 5, 4, &Interp::type_struct, false},
        {"MPI_Type_struct", 5, 4, &Interp::type_struct, false},
    };
    Value no = Value::unknown(
        "the datatype is made by " + name + "(), which is not followed", here(e));
    Value why = first_unknown(a);
    if (!why.text.empty()) {
        no.text = name + "() makes the datatype of what is not known: " + why.text;
        no.where = why.where.line ? why.where : no.where;
    }
    if (name == "MPI_Type_commit" || name == "MPI_Type_free" ||
        name == "MPI_Type_set_name")
        return true;
    if (name == "MPI_Type_size" || name == "MPI_Type_size_x" ||
        name == "MPI_Type_get_extent") {
        type_measured(e, name.back() == 't', a, no);
        return true;
    }
    for (auto &way : ways)
        if (name == way.name && a.size() == way.args) {
            Datatype made;
            bool ok = (this->*way.make)(a, way.bytes, &made);
            put(a[way.out], ok ? new_type(made) : no, e);
            return true;
        }
    return false;
}

void Interp::type_measured(const CallExpr *e, bool extent, const Args &a,
                           const Value &no)
{
    Datatype t;
    bool known = datatype(a[0], &t), placed = known && !t.open && !t.loose;
    if (!extent)
        return put(a[1], known ? Value::integer(t.size) : no, e);
    put(a[1], placed && !t.shifted && t.lower.is_zero() ? Value::integer(0) : no, e);
    put(a[2], placed ? Value::integer(t.extent) : no, e);
}

} // namespace ldadc
