# LL_HARDENING
# What compiler and linker can do against memory errors becoming exploits. Sets
#   FORTIFY_CPPFLAGS  checked forms of the C library's functions, where it optimises;
#                     what the user says of _FORTIFY_SOURCE wins
#   HARDEN_CFLAGS     guards of the stack and of indirect jumps
#   HARDEN_LDFLAGS    all symbols bound at the start, tables read-only afterwards
#   HARDENED          all of these, and PIE: what tests/lint/hardening.py looks for
# each flag only if it is taken. A position-independent program is the compiler's own
# business: those of today's systems make one unless told otherwise.
AC_DEFUN([LL_HARDENING], [
  AC_ARG_ENABLE([hardening], [AS_HELP_STRING([--disable-hardening],
    [do without _FORTIFY_SOURCE, stack protectors and relro])], [],
    [enable_hardening=yes])
  FORTIFY_CPPFLAGS= HARDEN_CFLAGS= HARDEN_LDFLAGS=
  AS_IF([test "x$enable_hardening" != xno], [
    LL_FORTIFY
    for ll_flag in -fstack-protector-strong -fstack-clash-protection -fcf-protection; do
      LL_TRY_CFLAG([$ll_flag], [HARDEN_CFLAGS="$HARDEN_CFLAGS $ll_flag"])
    done
    for ll_flag in -Wl,-z,relro -Wl,-z,now; do
      LL_TRY_LDFLAG([$ll_flag], [HARDEN_LDFLAGS="$HARDEN_LDFLAGS $ll_flag"])
    done
  ])
  HARDENED="$FORTIFY_CPPFLAGS $HARDEN_CFLAGS $HARDEN_LDFLAGS"
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#ifndef __PIE__
#error no
#endif
]])], [HARDENED="$HARDENED PIE"])
  AC_SUBST([HARDENED])
  AC_SUBST([FORTIFY_CPPFLAGS])
  AC_SUBST([HARDEN_CFLAGS])
  AC_SUBST([HARDEN_LDFLAGS])
])

# LL_FORTIFY
# The highest level that the C library takes without a warning: it warns of levels that
# it does not know, and of any where the compiler does not optimise. Compilers that
# define the macro themselves are told to forget it first.
AC_DEFUN([LL_FORTIFY], [
  AS_CASE([" $CPPFLAGS $CFLAGS "], [*_FORTIFY_SOURCE*], [], [
    ll_save_CPPFLAGS=$CPPFLAGS ll_save_CFLAGS=$CFLAGS
    for ll_level in 3 2; do
      ll_flags="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$ll_level"
      CPPFLAGS="$ll_save_CPPFLAGS $ll_flags" CFLAGS="$ll_save_CFLAGS -Werror"
      AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <stdio.h>
#ifndef __OPTIMIZE__
#error nothing to check with
#endif
]])], [FORTIFY_CPPFLAGS=$ll_flags; break])
    done
    CPPFLAGS=$ll_save_CPPFLAGS CFLAGS=$ll_save_CFLAGS
  ])
])

# LL_TRY_LDFLAG(FLAG, IF-TAKEN)
AC_DEFUN([LL_TRY_LDFLAG], [
  ll_save_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS $1"
  AC_LINK_IFELSE([AC_LANG_PROGRAM()], [$2])
  LDFLAGS=$ll_save_LDFLAGS
])
