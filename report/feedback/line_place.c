#include "report/feedback/line_place.h"

#define OFFSET_MASK 0xffffu

/*
 * Each part is 1 bit if it is 0, 7 bits if it is below 32, else 14 bits; its lowest bit says
 * whether it is 0.
 */
static uint32_t first_part(uint32_t parts)
{
	if (parts & 1)
		return 0;
	parts >>= 1;
	return parts & 0x20 ? (parts >> 1 & 0xfe0) | (parts & 0x1f) : parts & 0x1f;
}

static uint32_t without_first_part(uint32_t parts)
{
	if (parts & 1)
		return parts >> 1;
	return parts >> (parts & 0x40 ? 14 : 7);
}

uint32_t discriminator_block(uint32_t discriminator)
{
	return first_part(discriminator);
}

uint32_t discriminator_copies(uint32_t discriminator)
{
	const uint32_t copies = first_part(without_first_part(discriminator));

	return copies ? copies : 1;
}

bool line_place_find(const struct debug_function *function, bool is_of_llvm,
		     struct line_place *place_ret)
{
	if (!function->line || !function->decl_line)
		return false;
	*place_ret = (struct line_place){
		.offset = (function->line - function->decl_line) & OFFSET_MASK,
		.block = is_of_llvm ? discriminator_block(function->discriminator) : 0,
	};
	return true;
}
