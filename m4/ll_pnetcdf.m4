# LL_ONE_MPI(PROGRAM, YES, NO)
# Whether what was linked needs no more than one MPI library. Their versions count:
# libmpi.so.12 and libmpi.so.40 are two.
AC_DEFUN([LL_ONE_MPI], [
  ll_mpis=`ldd $1 2>/dev/null |
    sed -n 's/^[[ 	]]*\(libmpi[[a-z]]*\.so[[.0-9]]*\) .*/\1/p' |
    grep -v -e '^libmpifort' -e '^libmpicxx' -e '^libmpifh' | sort -u | grep -c .`
  AS_IF([test "$ll_mpis" -le 1], [$2], [$3])
])

# LL_PNETCDF
# PnetCDF, for a test of libiotrace.so only, which itself needs nothing of it. It must be
# one for the MPI that programs are built with: what is linked with it must not have two.
# Sets PNETCDF_LIBS, PNETCDF_WHY (for the summary) and the conditional HAVE_PNETCDF.
AC_DEFUN([LL_PNETCDF], [
  PNETCDF_WHY="not found (libpnetcdf-dev in Debian, for Open MPI)"
  ll_have=no
  ll_libs=$LIBS
  LIBS="-lpnetcdf $LIBS"
  AC_MSG_CHECKING([for PnetCDF with this MPI])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <pnetcdf.h>]],
      [[MPI_Init(0, 0); return ncmpi_close(0);]])],
    [LL_ONE_MPI([./conftest$EXEEXT], [ll_have=yes PNETCDF_LIBS=-lpnetcdf
       PNETCDF_WHY="-lpnetcdf, for tests"],
       [PNETCDF_WHY="left out: it is built for another MPI"])])
  AC_MSG_RESULT([$ll_have])
  LIBS=$ll_libs
  AC_SUBST([PNETCDF_LIBS])
  AM_CONDITIONAL([HAVE_PNETCDF], [test $ll_have = yes])
])
