#include "cct/encoding/sections.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"
#include "cct/base/stream.h"

/* Sections of rows are many and their size is what counts; level 6 is near the best, and 10 to 50
 * MB/s of these columns. */
#define LEVEL       6
#define READ_PIECE  ((size_t)1 << 20)
#define BLOCK_START 3 /* bytes before each block of a frame */

struct file_start {
	uint8_t magic[SECTIONS_MAGIC_SIZE];
	uint32_t version;
	uint32_t reserved; /* 0 */
};

struct section_start {
	uint32_t type;
	uint32_t flags; /* the lower FLAG_BITS; above them the check, 0 in files without one */
	uint64_t size;  /* of the frame that follows; 0: the body is empty */
};

#define FLAG_BITS 8
#define FLAG_MASK ((1u << FLAG_BITS) - 1)

/* What the start's flags are with its check, as stored: the lower bits of a CRC-32, never 0. */
static uint32_t checked_flags(struct section_start start)
{
	start.flags = htole32(le32toh(start.flags) & FLAG_MASK);
	uint32_t check = (uint32_t)crc32(0, (const Bytef *)&start, sizeof(start)) << FLAG_BITS;

	return start.flags | htole32(check ? check : 1u << FLAG_BITS);
}

static int put(FILE *file, const void *bytes, size_t size)
{
	errno = 0;
	/* glibc counts what it has buffered as written even where it could not make room first. */
	if (!size || (fwrite(bytes, size, 1, file) == 1 && !ferror(file)))
		return 0;
	return errno ? -errno : -EIO;
}

int section_writer_init(struct section_writer *writer, FILE *file, uint32_t version)
{
	struct file_start start = { .version = htole32(version) };

	*writer = (struct section_writer){ .file = file, .compressor = ZSTD_createCCtx() };
	if (!writer->compressor)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_checksumFlag, 1);
	memcpy(start.magic, SECTIONS_MAGIC, SECTIONS_MAGIC_SIZE);
	return put(file, &start, sizeof(start));
}

void section_writer_deinit(struct section_writer *writer)
{
	ZSTD_freeCCtx(writer->compressor);
	free(writer->compressed);
}

/* Into a buffer that is large enough. 0 or -ENOMEM. */
static int compress_body(void *compressor, const struct byte_buffer *body, ZSTD_outBuffer *out)
{
	ZSTD_inBuffer in = { body->bytes, 0, 0 };
	size_t left = ZSTD_CCtx_setPledgedSrcSize(compressor, body->size);

	for (size_t i = 0; i <= body->n_ends && !ZSTD_isError(left); i++) {
		const bool is_last = i == body->n_ends;

		in.size = is_last ? body->size : body->ends[i];
		do
			left = ZSTD_compressStream2(compressor, out, &in,
						    is_last ? ZSTD_e_end : ZSTD_e_flush);
		while (left && !ZSTD_isError(left) && out->pos < out->size);
	}
	return left ? -ENOMEM : 0;
}

int section_write(struct section_writer *writer, uint32_t type, uint32_t flags,
		  const struct byte_buffer *body)
{
	struct section_start start = { .type = htole32(type), .flags = htole32(flags) };
	const size_t bound = ZSTD_compressBound(body->size) + BLOCK_START * (body->n_ends + 1);
	ZSTD_outBuffer out = { .size = bound };

	if (body->lacks_memory)
		return -ENOMEM;
	if (body->size > SECTION_SIZE_MAX)
		return -EFBIG;
	if (array_reserve(writer->compressed, 0, writer->n_allocated, bound))
		return -ENOMEM;
	out.dst = writer->compressed;
	if (body->size && compress_body(writer->compressor, body, &out))
		return -ENOMEM;
	start.size = htole64(out.pos);
	start.flags = checked_flags(start);
	int err = put(writer->file, &start, sizeof(start));
	return err ? err : put(writer->file, writer->compressed, out.pos);
}

int section_writer_end(struct section_writer *writer)
{
	int err = section_write(writer, SECTION_END, SECTION_REQUIRED, &(struct byte_buffer){ 0 });
	int err_of_stream = stream_finish(writer->file);

	return err_of_stream ? err_of_stream : err;
}

bool sections_recognize(const uint8_t *bytes)
{
	return memcmp(bytes, SECTIONS_MAGIC, SECTIONS_MAGIC_SIZE) == 0;
}

/* Reads exactly @size bytes. */
static int take(struct section_reader *reader, void *bytes, size_t size, char **error_ret)
{
	size_t n = fread(bytes, 1, size, reader->file);

	reader->offset += n;
	if (n == size)
		return 0;
	if (ferror(reader->file)) {
		int err = errno ? errno : EIO;

		*error_ret = sentence("it cannot be read: %s", strerror(err));
		return -err;
	}
	*error_ret = sentence("the profile was cut off: it ends at byte %" PRIu64, reader->offset);
	return -EINVAL;
}

int section_reader_init(struct section_reader *reader, FILE *file, char **error_ret)
{
	struct file_start start;

	*error_ret = NULL;
	*reader = (struct section_reader){ .file = file, .decompressor = ZSTD_createDCtx() };
	if (!reader->decompressor)
		return -ENOMEM;
	int err = take(reader, &start, sizeof(start), error_ret);
	if (err)
		return err;
	if (!sections_recognize(start.magic)) {
		*error_ret = sentence("it is not a profile of dendro's");
		return -EINVAL;
	}
	reader->version = le32toh(start.version);
	if (reader->version < SECTIONS_FIRST || reader->version > SECTIONS_VERSION) {
		*error_ret = sentence("the profile has version %u of the format; this dendro reads "
				      "versions %d to %d",
				      reader->version, SECTIONS_FIRST, SECTIONS_VERSION);
		return -EINVAL;
	}
	return 0;
}

void section_reader_deinit(struct section_reader *reader)
{
	ZSTD_freeDCtx(reader->decompressor);
	free(reader->compressed);
	free(reader->bytes);
}

/* Reads the frame, in pieces, so that memory grows with what is there. */
static int take_frame(struct section_reader *reader, uint64_t size, char **error_ret)
{
	for (uint64_t n = 0; n < size;) {
		size_t piece = size - n < READ_PIECE ? (size_t)(size - n) : READ_PIECE;

		if (array_reserve(reader->compressed, (size_t)n, reader->n_compressed_allocated,
				  piece))
			return -ENOMEM;
		int err = take(reader, reader->compressed + n, piece, error_ret);
		if (err)
			return err;
		n += piece;
	}
	return 0;
}

static int damaged(const struct section_reader *reader, uint32_t type, const char *what,
		   char **error_ret)
{
	*error_ret = sentence("the profile is damaged: section %u before byte %" PRIu64 ": %s",
			      type, reader->offset, what);
	return -EINVAL;
}

/* One frame, whole. The size that it claims is not used. */
static int decompress(struct section_reader *reader, uint32_t type, size_t size, size_t *size_ret,
		      char **error_ret)
{
	ZSTD_inBuffer in = { reader->compressed, size, 0 };
	size_t n = 0, left = 1;

	ZSTD_DCtx_reset(reader->decompressor, ZSTD_reset_session_only);
	while (left) {
		if (n >= SECTION_SIZE_MAX)
			return damaged(reader, type, "it is too large", error_ret);
		if (array_reserve(reader->bytes, n, reader->n_bytes_allocated,
				  ZSTD_DStreamOutSize()))
			return -ENOMEM;
		ZSTD_outBuffer out = { reader->bytes, reader->n_bytes_allocated, n };
		left = ZSTD_decompressStream(reader->decompressor, &out, &in);
		if (ZSTD_isError(left))
			return damaged(reader, type, ZSTD_getErrorName(left), error_ret);
		if (left && in.pos == in.size && out.pos < out.size)
			return damaged(reader, type, "it is not whole", error_ret);
		n = out.pos;
	}
	if (in.pos != in.size)
		return damaged(reader, type, "it is longer than its contents", error_ret);
	*size_ret = n;
	return 0;
}

int section_read(struct section_reader *reader, struct section *section_ret, char **error_ret)
{
	struct section_start start;

	*error_ret = NULL;
	if (reader->is_over)
		return 0;
	int err = take(reader, &start, sizeof(start), error_ret);
	if (err)
		return err;
	*section_ret = (struct section){ .type = le32toh(start.type),
					 .flags = le32toh(start.flags) & FLAG_MASK };
	uint64_t size = le64toh(start.size);
	if (le32toh(start.flags) >> FLAG_BITS && start.flags != checked_flags(start))
		return damaged(reader, section_ret->type, "its start was changed", error_ret);
	if (section_ret->type == SECTION_END) {
		reader->is_over = true;
		return 0;
	}
	if (size > SECTION_SIZE_MAX)
		return damaged(reader, section_ret->type, "it is too large", error_ret);
	err = take_frame(reader, size, error_ret);
	if (!err && size)
		err = decompress(reader, section_ret->type, (size_t)size, &section_ret->size,
				 error_ret);
	section_ret->bytes = reader->bytes;
	return err ? err : 1;
}
