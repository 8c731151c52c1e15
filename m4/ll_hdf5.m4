# LL_HDF5
# Parallel HDF5 of *this* MPI. Sets HDF5_CFLAGS, HDF5_LIBS, HDF5_WHY (for the
# summary) and the conditional HAVE_HDF5. A serial HDF5 is refused: the engines
# open files through MPI-IO.
AC_DEFUN([LL_HDF5], [
  AC_ARG_WITH([hdf5], [AS_HELP_STRING([--without-hdf5],
    [do not look for parallel HDF5])], [], [with_hdf5=check])
  HDF5_WHY="left out: --without-hdf5"
  ll_have=no
  AS_IF([test "x$with_hdf5" != xno], [
    HDF5_WHY="no parallel HDF5 found for $MPI_FLAVOUR (libhdf5-$MPI_FLAVOUR-dev in Debian)"
    PKG_CHECK_MODULES([HDF5], [hdf5-$MPI_FLAVOUR], [ll_have=yes],
      [PKG_CHECK_MODULES([HDF5], [hdf5], [ll_have=yes], [ll_have=no])])
    AS_IF([test $ll_have = yes], [
      ll_save_CPPFLAGS=$CPPFLAGS; CPPFLAGS="$CPPFLAGS $HDF5_CFLAGS"
      ll_save_LIBS=$LIBS
      AC_MSG_CHECKING([whether HDF5 is parallel and of this MPI])
      AC_LANG_CONFTEST([AC_LANG_PROGRAM([[
#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error serial
#endif
]], [[H5Pset_fapl_mpio(H5P_DEFAULT, MPI_COMM_WORLD, MPI_INFO_NULL)]])])
      # Where HDF5 is a shared library, the libraries that pkg-config names beside it
      # (MPICH's own, for one) are not the programs' business.
      ll_all=$HDF5_LIBS ll_few=
      for ll_word in $HDF5_LIBS; do
        AS_CASE([$ll_word], [-lhdf5*], [], [-l*], [continue])
        ll_few="$ll_few $ll_word"
      done
      ll_have=no
      for HDF5_LIBS in "$ll_few" "$ll_all"; do
        LIBS="$HDF5_LIBS $ll_save_LIBS"
        AC_LINK_IFELSE([], [LL_ONE_MPI([./conftest$EXEEXT], [ll_have=yes; break],
          [HDF5_WHY="left out: it is built for another MPI"])])
      done
      rm -f conftest.$ac_ext
      AC_MSG_RESULT([$ll_have])
      CPPFLAGS=$ll_save_CPPFLAGS; LIBS=$ll_save_LIBS
    ])
    AS_IF([test $ll_have = yes], [HDF5_WHY=$HDF5_LIBS],
      [test "x$with_hdf5" = xyes], [AC_MSG_ERROR([--with-hdf5 was asked for, but: $HDF5_WHY])])
  ])
  AM_CONDITIONAL([HAVE_HDF5], [test $ll_have = yes])
])
