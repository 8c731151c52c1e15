# LL_EXPAT
# expat, for stories in XML (outcore text). Sets EXPAT_CFLAGS, EXPAT_LIBS, EXPAT_WHY (for
# the summary) and the conditional HAVE_EXPAT.
AC_DEFUN([LL_EXPAT], [
  AC_ARG_WITH([expat], [AS_HELP_STRING([--without-expat],
    [leave out XML (outcore text takes plain text only)])], [], [with_expat=check])
  EXPAT_WHY="left out: --without-expat"
  ll_have=no
  AS_IF([test "x$with_expat" != xno], [
    EXPAT_WHY="not found (libexpat1-dev in Debian)"
    PKG_CHECK_MODULES([EXPAT], [expat], [ll_have=yes], [ll_have=no])
    AS_IF([test $ll_have = yes], [EXPAT_WHY=$EXPAT_LIBS],
      [test "x$with_expat" = xyes],
      [AC_MSG_ERROR([--with-expat was asked for, but expat was $EXPAT_WHY])])
  ])
  AM_CONDITIONAL([HAVE_EXPAT], [test $ll_have = yes])
])
