# LL_LIBAIO
# libaio, for the I/O engine libaio. Sets LIBAIO_LIBS, LIBAIO_WHY (for the summary) and
# the conditional HAVE_LIBAIO. It has no pkg-config file. LIBS is as it was afterwards.
AC_DEFUN([LL_LIBAIO], [
  AC_ARG_WITH([libaio], [AS_HELP_STRING([--without-libaio],
    [leave out the I/O engine libaio])], [], [with_libaio=check])
  LIBAIO_WHY="left out: --without-libaio"
  ll_have=no
  AS_IF([test "x$with_libaio" != xno], [
    LIBAIO_WHY="not found (libaio-dev in Debian)"
    AC_CHECK_HEADER([libaio.h],
      [AC_CHECK_LIB([aio], [io_getevents], [ll_have=yes], [ll_have=no])])
    AS_IF([test $ll_have = yes], [LIBAIO_LIBS=-laio LIBAIO_WHY=-laio],
      [test "x$with_libaio" = xyes],
      [AC_MSG_ERROR([--with-libaio was asked for, but libaio was $LIBAIO_WHY])])
  ])
  AC_SUBST([LIBAIO_LIBS])
  AM_CONDITIONAL([HAVE_LIBAIO], [test $ll_have = yes])
])
