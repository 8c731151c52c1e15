# LL_WARNINGS
# Sets WARN_CFLAGS (the compiler's warnings we keep clean) and SIMD_CFLAGS
# (honour "#pragma omp simd" without the OpenMP run time; no errno after sqrt(), which
# nobody looks at and which would keep loops with it from doing several at a time),
# each flag only if the compiler takes it.
AC_DEFUN([LL_WARNINGS], [
  WARN_CFLAGS=
  SIMD_CFLAGS=
  for ll_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
      -Wpointer-arith -Wvla -Wno-cast-function-type; do
    LL_TRY_CFLAG([$ll_flag], [WARN_CFLAGS="$WARN_CFLAGS $ll_flag"])
  done
  LL_TRY_CFLAG([-fopenmp-simd], [SIMD_CFLAGS=-fopenmp-simd])
  LL_TRY_CFLAG([-fno-math-errno], [SIMD_CFLAGS="$SIMD_CFLAGS -fno-math-errno"])
  AC_SUBST([WARN_CFLAGS])
  AC_SUBST([SIMD_CFLAGS])
])

# LL_TRY_CFLAG(FLAG, IF-TAKEN)
AC_DEFUN([LL_TRY_CFLAG], [
  ll_save_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $1"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [$2])
  CFLAGS=$ll_save_CFLAGS
])
