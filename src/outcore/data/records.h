/* Records for sorting, of 100 bytes with a key of 10, after those of the Sort
 * Benchmark: record i is computed from i alone. No MPI, no files. */
#ifndef OUTCORE_DATA_RECORDS_H
#define OUTCORE_DATA_RECORDS_H

#include "base/draw.h"
#include "sort/order.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- vectors --------------------------------------------------------------------- */

/* Vectors from a seed: component c of vector i of dimension d is the upper 24 bits of
 * number i d + c of the key, as a fraction: a float32 in [0, 1), exact, the same on
 * every machine. */

/* Local. Makes vectors first .. first + n - 1, one after the other. key: rng_key(seed,
 * RNG_VECTORS), or RNG_QUERIES for queries. */
void vectors_make(uint64_t key, int64_t dim, int64_t first, int64_t n, float *to);

struct vectors {
    uint64_t key;
    int64_t dim;
};

/* Local. Makes them as the rows of a file (outcore/data/make.h). */
void vectors_rows(const void *vectors, int64_t first, int64_t n, void *to);

/* ---- records --------------------------------------------------------------------- */

#define RECORDS_BYTES 100
#define RECORDS_KEY_BYTES 10 /* the first bytes of a record */
#define RECORDS_PREFIXES 65536

struct records {
    uint64_t key; /* rng_key(seed, RNG_RECORDS) */
    bool ascii;   /* lines of printable characters that end in CR LF; else binary */
    double duplicates; /* share of records i with the key of record i / 2, 0..1 */
    double skew;       /* above 0: of the RECORDS_PREFIXES values of a key's first 16
                        * bits, number k occurs in proportion to k^-skew */
    struct zipf zipf;  /* set by records_prepare */
};

/* Local. To be called before the first records_make, when the other members are set. */
void records_prepare(struct records *r);

/* Local, any thread. Makes records first .. first + n - 1 (n * RECORDS_BYTES bytes). */
void records_make(const struct records *r, int64_t first, int64_t n, void *to);

/* ---- form ------------------------------------------------------------------------ */

/* Options with the same meaning in several of outcore's programs: the form of a file's
 * records (--record), and lists of numbers (--sweep-...). No MPI, no files. */

enum form_kind {
    FORM_RECORDS,
    FORM_VECTORS,
    FORM_OTHER
}; /* OTHER: cannot be generated */

struct form {
    enum form_kind kind;
    struct sort_order order;
};

#define FORM_DIM 32 /* of vectors to be sorted */

/* clang-format off */
#define FORM_OPTION(form) \
    {.kind = OPT_TEXT, .name = "record", .value = &(form), .preset = "vector", \
     .arg = "FORM", .workload = true, \
     .help = "record format: vector (32 float32 each, compared number by number in " \
             "the total order of IEEE 754); 100 (100 bytes, the first 10 are the " \
             "key); or BYTES,AT,LENGTH (size of a record, then the offset and " \
             "length of its key, compared as unsigned bytes)", \
     .text = "Format of the records. *vector*: 128 bytes, 32-bit little-endian " \
             "floating-point numbers, compared number by number in the total order " \
             "of IEEE 754 (-NaN, -infinity, ..., -0, 0, ..., infinity, NaN). *100*: " \
             "100 bytes with a key in the first 10, compared as unsigned bytes, as " \
             "in the Sort Benchmark. _BYTES_,_AT_,_LENGTH_: records of _BYTES_ bytes " \
             "with such a key of _LENGTH_ bytes at offset _AT_. A generated file is " \
             "of *vector* or *100*."}
/* clang-format on */

/* Local. Parses a form. Returns 0, or -EINVAL with a sentence. */
int form_parse(struct form *f, const char *text);

#define FORM_NUMBERS 32

struct form_numbers {
    int n;
    int64_t is[FORM_NUMBERS];
};

/* Local. Parses "1,2,4" of --option: ascending numbers in least .. most. Returns 0, or
 * -EINVAL with a sentence. */
int form_numbers(struct form_numbers *x, const char *option, const char *text,
                 int64_t least, int64_t most);

/* ---- graphs ---------------------------------------------------------------------- */

/* Graphs from a seed, as lists of directed edges in the order of the stream; each edge
 * is computed from its number alone. No MPI, no files. */

enum { GRAPHS_EDGE = 16 }; /* bytes of an edge in a file: its two ends, 64 bits each */

struct graphs_made {
    enum { GRAPHS_SCALE_FREE, GRAPHS_KRONECKER } kind;
    int64_t hubs, degree; /* scale-free */
    int scale;            /* Kronecker: 2^scale vertices */
    int64_t vertices;
    int64_t edges;              /* undirected edges of a scale-free graph */
    int64_t rows;               /* directed edges in the stream */
    uint64_t key, renumber_key; /* set by graphs_seed */
};

/* Local. Parses the name of a graph: "S:I,V,D" (a scale-free graph of V vertices, grown
 * from I hubs, with a mean degree of D: the notation of the study of 2007, section 3.4)
 * or "kronecker:SCALE,EDGEFACTOR" (the generator of Graph500). Returns 0; 1: it is
 * neither; -EINVAL with a sentence. */
int graphs_parse(struct graphs_made *g, const char *text);

/* Local. Sets the seed. */
void graphs_seed(struct graphs_made *g, uint64_t seed);

/* Local, any thread; for data_rows. Makes edges first .. first + n - 1, GRAPHS_EDGE
 * bytes each, little-endian. Scale-free: Barabasi and Albert's growth by retracing
 * (Sanders and Schulz, "Scalable generation of scale-free graphs", 2016) from a ring of
 * hubs, each edge both ways. Kronecker: probabilities of Graph500 (A, B, C = .57, .19,
 * .19), each edge one way, vertices renumbered. Loops and repeated edges stay. */
void graphs_make(const void *made, int64_t first, int64_t n, void *to);

#endif
