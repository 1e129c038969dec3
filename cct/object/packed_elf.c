/* xz, into memory, with a bound. */
#include "cct/object/packed_elf.h"

#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#define UNPACKED_MAX       (256u << 20)
#define ROOM_AT_FIRST      (64u << 10)
#define DECODER_MEMORY_MAX (80u << 20) /* what xz -9 needs */

static Elf_Data *find_packed(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (name && header.sh_type == SHT_PROGBITS && !strcmp(name, ".gnu_debugdata"))
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

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
	const Elf_Data *packed = find_packed(elf);
	size_t size;

	if (!packed || !packed->d_buf || !packed->d_size)
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
