/* All calls that are traced: one list makes the enumeration, the names, the wrappers'
 * table and the list of exported symbols.
 *
 *   X(ENUM, "name", CLASS)
 *
 * `name` is the function that the program called, without the letters of a variant (64,
 * _chk, __isoc99_): pread64 and __pread_chk are pread. Numbers are part of the format:
 * new calls are added at the end. CLASS tells readers how to count them.
 *
 * The record of a call that names two files has: dup, fcntl: the new descriptor;
 * rename, link, symlink: the new name; sendfile: the source; copy_file_range: the
 * destination; splice, tee: the one that is not a pipe, or else the destination. A call
 * that copies has a second record for the other file (TRACE_OTHER_END).
 *
 * MPI_Wait_read and MPI_Wait_write are the end of a nonblocking MPI-IO request in
 * MPI_Wait, MPI_Test or a similar call, one event for each request; the time of the
 * call is the first one's. An MPI-IO call that fails has the result -EIO: numbers of
 * errors differ from MPI to MPI.
 *
 * unseen_read and unseen_write are no calls: they are bytes that a stream has moved
 * since its last recorded call, by getc_unlocked and other macros. They take no time,
 * and end when the recorder noticed them.
 *
 * posix_fadvise_dontneed is a posix_fadvise that drops all of a file's pages from
 * memory (POSIX_FADV_DONTNEED, from 0 to the end): later reads come from below. Any
 * other advice is posix_fadvise.
 *
 * ncmpi_wait_read and ncmpi_wait_write are the bytes of queued requests that a wait of
 * PnetCDF has moved; a wait that moved nothing is ncmpi_wait.
 *
 * uring_*, io_submit_*, aio_* and the MPI-IO calls that begin a transfer are
 * submissions: they have TRACE_ASYNC and no bytes. The bytes count where the transfer
 * is completed: in uring_*_end, io_getevents_*, aio_return_*, MPI_Wait_* and
 * MPI_File_*_end. Logs of version 1 have no uring_*_end; there uring_* count the bytes
 * requested. */
#ifndef IOTRACE_FORMAT_OPS_H
#define IOTRACE_FORMAT_OPS_H

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
 * PROCESS    fork, exec, exit                        pid or 0
 * WAIT       waits for asynchronous transfers        how many
 * LOCK       locks a file or a part of it            0 */
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
    CLASS_WAIT,
    CLASS_LOCK,
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
    X(REGION_END, "region_end", MARK) \
    X(OPEN_BY_HANDLE_AT, "open_by_handle_at", OPEN) \
    X(MEMFD_CREATE, "memfd_create", OPEN) \
    X(SHM_OPEN, "shm_open", OPEN) \
    X(MKSTEMP, "mkstemp", OPEN) \
    X(MKOSTEMP, "mkostemp", OPEN) \
    X(MKSTEMPS, "mkstemps", OPEN) \
    X(MKOSTEMPS, "mkostemps", OPEN) \
    X(TMPFILE, "tmpfile", OPEN) \
    X(DUP, "dup", OPEN) \
    X(DUP2, "dup2", OPEN) \
    X(DUP3, "dup3", OPEN) \
    X(FCNTL, "fcntl", OPEN) \
    X(PIPE, "pipe", OPEN) \
    X(PIPE2, "pipe2", OPEN) \
    X(FDOPEN, "fdopen", OPEN) \
    X(FREOPEN, "freopen", OPEN) \
    X(POPEN, "popen", OPEN) \
    X(OPENDIR, "opendir", OPEN) \
    X(CLOSE_RANGE, "close_range", CLOSE) \
    X(CLOSEFROM, "closefrom", CLOSE) \
    X(FCLOSEALL, "fcloseall", CLOSE) \
    X(PCLOSE, "pclose", CLOSE) \
    X(CLOSEDIR, "closedir", CLOSE) \
    X(PREADV2, "preadv2", READ) \
    X(VFSCANF, "vfscanf", READ) \
    X(FGETS, "fgets", READ) \
    X(FGETC, "fgetc", READ) \
    X(GETC, "getc", READ) \
    X(GETW, "getw", READ) \
    X(GETLINE, "getline", READ) \
    X(GETDELIM, "getdelim", READ) \
    X(PWRITEV2, "pwritev2", WRITE) \
    X(FPRINTF, "fprintf", WRITE) \
    X(VFPRINTF, "vfprintf", WRITE) \
    X(DPRINTF, "dprintf", WRITE) \
    X(VDPRINTF, "vdprintf", WRITE) \
    X(FPUTS, "fputs", WRITE) \
    X(FPUTC, "fputc", WRITE) \
    X(PUTC, "putc", WRITE) \
    X(PUTW, "putw", WRITE) \
    X(PRINTF, "printf", WRITE) \
    X(VPRINTF, "vprintf", WRITE) \
    X(PUTS, "puts", WRITE) \
    X(PUTCHAR, "putchar", WRITE) \
    X(FSEEK, "fseek", SEEK) \
    X(FSEEKO, "fseeko", SEEK) \
    X(FTELL, "ftell", SEEK) \
    X(FTELLO, "ftello", SEEK) \
    X(REWIND, "rewind", SEEK) \
    X(FGETPOS, "fgetpos", SEEK) \
    X(FSETPOS, "fsetpos", SEEK) \
    X(SYNC, "sync", SYNC) \
    X(SYNCFS, "syncfs", SYNC) \
    X(SYNC_FILE_RANGE, "sync_file_range", SYNC) \
    X(MSYNC, "msync", SYNC) \
    X(FFLUSH, "fflush", SYNC) \
    X(FTRUNCATE, "ftruncate", META) \
    X(TRUNCATE, "truncate", META) \
    X(FALLOCATE, "fallocate", META) \
    X(POSIX_FALLOCATE, "posix_fallocate", META) \
    X(POSIX_FADVISE, "posix_fadvise", META) \
    X(READAHEAD, "readahead", META) \
    X(SETVBUF, "setvbuf", META) \
    X(STAT, "stat", META) \
    X(LSTAT, "lstat", META) \
    X(FSTAT, "fstat", META) \
    X(FSTATAT, "fstatat", META) \
    X(STATX, "statx", META) \
    X(RENAME, "rename", META) \
    X(RENAMEAT, "renameat", META) \
    X(RENAMEAT2, "renameat2", META) \
    X(UNLINK, "unlink", META) \
    X(UNLINKAT, "unlinkat", META) \
    X(REMOVE, "remove", META) \
    X(MKDIR, "mkdir", META) \
    X(MKDIRAT, "mkdirat", META) \
    X(RMDIR, "rmdir", META) \
    X(READDIR, "readdir", META) \
    X(ACCESS, "access", META) \
    X(FACCESSAT, "faccessat", META) \
    X(LINK, "link", META) \
    X(LINKAT, "linkat", META) \
    X(SYMLINK, "symlink", META) \
    X(SYMLINKAT, "symlinkat", META) \
    X(READLINK, "readlink", META) \
    X(READLINKAT, "readlinkat", META) \
    X(CHDIR, "chdir", META) \
    X(FCHDIR, "fchdir", META) \
    X(MMAP, "mmap", MAP) \
    X(MUNMAP, "munmap", MAP) \
    X(MREMAP, "mremap", MAP) \
    X(MADVISE, "madvise", MAP) \
    X(SENDFILE, "sendfile", COPY) \
    X(COPY_FILE_RANGE, "copy_file_range", COPY) \
    X(SPLICE, "splice", COPY) \
    X(TEE, "tee", COPY) \
    X(VMSPLICE, "vmsplice", COPY) \
    X(AIO_READ, "aio_read", READ) \
    X(AIO_WRITE, "aio_write", WRITE) \
    X(AIO_FSYNC, "aio_fsync", SYNC) \
    X(AIO_SUSPEND, "aio_suspend", WAIT) \
    X(AIO_CANCEL, "aio_cancel", META) \
    X(LIO_LISTIO, "lio_listio", META) \
    X(AIO_RETURN_READ, "aio_return_read", READ) \
    X(AIO_RETURN_WRITE, "aio_return_write", WRITE) \
    X(AIO_RETURN_FSYNC, "aio_return_fsync", SYNC) \
    X(FORK, "fork", PROCESS) \
    X(EXECVE, "execve", PROCESS) \
    X(EXECVEAT, "execveat", PROCESS) \
    X(EXECV, "execv", PROCESS) \
    X(EXECVP, "execvp", PROCESS) \
    X(EXECVPE, "execvpe", PROCESS) \
    X(EXECL, "execl", PROCESS) \
    X(EXECLP, "execlp", PROCESS) \
    X(EXECLE, "execle", PROCESS) \
    X(FEXECVE, "fexecve", PROCESS) \
    X(POSIX_SPAWN, "posix_spawn", PROCESS) \
    X(POSIX_SPAWNP, "posix_spawnp", PROCESS) \
    X(SYSTEM, "system", PROCESS) \
    X(DAEMON, "daemon", PROCESS) \
    X(MPI_INIT, "MPI_Init", PROCESS) \
    X(MPI_INIT_THREAD, "MPI_Init_thread", PROCESS) \
    X(MPI_FINALIZE, "MPI_Finalize", PROCESS) \
    X(MPI_OPEN, "MPI_File_open", OPEN) \
    X(MPI_CLOSE, "MPI_File_close", CLOSE) \
    X(MPI_SEEK, "MPI_File_seek", SEEK) \
    X(MPI_SEEK_SHARED, "MPI_File_seek_shared", SEEK) \
    X(MPI_SYNC, "MPI_File_sync", SYNC) \
    X(MPI_SET_VIEW, "MPI_File_set_view", META) \
    X(MPI_SET_SIZE, "MPI_File_set_size", META) \
    X(MPI_PREALLOCATE, "MPI_File_preallocate", META) \
    X(MPI_GET_SIZE, "MPI_File_get_size", META) \
    X(MPI_DELETE, "MPI_File_delete", META) \
    X(MPI_READ_AT, "MPI_File_read_at", READ) \
    X(MPI_READ_AT_ALL, "MPI_File_read_at_all", READ) \
    X(MPI_READ, "MPI_File_read", READ) \
    X(MPI_READ_ALL, "MPI_File_read_all", READ) \
    X(MPI_READ_SHARED, "MPI_File_read_shared", READ) \
    X(MPI_READ_ORDERED, "MPI_File_read_ordered", READ) \
    X(MPI_IREAD_AT, "MPI_File_iread_at", READ) \
    X(MPI_IREAD_AT_ALL, "MPI_File_iread_at_all", READ) \
    X(MPI_IREAD, "MPI_File_iread", READ) \
    X(MPI_IREAD_ALL, "MPI_File_iread_all", READ) \
    X(MPI_IREAD_SHARED, "MPI_File_iread_shared", READ) \
    X(MPI_READ_AT_ALL_BEGIN, "MPI_File_read_at_all_begin", READ) \
    X(MPI_READ_AT_ALL_END, "MPI_File_read_at_all_end", READ) \
    X(MPI_READ_ALL_BEGIN, "MPI_File_read_all_begin", READ) \
    X(MPI_READ_ALL_END, "MPI_File_read_all_end", READ) \
    X(MPI_READ_ORDERED_BEGIN, "MPI_File_read_ordered_begin", READ) \
    X(MPI_READ_ORDERED_END, "MPI_File_read_ordered_end", READ) \
    X(MPI_WAIT_READ, "MPI_Wait_read", READ) \
    X(MPI_WRITE_AT, "MPI_File_write_at", WRITE) \
    X(MPI_WRITE_AT_ALL, "MPI_File_write_at_all", WRITE) \
    X(MPI_WRITE, "MPI_File_write", WRITE) \
    X(MPI_WRITE_ALL, "MPI_File_write_all", WRITE) \
    X(MPI_WRITE_SHARED, "MPI_File_write_shared", WRITE) \
    X(MPI_WRITE_ORDERED, "MPI_File_write_ordered", WRITE) \
    X(MPI_IWRITE_AT, "MPI_File_iwrite_at", WRITE) \
    X(MPI_IWRITE_AT_ALL, "MPI_File_iwrite_at_all", WRITE) \
    X(MPI_IWRITE, "MPI_File_iwrite", WRITE) \
    X(MPI_IWRITE_ALL, "MPI_File_iwrite_all", WRITE) \
    X(MPI_IWRITE_SHARED, "MPI_File_iwrite_shared", WRITE) \
    X(MPI_WRITE_AT_ALL_BEGIN, "MPI_File_write_at_all_begin", WRITE) \
    X(MPI_WRITE_AT_ALL_END, "MPI_File_write_at_all_end", WRITE) \
    X(MPI_WRITE_ALL_BEGIN, "MPI_File_write_all_begin", WRITE) \
    X(MPI_WRITE_ALL_END, "MPI_File_write_all_end", WRITE) \
    X(MPI_WRITE_ORDERED_BEGIN, "MPI_File_write_ordered_begin", WRITE) \
    X(MPI_WRITE_ORDERED_END, "MPI_File_write_ordered_end", WRITE) \
    X(MPI_WAIT_WRITE, "MPI_Wait_write", WRITE) \
    X(H5FCREATE, "H5Fcreate", OPEN) \
    X(H5FOPEN, "H5Fopen", OPEN) \
    X(H5FCLOSE, "H5Fclose", CLOSE) \
    X(H5FFLUSH, "H5Fflush", SYNC) \
    X(H5DCREATE, "H5Dcreate", OPEN) \
    X(H5DOPEN, "H5Dopen", OPEN) \
    X(H5DCLOSE, "H5Dclose", CLOSE) \
    X(H5DREAD, "H5Dread", READ) \
    X(H5DWRITE, "H5Dwrite", WRITE) \
    X(URING_READ, "uring_read", READ) \
    X(URING_WRITE, "uring_write", WRITE) \
    X(URING_FSYNC, "uring_fsync", SYNC) \
    X(URING_WAIT, "io_uring_wait", WAIT) \
    X(LIBAIO_READ, "io_submit_read", READ) \
    X(LIBAIO_WRITE, "io_submit_write", WRITE) \
    X(LIBAIO_FSYNC, "io_submit_fsync", SYNC) \
    X(LIBAIO_WAIT, "io_getevents", WAIT) \
    X(LIBAIO_READ_END, "io_getevents_read", READ) \
    X(LIBAIO_WRITE_END, "io_getevents_write", WRITE) \
    X(FGETWS, "fgetws", READ) \
    X(FGETWC, "fgetwc", READ) \
    X(GETWC, "getwc", READ) \
    X(FWSCANF, "fwscanf", READ) \
    X(VFWSCANF, "vfwscanf", READ) \
    X(FPUTWS, "fputws", WRITE) \
    X(FPUTWC, "fputwc", WRITE) \
    X(PUTWC, "putwc", WRITE) \
    X(FWPRINTF, "fwprintf", WRITE) \
    X(VFWPRINTF, "vfwprintf", WRITE) \
    X(URING_READ_END, "uring_read_end", READ) \
    X(URING_WRITE_END, "uring_write_end", WRITE) \
    X(URING_FSYNC_END, "uring_fsync_end", SYNC) \
    X(FCNTL_LOCK, "fcntl_lock", LOCK) \
    X(FLOCK, "flock", LOCK) \
    X(LOCKF, "lockf", LOCK) \
    X(OPENAT2, "openat2", OPEN) \
    X(GETDENTS64, "getdents64", META) \
    X(REFLINK, "ioctl_reflink", META) \
    X(STATFS, "statfs", META) \
    X(FSTATFS, "fstatfs", META) \
    X(STATVFS, "statvfs", META) \
    X(FSTATVFS, "fstatvfs", META) \
    X(CHMOD, "chmod", META) \
    X(FCHMOD, "fchmod", META) \
    X(FCHMODAT, "fchmodat", META) \
    X(CHOWN, "chown", META) \
    X(LCHOWN, "lchown", META) \
    X(FCHOWN, "fchown", META) \
    X(FCHOWNAT, "fchownat", META) \
    X(UTIME, "utime", META) \
    X(UTIMES, "utimes", META) \
    X(FUTIMES, "futimes", META) \
    X(FUTIMENS, "futimens", META) \
    X(UTIMENSAT, "utimensat", META) \
    X(GETXATTR, "getxattr", META) \
    X(LGETXATTR, "lgetxattr", META) \
    X(FGETXATTR, "fgetxattr", META) \
    X(SETXATTR, "setxattr", META) \
    X(LSETXATTR, "lsetxattr", META) \
    X(FSETXATTR, "fsetxattr", META) \
    X(LISTXATTR, "listxattr", META) \
    X(LLISTXATTR, "llistxattr", META) \
    X(FLISTXATTR, "flistxattr", META) \
    X(REMOVEXATTR, "removexattr", META) \
    X(LREMOVEXATTR, "lremovexattr", META) \
    X(FREMOVEXATTR, "fremovexattr", META) \
    X(MKFIFO, "mkfifo", META) \
    X(MKFIFOAT, "mkfifoat", META) \
    X(MKNOD, "mknod", META) \
    X(MKNODAT, "mknodat", META) \
    X(SCANDIR, "scandir", META) \
    X(SCANDIRAT, "scandirat", META) \
    X(FTW, "ftw", META) \
    X(NFTW, "nftw", META) \
    X(FTS_OPEN, "fts_open", META) \
    X(FTS_READ, "fts_read", META) \
    X(FTS_CHILDREN, "fts_children", META) \
    X(FTS_CLOSE, "fts_close", META) \
    X(GLOB, "glob", META) \
    X(UNGETC, "ungetc", SEEK) \
    X(UNSEEN_READ, "unseen_read", READ) \
    X(UNSEEN_WRITE, "unseen_write", WRITE) \
    X(H5ACREATE, "H5Acreate", OPEN) \
    X(H5AOPEN, "H5Aopen", OPEN) \
    X(H5ACLOSE, "H5Aclose", CLOSE) \
    X(H5AREAD, "H5Aread", READ) \
    X(H5AWRITE, "H5Awrite", WRITE) \
    X(POSIX_FADVISE_DONTNEED, "posix_fadvise_dontneed", META) \
    X(UNGETWC, "ungetwc", SEEK) \
    X(GETWCHAR, "getwchar", READ) \
    X(WSCANF, "wscanf", READ) \
    X(VWSCANF, "vwscanf", READ) \
    X(PUTWCHAR, "putwchar", WRITE) \
    X(WPRINTF, "wprintf", WRITE) \
    X(VWPRINTF, "vwprintf", WRITE) \
    X(NC_CREATE, "ncmpi_create", OPEN) \
    X(NC_OPEN, "ncmpi_open", OPEN) \
    X(NC_CLOSE, "ncmpi_close", CLOSE) \
    X(NC_ENDDEF, "ncmpi_enddef", META) \
    X(NC_REDEF, "ncmpi_redef", META) \
    X(NC_SYNC, "ncmpi_sync", SYNC) \
    X(NC_PUT_VAR1, "ncmpi_put_var1", WRITE) \
    X(NC_PUT_VAR, "ncmpi_put_var", WRITE) \
    X(NC_PUT_VARA, "ncmpi_put_vara", WRITE) \
    X(NC_PUT_VARS, "ncmpi_put_vars", WRITE) \
    X(NC_PUT_VARM, "ncmpi_put_varm", WRITE) \
    X(NC_PUT_VARN, "ncmpi_put_varn", WRITE) \
    X(NC_PUT_VARD, "ncmpi_put_vard", WRITE) \
    X(NC_MPUT, "ncmpi_mput", WRITE) \
    X(NC_GET_VAR1, "ncmpi_get_var1", READ) \
    X(NC_GET_VAR, "ncmpi_get_var", READ) \
    X(NC_GET_VARA, "ncmpi_get_vara", READ) \
    X(NC_GET_VARS, "ncmpi_get_vars", READ) \
    X(NC_GET_VARM, "ncmpi_get_varm", READ) \
    X(NC_GET_VARN, "ncmpi_get_varn", READ) \
    X(NC_GET_VARD, "ncmpi_get_vard", READ) \
    X(NC_MGET, "ncmpi_mget", READ) \
    X(NC_QUEUE_PUT, "ncmpi_iput", META) \
    X(NC_QUEUE_GET, "ncmpi_iget", META) \
    X(NC_QUEUE_COPY, "ncmpi_bput", META) \
    X(NC_WAIT, "ncmpi_wait", WAIT) \
    X(NC_WAIT_READ, "ncmpi_wait_read", READ) \
    X(NC_WAIT_WRITE, "ncmpi_wait_write", WRITE) \
    X(SCANF, "scanf", READ) \
    X(VSCANF, "vscanf", READ)
/* clang-format on */

enum trace_op {
    OP_NONE,
#define X(e, name, class) OP_##e,
    TRACE_OPS(X)
#undef X
        OP_COUNT
};

#endif
