/*
 * Expressions that lie, of a variable and of what its function was called with. Input: a byte of
 * bits (1: the callee has a tail call of itself, 2: the call names another function, 4: no caller
 * is known), the size of the first expression (16 bits), and both expressions.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/dwarf/debug_call_sites.h"
#include "report/dwarf/debug_location.h"
#include "tests/unit/fixtures/located_image.h"

#define MEMORY 0x5000ull
#define SIZE   256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct frames {
	struct debug_frame callee, caller;
	bool has_caller;
};

/* Some memory, in which addresses lead to it. */
static bool read_memory(void *data, uint64_t addr, size_t size, uint8_t *bytes)
{
	(void)data;
	if (addr < MEMORY || addr - MEMORY > SIZE || size > SIZE - (addr - MEMORY))
		return false;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (addr + i) % 8 == 1 ? MEMORY >> 8 : (addr + i) % 8 == 0 ? 8 : 0;
	return true;
}

static const struct debug_frame *find_caller(void *data, const struct debug_frame *frame)
{
	struct frames *frames = data;

	return frame == &frames->callee && frames->has_caller ? &frames->caller : NULL;
}

static void evaluate(struct located_image *located, struct frames *frames)
{
	static const uint64_t lengths[] = { 1, 8, 13, 64, 200, 1024 };
	struct debug_location location;
	uint8_t bytes[128];

	if (debug_location_find(&location, &located->variable, &frames->callee))
		return;
	if (!location.n_pieces || location.n_pieces > DEBUG_PIECES_MAX)
		abort();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (uint64_t bit = 0; bit < 256; bit += 31)
			debug_location_read(&location, &frames->callee, bit, lengths[i], bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t registers[17] = { MEMORY, MEMORY + 8, 3, 4, 5, 6, MEMORY, MEMORY };
	struct located_image located;
	struct frames frames;
	size_t first;

	if (size < 3)
		return 0;
	first = (size_t)data[1] | (size_t)data[2] << 8;
	if (first > size - 3)
		first = size - 3;
	const size_t second = size - 3 - first;
	const struct located_options options = { .passed = data + 3 + first,
						 .n_passed = second < LOCATED_MAX / 2
								     ? second
								     : LOCATED_MAX / 2,
						 .calls_itself = data[0] & 1,
						 .names_another = data[0] & 2 };
	located_image_init(&located, data + 3, first < LOCATED_MAX ? first : LOCATED_MAX, &options);
	const struct debug_process process = { read_memory, find_caller, &frames };
	frames.callee = (struct debug_frame){ .process = &process,
					      .registers = registers,
					      .known = 0xff,
					      .cfa = MEMORY + 32,
					      .has_cfa = true,
					      .bias = 0x100000,
					      .vaddr = LOCATED_CALLEE,
					      .next_vaddr = LOCATED_CALLEE,
					      .function = &located.callee,
					      .call_sites = debug_call_sites_create() };
	frames.caller = frames.callee;
	frames.caller.vaddr = LOCATED_RETURNED - 1;
	frames.caller.next_vaddr = LOCATED_RETURNED;
	frames.caller.function = &located.caller;
	frames.has_caller = !(data[0] & 4);
	if (located.variable.addr)
		evaluate(&located, &frames);
	debug_call_sites_destroy(frames.callee.call_sites);
	located_image_deinit(&located);
	return 0;
}
