! libldad for Fortran: the calls of <ldad.h>, with the arguments of MPI's own Fortran
! interface. A module belongs to one compiler, so this is its source: compile it with
! the program,
!
!     mpifort -c /usr/include/ldad.f90 && mpifort program.f90 ldad.o -lldad
!
! and say "use mpi" and "use ldad". Handles of MPI are integers, as in the module mpi
! (of the types of mpi_f08: comm%MPI_VAL). See ldad(3).
module ldad
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_null_char, &
        c_null_ptr, c_ptr
    implicit none
    private

    type, bind(c), public :: ldad_file
        private
        type(c_ptr) :: handle = c_null_ptr
    end type ldad_file

    public :: ldad_file_open, ldad_file_close, ldad_file_delete, ldad_file_set_size
    public :: ldad_file_sync, ldad_file_write_at, ldad_file_write_at_all
    public :: ldad_file_read_at, ldad_file_read_at_all, ldad_file_error

    interface
        subroutine open_c(comm, path, amode, info, fh, ierror) &
                bind(c, name="ldad_file_open_f")
            import :: c_char, c_int, ldad_file
            integer(c_int), intent(in) :: comm, amode, info
            character(kind=c_char), intent(in) :: path(*)
            type(ldad_file), intent(out) :: fh
            integer(c_int), intent(out) :: ierror
        end subroutine open_c

        subroutine delete_c(path, info, ierror) bind(c, name="ldad_file_delete_f")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), intent(in) :: info
            integer(c_int), intent(out) :: ierror
        end subroutine delete_c

        subroutine error_c(text, room) bind(c, name="ldad_file_error_f")
            import :: c_char, c_int
            integer(c_int), intent(in) :: room
            character(kind=c_char), intent(out) :: text(room)
        end subroutine error_c

        subroutine ldad_file_close(fh, ierror) bind(c, name="ldad_file_close_f")
            import :: c_int, ldad_file
            type(ldad_file), intent(inout) :: fh
            integer(c_int), intent(out) :: ierror
        end subroutine ldad_file_close

        subroutine ldad_file_set_size(fh, size, ierror) &
                bind(c, name="ldad_file_set_size_f")
            import :: c_int, c_int64_t, ldad_file
            type(ldad_file), intent(in) :: fh
            integer(c_int64_t), intent(in) :: size
            integer(c_int), intent(out) :: ierror
        end subroutine ldad_file_set_size

        subroutine ldad_file_sync(fh, ierror) bind(c, name="ldad_file_sync_f")
            import :: c_int, ldad_file
            type(ldad_file), intent(in) :: fh
            integer(c_int), intent(out) :: ierror
        end subroutine ldad_file_sync

        ! The buffer is of any type and shape, as MPI's are.
        subroutine ldad_file_write_at(fh, offset, buf, count, datatype, status, &
                ierror) bind(c, name="ldad_file_write_at_f")
            import :: c_int, c_int64_t, ldad_file
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(ldad_file), intent(in) :: fh
            integer(c_int64_t), intent(in) :: offset
            type(*), intent(in) :: buf(*)
            integer(c_int), intent(in) :: count, datatype
            integer(c_int) :: status(*)
            integer(c_int), intent(out) :: ierror
        end subroutine ldad_file_write_at

        subroutine ldad_file_write_at_all(fh, offset, buf, count, datatype, status, &
                ierror) bind(c, name="ldad_file_write_at_all_f")
            import :: c_int, c_int64_t, ldad_file
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(ldad_file), intent(in) :: fh
            integer(c_int64_t), intent(in) :: offset
            type(*), intent(in) :: buf(*)
            integer(c_int), intent(in) :: count, datatype
            integer(c_int) :: status(*)
            integer(c_int), intent(out) :: ierror
        end subroutine ldad_file_write_at_all

        subroutine ldad_file_read_at(fh, offset, buf, count, datatype, status, &
                ierror) bind(c, name="ldad_file_read_at_f")
            import :: c_int, c_int64_t, ldad_file
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(ldad_file), intent(in) :: fh
            integer(c_int64_t), intent(in) :: offset
            type(*) :: buf(*)
            integer(c_int), intent(in) :: count, datatype
            integer(c_int) :: status(*)
            integer(c_int), intent(out) :: ierror
        end subroutine ldad_file_read_at

        subroutine ldad_file_read_at_all(fh, offset, buf, count, datatype, status, &
                ierror) bind(c, name="ldad_file_read_at_all_f")
            import :: c_int, c_int64_t, ldad_file
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(ldad_file), intent(in) :: fh
            integer(c_int64_t), intent(in) :: offset
            type(*) :: buf(*)
            integer(c_int), intent(in) :: count, datatype
            integer(c_int) :: status(*)
            integer(c_int), intent(out) :: ierror
        end subroutine ldad_file_read_at_all
    end interface

contains

    ! Collective on comm. Blanks at the end of the path are not part of it.
    subroutine ldad_file_open(comm, path, amode, info, fh, ierror)
        integer(c_int), intent(in) :: comm, amode, info
        character(len=*), intent(in) :: path
        type(ldad_file), intent(out) :: fh
        integer(c_int), intent(out) :: ierror
        call open_c(comm, trim(path)//c_null_char, amode, info, fh, ierror)
    end subroutine ldad_file_open

    ! Local.
    subroutine ldad_file_delete(path, info, ierror)
        character(len=*), intent(in) :: path
        integer(c_int), intent(in) :: info
        integer(c_int), intent(out) :: ierror
        call delete_c(trim(path)//c_null_char, info, ierror)
    end subroutine ldad_file_delete

    ! Local. One sentence on the first failure since it was last asked for, or blanks.
    subroutine ldad_file_error(text)
        character(len=*), intent(out) :: text
        call error_c(text, len(text))
    end subroutine ldad_file_error
end module ldad
