/* All calls that are traced: one list makes the enumeration, the names, the wrappers'
 * table and the list of exported symbols.
 *
 *   X(ENUM, "name", CLASS)
 *
 * `name` is what the program called, without the letters that only say how (64, _chk,
 * __isoc99_): pread64 and __pread_chk are pread. Numbers are part of the format: new
 * calls are added at the end. CLASS says how readers count them. */
#ifndef IOTRACE_OPS_H
#define IOTRACE_OPS_H

/* class      what it is                              result
 * READ       moves bytes from a file                 bytes
 * WRITE      moves bytes to a file                   bytes
 * OPEN       makes a descriptor, stream or handle    descriptor
 * CLOSE      ends one                                0
 * SEEK       moves or asks the position              position
 * SYNC       makes data durable                      0
 * META       asks or changes what is not data        0
 * MAP        mapped memory; its bytes are not seen   address or 0
 * COPY       moves bytes between files               bytes
 * MARK       the program's own marks and regions     0
 * PROCESS    fork, exec, exit                        pid or 0 */
enum trace_class {
    CLASS_NONE,
    CLASS_READ,
    CLASS_WRITE,
    CLASS_OPEN,
    CLASS_CLOSE,
    CLASS_SEEK,
    CLASS_SYNC,
    CLASS_META,
    CLASS_MAP,
    CLASS_COPY,
    CLASS_MARK,
    CLASS_PROCESS,
    CLASSES
};

/* clang-format off */
#define TRACE_OPS(X) \
    X(OPEN, "open", OPEN) \
    X(OPENAT, "openat", OPEN) \
    X(CREAT, "creat", OPEN) \
    X(FOPEN, "fopen", OPEN) \
    X(CLOSE, "close", CLOSE) \
    X(FCLOSE, "fclose", CLOSE) \
    X(READ, "read", READ) \
    X(PREAD, "pread", READ) \
    X(READV, "readv", READ) \
    X(PREADV, "preadv", READ) \
    X(WRITE, "write", WRITE) \
    X(PWRITE, "pwrite", WRITE) \
    X(WRITEV, "writev", WRITE) \
    X(PWRITEV, "pwritev", WRITE) \
    X(FREAD, "fread", READ) \
    X(FWRITE, "fwrite", WRITE) \
    X(FSCANF, "fscanf", READ) \
    X(LSEEK, "lseek", SEEK) \
    X(FSYNC, "fsync", SYNC) \
    X(FDATASYNC, "fdatasync", SYNC) \
    X(MARK, "mark", MARK) \
    X(REGION_BEGIN, "region_begin", MARK) \
    X(REGION_END, "region_end", MARK)
/* clang-format on */

enum trace_op {
    OP_NONE,
#define X(e, name, class) OP_##e,
    TRACE_OPS(X)
#undef X
        OP_COUNT
};

#endif
