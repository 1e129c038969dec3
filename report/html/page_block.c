#include "report/html/page_block.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdint.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

#define LEVEL 11 /* of 12: an eighth smaller than the default; the last one gains nothing more */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_base64(FILE *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 3) {
		const size_t n = size - i < 3 ? size - i : 3;
		const uint32_t group = (uint32_t)bytes[i] << 16 |
				       (n > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				       (n > 2 ? bytes[i + 2] : 0);
		const char text[4] = { digits[group >> 18], digits[group >> 12 & 63],
				       n > 1 ? digits[group >> 6 & 63] : '=',
				       n > 2 ? digits[group & 63] : '=' };

		fwrite(text, 1, sizeof(text), out);
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

		write_base64(out, compressed, n);
	}
	libdeflate_free_compressor(compressor);
	if (!compressed)
		return -ENOMEM;
	return ferror(out) ? -EIO : 0;
}
