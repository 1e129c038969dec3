/* The code of a file or of JIT code, and known facts about its surroundings. */
#ifndef UNWIND_CODE_CODE_H
#define UNWIND_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;

struct code {
	const struct arch *arch; /* with @decode */
	const uint8_t *bytes;
	uint64_t start; /* offset of the first byte */
	size_t size;
	/* The function that is known to contain the requested address; empty: not known. */
	uint64_t function_start, function_end;
	/* Whether a function seems to begin at an offset; may be NULL. */
	bool (*is_start)(void *module, const struct arch *arch, uint64_t offset);
	/* The @size bytes in memory at the address that offset @at would have if the segment with
	 * offset @pc extended that far. NULL: they are not known. May be NULL. */
	const uint8_t *(*find_data)(void *module, uint64_t pc, uint64_t at, size_t size);
	void *module;                  /* passed to both functions */
	bool keeps_frame_pointer_only; /* of the registers that calls leave alone */
};

#endif
