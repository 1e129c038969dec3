/*
 * A file of sections: what profiles are stored in (docs/FORMAT.md, "Profiles"). After 8 bytes that
 * name the format and a version follow sections, each with a type and a body, which is one zstd
 * frame with a checksum. Each piece of a body begins a block of the frame, so that the codes of its
 * bytes are its own. The last section is empty and has the type SECTION_END, so a file that was cut
 * is recognized. Types, flags and sizes have a check, too, which older files lack.
 *
 * Readers skip sections of types that they do not know, unless these are marked as required.
 *
 * Files are written and read in one pass, so they may be pipes. Memory is bounded by the largest
 * section. The files that are read may be hostile: what a body claims is not believed, memory grows
 * with what was there, up to SECTION_SIZE_MAX.
 *
 * Errors of reading are sentences for the user, on the heap; NULL stands for -ENOMEM.
 */
#ifndef CCT_ENCODING_SECTIONS_H
#define CCT_ENCODING_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cct/encoding/byte_buffer.h"

#define SECTIONS_MAGIC \
	"\x89"         \
	"CCT\r\n\x1a\n"
#define SECTIONS_MAGIC_SIZE 8
#define SECTIONS_FIRST      1 /* the oldest version that is read */
#define SECTIONS_VERSION    5 /* what is written */

#define SECTION_END      0u           /* type */
#define SECTION_REQUIRED 1u           /* flag: a reader that does not know the type must give up */
#define SECTION_SIZE_MAX (1ull << 30) /* of a body, decompressed */

struct section_writer {
	FILE *file; /* borrowed */
	void *compressor;
	uint8_t *compressed; /* reused */
	size_t n_allocated;
};

/* Writes the beginning of the file. 0 or -errno; it may be deinitialized in any case. */
int section_writer_init(struct section_writer *writer, FILE *file, uint32_t version);
void section_writer_deinit(struct section_writer *writer);
/* 0 or -errno: of the stream, or -ENOMEM, also if @body lacked memory. -EFBIG: it is too large. */
int section_write(struct section_writer *writer, uint32_t type, uint32_t flags,
		  const struct byte_buffer *body);
/* Writes the end of the file, and flushes. */
int section_writer_end(struct section_writer *writer);

struct section {
	uint32_t type, flags; /* the flags without their check */
	const uint8_t *bytes; /* decompressed; valid until the next is read */
	size_t size;
};

struct section_reader {
	FILE *file; /* borrowed */
	uint32_t version;
	uint64_t offset;
	void *decompressor;
	uint8_t *compressed, *bytes; /* reused */
	size_t n_compressed_allocated, n_bytes_allocated;
	bool is_over;
};

/* Whether a file that begins with these bytes (at least SECTIONS_MAGIC_SIZE) is one. */
bool sections_recognize(const uint8_t *bytes);
/* Reads the beginning of the file. 0, or -errno with *@error_ret; it may be deinitialized in any
 * case. */
int section_reader_init(struct section_reader *reader, FILE *file, char **error_ret);
void section_reader_deinit(struct section_reader *reader);
/* 1: a section. 0: there are no more. -errno with *@error_ret. */
int section_read(struct section_reader *reader, struct section *section_ret, char **error_ret);

#endif
