# LL_SUMMARY
# Prints what was found, what was left out and why: the last lines of configure.
AC_DEFUN([LL_SUMMARY], [
  ll_full="full and I/O mode"
  AM_COND_IF([HAVE_SCALAPACK], [], [ll_full="I/O mode only (no ScaLAPACK)"])
  ll_python=$PYTHON
  AS_IF([test "x$PYTHON" = x:], [ll_python="not found: leadline will not run"])
  AS_ECHO(["
Leadline
  compiler      $MPI_CC $CFLAGS
  MPI           $MPI_FLAVOUR, launched with $MPIEXEC
  ScaLAPACK     $SCALAPACK_WHY
  HDF5          $HDF5_WHY
  PnetCDF       $PNETCDF_WHY
  liburing      $URING_WHY
  libaio        $LIBAIO_WHY
  libpng        $LIBPNG_WHY
  zlib          $ZLIB_WHY
  expat         $EXPAT_WHY
  CFITSIO       $CFITSIO_WHY
  FFTW          $FFTW_WHY
  libfuse       $FUSE_WHY
  clang         $CLANG_WHY
  Python        $ll_python
  installs to   $prefix

  blocktransfer built
  madbench      built: $ll_full
"])
])
