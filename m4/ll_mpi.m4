# LL_MPI
# Which MPI is behind CC, and the launcher that belongs to it. Sets
#   MPI_FLAVOUR  mpich, openmpi or other (from mpi.h's own macros)
#   MPIEXEC      the launcher beside the wrapper: mpicc.X -> mpiexec.X, else
#                mpicc's directory, else PATH. The user's MPIEXEC=... wins.
# Stops where CC cannot build an MPI program: nothing of the suite works without.
AC_DEFUN([LL_MPI], [
  AC_ARG_VAR([MPIEXEC], [launcher that belongs to CC (default: derived from CC)])
  AC_MSG_CHECKING([for MPI behind $CC])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0)]])], [],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$CC cannot build an MPI program: give an MPI compiler wrapper, as in ./configure CC=mpicc.mpich])])
  MPI_FLAVOUR=other
  LL_IF_MACRO([OPEN_MPI], [MPI_FLAVOUR=openmpi])
  LL_IF_MACRO([MPICH_VERSION], [MPI_FLAVOUR=mpich])
  AC_MSG_RESULT([$MPI_FLAVOUR])

  AC_MSG_CHECKING([for the launcher of $CC])
  AS_IF([test -z "$MPIEXEC"], [
    ll_cc=
    for ll_word in $CC; do # "ccache mpicc.mpich -m64"
      AS_CASE([`AS_BASENAME(["$ll_word"])`], [mpi*], [ll_cc=$ll_word; break])
    done
    set dummy ${ll_cc:-$CC}; ll_cc=$[2]
    ll_cc_path=`command -v "$ll_cc"`
    ll_dir=`AS_DIRNAME(["$ll_cc_path"])`
    ll_name=`AS_BASENAME(["$ll_cc"])`
    ll_suffix=`AS_ECHO(["$ll_name"]) | sed -n 's/^mpicc//p'`
    for ll_exec in "$ll_dir/mpiexec$ll_suffix" "$ll_dir/mpiexec.$MPI_FLAVOUR" \
        "$ll_dir/mpirun$ll_suffix" "$ll_dir/mpiexec" ; do
      AS_IF([test -x "$ll_exec"], [MPIEXEC=$ll_exec; break])
    done
    AS_IF([test -z "$MPIEXEC"], [MPIEXEC=mpiexec])
  ])
  AC_MSG_RESULT([$MPIEXEC])
  AC_SUBST([MPI_FLAVOUR])
])

# LL_IF_MACRO(MACRO, IF-DEFINED-BY-MPI.H)
AC_DEFUN([LL_IF_MACRO], [
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <mpi.h>
#ifndef $1
#error no
#endif
]])], [$2])
])
