// Tells whether a rank reads what the same rank has written before, on each way that
// the program can take from a write to a later read.
#ifndef LDADC_REPORT_AGREE_H
#define LDADC_REPORT_AGREE_H

#include "ldadc/report/report.h"

namespace ldadc
{

// Prints a line for each write and each read of a file that can follow it, with the
// way, and a line that counts them.
void report_pairs(const Found &in, const Report &r, const Numbers &with, FILE *out);

} // namespace ldadc

#endif
