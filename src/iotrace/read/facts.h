/* Facts of a log about its process and files, besides events: from the system and MPI.
 * Logs before version 3, and tables, have none. */
#ifndef IOTRACE_READ_FACTS_H
#define IOTRACE_READ_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct log_process {
    int cores; /* cores that it could use; 0: not known */
    /* their numbers, as "0-3,8"; valid as long as the log; "": not known */
    const char *cpus;
    /* time that its threads were ready and had no core; -1: not known */
    int64_t waited_ns;
    /* Counts of the kernel, without the recorder's own writes, and with children that
     * were waited for: bytes of calls, calls, and bytes of devices, [0] read and [1]
     * written. */
    bool counted;
    int64_t bytes[2], calls[2], device_bytes[2];
};

struct log_facts {        /* facts of a file */
    char type[32];        /* type of its file system; "": not known */
    const char *point;    /* its mount point; valid as long as a name is */
    int64_t block_bytes;  /* st_blksize; 0: not known */
    int64_t stripe_bytes; /* 0: none, or not known */
    int stripes;          /* 0: likewise */
    int comm_ranks;       /* ranks that opened it together by MPI; 0: none did */
    const char *hints;    /* hints in effect then: "KEY=VALUE;KEY=VALUE;" */
};

/* Local. Reads facts from the lines of a header; "" if there is none. */
void facts_of_process(struct log_process *p, const char *cores, const char *cpus,
                      const char *waited_ns, const char *io);

/* Local. Adds processors, as "0-3,8", to the set of TRACE_CPUS bits. False: it is no
 * such list. */
bool facts_add_cpus(const char *list, unsigned char *set);

/* Local. Reads facts from the texts of TRACE_PLACE and TRACE_MPI; NULL if there is
 * none. False: there are no facts. */
bool facts_of_file(struct log_facts *f, const char *place, const char *mpi);

#endif
