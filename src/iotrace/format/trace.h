/* The log of one process: the only contract between the recorder (preload/) and all
 * readers (iotrace, plots). man/iotrace-bin.5 describes it, too.
 *
 * A log is a file of blocks of TRACE_BLOCK bytes, little-endian, mapped shared by the
 * process that is traced: its contents survive any end of the process. Block 0 is
 * the header. Each other block belongs to one thread and is filled from its beginning;
 * the rest is zero. Within a thread, blocks (by `sequence`) and records are
 * in the order in which calls ended; records of a nested call come before the one that
 * made it. A reader merges threads by start time and numbers operations from 0: that is
 * the paper's "Op sequence".
 *
 * A log in binary form (IOTRACE_BINARY=true, or a mode with a profile) has its name
 * from the beginning. One that becomes text is LOGNAME.part until the process ends,
 * which converts it to LOGNAME and removes it: a killed process leaves LOGNAME.part,
 * whole (and perhaps LOGNAME.part.text, which is not). If LOGNAME or LOGNAME.part
 * exists, the name is LOGNAME.1, .2 and so on.
 *
 * The record holds the fields of Table 2.4 of the paper (storage-intensive
 * supercomputing, 2007) and more, in 48 bytes. Self-describing: the header's text names
 * the fields, their types and offsets, and all operations with their numbers, so that a
 * reader needs no list of its own. */
#ifndef IOTRACE_FORMAT_TRACE_H
#define IOTRACE_FORMAT_TRACE_H

#include <stdint.h>

#define TRACE_MAGIC "IOTRACE\n"
#define TRACE_VERSION 3 /* readers accept 1 and 2, too, which lack some facts */
#define TRACE_BLOCK ((uint32_t)256 << 10)

/* The way in which the process left its log. */
enum trace_state {
    /* If the process no longer exists: it was killed, or ended itself by a system call
     * that was not seen. */
    TRACE_RUNNING = 0,
    TRACE_EXITED = 1, /* exit, or return from main */
    TRACE_QUIT = 2,   /* _exit, quick_exit, abort */
    TRACE_EXEC = 3 /* the process continued as another program, with a log of its own */
};

/* A run's file of processes that did nothing to files, and of those that will: "idle.",
 * and the host's name. It has places of TRACE_IDLE_BYTES, each with a header and its
 * text, without the fields and operations; or without the magic, if the process has a
 * log of its own. */
#define TRACE_IDLE "idle"
enum { TRACE_IDLE_BYTES = 512 };

enum trace_clock { TRACE_NS = 0, TRACE_TSC = 1 };

struct trace_header { /* block 0 */
    char magic[8];
    uint32_t version;
    uint32_t header_bytes; /* size of this struct, without text */
    uint32_t record_bytes, block_bytes;
    uint64_t blocks;   /* blocks in use, with the header */
    uint64_t dropped;  /* events not recorded: IOTRACE_MAX_BYTES, a full disk */
    uint64_t excluded; /* events not recorded: path globs */
    uint32_t state;    /* enum trace_state */
    uint32_t clock;    /* enum trace_clock: the unit of ticks */
    /* Two moments in ticks and in nanoseconds since the epoch; the second is renewed
     * now and then and at the end. Time is linear between and beyond them. The first is
     * CLOCK_REALTIME; CLOCK_MONOTONIC counts from there to the second, so that setting
     * the clock stretches nothing. With TRACE_NS a tick is a ns of CLOCK_MONOTONIC. */
    uint64_t ticks[2];
    int64_t unix_ns[2];
    int64_t first_ns; /* process start, since the epoch */
    uint32_t pid, ppid;
    /* 0, 1..: number among the logs of one process; each exec begins a new one */
    uint32_t generation;
    int32_t rank, ranks; /* in MPI_COMM_WORLD, or by the launcher; -1: none */
    /* Nanoseconds to add to this process's clock to have rank 0's, at two moments (unix
     * ns of this process); 0 moments: not measured. */
    int64_t offset_at_ns[2], offset_ns[2];
    uint32_t text_bytes; /* bytes of the text that follows: lines "key=value" */
    uint32_t pad;
    /* text: app, execution, exe, argv, host, cwd, version of the recorder, mode;
     * "field=NAME:TYPE:OFFSET:UNIT" of each field of a record, in order;
     * "op=NUMBER:NAME:CLASS" of each operation */
};

/* Lines of the text about the process, all of them optional:
 *   cores=N         processors that it could use at its begin
 *   cpus=0-3,8      their numbers, if the list is short enough
 *   waited_ns=N     nanoseconds that its threads were ready to run and had no
 *                   processor; written at the process's end, like those that follow
 *   init_waited_ns=N, final_waited_ns=N  the same up to the end of MPI_Init, and up to
 *                   the begin of MPI_Finalize
 *   before=R:W      rchar and wchar of /proc/PID/io when the log began; not written at
 *                   the end, so that those of killed processes have it
 *   io=R:W:CR:CW:DR:DW:OW:OR:PR:PW  what the kernel has counted since the log began
 *                   (rchar, wchar, syscr, syscw, read_bytes, write_bytes of
 *                   /proc/PID/io), with children that have ended and were waited for;
 *                   OW, OR: bytes that the recorder itself wrote and read; PR, PW:
 *                   bytes that recorded functions read and wrote without an event,
 *                   such as those of the terminal and of excluded files. Older logs
 *                   end with OW.
 *   uring=RINGS:TRANSFERS  io_uring transfers without a recorded call
 *   loads=DEEP:APART  libraries loaded with RTLD_DEEPBIND, and by dlmopen, whose calls
 *                   may not have been seen
 *   program=WORDS   why some of its calls are not seen: "go", its runtime makes system
 *                   calls by itself */

enum {
    TRACE_CPUS = 65536,   /* numbers of processors are smaller */
    TRACE_CPUS_TEXT = 256 /* a list of them is shorter */
};

enum trace_kind { TRACE_RECORDS = 1, TRACE_NAMES = 2, TRACE_PROFILE = 3 };

struct trace_block { /* begin of every block but the first */
    char magic[4];   /* "BLK\n" */
    uint32_t kind;   /* enum trace_kind */
    /* 0.. : a thread and, once it has ended, the next one that begins */
    uint32_t thread;
    /* entries begun, which can be more than fit: for the recorder itself */
    uint32_t reserved;
    /* Number among this thread's blocks of this kind, from 0. A killed process can
     * leave two with the same number: the one further on in the file counts. */
    uint64_t sequence;
};

struct trace_record {
    uint64_t start;    /* ticks */
    uint64_t duration; /* ticks */
    int64_t offset;  /* in the file before the call, or from its arguments; -1: none */
    int64_t request; /* bytes requested; for others an argument: flags, whence, ... */
    int64_t result;  /* bytes moved, a descriptor, 0 ...; after a failure -errno */
    uint32_t file;   /* id of a name; 0: none */
    uint16_t op;     /* enum trace_op; 0: not a record (yet): written last */
    /* 0: called by the program; n: within n traced calls. To add up bytes, take one
     * level, or the calls of one library. */
    uint8_t level;
    uint8_t flags; /* enum trace_flag */
};

enum trace_flag {
    TRACE_STREAM = 1, /* the file is a FILE * */
    TRACE_COLLECTIVE = 2,
    /* Submission only: result is 0, and the bytes count at completion: in aio_return_*,
     * io_getevents_*, MPI_Wait_*, MPI_File_*_end. If the completion could not be
     * assigned to it, the submission has the bytes, and not this flag. */
    TRACE_ASYNC = 4,
    TRACE_CHILD = 8,   /* made by a child of vfork before it became another program */
    TRACE_DIRECT = 16, /* failed with EINVAL, and the descriptor has O_DIRECT */
    /* The second record of a copy, about the file at its other end: duration 0, and in
     * no sum but that of the file. */
    TRACE_OTHER_END = 32,
    TRACE_SOURCE = 64 /* in a copy: the record describes the file that is read */
};

/* Entries of blocks of names, one after the other, each at a multiple of 8; one with
 * `bytes` 0 ends them. A file that was open under two descriptors has two names with
 * the same text: it is one file. A name begins with / or is relative to the header's
 * cwd; pipes and sockets are named as in /proc/PID/fd, and a command of popen
 * "|command". */
struct trace_name {
    /* size of this entry with its text, a multiple of 8; written last */
    uint32_t bytes;
    uint32_t id;    /* 1.. */
    uint16_t kind;  /* enum trace_name_kind */
    uint16_t place; /* for a file: the id of its TRACE_PLACE; 0: not known */
    int32_t fd;     /* the descriptor under which it was first seen; -1: none */
    char text[];    /* ends with 0 */
};

/* Three kinds are facts instead of names, in logs of version 3:
 *   TRACE_PLACE  "TYPE BLOCK STRIPE STRIPES POINT": the type of a file system,
 *                st_blksize of files in it, bytes and number of a file's stripes (0:
 *                none, or not known), and its mount point. Files that agree in all
 *                share it.
 *   TRACE_MPI    "RANKS KEY=VALUE;KEY=VALUE...": MPI_File_open of the file whose id is
 *                in fd by so many ranks, and the hints in effect afterwards.
 *   TRACE_PROGRAM  "WORD WORD": the file whose id is in fd is a program that was
 *                started, and leaves no log, because it is "static", "privileged" or
 *                "foreign" (of another architecture), "libc" (of another C
 *                library); "go" may come with these. */
enum trace_name_kind {
    TRACE_FILE = 1,
    TRACE_MARK,
    TRACE_PLACE,
    TRACE_MPI,
    TRACE_PROGRAM
};

/* Entries of blocks of the profile, one after the other; one with `count` 0 ends them.
 * A thread's entries are in its own blocks: a reader adds up equal (file, op, level).
 * File 0 with the flag TRACE_OTHERS has the calls that came when a thread's blocks were
 * full. */
enum { TRACE_SIZES = 40, TRACE_TIMES = 40, TRACE_OTHERS = 16 };

struct trace_profile {
    uint32_t file;
    uint16_t op;
    uint8_t level, flags; /* flags of the first event */
    uint64_t count;       /* calls, failed ones included */
    uint64_t errors;
    uint64_t
        bytes; /* moved; 0 of calls that move none, of failed ones, of TRACE_ASYNC */
    uint64_t ticks;
    /* Counts by size, of calls that move bytes: sizes[0] moved none, sizes[n] 2^(n-1)
     * .. 2^n - 1 bytes; counts by duration, of all calls: times[0] took less than 1 ns,
     * times[n] 2^(n-1) .. 2^n - 1 ns. The last of each has all larger ones. */
    uint64_t sizes[TRACE_SIZES], times[TRACE_TIMES];
};

_Static_assert(sizeof(struct trace_record) == 48, "a record has 48 bytes");

#endif
