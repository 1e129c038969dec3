#include "unwind/rules/runtime_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"

struct runtime_codes *runtime_codes_create(uint32_t module)
{
	struct runtime_codes *codes = calloc(1, sizeof(*codes));

	if (!codes)
		return NULL;
	codes->module = module;
	atomic_init(&codes->n_refs, 1);
	return codes;
}

struct runtime_codes *runtime_codes_ref(struct runtime_codes *codes)
{
	if (codes)
		atomic_fetch_add_explicit(&codes->n_refs, 1, memory_order_relaxed);
	return codes;
}

void runtime_codes_unref(struct runtime_codes *codes)
{
	if (!codes || atomic_fetch_sub_explicit(&codes->n_refs, 1, memory_order_acq_rel) > 1)
		return;
	free(codes->codes);
	free(codes);
}

/* Makes *@codes the caller's alone, with room for one more. */
static int make_writable(struct runtime_codes **codes)
{
	struct runtime_codes *old = *codes;

	if (atomic_load_explicit(&old->n_refs, memory_order_acquire) == 1)
		return array_reserve(old->codes, old->n, old->n_allocated, 1);
	struct runtime_codes *copy = runtime_codes_create(old->module);
	if (!copy || array_reserve(copy->codes, 0, copy->n_allocated, old->n + 1)) {
		runtime_codes_unref(copy);
		return -ENOMEM;
	}
	if (old->n)
		memcpy(copy->codes, old->codes, old->n * sizeof(*old->codes));
	copy->n = old->n;
	runtime_codes_unref(old);
	*codes = copy;
	return 0;
}

static size_t first_ending_above(const struct runtime_codes *codes, uint64_t addr)
{
	return sorted_count(codes->n, i, codes->codes[i].end <= addr);
}

int runtime_codes_add(struct runtime_codes **codes, const struct runtime_code *added)
{
	if (added->start >= added->end)
		return -EINVAL;
	const size_t first = first_ending_above(*codes, added->start);
	size_t after = first;
	while (after < (*codes)->n && (*codes)->codes[after].start < added->end)
		after++;
	if (first == after && (*codes)->n >= RUNTIME_CODES_MAX)
		return -EINVAL;
	int err = make_writable(codes);
	if (err)
		return err;
	struct runtime_codes *into = *codes;
	memmove(into->codes + first + 1, into->codes + after,
		(into->n - after) * sizeof(*into->codes));
	into->codes[first] = *added;
	into->n = into->n - (after - first) + 1;
	return 0;
}

const struct runtime_code *runtime_codes_find(const struct runtime_codes *codes, uint64_t addr)
{
	if (!codes)
		return NULL;
	const size_t i = first_ending_above(codes, addr);
	return i < codes->n && codes->codes[i].start <= addr ? &codes->codes[i] : NULL;
}
