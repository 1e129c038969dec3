#include "report/verify/gunzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

#define GZIP_WINDOW (15 + 16) /* the largest window, with a header and trailer of gzip */
#define PIECE       (64u << 10)

bool gunzip_recognizes(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static bool expand(struct verification *verification, z_stream *stream, uint8_t **all, size_t *n)
{
	size_t n_allocated = 0;
	int status = Z_OK;

	while (status == Z_OK) {
		if (*n > GUNZIP_MAX)
			return verification_refuse(verification,
						   "it expands to more than %u MiB: expand it with "
						   "gzip -d, and check what comes out",
						   GUNZIP_MAX >> 20);
		if (array_reserve(*all, *n, n_allocated, PIECE))
			return verification_lacks_memory(verification);
		stream->next_out = *all + *n;
		stream->avail_out = PIECE;
		status = inflate(stream, Z_NO_FLUSH);
		*n += PIECE - stream->avail_out;
	}
	if (status != Z_STREAM_END)
		return verification_fail(verification, "the compressed bytes are damaged or cut");
	return !stream->avail_in ||
	       verification_fail(verification, "%u bytes follow the compressed ones",
				 stream->avail_in);
}

bool gunzip(struct verification *verification, const uint8_t *bytes, size_t size,
	    uint8_t **expanded_ret, size_t *size_ret)
{
	z_stream stream = { .next_in = (Bytef *)bytes, .avail_in = (uInt)size };
	_cleanup_free_ uint8_t *all = NULL;
	size_t n = 0;

	if (size > UINT_MAX)
		return verification_refuse(verification,
					   "it is larger than 4 GiB: expand it with gzip -d, and "
					   "check what comes out");
	if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return verification_lacks_memory(verification);
	const bool is_whole = expand(verification, &stream, &all, &n);
	inflateEnd(&stream);
	if (!is_whole)
		return false;
	*size_ret = n;
	*expanded_ret = steal_ptr(all);
	return true;
}
