/* Finds entries by .eh_frame_hdr's table, or by an index. */
#include "unwind/cfi/fde.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"

/* One entry of an index, by start. */
struct index_entry {
	uint64_t start;
	size_t at; /* offset in the section */
};

struct fde_table {
	struct eh_frame frames;
	struct index_entry *index; /* NULL: the header's table is used */
	size_t n_index, n_allocated;
};

static int index_add(struct fde_table *table, uint64_t start, size_t at)
{
	if (array_reserve(table->index, table->n_index, table->n_allocated, 1))
		return -ENOMEM;
	table->index[table->n_index++] = (struct index_entry){ start, at };
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct index_entry *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* Functions that a linker has dropped begin at 0. */
static int index_create(struct fde_table *table)
{
	struct eh_frame_walk walk = { .frames = &table->frames };
	bool is_sorted = true;

	while (eh_frame_next(&walk)) {
		const struct fde *fde = &walk.fde;

		if (fde->start == fde->end || !fde->start)
			continue;
		if (table->n_index && table->index[table->n_index - 1].start > fde->start)
			is_sorted = false;
		int err = index_add(table, fde->start, fde->at);
		if (err)
			return err;
	}
	if (!is_sorted)
		qsort(table->index, table->n_index, sizeof(*table->index), compare_starts);
	return 0;
}

int fde_table_create(Elf *elf, enum eh_frame_section section, struct fde_table **table_ret)
{
	struct fde_table *table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	int err = eh_frame_open(elf, section, &table->frames);
	if (!err && !table->frames.n_header_entries)
		err = index_create(table);
	if (err) {
		fde_table_destroy(table);
		return err;
	}
	*table_ret = table;
	return 0;
}

void fde_table_destroy(struct fde_table *table)
{
	if (!table)
		return;
	free(table->index);
	free(table);
}

size_t fde_table_size(const struct fde_table *table)
{
	return table->frames.entries.size;
}

size_t fde_table_memory(const struct fde_table *table)
{
	return sizeof(*table) + table->n_allocated * sizeof(table->index[0]);
}

static bool find_in_header(const struct eh_frame *frames, uint64_t vaddr, size_t *at_ret,
			   uint64_t *next_ret)
{
	const size_t low = eh_frame_count_listed(frames, vaddr);

	if (!low)
		return false;
	*at_ret = eh_frame_listed_at(frames, low - 1);
	*next_ret =
		low < frames->n_header_entries ? eh_frame_listed_start(frames, low) : UINT64_MAX;
	return *at_ret < frames->entries.size;
}

static bool find_in_index(const struct fde_table *table, uint64_t vaddr, size_t *at_ret,
			  uint64_t *next_ret)
{
	size_t low = sorted_count(table->n_index, i, table->index[i].start <= vaddr);

	if (!low)
		return false;
	*at_ret = table->index[low - 1].at;
	*next_ret = low < table->n_index ? table->index[low].start : UINT64_MAX;
	return true;
}

/* The last entry that begins at or before @vaddr. */
static int find_last(const struct fde_table *table, uint64_t vaddr, struct fde *fde_ret)
{
	size_t at;
	bool found = table->frames.n_header_entries
			     ? find_in_header(&table->frames, vaddr, &at, &fde_ret->next_start)
			     : find_in_index(table, vaddr, &at, &fde_ret->next_start);
	return found ? eh_frame_read(&table->frames, at, fde_ret) : -ENOENT;
}

int fde_find(const struct fde_table *table, uint64_t vaddr, struct fde *fde_ret)
{
	int err = find_last(table, vaddr, fde_ret);

	if (err)
		return err;
	return vaddr - fde_ret->start < fde_ret->end - fde_ret->start ? 0 : -ENOENT;
}

bool fde_has_any(const struct fde_table *table, uint64_t start, uint64_t end)
{
	struct fde fde;

	return start < end && !find_last(table, end - 1, &fde) && fde.end > start;
}
