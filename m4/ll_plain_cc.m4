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
