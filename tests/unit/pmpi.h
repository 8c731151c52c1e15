/* Counts a program's messages to other ranks, by the profiling interface. */
#ifndef TESTS_PMPI_H
#define TESTS_PMPI_H

extern long pmpi_calls; /* of this process, since it was set to 0 */

#endif
