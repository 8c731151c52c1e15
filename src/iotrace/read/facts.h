/* What a log tells of its process and files besides events: what the system and MPI
 * knew of them. Logs before version 3, and tables, tell nothing of it. */
#ifndef IOTRACE_READ_FACTS_H
#define IOTRACE_READ_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct log_process {
    int cores;         /* that it could use; 0: not known */
    const char *cpus;  /* which, as "0-3,8"; as long as the log; "": not known */
    int64_t waited_ns; /* its threads were ready and had no core; -1: not known */
    /* What the kernel counted, without what the recorder wrote, but with children that
     * were waited for: bytes of calls, the calls, and bytes of devices, 0 read and 1
     * written. */
    bool counted;
    int64_t bytes[2], calls[2], device_bytes[2];
};

struct log_facts {        /* of a file */
    char type[32];        /* of its file system; "": not known */
    const char *point;    /* where that is mounted; as long as a name is valid */
    int64_t block_bytes;  /* st_blksize; 0: not known */
    int64_t stripe_bytes; /* 0: it has none, or not known */
    int stripes;          /* 0: likewise */
    int comm_ranks;       /* that opened it together by MPI; 0: none has */
    const char *hints;    /* in effect then: "KEY=VALUE;KEY=VALUE;" */
};

/* Local. From the lines of a header; "" where there is none. */
void facts_of_process(struct log_process *p, const char *cores, const char *cpus,
                      const char *waited_ns, const char *io);

/* Local. Adds processors, as "0-3,8", to the set of TRACE_CPUS bits. False: that is not
 * such a list. */
bool facts_add_cpus(const char *list, unsigned char *set);

/* Local. From the texts of TRACE_PLACE and TRACE_MPI; NULL where there is none. False:
 * they tell nothing. */
bool facts_of_file(struct log_facts *f, const char *place, const char *mpi);

#endif
