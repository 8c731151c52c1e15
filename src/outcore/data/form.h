/* Options with the same meaning in several of outcore's programs: the form of a file's
 * records (--record), and lists of numbers (--sweep-...). No MPI, no files. */
#ifndef OUTCORE_DATA_FORM_H
#define OUTCORE_DATA_FORM_H

#include "sort/order.h"

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
#define FORM_OPTION(text) \
    {.kind = OPT_TEXT, .name = "record", .value = &(text), .preset = "vector", \
     .arg = "FORM", .workload = true, \
     .help = "record format: vector (32 float32 each, compared number by number in " \
             "the total order of IEEE 754); 100 (100 bytes, the first 10 are the " \
             "key); or BYTES,AT,LENGTH (size of a record, then the offset and " \
             "length of its key, compared as unsigned bytes)"}
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

#endif
