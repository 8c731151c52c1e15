/* mandelbrot: ranks compute rows of a picture and write them to a shared file; then
 * each rank reads a band of the picture, as a viewer does. */
#ifndef LDAD_WORKLOADS_MANDELBROT_H
#define LDAD_WORKLOADS_MANDELBROT_H

#include <mpi.h>

struct mandelbrot {
    MPI_Offset width, height; /* in pixels of one byte */
    MPI_Offset rows;          /* rows that are computed and written at once */
    int slabs;                /* a rank's rows are contiguous; 0: ranks take turns */
    unsigned char *strip;     /* rows x width */
};

/* **Collective.** Write the picture, and view it. Return 0, or another number if a call
 * failed on this rank. */
int mandelbrot_write(const struct mandelbrot *p, MPI_Comm comm, const char *path,
                     MPI_Info info);
int mandelbrot_view(const struct mandelbrot *p, MPI_Comm comm, const char *path,
                    MPI_Info info);

/* Functions of the user: mandelbrot_render computes `rows` rows from `first` on into
 * the strip, and mandelbrot_check checks those that were read. */
void mandelbrot_render(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows);
void mandelbrot_check(const struct mandelbrot *p, MPI_Offset first, MPI_Offset rows);

#endif
