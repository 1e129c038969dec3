/* The code of a file, or of code made at run time, and what is known of its surroundings. */
#ifndef UNWIND_CODE_CODE_H
#define UNWIND_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

struct code {
	const struct arch *arch; /* with @decode */
	const uint8_t *bytes;
	uint64_t start; /* offset of the first */
	size_t size;
	/* The function that is known to hold what is asked for; empty: not known. */
	uint64_t function_start, function_end;
	/* Whether a function seems to begin at an offset; may be NULL. */
	bool (*is_start)(void *module, const struct arch *arch, uint64_t offset);
	/* The @size bytes that lie in memory where offset @at would, if the segment of the code at
	 * offset @pc went on to there. NULL: they are not known. May be NULL. */
	const uint8_t *(*find_data)(void *module, uint64_t pc, uint64_t at, size_t size);
	void *module;                  /* of both */
	bool keeps_frame_pointer_only; /* of the registers that calls leave alone */
};

#endif
