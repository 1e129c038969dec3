/* The names of functions that pointers in variables lead to. */
#ifndef COLLECTOR_VALUES_POINTER_NAME_H
#define COLLECTOR_VALUES_POINTER_NAME_H

#include "report/names/symbolize.h"
#include "unwind/rules/address_space.h"

/* Writes the name of the function that begins at an address of a process, if one does. */
void pointer_name_write(struct symbolizer *symbolizer, const struct address_space *space,
			uint64_t addr, char *name, size_t size);

#endif
