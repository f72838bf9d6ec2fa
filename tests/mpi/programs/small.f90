! Writes, reads, sends and gathers a little, and says on standard output what it did: run by the tests, traced.
! The same operations as small.c.
program small
  use mpi
  implicit none
  integer :: rank, size, error
  character(len=4096) :: path
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call get_command_argument(1, path)
  call use_file(trim(path))
  call exchange()
  flush (6)
  call MPI_Finalize(error)

contains

  subroutine say(what, a, b, c, d)
    character(len=*), intent(in) :: what
    integer, intent(in), optional :: a, b, c, d
    character(len=120) :: line
    write (line, '(i0,1x,a)') rank, what
    if (present(a)) write (line(len_trim(line) + 1:), '(1x,i0)') a
    if (present(b)) write (line(len_trim(line) + 1:), '(1x,i0)') b
    if (present(c)) write (line(len_trim(line) + 1:), '(1x,i0)') c
    if (present(d)) write (line(len_trim(line) + 1:), '(1x,i0)') d
    write (6, '(a)') trim(line)
  end subroutine

  subroutine use_file(name)
    character(len=*), intent(in) :: name
    character :: data(1024)
    integer(MPI_OFFSET_KIND) :: at
    integer(MPI_ADDRESS_KIND) :: low = 0, extent
    integer :: file, info, step, base, view, vector, kind, request, i, status(MPI_STATUS_SIZE)
    data = achar(rank)
    call MPI_Info_create(info, error)
    call MPI_Info_set(info, 'cb_nodes', '1', error)
    call MPI_File_open(MPI_COMM_WORLD, name, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), info, file, error)
    do step = 0, 2
      at = (step*size + rank)*1024
      call MPI_File_write_at(file, at, data, 1024, MPI_BYTE, MPI_STATUS_IGNORE, error)
      call say('write', int(at), 1024, 1, 0)
    end do
    base = 3*size*1024
    at = base + rank*1024
    call MPI_File_write_at_all(file, at, data, 256, MPI_INTEGER, MPI_STATUS_IGNORE, error)
    call say('write_all', int(at), 1024, 1, 0)
    call MPI_Type_vector(4, 256, 512*size, MPI_BYTE, vector, error)
    extent = 4*512*size
    call MPI_Type_create_resized(vector, low, extent, kind, error)
    call MPI_Type_commit(kind, error)
    view = 4*size*1024
    at = view + rank*512
    call MPI_File_set_view(file, at, MPI_BYTE, kind, 'native', MPI_INFO_NULL, error)
    call MPI_File_write_all(file, data, 1024, MPI_BYTE, MPI_STATUS_IGNORE, error)
    call say('write_all', view + rank*512, 1024, 4, 512*size)
    at = 1024
    call MPI_File_iwrite_at(file, at, data, 512, MPI_BYTE, request, error)
    call MPI_Wait(request, status, error)
    call say('write', view + rank*512 + 4*512*size, 512, 2, 512*size)
    at = 0
    call MPI_File_set_view(file, at, MPI_BYTE, MPI_BYTE, 'native', MPI_INFO_NULL, error)
    call MPI_File_sync(file, error)
    at = rank*1024
    call MPI_File_seek(file, at, MPI_SEEK_SET, error)
    do i = 0, 1
      call MPI_File_read(file, data, 100, MPI_BYTE, status, error)
      call say('read', rank*1024 + 100*i, 100, 1, 0)
    end do
    at = 0
    call MPI_File_read_at_all_begin(file, at, data, 64, MPI_BYTE, error)
    call MPI_File_read_at_all_end(file, data, status, error)
    call say('read_all', 0, 64, 1, 0)
    call MPI_File_close(file, error)
  end subroutine

  subroutine exchange()
    character :: data(1024), into(1024)
    integer :: right, left, requests(2), half, i, counts(0:63), rooms(0:63), places(0:63)
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
    double precision :: ones(4), total(4)
    right = mod(rank + 1, size)
    left = mod(rank + size - 1, size)
    call MPI_Sendrecv(data, 300, MPI_BYTE, right, 7, into, 400, MPI_BYTE, left, 7, MPI_COMM_WORLD, status, error)
    call say('sendrecv', right, 300, left, 300)
    call MPI_Irecv(into, 500, MPI_BYTE, left, 9, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(data, 400, MPI_BYTE, right, 9, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, statuses, error)
    call say('recv', left, 400)
    call say('send', right, 400)
    if (rank == 0) then
      call MPI_Send(data, 50, MPI_BYTE, 1, 3, MPI_COMM_WORLD, error)
      call say('send', 1, 50)
    else if (rank == 1) then
      call MPI_Recv(into, 60, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
      call say('recv', 0, 50)
    end if
    ones = 1
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
    call MPI_Allreduce(ones, total, 4, MPI_DOUBLE_PRECISION, MPI_SUM, half, error)
    call say('allreduce', 32)
    call MPI_Bcast(data, 200, MPI_BYTE, 1, MPI_COMM_WORLD, error)
    call say('bcast', 200)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call say('barrier', 0)
    call MPI_Allgather(data, 10, MPI_BYTE, into, 10, MPI_BYTE, MPI_COMM_WORLD, error)
    call say('allgather', 10)
    do i = 0, size - 1
      counts(i) = i
      rooms(i) = rank
      places(i) = 4*i
    end do
    call MPI_Alltoallv(data, counts, places, MPI_BYTE, into, rooms, places, MPI_BYTE, MPI_COMM_WORLD, error)
    call say('alltoallv', sum(counts(0:size - 1)))
    call MPI_Comm_free(half, error)
  end subroutine
end program
