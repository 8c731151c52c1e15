/* Makes a source file's MPI-IO calls those of libldad: include it after <mpi.h>, or
 * compile with -include ldad_rename.h. What libldad does not have does not compile. */
#ifndef LDAD_RENAME_H
#define LDAD_RENAME_H

#include <ldad.h>

#undef MPI_FILE_NULL
#define MPI_FILE_NULL ((ldad_file)0)
#define MPI_File ldad_file
#define MPI_File_open ldad_file_open
#define MPI_File_close ldad_file_close
#define MPI_File_delete ldad_file_delete
#define MPI_File_set_size ldad_file_set_size
#define MPI_File_sync ldad_file_sync
#define MPI_File_write_at ldad_file_write_at
#define MPI_File_read_at ldad_file_read_at
#define MPI_File_write_at_all ldad_file_write_at_all
#define MPI_File_read_at_all ldad_file_read_at_all
#define MPI_File_set_view ldad_file_set_view
#define MPI_File_seek ldad_file_seek
#define MPI_File_get_position ldad_file_get_position
#define MPI_File_write ldad_file_write
#define MPI_File_read ldad_file_read
#define MPI_File_write_all ldad_file_write_all
#define MPI_File_read_all ldad_file_read_all

#endif
