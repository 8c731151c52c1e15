# LL_LIBPNG
# libpng, for pictures (ldad mandelbrot --png). Sets LIBPNG_CFLAGS, LIBPNG_LIBS, LIBPNG_WHY (for
# the summary) and the conditional HAVE_LIBPNG.
AC_DEFUN([LL_LIBPNG], [
  AC_ARG_WITH([libpng], [AS_HELP_STRING([--without-libpng],
    [leave out pictures as PNG files])], [], [with_libpng=check])
  LIBPNG_WHY="left out: --without-libpng"
  ll_have=no
  AS_IF([test "x$with_libpng" != xno], [
    LIBPNG_WHY="not found (libpng-dev in Debian)"
    PKG_CHECK_MODULES([LIBPNG], [libpng], [ll_have=yes], [ll_have=no])
    AS_IF([test $ll_have = yes], [LIBPNG_WHY=$LIBPNG_LIBS],
      [test "x$with_libpng" = xyes],
      [AC_MSG_ERROR([--with-libpng was asked for, but libpng was $LIBPNG_WHY])])
  ])
  AM_CONDITIONAL([HAVE_LIBPNG], [test $ll_have = yes])
])
