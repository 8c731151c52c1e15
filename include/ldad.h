/* libldad: the calls of MPI-IO on files whose storage fits the ranks' access patterns.
 *
 *     #include <ldad.h>
 *     MPI_Info_set(info, "ldad_method", "partitioned");
 *     MPI_Info_set(info, "ldad_plan",
 *                  "ranks=4 step=512 start=0 [span=65536 stride=2048 size=512]");
 *     ldad_file_open(comm, "results", MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh);
 *     ldad_file_write_at_all(fh, offset, buf, count, MPI_DOUBLE, &status);
 *     ldad_file_close(&fh);
 *
 * A code is converted by renaming its calls (ldad_rename.h does it for a whole source
 * file). ldad(3) describes the keys of the MPI_Info, the plan's text, and the
 * differences from MPI-IO. */
#ifndef LDAD_H
#define LDAD_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ldad_open_file *ldad_file;

/* All functions return MPI_SUCCESS or an MPI error class, after they have called the
 * file's error handler. **Collective** functions are collective on the communicator of
 * the open. */

/* **Collective** on `comm`, which is duplicated. Returns the same verdict on every
 * rank; a failed open leaves nothing open. */
int ldad_file_open(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                   ldad_file *fh);

/* **Collective** on `comm`. Opens with the method partitioned and a plan that is
 * formatted as by printf ("ranks=" and the number of ranks are put before it), unless
 * `info` names others. An impossible plan is ignored, for example that of a program
 * without data. */
int ldad_file_open_plan(MPI_Comm comm, const char *path, int amode, MPI_Info info,
                        ldad_file *fh, const char *plan, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 6, 7)))
#endif
    ;

/* **Collective.** Closes the file and sets *fh to NULL, even if it fails. */
int ldad_file_close(ldad_file *fh);

/* Local: one rank calls it, when nobody has the file open. Removes every file on disk
 * that stores this path with the method and the plan of `info`; for a container any
 * `info` will do. */
int ldad_file_delete(const char *path, MPI_Info info);

/* **Collective.** Not with the method hdf5; preallocate not with unique. */
int ldad_file_set_size(ldad_file fh, MPI_Offset size);
int ldad_file_preallocate(ldad_file fh, MPI_Offset size);

/* **Collective.** Writes this rank's data to stable storage. */
int ldad_file_sync(ldad_file fh);

/* **Collective**, and Local. Atomic mode locks the bytes of each transfer. Files that
 * are stored by rank do not have it. */
int ldad_file_set_atomicity(ldad_file fh, int flag);
int ldad_file_get_atomicity(ldad_file fh, int *flag);

/* Local. Return properties of the file; the caller frees the group and the info. */
int ldad_file_get_size(ldad_file fh, MPI_Offset *size);
int ldad_file_get_group(ldad_file fh, MPI_Group *group);
int ldad_file_get_amode(ldad_file fh, int *amode);
int ldad_file_get_info(ldad_file fh, MPI_Info *info);

/* **Collective.** Ignores the keys: none can be changed while a file is open. */
int ldad_file_set_info(ldad_file fh, MPI_Info info);

/* **Collective**, and Local. Views may have any datatypes whose offsets do not
 * decrease. Setting a view sets the file pointers to 0. The caller frees the types that
 * it gets. */
int ldad_file_set_view(ldad_file fh, MPI_Offset disp, MPI_Datatype etype,
                       MPI_Datatype filetype, const char *datarep, MPI_Info info);
int ldad_file_get_view(ldad_file fh, MPI_Offset *disp, MPI_Datatype *etype,
                       MPI_Datatype *filetype, char *datarep);

/* Local. Offsets count etypes of the view, which are bytes unless one was set. */
int ldad_file_get_byte_offset(ldad_file fh, MPI_Offset offset, MPI_Offset *disp);
int ldad_file_get_type_extent(ldad_file fh, MPI_Datatype type, MPI_Aint *extent);
int ldad_file_get_type_extent_c(ldad_file fh, MPI_Datatype type, MPI_Count *extent);

/* Local. This rank's own file pointer, in etypes. */
int ldad_file_seek(ldad_file fh, MPI_Offset offset, int whence);
int ldad_file_get_position(ldad_file fh, MPI_Offset *offset);

/* **Collective**, and Local. The pointer that all ranks share. */
int ldad_file_seek_shared(ldad_file fh, MPI_Offset offset, int whence);
int ldad_file_get_position_shared(ldad_file fh, MPI_Offset *offset);

/* ---- transfers ------------------------------------------------------------------- */

/* Local, and refused by the methods whose transfers are collective. Transfers at an
 * offset, at this rank's pointer, and at the shared pointer. A read across the end of
 * the file succeeds with a short count in the status. */
int ldad_file_write_at(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                       MPI_Datatype type, MPI_Status *status);
int ldad_file_write(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                    MPI_Status *status);
int ldad_file_write_shared(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                           MPI_Status *status);
int ldad_file_read_at(ldad_file fh, MPI_Offset offset, void *buf, int count,
                      MPI_Datatype type, MPI_Status *status);
int ldad_file_read(ldad_file fh, void *buf, int count, MPI_Datatype type,
                   MPI_Status *status);
int ldad_file_read_shared(ldad_file fh, void *buf, int count, MPI_Datatype type,
                          MPI_Status *status);

/* **Collective** in form: every rank calls, in the same order. The method decides
 * whether ranks then wait for each other; in _ordered calls they do. */
int ldad_file_write_at_all(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                           MPI_Datatype type, MPI_Status *status);
int ldad_file_write_all(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                        MPI_Status *status);
int ldad_file_write_ordered(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                            MPI_Status *status);
int ldad_file_read_at_all(ldad_file fh, MPI_Offset offset, void *buf, int count,
                          MPI_Datatype type, MPI_Status *status);
int ldad_file_read_all(ldad_file fh, void *buf, int count, MPI_Datatype type,
                       MPI_Status *status);
int ldad_file_read_ordered(ldad_file fh, void *buf, int count, MPI_Datatype type,
                           MPI_Status *status);

/* Local. The call makes the transfer and returns a request that is complete. */
int ldad_file_iwrite_at(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                        MPI_Datatype type, MPI_Request *request);
int ldad_file_iwrite(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                     MPI_Request *request);
int ldad_file_iwrite_shared(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                            MPI_Request *request);
int ldad_file_iread_at(ldad_file fh, MPI_Offset offset, void *buf, int count,
                       MPI_Datatype type, MPI_Request *request);
int ldad_file_iread(ldad_file fh, void *buf, int count, MPI_Datatype type,
                    MPI_Request *request);
int ldad_file_iread_shared(ldad_file fh, void *buf, int count, MPI_Datatype type,
                           MPI_Request *request);

/* **Collective.** The same; with the methods whose transfers are collective, ranks wait
 * for each other in the call. */
int ldad_file_iwrite_at_all(ldad_file fh, MPI_Offset offset, const void *buf, int count,
                            MPI_Datatype type, MPI_Request *request);
int ldad_file_iwrite_all(ldad_file fh, const void *buf, int count, MPI_Datatype type,
                         MPI_Request *request);
int ldad_file_iread_at_all(ldad_file fh, MPI_Offset offset, void *buf, int count,
                           MPI_Datatype type, MPI_Request *request);
int ldad_file_iread_all(ldad_file fh, void *buf, int count, MPI_Datatype type,
                        MPI_Request *request);

/* **Collective.** Split transfers, one at a time. The _begin call makes
 * the transfer. */
int ldad_file_write_at_all_begin(ldad_file fh, MPI_Offset offset, const void *buf,
                                 int count, MPI_Datatype type);
int ldad_file_write_at_all_end(ldad_file fh, const void *buf, MPI_Status *status);
int ldad_file_write_all_begin(ldad_file fh, const void *buf, int count,
                              MPI_Datatype type);
int ldad_file_write_all_end(ldad_file fh, const void *buf, MPI_Status *status);
int ldad_file_write_ordered_begin(ldad_file fh, const void *buf, int count,
                                  MPI_Datatype type);
int ldad_file_write_ordered_end(ldad_file fh, const void *buf, MPI_Status *status);
int ldad_file_read_at_all_begin(ldad_file fh, MPI_Offset offset, void *buf, int count,
                                MPI_Datatype type);
int ldad_file_read_at_all_end(ldad_file fh, void *buf, MPI_Status *status);
int ldad_file_read_all_begin(ldad_file fh, void *buf, int count, MPI_Datatype type);
int ldad_file_read_all_end(ldad_file fh, void *buf, MPI_Status *status);
int ldad_file_read_ordered_begin(ldad_file fh, void *buf, int count, MPI_Datatype type);
int ldad_file_read_ordered_end(ldad_file fh, void *buf, MPI_Status *status);

/* The calls above, with counts that exceed an int. */
int ldad_file_write_at_c(ldad_file fh, MPI_Offset offset, const void *buf,
                         MPI_Count count, MPI_Datatype type, MPI_Status *status);
int ldad_file_write_c(ldad_file fh, const void *buf, MPI_Count count, MPI_Datatype type,
                      MPI_Status *status);
int ldad_file_write_shared_c(ldad_file fh, const void *buf, MPI_Count count,
                             MPI_Datatype type, MPI_Status *status);
int ldad_file_read_at_c(ldad_file fh, MPI_Offset offset, void *buf, MPI_Count count,
                        MPI_Datatype type, MPI_Status *status);
int ldad_file_read_c(ldad_file fh, void *buf, MPI_Count count, MPI_Datatype type,
                     MPI_Status *status);
int ldad_file_read_shared_c(ldad_file fh, void *buf, MPI_Count count, MPI_Datatype type,
                            MPI_Status *status);
int ldad_file_write_at_all_c(ldad_file fh, MPI_Offset offset, const void *buf,
                             MPI_Count count, MPI_Datatype type, MPI_Status *status);
int ldad_file_write_all_c(ldad_file fh, const void *buf, MPI_Count count,
                          MPI_Datatype type, MPI_Status *status);
int ldad_file_write_ordered_c(ldad_file fh, const void *buf, MPI_Count count,
                              MPI_Datatype type, MPI_Status *status);
int ldad_file_read_at_all_c(ldad_file fh, MPI_Offset offset, void *buf, MPI_Count count,
                            MPI_Datatype type, MPI_Status *status);
int ldad_file_read_all_c(ldad_file fh, void *buf, MPI_Count count, MPI_Datatype type,
                         MPI_Status *status);
int ldad_file_read_ordered_c(ldad_file fh, void *buf, MPI_Count count,
                             MPI_Datatype type, MPI_Status *status);
int ldad_file_iwrite_at_c(ldad_file fh, MPI_Offset offset, const void *buf,
                          MPI_Count count, MPI_Datatype type, MPI_Request *request);
int ldad_file_iwrite_c(ldad_file fh, const void *buf, MPI_Count count,
                       MPI_Datatype type, MPI_Request *request);
int ldad_file_iwrite_shared_c(ldad_file fh, const void *buf, MPI_Count count,
                              MPI_Datatype type, MPI_Request *request);
int ldad_file_iread_at_c(ldad_file fh, MPI_Offset offset, void *buf, MPI_Count count,
                         MPI_Datatype type, MPI_Request *request);
int ldad_file_iread_c(ldad_file fh, void *buf, MPI_Count count, MPI_Datatype type,
                      MPI_Request *request);
int ldad_file_iread_shared_c(ldad_file fh, void *buf, MPI_Count count,
                             MPI_Datatype type, MPI_Request *request);
int ldad_file_iwrite_at_all_c(ldad_file fh, MPI_Offset offset, const void *buf,
                              MPI_Count count, MPI_Datatype type, MPI_Request *request);
int ldad_file_iwrite_all_c(ldad_file fh, const void *buf, MPI_Count count,
                           MPI_Datatype type, MPI_Request *request);
int ldad_file_iread_at_all_c(ldad_file fh, MPI_Offset offset, void *buf,
                             MPI_Count count, MPI_Datatype type, MPI_Request *request);
int ldad_file_iread_all_c(ldad_file fh, void *buf, MPI_Count count, MPI_Datatype type,
                          MPI_Request *request);
int ldad_file_write_at_all_begin_c(ldad_file fh, MPI_Offset offset, const void *buf,
                                   MPI_Count count, MPI_Datatype type);
int ldad_file_write_all_begin_c(ldad_file fh, const void *buf, MPI_Count count,
                                MPI_Datatype type);
int ldad_file_write_ordered_begin_c(ldad_file fh, const void *buf, MPI_Count count,
                                    MPI_Datatype type);
int ldad_file_read_at_all_begin_c(ldad_file fh, MPI_Offset offset, void *buf,
                                  MPI_Count count, MPI_Datatype type);
int ldad_file_read_all_begin_c(ldad_file fh, void *buf, MPI_Count count,
                               MPI_Datatype type);
int ldad_file_read_ordered_begin_c(ldad_file fh, void *buf, MPI_Count count,
                                   MPI_Datatype type);

/* ---- errors ---------------------------------------------------------------------- */

/* Local. Handlers of a file; with NULL, of files that are opened and removed from now
 * on (initially MPI_ERRORS_RETURN). They are called with an ldad_file. */
typedef void ldad_file_errhandler_function(ldad_file *fh, int *code, ...);
int ldad_file_create_errhandler(ldad_file_errhandler_function *function,
                                MPI_Errhandler *handler);
int ldad_file_set_errhandler(ldad_file fh, MPI_Errhandler handler);
int ldad_file_get_errhandler(ldad_file fh, MPI_Errhandler *handler);
int ldad_file_call_errhandler(ldad_file fh, int code);

/* Local. Convert an open file to a number, and back. */
MPI_Fint ldad_file_c2f(ldad_file fh);
ldad_file ldad_file_f2c(MPI_Fint number);

/* Local. Always MPI_ERR_UNSUPPORTED_OPERATION: files are native. */
int ldad_file_register_datarep(const char *datarep,
                               MPI_Datarep_conversion_function *read,
                               MPI_Datarep_conversion_function *write,
                               MPI_Datarep_extent_function *extent, void *extra);

/* ---- beyond MPI-IO --------------------------------------------------------------- */

/* **Collective** on `comm`. Writes the plan of files that ranks access through
 * these views to plan[room], as text for the key ldad_plan. Returns MPI_ERR_ARG,
 * with a message, if there is no such plan: views overlap, or are too irregular for
 * one line. */
int ldad_plan_from_filetypes(MPI_Comm comm, MPI_Offset disp, MPI_Datatype etype,
                             MPI_Datatype filetype, char *plan, int room);

/* Local. Counts how well this rank's writes so far fit the file's plan. */
struct ldad_fit {
    MPI_Offset parts;   /* partitions; 0: there is no plan, and all bytes are shared */
    MPI_Offset misfits; /* writes that did not fit the plan; they are in the
                         * shared part */
    MPI_Offset misfit_bytes;
};
int ldad_file_fit(ldad_file fh, struct ldad_fit *fit);

/* Local. The number of ranks, on which plans depend. */
int ldad_file_ranks(MPI_Comm comm);

/* Local. One sentence on the first failure since the last call of this function, or "".
 * Valid until the next call of this library. */
const char *ldad_file_error(void);

#ifdef __cplusplus
}
#endif

#endif
