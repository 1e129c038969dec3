/* xz, into memory, with a bound. */
#include "cct/object/packed_elf.h"

#include <lzma.h>
#include <stdlib.h>

#include "cct/object/elf_image.h"

#define UNPACKED_MAX       (256u << 20)
#define ROOM_AT_FIRST      (64u << 10)
#define DECODER_MEMORY_MAX (80u << 20) /* what xz -9 needs */

/* Decodes until the end, into as much room as comes out: no size that the file names is trusted. */
static int decode(lzma_stream *stream, uint8_t **bytes, size_t room)
{
	lzma_ret result = LZMA_OK;

	while (result == LZMA_OK) {
		if (!stream->avail_out) {
			size_t n = room * 2;
			uint8_t *larger = n <= UNPACKED_MAX ? realloc(*bytes, n) : NULL;

			if (!larger)
				return -1;
			*bytes = larger;
			stream->next_out = larger + room;
			stream->avail_out = room;
			room = n;
		}
		result = lzma_code(stream, LZMA_FINISH);
	}
	return result == LZMA_STREAM_END ? 0 : -1;
}

static uint8_t *unpack(const Elf_Data *packed, size_t *size_ret)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	uint8_t *bytes = malloc(ROOM_AT_FIRST);

	if (!bytes || lzma_stream_decoder(&stream, DECODER_MEMORY_MAX, 0) != LZMA_OK) {
		free(bytes);
		return NULL;
	}
	stream.next_in = packed->d_buf;
	stream.avail_in = packed->d_size;
	stream.next_out = bytes;
	stream.avail_out = ROOM_AT_FIRST;
	int err = decode(&stream, &bytes, ROOM_AT_FIRST);
	*size_ret = stream.total_out;
	lzma_end(&stream);
	if (!err)
		return bytes;
	free(bytes);
	return NULL;
}

Elf *packed_elf_open(Elf *elf, uint8_t **bytes_ret)
{
	struct elf_section section;
	size_t size;

	if (!elf_find_section(elf, ".gnu_debugdata", &section))
		return NULL;
	const Elf_Data *packed = elf_section_bytes(&section);
	if (!packed || !packed->d_size)
		return NULL;
	uint8_t *bytes = unpack(packed, &size);
	if (!bytes)
		return NULL;
	Elf *inner = elf_memory((char *)bytes, size);
	if (inner && elf_kind(inner) == ELF_K_ELF && gelf_getclass(inner) == gelf_getclass(elf)) {
		*bytes_ret = bytes;
		return inner;
	}
	elf_end(inner);
	free(bytes);
	return NULL;
}
