#include "report/html/page_block.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdint.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

#define LEVEL 11 /* of 12: an eighth smaller than the default; the last one gains nothing more */

static char digit_of(uint32_t value)
{
	const char digit = (char)(PAGE_BLOCK_FIRST + value);

	return digit == '<' ? PAGE_BLOCK_FOR_LESS : digit;
}

/* The last group may have fewer bytes: n bytes, of which zeros make four, are n + 1 digits. */
static void write_group(FILE *out, const uint8_t *bytes, size_t n)
{
	char text[5];
	uint32_t group = 0;

	for (size_t i = 0; i < 4; i++)
		group = group << 8 | (i < n ? bytes[i] : 0);
	for (int i = 4; i >= 0; i--, group /= 85)
		text[i] = digit_of(group % 85);
	fwrite(text, 1, n + 1, out);
}

static void write_digits(FILE *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 4) {
		if (i && i % (PAGE_BLOCK_DIGITS / 5 * 4) == 0)
			fputs(PAGE_BLOCK_MORE, out);
		write_group(out, bytes + i, size - i < 4 ? size - i : 4);
	}
}

int page_block_write(FILE *out, const void *bytes, size_t size)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);

	if (!compressor)
		return -ENOMEM;
	const size_t bound = libdeflate_deflate_compress_bound(compressor, size);
	_cleanup_free_ uint8_t *compressed = malloc(bound);
	if (compressed) {
		const size_t n =
			libdeflate_deflate_compress(compressor, bytes, size, compressed, bound);

		write_digits(out, compressed, n);
	}
	libdeflate_free_compressor(compressor);
	if (!compressed)
		return -ENOMEM;
	return ferror(out) ? -EIO : 0;
}
