# LL_URING
# liburing, for the I/O engine uring. Sets LIBURING_CFLAGS, LIBURING_LIBS, URING_WHY
# (for the summary) and the conditionals HAVE_LIBURING and HAVE_LIBURING_DIRECT. Whether
# the kernel lets anybody use it is not known before a file is opened.
AC_DEFUN([LL_URING], [
  AC_ARG_WITH([liburing], [AS_HELP_STRING([--without-liburing],
    [leave out the I/O engine uring])], [], [with_liburing=check])
  URING_WHY="left out: --without-liburing"
  ll_have=no
  AS_IF([test "x$with_liburing" != xno], [
    URING_WHY="not found (liburing-dev in Debian)"
    PKG_CHECK_MODULES([LIBURING], [liburing], [ll_have=yes], [ll_have=no])
    AS_IF([test $ll_have = yes], [URING_WHY=$LIBURING_LIBS],
      [test "x$with_liburing" = xyes],
      [AC_MSG_ERROR([--with-liburing was asked for, but liburing was $URING_WHY])])
  ])
  # Chains of open, read and close (2.1); without them whole files are read by calls.
  ll_direct=no
  AS_IF([test $ll_have = yes], [
    ll_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $LIBURING_CFLAGS"
    AC_CHECK_DECL([io_uring_prep_close_direct], [ll_direct=yes], [],
      [@%:@include <liburing.h>])
    CPPFLAGS=$ll_save_CPPFLAGS
  ])
  AM_CONDITIONAL([HAVE_LIBURING_DIRECT], [test $ll_direct = yes])
  AM_CONDITIONAL([HAVE_LIBURING], [test $ll_have = yes])
])
