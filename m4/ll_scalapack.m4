# LL_SCALAPACK
# ScaLAPACK of *this* MPI. Sets SCALAPACK_LIBS, SCALAPACK_WHY (for the summary)
# and the conditional HAVE_SCALAPACK. pkg-config is not asked: Debian's
# scalapack-mpich.pc requires "mpi", which is Open MPI's. LIBS is restored, or
# everything would link it. libm comes first, or the linker finds it missing.
AC_DEFUN([LL_SCALAPACK], [
  AC_ARG_VAR([SCALAPACK_LIBS], [how to link ScaLAPACK, as in "-L/opt/x -lscalapack"])
  AC_ARG_WITH([scalapack], [AS_HELP_STRING([--without-scalapack],
    [madbench in I/O mode only, without its linear algebra])], [], [with_scalapack=check])
  SCALAPACK_WHY="left out: --without-scalapack"
  ll_have=no
  AS_IF([test "x$with_scalapack" != xno], [
    SCALAPACK_WHY="not found for $MPI_FLAVOUR (libscalapack-$MPI_FLAVOUR-dev in Debian)"
    ll_save_LIBS=$LIBS
    AS_IF([test -n "$SCALAPACK_LIBS"], [
      LIBS="$SCALAPACK_LIBS -lm $LIBS"
      AC_MSG_CHECKING([for pdpotrf_ in $SCALAPACK_LIBS])
      AC_LINK_IFELSE([AC_LANG_CALL([], [pdpotrf_])], [ll_have=yes])
      AC_MSG_RESULT([$ll_have])
    ], [
      LIBS="-lm $LIBS"
      ll_base_LIBS=$LIBS
      AC_SEARCH_LIBS([pdpotrf_],
        [scalapack-$MPI_FLAVOUR scalapack], [ll_have=yes], [],
        [-llapack -lblas -lm])
      AS_IF([test $ll_have = yes && test "x$ac_cv_search_pdpotrf_" != "xnone required"],
        [SCALAPACK_LIBS="$ac_cv_search_pdpotrf_ -llapack -lblas -lm"])
    ])
    LIBS=$ll_save_LIBS
    AS_IF([test $ll_have = yes], [SCALAPACK_WHY=$SCALAPACK_LIBS],
      [test "x$with_scalapack" = xyes],
      [AC_MSG_ERROR([--with-scalapack was asked for, but ScaLAPACK is $SCALAPACK_WHY])])
  ])
  AM_CONDITIONAL([HAVE_SCALAPACK], [test $ll_have = yes])
])
