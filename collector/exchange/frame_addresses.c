#include "collector/exchange/frame_addresses.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

/* Between programs and their libraries. Some readers take the whole file to be mapped, so files are
 * far apart. */
#define FIRST_USER  UINT64_C(0x100000000000)
#define END_OF_USER UINT64_C(0x550000000000)
#define USER_GAP    (UINT64_C(1) << 30)
#define FIRST_NAMED UINT64_C(0xffff000000000000) /* no code of a kernel is there */

bool frame_addresses_map(const struct module *module)
{
	return module && (module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO);
}

bool frame_addresses_are_kernel(uint64_t addr)
{
	return addr >> 63;
}

static int add_named(struct frame_addresses *addresses, const struct frame_name *name,
		     uint64_t *addr_ret)
{
	const size_t n = addresses->n_named;
	uint32_t at = pair_map_find(&addresses->by_function, name->function, 0);

	if (at == PAIR_MAP_NONE) {
		at = (uint32_t)n;
		if (array_reserve(addresses->named, n, addresses->n_named_allocated, 1) ||
		    pair_map_add(&addresses->by_function, name->function, 0, at))
			return -ENOMEM;
		addresses->named[addresses->n_named++] = (struct named_address){
			.start = FIRST_NAMED + n * FRAME_ADDRESSES_NAMED_SIZE,
			.name = name->name,
		};
	}
	*addr_ret = addresses->named[at].start + FRAME_ADDRESSES_NAMED_SIZE / 2;
	return 0;
}

/* 0: none. */
static uint64_t user_address(const struct code_range *range, uint64_t offset)
{
	const uint64_t addr = code_range_address(range, offset);

	return addr >= FIRST_USER && addr < END_OF_USER ? addr : 0;
}

static uint64_t kernel_address(const struct module *module, uint64_t offset)
{
	const uint64_t addr = module->key.base + offset;

	return frame_addresses_are_kernel(addr) ? addr : 0;
}

/* Where perf can name the function from a file. 0: nowhere. */
static uint64_t code_address(const struct frame_addresses *addresses, const struct profile *profile,
			     const struct frame *frame)
{
	const struct module *module = module_table_get(&profile->modules, frame->module);

	if (frame->kind == FRAME_USER && frame_addresses_map(module))
		return user_address(&addresses->ranges[frame->module], frame->offset);
	return frame->kind == FRAME_KERNEL && module ? kernel_address(module, frame->offset) : 0;
}

static int find_address(struct frame_addresses *addresses, const struct profile *profile,
			struct symbolizer *symbolizer, const struct frame *frame,
			uint64_t *addr_ret)
{
	struct frame_name name;

	*addr_ret = 0;
	/* A value is no address, which would have to be a user's. */
	if (frame_is_above_code(frame) || frame_is_inner(frame) || frame->kind == FRAME_VALUE ||
	    (frame->kind == FRAME_MARKER && frame->offset == MARKER_KERNEL))
		return 0;
	*addr_ret = code_address(addresses, profile, frame);
	if (*addr_ret)
		return 0;
	int err = symbolizer_name(symbolizer, frame, &name);
	return err ? err : add_named(addresses, &name, addr_ret);
}

int frame_addresses_init(struct frame_addresses *addresses, const struct profile *profile,
			 struct symbolizer *symbolizer)
{
	const struct frame_ids *frames = &profile->cct->frames;
	int err = 0;

	*addresses = (struct frame_addresses){
		.ranges = code_ranges_create(profile, FIRST_USER, USER_GAP),
		.addresses = calloc(frames->n_frames + 1u, sizeof(*addresses->addresses)),
	};
	if (!addresses->ranges || !addresses->addresses)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->n_frames && !err; i++)
		err = find_address(addresses, profile, symbolizer, &frames->frames[i],
				   &addresses->addresses[i]);
	return err;
}

void frame_addresses_deinit(struct frame_addresses *addresses)
{
	free(addresses->ranges);
	free(addresses->addresses);
	free(addresses->named);
	pair_map_deinit(&addresses->by_function);
}
