/* Records a program's real requests to its files: linked into it, before the MPI
 * library.
 *
 * Each rank writes $LDADC_TRUTH.RANK, a line per call of MPI-IO that moves data, with
 * tabs between:
 *   the call's name;
 *   "view" if a call can be more than one piece of the file, else "plain";
 *   bytes requested;
 *   "rank/ranks" of the communicator that the file was opened with;
 *   the addresses to which the call and the calls around it return, innermost first;
 *   "offset+bytes" of each piece in the file, in order, "?" with a shared pointer.
 * The library returns offsets, one for each etype of views that are not plain: this
 * code knows nothing about views.
 * For programs without threads, built with -no-pie and without optimisation. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum where { EXPLICIT, INDIVIDUAL, SHARED, ORDERED };
enum { DEEPEST = 64 };

extern const char __executable_start[], etext[];

static FILE *out(void)
{
    static FILE *f;
    char name[4096];
    int rank;
    if (f)
        return f;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", getenv("LDADC_TRUTH"), rank);
    f = fopen(name, "w");
    if (!f)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    return f;
}

/* Prints the program's own frames, from our caller on. */
static void put_callers(FILE *f, const void *caller)
{
    void *frames[DEEPEST];
    int n = backtrace(frames, DEEPEST), i = 0;
    while (i < n && frames[i] != caller)
        i++;
    for (; i < n; i++) {
        const char *at = frames[i];
        if (at >= __executable_start && at < etext)
            fprintf(f, "%s%p", at == caller ? "" : ",", frames[i]);
    }
}

static void put_rank(FILE *f, MPI_File fh)
{
    MPI_Group group;
    int rank, ranks;
    PMPI_File_get_group(fh, &group);
    PMPI_Group_rank(group, &rank);
    PMPI_Group_size(group, &ranks);
    PMPI_Group_free(&group);
    fprintf(f, "%d/%d\t", rank, ranks);
}

static int has_holes(MPI_Datatype filetype)
{
    MPI_Aint lb, extent;
    MPI_Count size;
    PMPI_Type_size_x(filetype, &size);
    PMPI_Type_get_extent(filetype, &lb, &extent);
    return lb != 0 || extent != size;
}

/* True if bytes are contiguous as in the file. */
static int is_plain(MPI_Datatype filetype)
{
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(filetype, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED && !has_holes(filetype);
}

static MPI_Offset byte_of(MPI_File fh, MPI_Offset etypes)
{
    MPI_Offset byte = -1;
    PMPI_File_get_byte_offset(fh, etypes, &byte);
    return byte;
}

static void put_pieces(FILE *f, MPI_File fh, MPI_Offset at, MPI_Offset bytes, int etype)
{
    MPI_Offset begin = byte_of(fh, at), end = begin;
    for (MPI_Offset done = 0; done < bytes; done += etype) {
        MPI_Offset byte = byte_of(fh, at++);
        MPI_Offset more = bytes - done < etype ? bytes - done : etype;
        if (done && byte == end) {
            end += more;
            continue;
        }
        if (done)
            fprintf(f, "%lld+%lld ", (long long)begin, (long long)(end - begin));
        begin = byte;
        end = byte + more;
    }
    fprintf(f, "%lld+%lld", (long long)begin, (long long)(end - begin));
}

/* Returns the place of the shared pointer at this rank's turn, for files of all
 * ranks. */
static MPI_Offset turn(MPI_File fh, MPI_Offset etypes)
{
    MPI_Group group;
    MPI_Offset at, before = 0;
    int rank, ranks, all;
    PMPI_File_get_group(fh, &group);
    PMPI_Group_size(group, &ranks);
    PMPI_Group_free(&group);
    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    if (ranks != all)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_File_get_position_shared(fh, &at);
    PMPI_Exscan(&etypes, &before, 1, MPI_OFFSET, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Barrier(MPI_COMM_WORLD);
    return at + (rank ? before : 0);
}

static void record(const char *name, const void *caller, MPI_File fh, enum where where,
                   MPI_Offset at, MPI_Offset count, MPI_Datatype type)
{
    FILE *f = out();
    MPI_Offset displacement, bytes;
    MPI_Datatype etype, filetype;
    char representation[MPI_MAX_DATAREP_STRING];
    MPI_Count size;
    int etype_bytes;
    PMPI_File_get_view(fh, &displacement, &etype, &filetype, representation);
    PMPI_Type_size_x(type, &size); /* may exceed an int */
    PMPI_Type_size(etype, &etype_bytes);
    bytes = count * size;
    if (where == INDIVIDUAL)
        PMPI_File_get_position(fh, &at);
    if (where == ORDERED)
        at = turn(fh, bytes / etype_bytes);
    fprintf(f, "%s\t%s\t%lld\t", name, is_plain(filetype) ? "plain" : "view",
            (long long)bytes);
    put_rank(f, fh);
    put_callers(f, caller);
    fputc('\t', f);
    if (where == SHARED)
        fputc('?', f);
    else if (is_plain(filetype))
        fprintf(f, "%lld+%lld", (long long)byte_of(fh, at), (long long)bytes);
    else
        put_pieces(f, fh, at, bytes, etype_bytes);
    fputc('\n', f);
    fflush(f);
}

#define RECORD(name, where, at)                                                        \
    record("MPI_File_" #name, __builtin_return_address(0), fh, where, at, n, type)

#define EXPLICIT_CALL(name, buffer, number, result)                                    \
    int MPI_File_##name(MPI_File fh, MPI_Offset at, buffer b, number n,                \
                        MPI_Datatype type, result r)                                   \
    {                                                                                  \
        RECORD(name, EXPLICIT, at);                                                    \
        return PMPI_File_##name(fh, at, b, n, type, r);                                \
    }
#define EXPLICIT_BEGIN(name, buffer, number)                                           \
    int MPI_File_##name(MPI_File fh, MPI_Offset at, buffer b, number n,                \
                        MPI_Datatype type)                                             \
    {                                                                                  \
        RECORD(name, EXPLICIT, at);                                                    \
        return PMPI_File_##name(fh, at, b, n, type);                                   \
    }
#define POINTER_CALL(name, where, buffer, number, result)                              \
    int MPI_File_##name(MPI_File fh, buffer b, number n, MPI_Datatype type, result r)  \
    {                                                                                  \
        RECORD(name, where, 0);                                                        \
        return PMPI_File_##name(fh, b, n, type, r);                                    \
    }
#define POINTER_BEGIN(name, where, buffer, number)                                     \
    int MPI_File_##name(MPI_File fh, buffer b, number n, MPI_Datatype type)            \
    {                                                                                  \
        RECORD(name, where, 0);                                                        \
        return PMPI_File_##name(fh, b, n, type);                                       \
    }

/* Defines the calls of one direction, with counts of one kind: s is "" or "_c". */
#define EACH(x, s, buffer, number)                                                     \
    EXPLICIT_CALL(x##_at##s, buffer, number, MPI_Status *)                             \
    EXPLICIT_CALL(x##_at_all##s, buffer, number, MPI_Status *)                         \
    EXPLICIT_CALL(i##x##_at##s, buffer, number, MPI_Request *)                         \
    EXPLICIT_CALL(i##x##_at_all##s, buffer, number, MPI_Request *)                     \
    EXPLICIT_BEGIN(x##_at_all_begin##s, buffer, number)                                \
    POINTER_CALL(x##s, INDIVIDUAL, buffer, number, MPI_Status *)                       \
    POINTER_CALL(x##_all##s, INDIVIDUAL, buffer, number, MPI_Status *)                 \
    POINTER_CALL(i##x##s, INDIVIDUAL, buffer, number, MPI_Request *)                   \
    POINTER_CALL(i##x##_all##s, INDIVIDUAL, buffer, number, MPI_Request *)             \
    POINTER_BEGIN(x##_all_begin##s, INDIVIDUAL, buffer, number)                        \
    POINTER_CALL(x##_shared##s, SHARED, buffer, number, MPI_Status *)                  \
    POINTER_CALL(x##_ordered##s, ORDERED, buffer, number, MPI_Status *)                \
    POINTER_CALL(i##x##_shared##s, SHARED, buffer, number, MPI_Request *)              \
    POINTER_BEGIN(x##_ordered_begin##s, ORDERED, buffer, number)

typedef const void *constant;
typedef void *variable;

EACH(write, , constant, int)
EACH(read, , variable, int)
#if MPI_VERSION >= 4
EACH(write, _c, constant, MPI_Count)
EACH(read, _c, variable, MPI_Count)
#endif
