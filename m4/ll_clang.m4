# LL_CLANG
# Clang's libraries, which ldadc reads programs with. Sets CLANG_CPPFLAGS,
# CLANG_CXXFLAGS, CLANG_LIBS, CLANG_RESOURCE_DIR (where clang's own headers are),
# CLANG_WHY (for the summary) and the conditional HAVE_CLANG. The user's
# LLVM_CONFIG=... wins.
AC_DEFUN([LL_CLANG], [
  AC_ARG_WITH([clang], [AS_HELP_STRING([--without-clang],
    [leave out ldadc, which needs clang's libraries])], [], [with_clang=check])
  AC_ARG_VAR([LLVM_CONFIG], [llvm-config of the clang to build ldadc with])
  CLANG_WHY="left out: --without-clang"
  ll_have=no
  AS_IF([test "x$with_clang" != xno], [
    CLANG_WHY="NOT FOUND, SO THERE IS NO ldadc (libclang-dev, llvm-dev, g++ in Debian)"
    AS_IF([test -z "$LLVM_CONFIG"], [
      AC_PATH_PROGS([LLVM_CONFIG], [llvm-config llvm-config-22 llvm-config-21 \
        llvm-config-20 llvm-config-19 llvm-config-18 llvm-config-17 llvm-config-16 \
        llvm-config-15 llvm-config-14])])
    AS_IF([test -n "$LLVM_CONFIG"], [LL_CLANG_TRY])
    AS_IF([test $ll_have = yes], [CLANG_WHY="clang $ll_version"],
      [test "x$with_clang" = xyes],
      [AC_MSG_ERROR([--with-clang was asked for, but clang was $CLANG_WHY])])
  ])
  AC_SUBST([CLANG_CPPFLAGS])
  AC_SUBST([CLANG_CXXFLAGS])
  AC_SUBST([CLANG_LIBS])
  AC_SUBST([CLANG_RESOURCE_DIR])
  AM_CONDITIONAL([HAVE_CLANG], [test $ll_have = yes])
])

# LL_CLANG_TRY
# A small program that uses the libraries; there is no plain name of clang's to link.
AC_DEFUN([LL_CLANG_TRY], [
  ll_version=`$LLVM_CONFIG --version`
  ll_major=`AS_ECHO(["$ll_version"]) | sed 's/\..*//'`
  ll_minor=`AS_ECHO(["$ll_version"]) | sed 's/^\([[0-9]]*\.[[0-9]]*\).*/\1/'`
  ll_libdir=`$LLVM_CONFIG --libdir`
  CLANG_CPPFLAGS="-isystem `$LLVM_CONFIG --includedir` -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS"
  CLANG_CXXFLAGS="-std=c++17 -fno-rtti -fno-exceptions -Wall -Wextra"
  for ll_name in libclang-cpp.so.$ll_version libclang-cpp.so.$ll_minor \
    libclang-cpp.so.$ll_major libclang-cpp.so ; do
    AS_IF([test -f "$ll_libdir/$ll_name"],
      [CLANG_LIBS="-L$ll_libdir -l:$ll_name -lLLVM-$ll_major"; break])
  done
  AS_IF([test -f "$ll_libdir/libLLVM-$ll_major.so"], [],
    [CLANG_LIBS=`AS_ECHO(["$CLANG_LIBS"]) | sed "s/-lLLVM-$ll_major/-lLLVM/"`])
  for ll_dir in "$ll_libdir/clang/$ll_version" "$ll_libdir/clang/$ll_major" ; do
    AS_IF([test -f "$ll_dir/include/stddef.h"], [CLANG_RESOURCE_DIR=$ll_dir; break])
  done
  AC_LANG_PUSH([C++])
  ll_save_CPPFLAGS=$CPPFLAGS; ll_save_CXXFLAGS=$CXXFLAGS; ll_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $CLANG_CPPFLAGS"
  CXXFLAGS="$CXXFLAGS $CLANG_CXXFLAGS"
  LIBS="$CLANG_LIBS $LIBS"
  AC_MSG_CHECKING([whether clang $ll_version can be built with])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
    #include "clang/Tooling/Tooling.h"
  ]], [[clang::tooling::buildASTFromCode("int i;")]])],
    [AS_IF([test -n "$CLANG_RESOURCE_DIR"], [ll_have=yes])])
  AC_MSG_RESULT([$ll_have])
  CPPFLAGS=$ll_save_CPPFLAGS; CXXFLAGS=$ll_save_CXXFLAGS; LIBS=$ll_save_LIBS
  AC_LANG_POP([C++])
])
