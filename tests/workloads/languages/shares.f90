! The paths of tests/cli/0280-languages.bats: worker under dispatch_1 and dispatch_2, 1:2, and below a recursion.
module shares_work
	use iso_fortran_env, only: int64, real64
	implicit none
	integer(int64), parameter :: unit_iterations = 10000_int64
contains
	recursive function worker(n) result(x)
		integer(int64), intent(in) :: n
		integer(int64) :: x, i

		x = n
		do i = 1, n * unit_iterations
			x = iand(x * 1103515245_int64 + 12345_int64, 2147483647_int64)
		end do
	end function worker

	recursive function dispatch_1(n) result(x)
		integer(int64), intent(in) :: n
		integer(int64) :: x

		x = worker(n) / 3 + n
	end function dispatch_1

	recursive function dispatch_2(n) result(x)
		integer(int64), intent(in) :: n
		integer(int64) :: x

		x = worker(2 * n) / 3 + n
	end function dispatch_2

	recursive function descend(depth, n) result(x)
		integer(int64), intent(in) :: depth, n
		integer(int64) :: x

		if (depth == 0) then
			x = worker(n) / 3 + n
		else
			x = descend(depth - 1, n) / 3 + depth
		end if
	end function descend
end module shares_work

program shares
	use shares_work
	implicit none
	character(len=32) :: text
	real(real64) :: seconds, seconds_run
	integer(int64) :: n, sink, random

	seconds = 2
	if (command_argument_count() > 0) then
		call get_command_argument(1, text)
		read (text, *) seconds
	end if
	sink = 0
	random = 1
	do
		call cpu_time(seconds_run)
		if (seconds_run > seconds) exit
		random = iand(random * 1664525_int64 + 1013904223_int64, 4294967295_int64)
		n = 16 + ishft(random, -26)
		sink = sink + dispatch_1(n) + dispatch_2(n) + descend(9_int64, n)
	end do
	print *, sink
end program shares
