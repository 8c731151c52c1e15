# LL_ZLIB
# zlib, for outcore stream --sink=compress. Sets ZLIB_CFLAGS, ZLIB_LIBS, ZLIB_WHY (for
# the summary) and the conditional HAVE_ZLIB.
AC_DEFUN([LL_ZLIB], [
  AC_ARG_WITH([zlib], [AS_HELP_STRING([--without-zlib],
    [leave out the sink of outcore stream that compresses])], [], [with_zlib=check])
  ZLIB_WHY="left out: --without-zlib"
  ll_have=no
  AS_IF([test "x$with_zlib" != xno], [
    ZLIB_WHY="not found (zlib1g-dev in Debian)"
    PKG_CHECK_MODULES([ZLIB], [zlib], [ll_have=yes], [ll_have=no])
    AS_IF([test $ll_have = yes], [ZLIB_WHY=$ZLIB_LIBS],
      [test "x$with_zlib" = xyes],
      [AC_MSG_ERROR([--with-zlib was asked for, but zlib was $ZLIB_WHY])])
  ])
  AM_CONDITIONAL([HAVE_ZLIB], [test $ll_have = yes])
])
