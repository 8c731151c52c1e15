# Copyright Leadline's authors. BSD 3-Clause, see COPYING.
"""Spack's recipe; in a repository of one's own it is packages/leadline/package.py."""

from spack.package import *

try:  # since package API 2, build systems are no part of spack.package
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass


class Leadline(AutotoolsPackage):
    """MPI parallel-I/O benchmarks that behave like science codes: out-of-core matrices,
    a loader of soundings, partitioned files; and a tracer of what any program asks of
    its files."""

    license("BSD-3-Clause")

    # No release yet: spack develop, or a repository, says where the source is.
    version("main", branch="main")

    variant("scalapack", default=True, description="madbench's full mode")
    variant("hdf5", default=True, description="IOMETHOD=HDF5")
    variant("uring", default=True, description="The engine uring (io_uring)")
    variant("aio", default=True, description="The engine libaio")
    variant("png", default=True, description="Pictures of soundings")
    variant("zlib", default=True, description="outcore stream --sink=compress")
    variant("xml", default=True, description="Stories in XML")
    variant("fits", default=True, description="Images in FITS")
    variant("fftw", default=True, description="ldad fft checked by FFTW")
    variant("fuse", default=True, description="ldad mount")
    variant("clang", default=False, description="ldadc, which reads programs' sources")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+clang")
    depends_on("fortran", type="build", when="+scalapack")
    depends_on("autoconf@2.69:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi@3:")
    depends_on("python@3.6:", type=("build", "run"))
    depends_on("scalapack", when="+scalapack")
    depends_on("hdf5@1.10:+mpi", when="+hdf5")
    depends_on("liburing", when="+uring")
    depends_on("libaio", when="+aio")
    depends_on("libpng", when="+png")
    depends_on("zlib", when="+zlib")
    depends_on("expat", when="+xml")
    depends_on("cfitsio", when="+fits")
    depends_on("fftw@3:~mpi", when="+fftw")
    depends_on("libfuse@3.7:", when="+fuse")
    # ldadc links libclang-cpp and libLLVM, and reads clang's header files when it runs.
    depends_on("llvm@14:+clang+llvm_dylib", when="+clang")

    def autoreconf(self, spec, prefix):
        Executable("./bootstrap")()

    def configure_args(self):
        spec = self.spec
        args = ["CC=%s" % spec["mpi"].mpicc]
        args += self.with_or_without("scalapack")
        args += self.with_or_without("hdf5")
        args += self.with_or_without("liburing", variant="uring")
        args += self.with_or_without("libaio", variant="aio")
        args += self.with_or_without("libpng", variant="png")
        args += self.with_or_without("zlib")
        args += self.with_or_without("expat", variant="xml")
        args += self.with_or_without("cfitsio", variant="fits")
        args += self.with_or_without("fftw")
        args += self.with_or_without("fuse")
        args += self.with_or_without("clang")
        if "+scalapack" in spec:
            args.append("SCALAPACK_LIBS=%s" % spec["scalapack"].libs.ld_flags)
        if "+hdf5" in spec:
            args.append("HDF5_CFLAGS=%s" % spec["hdf5"].headers.cpp_flags)
            args.append("HDF5_LIBS=%s" % spec["hdf5"].libs.ld_flags)
        if "+clang" in spec:
            args.append("LLVM_CONFIG=%s" % spec["llvm"].prefix.bin.join("llvm-config"))
        return args
