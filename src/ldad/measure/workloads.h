/* The workloads, as the command calls them: each starts MPI as a program of its own. */
#ifndef LDAD_MEASURE_WORKLOADS_H
#define LDAD_MEASURE_WORKLOADS_H

/* argv[0] is the workload's name, its options follow. Return the exit status. */
int workload_perf(int argc, char **argv);
int workload_mandelbrot(int argc, char **argv);
int workload_jacobi(int argc, char **argv);
int workload_fft(int argc, char **argv);

#endif
