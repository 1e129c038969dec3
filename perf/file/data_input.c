#include "perf/file/data_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/file/read_gate.h"

/* Larger than any record and its page. */
#define MAPPED_SIZE (4u << 20)

int data_input_open(struct data_input *input, const char *path)
{
	struct stat status;

	*input = (struct data_input){ .fd = -1, .limit = UINT64_MAX };
	if (!strcmp(path, "-")) {
		input->fd = STDIN_FILENO;
		input->is_borrowed = true;
	} else {
		input->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (input->fd < 0)
			return -errno;
	}
	if (fstat(input->fd, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	input->is_seekable = S_ISREG(status.st_mode);
	input->size = input->is_seekable ? (uint64_t)status.st_size : 0;
	input->modified = input->is_seekable ? status.st_mtim.tv_sec : 0;
	if (input->is_seekable) /* a hint: nothing depends on it */
		posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

void data_input_close(struct data_input *input)
{
	if (input->fd >= 0 && !input->is_borrowed)
		close(input->fd);
	input->fd = -1;
}

static ssize_t read_some(const struct data_input *input, uint64_t offset, void *bytes, size_t size)
{
	ssize_t got;

	do {
		got = input->is_seekable ? pread(input->fd, bytes, size, (off_t)offset)
					 : read(input->fd, bytes, size);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

ssize_t data_input_read(struct data_input *input, uint8_t *bytes, size_t size)
{
	ssize_t got;

	if (size > input->limit - input->position)
		size = input->limit - input->position;
	if (!size)
		return 0;
	if (input->gate)
		read_gate_leave(input->gate);
	got = read_some(input, input->position, bytes, size);
	if (input->gate)
		read_gate_enter(input->gate);
	if (got > 0)
		input->position += (uint64_t)got;
	input->at_eof |= !got;
	return got;
}

static uint64_t end_of_data(const struct data_input *input)
{
	return input->size < input->limit ? input->size : input->limit;
}

uint64_t data_input_skip(struct data_input *input, uint64_t size)
{
	uint64_t end = end_of_data(input);

	if (!input->is_seekable || input->position >= end)
		return 0;
	if (size > end - input->position)
		size = end - input->position;
	input->position += size;
	return size;
}

struct data_block *data_input_map(struct data_input *input, uint32_t back, uint32_t *pos_ret)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), end = end_of_data(input);

	if (!input->is_seekable || input->position >= end)
		return NULL;
	uint64_t start = (input->position - back) & ~(page_size - 1);
	if (end - start > MAPPED_SIZE)
		end = start + MAPPED_SIZE;
	struct data_block *block = data_block_map(input->fd, start, (uint32_t)(end - start));
	if (!block)
		return NULL;
	posix_fadvise(input->fd, (off_t)end, MAPPED_SIZE, POSIX_FADV_WILLNEED);
	*pos_ret = (uint32_t)(input->position - back - start);
	input->position = end;
	return block;
}

int data_input_read_at(const struct data_input *input, uint64_t offset, void *bytes, size_t size)
{
	uint8_t *at = bytes;

	if (offset > input->size || size > input->size - offset)
		return -ENODATA;
	while (size) {
		ssize_t got = read_some(input, offset, at, size);
		if (got <= 0)
			return got ? (int)got : -ENODATA;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}
