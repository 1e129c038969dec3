#include "collector/database/block_stream.h"

#include <stdlib.h>
#include <string.h>

static bool write_size(FILE *out, uint32_t size)
{
	const uint8_t bytes[] = { size & 0xff, size >> 8 & 0xff, size >> 16 & 0xff, size >> 24 };

	return fwrite(bytes, sizeof(bytes), 1, out) == 1;
}

bool blocks_write(FILE *out, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size) {
		const size_t n = size < BLOCK_MAX ? size : BLOCK_MAX;

		if (!write_size(out, (uint32_t)n) || fwrite(from, n, 1, out) != 1)
			return false;
		from += n;
		size -= n;
	}
	return true;
}

bool blocks_end(FILE *out, const char *words)
{
	const size_t size = words ? strnlen(words, BLOCKS_WORDS_MAX) : 0;

	if (!words)
		return write_size(out, 0) && !fflush(out);
	return write_size(out, BLOCKS_FAILED) && write_size(out, (uint32_t)size) &&
	       (!size || fwrite(words, size, 1, out) == 1) && !fflush(out);
}

static bool read_size(FILE *from, uint32_t *size_ret)
{
	uint8_t bytes[4];

	if (fread(bytes, sizeof(bytes), 1, from) != 1)
		return false;
	*size_ret = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		    (uint32_t)bytes[3] << 24;
	return true;
}

/* Why the answer is not whole. */
static void read_words(struct block_stream *stream)
{
	uint32_t size;

	if (!read_size(stream->from, &size) || size > BLOCKS_WORDS_MAX)
		return;
	char *words = calloc(1, (size_t)size + 1);
	if (words && fread(words, 1, size, stream->from) == size)
		stream->words = words;
	else
		free(words);
}

/* false: there is no block more. */
static bool next_block(struct block_stream *stream)
{
	uint32_t size;

	if (stream->is_whole || stream->words || !read_size(stream->from, &size))
		return false;
	if (size == BLOCKS_FAILED)
		read_words(stream);
	stream->is_whole = !size;
	if (!size || size > BLOCK_MAX)
		return false;
	stream->left = size;
	return true;
}

static ssize_t read_blocks(void *cookie, char *bytes, size_t size)
{
	struct block_stream *stream = cookie;

	if (!stream->left && !next_block(stream))
		return 0;
	const size_t n = fread(bytes, 1, size < stream->left ? size : stream->left, stream->from);
	stream->left -= (uint32_t)n;
	return (ssize_t)n;
}

FILE *block_stream_open(struct block_stream *stream)
{
	return fopencookie(stream, "r", (cookie_io_functions_t){ .read = read_blocks });
}

void block_stream_deinit(struct block_stream *stream)
{
	free(stream->words);
}
