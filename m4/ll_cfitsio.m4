# LL_CFITSIO
# CFITSIO, for images in FITS (outcore resample). Sets CFITSIO_CFLAGS,
# CFITSIO_LIBS, CFITSIO_WHY (for the summary) and the conditional HAVE_CFITSIO.
AC_DEFUN([LL_CFITSIO], [
  AC_ARG_WITH([cfitsio], [AS_HELP_STRING([--without-cfitsio],
    [outcore resample reads no images in FITS])], [], [with_cfitsio=check])
  CFITSIO_WHY="left out: --without-cfitsio"
  ll_have=no
  AS_IF([test "x$with_cfitsio" != xno], [
    CFITSIO_WHY="not found (libcfitsio-dev in Debian)"
    PKG_CHECK_MODULES([CFITSIO], [cfitsio], [ll_have=yes], [ll_have=no])
    AS_IF([test $ll_have = yes], [CFITSIO_WHY=$CFITSIO_LIBS],
      [test "x$with_cfitsio" = xyes],
      [AC_MSG_ERROR([--with-cfitsio was asked for, but cfitsio was $CFITSIO_WHY])])
  ])
  AM_CONDITIONAL([HAVE_CFITSIO], [test $ll_have = yes])
])
