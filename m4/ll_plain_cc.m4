# LL_PLAIN_CC
# The compiler behind CC, for what must not be linked with MPI: the recorder that any
# program preloads. Sets PLAIN_CC; the user's PLAIN_CC=... wins.
AC_DEFUN([LL_PLAIN_CC], [
  AC_ARG_VAR([PLAIN_CC], [compiler without MPI, for libiotrace.so (default: the one behind CC)])
  AC_MSG_CHECKING([for the compiler behind $CC])
  AS_IF([test -z "$PLAIN_CC"], [
    for ll_ask in --showme:command -show ; do
      set dummy `$CC $ll_ask 2>/dev/null` ; shift
      AS_IF([test $[#] -gt 0 && command -v "$[1]" >/dev/null 2>&1],
        [PLAIN_CC=$[1]; break])
    done
    AS_IF([test -z "$PLAIN_CC"], [PLAIN_CC=cc])
  ])
  AC_MSG_RESULT([$PLAIN_CC])
])

# LL_COMPILE_CC
# MPICH's wrapper starts a process for each of its arguments, and so takes as long as the
# compiler. Sets CC to the compiler that the wrapper shows, if that compiles, CPPFLAGS to
# have the wrapper's flags at the end, and MPI_CC to the wrapper, which links. Called
# last: all else is tried with the wrapper.
AC_DEFUN([LL_COMPILE_CC], [
  MPI_CC=$CC ll_save_CPPFLAGS=$CPPFLAGS ll_compiler= ll_flags=
  AC_MSG_CHECKING([for the compiler to call without $MPI_CC])
  AS_CASE([$CC], [mpi*|/*/mpi*], [
    for ll_word in `$MPI_CC -show -c conftest.c 2>/dev/null`; do
      AS_CASE([$ll_word], [-c|conftest.c|-Wl*|-L*|-l*], [],
        [AS_CASE([$ll_flags$ll_word],
          [-*], [ll_flags="$ll_flags$ll_word "],
          [ll_compiler="$ll_compiler$ll_word "])])
    done
    CC=${ll_compiler% } CPPFLAGS="$CPPFLAGS ${ll_flags% }"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0)]])], [],
      [CC=$MPI_CC CPPFLAGS=$ll_save_CPPFLAGS])
  ])
  AC_MSG_RESULT([$CC])
  AC_SUBST([MPI_CC])
])
