! Writes and reads back through libldad from Fortran: rank r writes rows of 100 doubles,
! every nprocs-th, whose elements are their number in the file.
!
!     fortran FILE METHOD PLAN
program fortran
    use mpi
    use ldad
    implicit none
    integer, parameter :: n = 100, rows = 5
    character(len=300) :: path, method, plan, why
    character(len=8) :: word = "ABCDEFGH"
    type(ldad_file) :: fh
    integer :: info, rank, ranks, i, k, ierror, bad, all, code
    integer :: status(MPI_STATUS_SIZE)
    integer(MPI_OFFSET_KIND) :: offset
    double precision :: row(n), again(n / 2, 2)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call get_command_argument(1, path)
    call get_command_argument(2, method)
    call get_command_argument(3, plan)
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, "ldad_method", trim(method), ierror)
    if (plan /= " ") call MPI_Info_set(info, "ldad_plan", trim(plan), ierror)
    bad = 0
    call ldad_file_open(MPI_COMM_WORLD, path, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), &
        info, fh, code)
    if (code == MPI_SUCCESS) then
        do i = 0, rows - 1
            offset = int(i * ranks + rank, MPI_OFFSET_KIND) * n
            row = [(dble(offset + k), k = 1, n)]
            call ldad_file_write_at_all(fh, offset * 8, row, n, MPI_DOUBLE_PRECISION, &
                status, ierror)
            if (ierror /= MPI_SUCCESS) bad = bad + 1
            call MPI_Get_count(status, MPI_DOUBLE_PRECISION, k, ierror)
            if (k /= n) bad = bad + 1
        end do
        call ldad_file_sync(fh, ierror)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call ldad_file_sync(fh, ierror)
        ! what another rank wrote, into an array of another shape, and no status
        do i = 0, rows - 1
            offset = int(i * ranks + mod(rank + 1, ranks), MPI_OFFSET_KIND) * n
            again = 0
            call ldad_file_read_at_all(fh, offset * 8, again, n, MPI_DOUBLE_PRECISION, &
                MPI_STATUS_IGNORE, ierror)
            if (any(reshape(again, [n]) /= [(dble(offset + k), k = 1, n)])) bad = bad + 1
        end do
        call ldad_file_close(fh, ierror)
        if (ierror /= MPI_SUCCESS) bad = bad + 1
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        if (rank == 0 .and. method == "independent") call one_word()
    end if
    call ldad_file_error(why)
    if (why /= " " .and. rank == 0) print "(a)", trim(why)
    call MPI_Allreduce(bad, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank == 0) print "(a, i0, a, i0)", "code ", code, ", wrong ", all
    call MPI_Finalize(ierror)

contains

    ! The rest of the calls: independent ones, of characters, and what is for one rank.
    subroutine one_word()
        character(len=8) :: back = " "
        character(len=304) :: other
        type(ldad_file) :: one
        integer(MPI_OFFSET_KIND), parameter :: four = 4
        other = trim(path)//".one"
        call ldad_file_open(MPI_COMM_SELF, other, &
            ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, one, ierror)
        call ldad_file_write_at(one, four, word, 8, MPI_CHARACTER, status, ierror)
        call ldad_file_set_size(one, 3 * four, ierror)
        call ldad_file_read_at(one, four, back, 8, MPI_CHARACTER, status, ierror)
        if (back /= word .or. ierror /= MPI_SUCCESS) bad = bad + 1
        call ldad_file_close(one, ierror)
        call ldad_file_delete(other, MPI_INFO_NULL, ierror)
        if (ierror /= MPI_SUCCESS) bad = bad + 1
    end subroutine one_word
end program fortran
