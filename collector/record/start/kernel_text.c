#include "collector/record/start/kernel_text.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

#define READ_SIZE  ((size_t)64 << 10)
#define BLOCK_SIZE ((size_t)256 << 10) /* that is packed at once */

/* A text that grows at its end. */
struct growing_text {
	pthread_mutex_t lock;
	pthread_cond_t grows;
	struct file_text *text; /* the reader alone writes behind its size */
	bool is_whole;          /* or the reader has failed */
	struct packer *packer;
	size_t n_packed; /* from the start, whole lines; known to the packing thread, then to all */
	int error;       /* of packing */
};

static bool ends_with_tag(const char *line, size_t size, const char *tag)
{
	const char *tab = memrchr(line, '\t', size);

	return tab && size - (size_t)(tab - line) >= strlen(tag) &&
	       memcmp(tab, tag, strlen(tag)) == 0;
}

/* Without the last lines, of code that comes and goes: KSYMBOL records name it. */
static size_t permanent_size(const char *bytes, size_t size)
{
	while (size) {
		const char *newline = memrchr(bytes, '\n', size - 1);
		const char *line = newline ? newline + 1 : bytes;
		size_t line_size = size - (size_t)(line - bytes);

		if (!ends_with_tag(line, line_size, "\t[bpf]") &&
		    !ends_with_tag(line, line_size, "\t[__builtin__"))
			break;
		size -= line_size;
	}
	return size;
}

/* Copies the next block, because the text may move while it is packed. False: there is none. */
static bool take_block(struct growing_text *growing, char *block)
{
	const struct file_text *text = growing->text;

	pthread_mutex_lock(&growing->lock);
	while (!growing->is_whole && text->size - growing->n_packed < BLOCK_SIZE)
		pthread_cond_wait(&growing->grows, &growing->lock);
	const bool is_there = text->size - growing->n_packed >= BLOCK_SIZE;
	if (is_there)
		memcpy(block, text->bytes + growing->n_packed, BLOCK_SIZE);
	pthread_mutex_unlock(&growing->lock);
	return is_there;
}

/* Packs whole blocks; what is left is less than one, or of code that comes and goes. */
static void *pack_blocks(void *arg)
{
	struct growing_text *growing = arg;
	_cleanup_free_ char *block = malloc(BLOCK_SIZE);

	while (block && !growing->error && take_block(growing, block)) {
		const char *newline = memrchr(block, '\n', BLOCK_SIZE);
		const size_t size =
			newline ? permanent_size(block, (size_t)(newline - block) + 1) : 0;

		if (!size)
			break;
		growing->error = packer_add(growing->packer, block, size);
		growing->n_packed += size;
	}
	return NULL;
}

static int reserve(struct growing_text *growing)
{
	pthread_mutex_lock(&growing->lock);
	int err = file_text_reserve(growing->text, READ_SIZE + 1);
	pthread_mutex_unlock(&growing->lock);
	return err;
}

static void grow(struct growing_text *growing, size_t n, bool is_whole)
{
	pthread_mutex_lock(&growing->lock);
	growing->text->size += n;
	growing->is_whole = is_whole;
	pthread_cond_signal(&growing->grows);
	pthread_mutex_unlock(&growing->lock);
}

static int read_to_end(struct growing_text *growing, int fd)
{
	struct file_text *text = growing->text;

	for (;;) {
		int err = reserve(growing);
		if (err)
			return err;
		ssize_t n = pread(fd, text->bytes + text->size, READ_SIZE, (off_t)text->size);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		grow(growing, (size_t)n, false);
	}
	text->bytes[text->size] = '\0';
	return 0;
}

int kernel_text_read(struct file_text *text, int fd, struct packer *packer)
{
	struct growing_text growing = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.grows = PTHREAD_COND_INITIALIZER,
		.text = text,
		.packer = packer,
	};
	pthread_t thread;

	text->size = 0;
	/* Without a thread, all is packed at the end. */
	const bool has_thread = pthread_create(&thread, NULL, pack_blocks, &growing) == 0;
	int err = read_to_end(&growing, fd);
	grow(&growing, 0, true);
	if (has_thread)
		pthread_join(thread, NULL);
	if (err || growing.error)
		return err ? err : growing.error;
	const size_t permanent = permanent_size(text->bytes, text->size);
	return packer_end(packer, text->bytes + growing.n_packed, permanent - growing.n_packed);
}
