/* Two functions read /dev/zero, 1:2 bytes: nearly all time is the kernel's, below the reader. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

static char buffer[1 << 20];

static FUNCTION void read_once(int fd)
{
	if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
		exit(1);
	KEEP_FRAME();
}

static FUNCTION void reader_1(int fd, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		read_once(fd);
}

static FUNCTION void reader_2(int fd, unsigned n)
{
	for (unsigned i = 0; i < 2 * n; i++)
		read_once(fd);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	int fd = open("/dev/zero", O_RDONLY);
	unsigned n;

	if (fd < 0) {
		perror("reader: /dev/zero");
		return 1;
	}
	while ((n = rounds_next(&rounds))) {
		reader_1(fd, n);
		reader_2(fd, n);
	}
	return 0;
}
