#include "collector/exchange/verify_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"

#define PIECE (64u << 10)

/* The bytes of a file. */
struct input {
	uint8_t *bytes;
	size_t size, n_allocated;
	bool is_mapped; /* not on the heap */
};

static void input_deinit(const struct input *input)
{
	if (input->is_mapped)
		munmap(input->bytes, input->size);
	else
		free(input->bytes);
}

/* 0 or -errno. */
static int map_file(int fd, size_t size, struct input *input)
{
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return -errno;
	*input = (struct input){ .bytes = bytes, .size = size, .is_mapped = true };
	return 0;
}

/* 0 or -errno. */
static int read_all(int fd, struct input *input)
{
	ssize_t n;

	do {
		if (array_reserve(input->bytes, input->size, input->n_allocated, PIECE))
			return -ENOMEM;
		n = read(fd, input->bytes + input->size, PIECE);
		input->size += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

static int read_file(const char *path, struct input *input)
{
	if (strcmp(path, "-") == 0)
		return read_all(STDIN_FILENO, input);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return -errno;
	return S_ISREG(status.st_mode) && status.st_size
		       ? map_file(fd, (size_t)status.st_size, input)
		       : read_all(fd, input);
}

int verify_file(const char *command, const struct path_format *format, const char *path)
{
	struct verification verification = { 0 };
	struct input input = { 0 };
	int err = read_file(path, &input);

	if (err)
		err = message_error_of_file(command, path, strerror(-err));
	else
		format->verify(&verification, input.bytes, input.size);
	if (verification.lacks_memory)
		err = message_error_of_memory(command);
	else if (verification.is_unchecked)
		err = message_error(command, "%s was not checked: %s.", path, verification.problem);
	else if (verification.problem)
		err = message_error(command, "%s is not sound %s: %s.", path, format->name,
				    verification.problem);
	input_deinit(&input);
	verification_deinit(&verification);
	return err;
}
