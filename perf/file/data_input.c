#include "perf/file/data_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "perf/file/read_gate.h"
#include "perf/kernel/file_lock.h"

/* Larger than any record and its page. */
#define MAPPED_SIZE (4u << 20)
/* How often it is looked whether a file has grown. */
#define GROWTH_LOOK_NS (100 * NSEC_PER_MSEC)

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

/* The header has the size of the records before anything is written behind them. */
static void look_for_end(struct data_input *input)
{
	uint64_t section[2]; /* offset, size */

	if (pread(input->fd, section, sizeof(section), DATA_INPUT_SECTION) != sizeof(section) ||
	    !section[1] || section[1] > UINT64_MAX - section[0])
		return;
	input->limit = section[0] + section[1];
	input->is_growing = false;
}

/* What was read, of a file that is still written: @got bytes, of which the last may be behind the
 * records. false: it is to be read again. */
static bool is_read(struct data_input *input, ssize_t *got)
{
	const struct timespec pause = { .tv_nsec = GROWTH_LOOK_NS };

	look_for_end(input);
	if (*got > 0 && (uint64_t)*got > input->limit - input->position)
		*got = (ssize_t)(input->limit - input->position);
	if (*got || !input->is_growing)
		return *got || input->position == input->limit;
	if (!atomic_load(input->follow) || !file_lock_is_taken(input->fd)) {
		input->is_growing = false;
		look_for_end(input);
	} else {
		nanosleep(&pause, NULL);
	}
	return false;
}

static ssize_t read_next(struct data_input *input, uint8_t *bytes, size_t size)
{
	bool was_growing;
	ssize_t got;

	do {
		if (size > input->limit - input->position)
			size = input->limit - input->position;
		was_growing = input->is_growing;
		got = size ? read_some(input, input->position, bytes, size) : 0;
	} while (was_growing && !is_read(input, &got));
	return got;
}

ssize_t data_input_read(struct data_input *input, uint8_t *bytes, size_t size)
{
	if (!size || input->position >= input->limit)
		return 0;
	if (input->gate)
		read_gate_leave(input->gate);
	ssize_t got = read_next(input, bytes, size);
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

static bool is_cached(int fd, uint64_t offset)
{
	uint8_t byte;
	const struct iovec into = { &byte, sizeof(byte) };

	return preadv2(fd, &into, 1, (off_t)offset, RWF_NOWAIT) == 1;
}

/* Asks for what is mapped next. Of a file in the page cache the kernel would look for each page:
 * that it is there is known from three. */
static void read_ahead(const struct data_input *input, uint64_t start)
{
	const uint64_t end = end_of_data(input);

	if (start >= end)
		return;
	const uint64_t size = end - start < MAPPED_SIZE ? end - start : MAPPED_SIZE;
	if (!is_cached(input->fd, start) || !is_cached(input->fd, start + size / 2) ||
	    !is_cached(input->fd, start + size - 1))
		posix_fadvise(input->fd, (off_t)start, (off_t)size, POSIX_FADV_WILLNEED);
}

struct data_block *data_input_map(struct data_input *input, uint32_t back, uint32_t *pos_ret)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), end = end_of_data(input);

	if (!input->is_seekable || input->is_growing || input->position >= end)
		return NULL;
	uint64_t start = (input->position - back) & ~(page_size - 1);
	if (end - start > MAPPED_SIZE)
		end = start + MAPPED_SIZE;
	struct data_block *block = data_block_map(input->fd, start, (uint32_t)(end - start));
	if (!block)
		return NULL;
	read_ahead(input, end);
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
