! A real Fortran program: systems of linear equations by LAPACK and BLAS, both in Fortran.
program solve
	implicit none
	integer, parameter :: n = 300
	real(8) :: a(n, n), b(n), seconds, seconds_run
	integer :: pivots(n), info
	character(len=32) :: text

	seconds = 2
	if (command_argument_count() > 0) then
		call get_command_argument(1, text)
		read (text, *) seconds
	end if
	do
		call cpu_time(seconds_run)
		if (seconds_run > seconds) exit
		call random_number(a)
		call random_number(b)
		call dgesv(n, 1, a, n, pivots, b, n, info)
		write (text, '(f20.8)') b(1)
	end do
	print *, text, info
end program solve
