# LL_SANITIZERS
# Sets SANITIZERS (what --enable-sanitizers says, "address,undefined" or "thread") and
# SANITIZE_CFLAGS, for compiling and for linking, and the conditional SANITIZE. The recorder has no part in it but
# with "thread" (RECORDER_SANITIZE): other programs preload it, and it may need nothing
# beside the C library. The C library's own checks are left out: a sanitizer sees more.
AC_DEFUN([LL_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers], [AS_HELP_STRING([--enable-sanitizers=LIST],
    [build with the compiler's sanitizers: address,undefined or thread])], [],
    [enable_sanitizers=no])
  SANITIZERS= SANITIZE_CFLAGS= RECORDER_SANITIZE=
  AS_CASE([$enable_sanitizers], [no], [],
    [yes], [SANITIZERS=address,undefined], [SANITIZERS=$enable_sanitizers])
  AS_IF([test -n "$SANITIZERS"], [
    SANITIZE_CFLAGS="-fsanitize=$SANITIZERS -fno-omit-frame-pointer -fno-sanitize-recover=all"
    FORTIFY_CPPFLAGS=-U_FORTIFY_SOURCE
    ll_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZE_CFLAGS"
    AC_MSG_CHECKING([for the sanitizers $SANITIZERS])
    AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
      [AC_MSG_ERROR([$CC cannot build with -fsanitize=$SANITIZERS])])
    CFLAGS=$ll_save_CFLAGS
    AS_IF([test $SANITIZERS = thread], [RECORDER_SANITIZE=$SANITIZE_CFLAGS])
  ])
  AM_CONDITIONAL([SANITIZE], [test -n "$SANITIZERS"])
  AC_SUBST([SANITIZERS])
  AC_SUBST([SANITIZE_CFLAGS])
  AC_SUBST([RECORDER_SANITIZE])
])
