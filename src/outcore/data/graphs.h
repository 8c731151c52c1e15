/* Graphs from a seed, as lists of directed edges in the order of the stream; each edge
 * is computed from its number alone. No MPI, no files. */
#ifndef OUTCORE_DATA_GRAPHS_H
#define OUTCORE_DATA_GRAPHS_H

#include <stdint.h>

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
