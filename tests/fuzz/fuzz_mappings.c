/*
 * Sequences of mappings against a model that is too simple to be wrong: an array with what each
 * page holds. Snapshots that others hold must not change.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/rules/address_space.h"

#define N_PAGES     64
#define PAGE        0x1000ull
#define BASE        0x10000ull
#define N_SNAPSHOTS 4

struct page {
	uint32_t module;
	bool is_mapped, is_exec;
	uint64_t offset;
};

struct model {
	struct page pages[N_PAGES];
};

struct step {
	uint8_t start, n_pages, module, flags, offset, fraction;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_order(const struct address_space *space)
{
	for (size_t i = 0; i < space->n_mappings; i++) {
		const struct mapping *mapping = &space->mappings[i];

		if (mapping->start >= mapping->end)
			abort();
		if (i && space->mappings[i - 1].end > mapping->start)
			abort();
	}
}

static void check_pages(const struct address_space *space, const struct model *model)
{
	for (unsigned i = 0; i < N_PAGES; i++) {
		const struct page *page = &model->pages[i];

		/* The first, an inner, and the last byte. */
		for (uint64_t at = 0; at < PAGE; at += PAGE / 2 - 1) {
			uint64_t addr = BASE + i * PAGE + at;
			const struct mapping *mapping = address_space_find(space, addr);

			if (!mapping != !page->is_mapped)
				abort();
			if (!mapping)
				continue;
			if (addr < mapping->start || addr >= mapping->end ||
			    mapping->module != page->module || mapping->is_exec != page->is_exec ||
			    mapping->offset + (addr - mapping->start) != page->offset + at)
				abort();
		}
	}
	if (address_space_find(space, BASE - 1) || address_space_find(space, BASE + N_PAGES * PAGE))
		abort();
}

static void apply(struct address_space **space, struct model *model, const struct step *step)
{
	unsigned start = step->start % N_PAGES, n = step->n_pages % (N_PAGES - start + 1);
	uint64_t epoch = (*space)->epoch;
	const struct mapping mapping = { .start = BASE + start * PAGE,
					 .end = BASE + (start + n) * PAGE,
					 .offset = step->offset * PAGE,
					 .module = step->module,
					 .is_exec = step->flags & 1 };

	int err = address_space_map(space, &mapping);
	if ((err != 0) != (n == 0) || (n && (*space)->epoch == epoch))
		abort();
	for (unsigned i = 0; i < n; i++)
		model->pages[start + i] = (struct page){ .module = step->module,
							 .is_mapped = true,
							 .is_exec = step->flags & 1,
							 .offset = (step->offset + i) * PAGE };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct address_space *space = address_space_create(), *snapshots[N_SNAPSHOTS] = { NULL };
	struct model model = { 0 }, models[N_SNAPSHOTS] = { 0 };
	struct step step;

	for (; size >= sizeof(step); data += sizeof(step), size -= sizeof(step)) {
		memcpy(&step, data, sizeof(step));
		if (step.flags & 2) { /* as a worker or a fork takes it */
			unsigned i = step.fraction % N_SNAPSHOTS;

			address_space_unref(snapshots[i]);
			snapshots[i] = address_space_ref(space);
			models[i] = model;
		}
		apply(&space, &model, &step);
		check_order(space);
		check_pages(space, &model);
	}
	for (unsigned i = 0; i < N_SNAPSHOTS; i++) {
		if (!snapshots[i])
			continue;
		check_order(snapshots[i]);
		check_pages(snapshots[i], &models[i]);
		address_space_unref(snapshots[i]);
	}
	address_space_unref(space);
	return 0;
}
