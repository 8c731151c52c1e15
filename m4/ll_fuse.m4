# LL_FUSE
# libfuse 3, for ldad mount. Sets FUSE_CFLAGS, FUSE_LIBS, FUSE_WHY (for the summary) and
# the conditional HAVE_FUSE.
AC_DEFUN([LL_FUSE], [
  AC_ARG_WITH([fuse], [AS_HELP_STRING([--without-fuse],
    [ldad mount shows no containers as files])], [], [with_fuse=check])
  FUSE_WHY="left out: --without-fuse"
  ll_have=no
  AS_IF([test "x$with_fuse" != xno], [
    FUSE_WHY="not found (libfuse3-dev in Debian)"
    PKG_CHECK_MODULES([FUSE], [fuse3 >= 3.7], [ll_have=yes], [ll_have=no])
    AS_IF([test $ll_have = yes], [FUSE_WHY=$FUSE_LIBS],
      [test "x$with_fuse" = xyes],
      [AC_MSG_ERROR([--with-fuse was asked for, but libfuse 3.7 or later was $FUSE_WHY])])
  ])
  AM_CONDITIONAL([HAVE_FUSE], [test $ll_have = yes])
])
