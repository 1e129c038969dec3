#include "collector/values/pointer_name.h"

#include <stdio.h>

void pointer_name_write(struct symbolizer *symbolizer, const struct address_space *space,
			uint64_t addr, char *name, size_t size)
{
	const struct mapping *mapping = address_space_find(space, addr);
	struct frame_name found;

	if (!mapping || !mapping->is_exec)
		return;
	const struct frame frame = { .kind = FRAME_USER,
				     .module = mapping->module,
				     .offset = addr - mapping->start + mapping->offset };
	if (!symbolizer_name(symbolizer, &frame, &found) && found.symbol_offset == 0)
		snprintf(name, size, "%s", found.name);
}
