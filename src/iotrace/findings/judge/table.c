/* The findings, with their titles and remedies. Of several that are about the same
 * events, the first in this order counts. */
#include "iotrace/findings/inside.h"

enum { MOVES, OPENS, STATS, SEEKS, SYNCS, RANKS, AGAIN, LIBRARY, PACE, HDF5 };

const struct finding_kind finding_kind[IDS] = {
    [ID_SIEVING] = {"sieving", "MPI-IO moves more bytes than it was asked for",
                    "Make the calls collective (MPI_File_write_at_all with a file "
                    "view), or set the hint romio_ds_write=disable (romio_ds_read).",
                    MOVES, SEVERITY_HIGH},
    [ID_COLLECTIVE] = {"collective-degenerate",
                       "collective calls become small transfers of every rank",
                       "Set the hint romio_cb_write=enable (romio_cb_read), with Open "
                       "MPI another fcoll component; with HDF5 ask "
                       "H5Pget_mpio_no_collective_cause.",
                       MOVES, SEVERITY_HIGH},
    [ID_LOCK] = {"lock-conflict", "clients compete for the locks of shared blocks",
                 "Give each writer whole blocks: domains at multiples of the stripe, "
                 "cb_nodes not above the number of stripes, lfs setstripe -c -S.",
                 MOVES, SEVERITY_HIGH},
    [ID_STRIDED] = {"strided-independent",
                    "ranks write small interleaved pieces on their own",
                    "Describe the pieces by a file view (MPI_File_set_view) and move "
                    "them with MPI_File_write_at_all or read_at_all; with HDF5 use "
                    "H5Pset_dxpl_mpio(H5FD_MPIO_COLLECTIVE).",
                    MOVES, SEVERITY_HIGH},
    [ID_SMALL] = {"small-sequential", "small transfers one after the other",
                  "Gather them in a buffer of 1 MiB or more, use writev, or stdio with "
                  "setvbuf; with HDF5 H5Pset_meta_block_size and the chunk cache.",
                  MOVES, SEVERITY_HIGH},
    [ID_RANDOM] = {"random-small", "small transfers at random offsets",
                   "Sort them by offset and merge neighbours, keep many in flight "
                   "(io_uring, aio), or announce them with posix_fadvise.",
                   MOVES, SEVERITY_MEDIUM},
    [ID_STDIO] = {"stdio-small", "a lot of data goes through small stdio calls",
                  "Give the stream a buffer of 1 MiB with setvbuf, or move large "
                  "blocks with read and write.",
                  MOVES, SEVERITY_MEDIUM},
    [ID_MISALIGNED] = {"misaligned", "transfers cross block boundaries",
                       "Align them: hint striping_unit, H5Pset_alignment, offsets at "
                       "multiples of the stripe or block.",
                       MOVES, SEVERITY_HIGH},
    [ID_AGGREGATORS] = {"aggregators", "aggregators are too few or unequally loaded",
                        "Set the hints cb_nodes and cb_config_list (Open MPI: "
                        "io_ompio_num_aggregators) to one aggregator a host, or one a "
                        "stripe.",
                        MOVES, SEVERITY_MEDIUM},
    [ID_TINY] = {"collective-tiny", "collective calls transfer very little data",
                 "Move more with each call: H5Dwrite_multi, ncmpi_iput and "
                 "ncmpi_wait_all, or a datatype that covers several variables.",
                 LIBRARY, SEVERITY_HIGH},
    [ID_CHANGES] = {"switches", "reads and writes alternate on a file descriptor",
                    "Read what is needed first and write afterwards: each change "
                    "empties caches and stops reading ahead.",
                    MOVES, SEVERITY_MEDIUM},
    [ID_REREAD] = {"reread", "a rank reads the same bytes again",
                   "Keep what was read; with HDF5 enlarge the chunk cache "
                   "(H5Pset_chunk_cache).",
                   AGAIN, SEVERITY_HIGH},
    [ID_REWRITE] = {"rewrite", "bytes are overwritten before anyone reads them",
                    "Write each byte once: keep it in memory until it is final; with "
                    "HDF5 set the fill time to NEVER (H5Pset_fill_time).",
                    AGAIN, SEVERITY_HIGH},
    [ID_READ_BY_ALL] = {"read-by-all", "all ranks read the same bytes",
                        "Let one rank read and MPI_Bcast, or call "
                        "MPI_File_read_at_all.",
                        AGAIN, SEVERITY_HIGH},
    [ID_TEMPORARY] = {"temporary", "temporary files are on a network file system",
                      "Put them on a disk of the node ($TMPDIR), or open them with "
                      "O_TMPFILE there.",
                      OPENS, SEVERITY_MEDIUM},
    [ID_ONE_RANK] = {"one-rank", "one rank moves nearly all bytes",
                     "Let every rank write its own part: MPI_File_write_at_all, or "
                     "parallel HDF5 or netCDF.",
                     RANKS, SEVERITY_HIGH},
    [ID_TURNS] = {"turns", "ranks access the file one after the other",
                  "Their parts do not overlap, so they need not wait: compute the "
                  "offsets with MPI_Exscan and write at the same time.",
                  RANKS, SEVERITY_HIGH},
    [ID_LATE] = {"late-rank", "all ranks wait for one that arrives late",
                 "Balance the work before the collective call; it is not the I/O that "
                 "takes this time.",
                 RANKS, SEVERITY_HIGH},
    [ID_SLOW] = {"slow-rank", "a rank is slower than the others at the same work",
                 "Look at its host, its target (OST) and its open flags (O_SYNC, "
                 "O_DIRECT).",
                 RANKS, SEVERITY_HIGH},
    [ID_UNEQUAL] = {"unequal-bytes", "a rank moves more bytes than the others",
                    "Decompose the data so that all ranks move equally many bytes.",
                    RANKS, SEVERITY_HIGH},
    [ID_OPEN] = {"open-per-transfer", "a file is opened again for each transfer",
                 "Open it once and keep it open.", OPENS, SEVERITY_HIGH},
    [ID_STAT] = {"repeated-stat", "metadata is looked up repeatedly",
                 "Keep the result, or let rank 0 look it up and MPI_Bcast it.", STATS,
                 SEVERITY_HIGH},
    [ID_SEEKS] = {"seeks", "a seek for each transfer",
                  "Use pread and pwrite, which take the offset. SEEK_END asks the "
                  "servers for the size: keep track of it.",
                  SEEKS, SEVERITY_HIGH},
    [ID_SYNC] = {"sync-heavy", "data is flushed to storage too often",
                 "Call fsync once at the end, or fdatasync at checkpoints.", SYNCS,
                 SEVERITY_HIGH},
    [ID_LOCK_TIME] = {"lock-time", "much time is spent on file locks",
                      "Set HDF5_USE_FILE_LOCKING=FALSE if no other program writes, and "
                      "disable data sieving.",
                      SYNCS, SEVERITY_HIGH},
    [ID_MANY] = {"many-files", "many small files",
                 "Put them into a container (HDF5, tar, subfiling); on Lustre use "
                 "DoM and lfs mkdir -c.",
                 OPENS, SEVERITY_MEDIUM},
    [ID_OVERLAP] = {"no-overlap", "ranks compute and transfer in turn",
                    "Let transfers go on while computing: MPI_File_iwrite, the event "
                    "sets of HDF5 (H5Dwrite_async), io_uring, or a thread.",
                    PACE, SEVERITY_HIGH},
    [ID_ASYNC] = {"async-blocks", "asynchronous transfers do not run in the background",
                  "Keep several in flight; with libaio open the file with O_DIRECT, as "
                  "io_submit waits otherwise; or take another engine (io_uring).",
                  PACE, SEVERITY_HIGH},
    [ID_HDF5_META] = {"hdf5-metadata", "every rank reads or writes HDF5's metadata",
                      "Let one rank do it for all: H5Pset_all_coll_metadata_ops and "
                      "H5Pset_coll_metadata_write.",
                      HDF5, SEVERITY_HIGH},
    [ID_HDF5_FILL] = {"hdf5-fill", "HDF5 writes fill values that data overwrites",
                      "Set the fill time to never: H5Pset_fill_time(plist, "
                      "H5D_FILL_TIME_NEVER).",
                      HDF5, SEVERITY_HIGH},
    [ID_RACE] = {"overlapping-writes", "ranks write the same bytes at the same time",
                 "Which write wins is undefined: let one rank write each byte, or put "
                 "a barrier between the writes.",
                 0, SEVERITY_BELOW},
    [ID_STALE] = {"cross-rank-read",
                  "a rank reads data that may not be visible to it yet",
                  "MPI_File_sync, MPI_Barrier, MPI_File_sync between the write and the "
                  "read; or close there, then open here.",
                  0, SEVERITY_BELOW},
    [ID_FAILED] = {"failed-io", "calls failed, or moved less than asked for",
                   "Look at the space, the quota and the state of the file system; "
                   "check what each write returns, and write the rest.",
                   0, SEVERITY_BELOW},
    [ID_REFUSED] = {"direct-unaligned", "transfers that are not aligned for O_DIRECT",
                    "Take memory from posix_memalign, transfer whole blocks, and write "
                    "a shorter last piece without O_DIRECT (fcntl with F_SETFL).",
                    0, SEVERITY_BELOW},
    [ID_RENAMED] = {"rename-unsynced", "a file is renamed before it is durable",
                    "Call fsync on it before rename: after a crash the file with the "
                    "new name may be empty.",
                    0, SEVERITY_BELOW}};
