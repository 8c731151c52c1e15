/* libldad: files with the calls of MPI-IO, stored in the way that suits who writes
 * what.
 *
 *     #include <ldad.h>
 *     MPI_Info_set(info, "ldad_method", "partitioned");
 *     MPI_Info_set(info, "ldad_plan",
 *                  "ranks=4 step=512 start=0 [span=65536 stride=2048 size=512]");
 *     ldad_file_open(comm, "results", MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh);
 *     ldad_file_write_at_all(fh, offset, buf, count, MPI_DOUBLE, &status);
 *     ldad_file_close(&fh);
 *
 * A code is changed by renaming its calls (ldad_rename.h does it for a whole source
 * file). Keys of the MPI_Info, the plan's text, and what is different: ldad(3). */
#ifndef LDAD_H
#define LDAD_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ldad_open_file *ldad_file;

/* **Collective** on `comm`. The same verdict on every rank; what failed leaves nothing
 * open. Returns MPI_SUCCESS or an MPI error class, as all functions here do. */
int ldad_file_open(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                   ldad_file *fh);

/* **Collective** on `comm`. The same, with a plan that is put together as printf does
 * (with "ranks=" and their number before it) and the method partitioned, unless `info`
 * names others. A plan that cannot be, as where a program has no data, is none. */
int ldad_file_open_plan(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                        ldad_file *fh, const char *plan, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 6, 7)))
#endif
    ;

/* **Collective.** Ends the use of the file even where it fails; *fh is NULL then. */
int ldad_file_close(ldad_file *fh);

/* Local: one rank calls it, when nobody has the file open. Removes all of the files
 * that a file of this path, with the method and the plan of `info`, consists of; a
 * container with any `info`. */
int ldad_file_delete(const char *path, MPI_Info info);

/* **Collective.** Not with the methods hdf5 and partitioned. */
int ldad_file_set_size(ldad_file fh, MPI_Offset size);

/* **Collective.** What this rank has written is on stable storage. */
int ldad_file_sync(ldad_file fh);

/* Local, and refused with the methods whose transfers are collective. `offset` counts
 * etypes of the view, which are bytes unless one was set; the datatype has no gaps. A
 * read across the end of the file succeeds with a short count in the status. */
int ldad_file_write_at(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                       MPI_Datatype type, MPI_Status *status);
int ldad_file_read_at(ldad_file fh, MPI_Offset offset, void *buf, int count,
                      MPI_Datatype type, MPI_Status *status);

/* **Collective** in form: every rank calls, in the same order. Whether ranks then wait
 * for each other is up to the method. */
int ldad_file_write_at_all(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                           MPI_Datatype type, MPI_Status *status);
int ldad_file_read_at_all(ldad_file fh, MPI_Offset offset, void *buf, int count,
                          MPI_Datatype type, MPI_Status *status);

/* **Collective.** As in MPI, with etypes and filetypes that have no gaps: the file from
 * byte `disp` on, in units of `etype`. The file pointer is at 0 then. */
int ldad_file_set_view(ldad_file fh, MPI_Offset disp, MPI_Datatype etype,
                       MPI_Datatype filetype, const char *datarep, MPI_Info info);

/* Local. This rank's own file pointer, in etypes; MPI_SEEK_SET or MPI_SEEK_CUR. */
int ldad_file_seek(ldad_file fh, MPI_Offset offset, int whence);
int ldad_file_get_position(ldad_file fh, MPI_Offset *offset);

/* As the calls above, at the file pointer, which moves on by what was transferred. */
int ldad_file_write(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                    MPI_Status *status);
int ldad_file_read(ldad_file fh, void *buf, int count, MPI_Datatype type,
                   MPI_Status *status);
int ldad_file_write_all(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                        MPI_Status *status);
int ldad_file_read_all(ldad_file fh, void *buf, int count, MPI_Datatype type,
                       MPI_Status *status);

/* Local. How many ranks: what plans depend on. */
int ldad_file_ranks(MPI_Comm comm);

/* Local. One sentence on the first failure since it was last asked for, or "". Valid
 * until the next call of this library. */
const char *ldad_file_error(void);

#ifdef __cplusplus
}
#endif

#endif
