# LL_FFTW
# FFTW, which ldad fft checks its answers against. Sets FFTW_CFLAGS, FFTW_LIBS, FFTW_WHY
# (for the summary) and the conditional HAVE_FFTW.
AC_DEFUN([LL_FFTW], [
  AC_ARG_WITH([fftw], [AS_HELP_STRING([--without-fftw],
    [check ldad fft without FFTW])], [], [with_fftw=check])
  FFTW_WHY="left out: --without-fftw"
  ll_have=no
  AS_IF([test "x$with_fftw" != xno], [
    FFTW_WHY="not found (libfftw3-dev in Debian)"
    PKG_CHECK_MODULES([FFTW], [fftw3], [ll_have=yes], [ll_have=no])
    AS_IF([test $ll_have = yes], [FFTW_WHY=$FFTW_LIBS],
      [test "x$with_fftw" = xyes],
      [AC_MSG_ERROR([--with-fftw was asked for, but FFTW was $FFTW_WHY])])
  ])
  AM_CONDITIONAL([HAVE_FFTW], [test $ll_have = yes])
])
