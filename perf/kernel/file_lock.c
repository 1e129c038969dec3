#include "perf/kernel/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

void file_lock_take(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	fcntl(fd, F_OFD_SETLK, &lock);
}

bool file_lock_is_taken(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
