/*
 * Addresses for the frames of a profile in a recording of perf:
 *
 * - Code of program files is at made-up addresses, which all processes share (code_ranges.h): perf
 *   maps them to the file, and names functions from it.
 * - Code of the kernel and of its modules is where it was.
 * - What has no file that perf could name it from has an address of its function in an unused range
 *   of the kernel's, and a record KSYMBOL for the name: code made at run time, BPF programs, the
 *   reason why a path is not complete, what a thread waited for.
 */
#ifndef COLLECTOR_EXCHANGE_FRAME_ADDRESSES_H
#define COLLECTOR_EXCHANGE_FRAME_ADDRESSES_H

#include "cct/base/pair_map.h"
#include "cct/paths/code_ranges.h"
#include "report/names/symbolize.h"

/* A function that is named here; its code is [start, start + FRAME_ADDRESSES_NAMED_SIZE), and its
 * frames are in the middle: readers look for callers one byte before. */
struct named_address {
	uint64_t start;
	const char *name; /* the symbolizer's */
};

#define FRAME_ADDRESSES_NAMED_SIZE 16u

struct frame_addresses {
	struct code_range *ranges; /* by module; of the kernel's modules only the size is used */
	uint64_t *addresses;       /* by the frame's number in the tree; 0: not part of a path */
	struct named_address *named;
	size_t n_named, n_named_allocated;
	struct pair_map by_function; /* (function, 0) -> index in named */
};

/* Profile and symbolizer are borrowed for the call; names are valid for the symbolizer's life. 0 or
 * -ENOMEM; it may be deinitialized in any case. */
int frame_addresses_init(struct frame_addresses *addresses, const struct profile *profile,
			 struct symbolizer *symbolizer);
void frame_addresses_deinit(struct frame_addresses *addresses);
/* Whether perf finds the module's functions at addresses of its file. */
bool frame_addresses_map(const struct module *module);
/* Whether the code was at this address of the kernel. */
bool frame_addresses_are_kernel(uint64_t addr);

#endif
