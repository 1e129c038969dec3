#include "report/dwarf/debug_tree.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "cct/base/array.h"

/* How to skip an attribute's value. */
enum skip {
	SKIP_UNKNOWN, /* the form is unknown */
	SKIP_BYTES,   /* as many bytes as the step's size */
	SKIP_LEB128,  /* one number */
	SKIP_STRING,  /* up to and including a NUL */
	SKIP_BLOCK, /* a size in as many bytes as the step's size (0: LEB128), then as many bytes */
	SKIP_FORM,  /* a form in the data, then a value of that form */
	SKIP_SIBLING, /* a reference in as many bytes as the step's size (0: LEB128) */
	SKIP_ADDRESS, /* an address of the unit; only in the table of forms, like the next one */
	SKIP_OFFSET,
};

struct step {
	enum skip skip;
	uint32_t size;
};

struct abbreviation {
	uint32_t first_step, n_steps;
	uint32_t tag;
	bool is_known, has_children;
};

struct debug_abbreviations {
	const uint8_t *start; /* first, because the tree is searched by these */
	uint16_t version;
	uint8_t address_size, offset_size;
	struct abbreviation *abbreviations; /* by code */
	uint32_t n_abbreviations;
	struct step *steps;
	uint32_t n_steps, n_steps_allocated;
	bool has_code; /* a function may have an address */
};

static void free_table(void *opaque)
{
	struct debug_abbreviations *table = opaque;

	free(table->abbreviations);
	free(table->steps);
	free(table);
}

void debug_abbreviation_tables_deinit(struct debug_abbreviation_tables *tables)
{
	tdestroy(tables->tree, free_table);
	*tables = (struct debug_abbreviation_tables){ 0 };
}

static uint32_t sizes_of(const struct debug_abbreviations *table)
{
	return (uint32_t)table->version << 16 | (uint32_t)table->address_size << 8 |
	       table->offset_size;
}

static int compare_tables(const void *a, const void *b)
{
	const struct debug_abbreviations *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (sizes_of(x) > sizes_of(y)) - (sizes_of(x) < sizes_of(y));
}

static const struct step forms[] = {
	[DW_FORM_flag_present] = { SKIP_BYTES, 0 }, [DW_FORM_implicit_const] = { SKIP_BYTES, 0 },
	[DW_FORM_data1] = { SKIP_BYTES, 1 },        [DW_FORM_ref1] = { SKIP_BYTES, 1 },
	[DW_FORM_flag] = { SKIP_BYTES, 1 },         [DW_FORM_strx1] = { SKIP_BYTES, 1 },
	[DW_FORM_addrx1] = { SKIP_BYTES, 1 },       [DW_FORM_data2] = { SKIP_BYTES, 2 },
	[DW_FORM_ref2] = { SKIP_BYTES, 2 },         [DW_FORM_strx2] = { SKIP_BYTES, 2 },
	[DW_FORM_addrx2] = { SKIP_BYTES, 2 },       [DW_FORM_strx3] = { SKIP_BYTES, 3 },
	[DW_FORM_addrx3] = { SKIP_BYTES, 3 },       [DW_FORM_data4] = { SKIP_BYTES, 4 },
	[DW_FORM_ref4] = { SKIP_BYTES, 4 },         [DW_FORM_strx4] = { SKIP_BYTES, 4 },
	[DW_FORM_addrx4] = { SKIP_BYTES, 4 },       [DW_FORM_ref_sup4] = { SKIP_BYTES, 4 },
	[DW_FORM_data8] = { SKIP_BYTES, 8 },        [DW_FORM_ref8] = { SKIP_BYTES, 8 },
	[DW_FORM_ref_sig8] = { SKIP_BYTES, 8 },     [DW_FORM_ref_sup8] = { SKIP_BYTES, 8 },
	[DW_FORM_data16] = { SKIP_BYTES, 16 },      [DW_FORM_addr] = { SKIP_ADDRESS, 0 },
	[DW_FORM_strp] = { SKIP_OFFSET, 0 },        [DW_FORM_line_strp] = { SKIP_OFFSET, 0 },
	[DW_FORM_sec_offset] = { SKIP_OFFSET, 0 },  [DW_FORM_strp_sup] = { SKIP_OFFSET, 0 },
	[DW_FORM_sdata] = { SKIP_LEB128, 0 },       [DW_FORM_udata] = { SKIP_LEB128, 0 },
	[DW_FORM_ref_udata] = { SKIP_LEB128, 0 },   [DW_FORM_strx] = { SKIP_LEB128, 0 },
	[DW_FORM_addrx] = { SKIP_LEB128, 0 },       [DW_FORM_loclistx] = { SKIP_LEB128, 0 },
	[DW_FORM_rnglistx] = { SKIP_LEB128, 0 },    [DW_FORM_string] = { SKIP_STRING, 0 },
	[DW_FORM_block] = { SKIP_BLOCK, 0 },        [DW_FORM_exprloc] = { SKIP_BLOCK, 0 },
	[DW_FORM_block1] = { SKIP_BLOCK, 1 },       [DW_FORM_block2] = { SKIP_BLOCK, 2 },
	[DW_FORM_block4] = { SKIP_BLOCK, 4 },       [DW_FORM_indirect] = { SKIP_FORM, 0 },
};

static struct step form_step(const struct debug_abbreviations *table, uint64_t form)
{
	switch (form) {
	case DW_FORM_ref_addr:
		return (struct step){ table->version < 3 ? SKIP_ADDRESS : SKIP_OFFSET, 0 };
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return (struct step){ SKIP_LEB128, 0 };
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (struct step){ SKIP_OFFSET, 0 };
	default:
		return form < sizeof(forms) / sizeof(forms[0]) ? forms[form] : (struct step){ 0 };
	}
}

/* Finds how to skip a form. false: the form is unknown, or only valid in tables. */
static bool step_of(const struct debug_abbreviations *table, uint64_t form, struct step *step)
{
	*step = form_step(table, form);
	if (step->skip == SKIP_ADDRESS)
		*step = (struct step){ SKIP_BYTES, table->address_size };
	if (step->skip == SKIP_OFFSET)
		*step = (struct step){ SKIP_BYTES, table->offset_size };
	return step->skip != SKIP_UNKNOWN;
}

static bool is_reference(uint64_t form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

static int add_step(struct debug_abbreviations *table, struct abbreviation *abbreviation,
		    const struct step *step)
{
	struct step *last = abbreviation->n_steps ? &table->steps[table->n_steps - 1] : NULL;

	if (step->skip == SKIP_BYTES && (!step->size || (last && last->skip == SKIP_BYTES))) {
		if (step->size)
			last->size += step->size;
		return 0;
	}
	if (array_reserve(table->steps, table->n_steps, table->n_steps_allocated, 1))
		return -ENOMEM;
	table->steps[table->n_steps++] = *step;
	abbreviation->n_steps++;
	return 0;
}

static struct abbreviation *abbreviation_at(struct debug_abbreviations *table, uint64_t code)
{
	uint32_t n = table->n_abbreviations;

	if (code >= n) {
		if (array_reserve(table->abbreviations, n, table->n_abbreviations, code + 1 - n))
			return NULL;
		memset(table->abbreviations + n, 0,
		       (table->n_abbreviations - n) * sizeof(*table->abbreviations));
	}
	return &table->abbreviations[code];
}

/* Reads the attributes of an abbreviation. Moves @reader past them. 1: the form of one is unknown,
 * so that DIEs of this abbreviation cannot be passed. */
static int read_attributes(struct debug_abbreviations *table, struct dwarf_reader *reader,
			   struct abbreviation *abbreviation)
{
	bool is_known = true;
	int err = 0;

	for (;;) {
		uint64_t name = dwarf_read_uleb(reader), form = dwarf_read_uleb(reader);
		struct step step;

		if (reader->is_broken)
			return 1;
		if (!name && !form)
			return is_known ? 0 : 1;
		if (form == DW_FORM_implicit_const)
			dwarf_read_sleb(reader);
		if (abbreviation->tag == DW_TAG_subprogram &&
		    (name == DW_AT_low_pc || name == DW_AT_ranges))
			table->has_code = true;
		is_known &= step_of(table, form, &step);
		if (!is_known)
			continue;
		if (name == DW_AT_sibling && is_reference(form))
			step.skip = SKIP_SIBLING;
		err = add_step(table, abbreviation, &step);
		if (err)
			return err;
	}
}

/*
 * Compilers number abbreviations from 1 on, so codes are used as indexes and must be smaller than
 * the table's size in bytes.
 */
static int read_table(struct debug_abbreviations *table, struct dwarf_reader *reader)
{
	size_t n_bytes = dwarf_left(reader);
	uint64_t code;

	while ((code = dwarf_read_uleb(reader)) && code < n_bytes && code < UINT32_MAX / 4) {
		struct abbreviation *at = abbreviation_at(table, code);
		struct abbreviation read = { .first_step = table->n_steps };

		if (!at)
			return -ENOMEM;
		uint64_t tag = dwarf_read_uleb(reader);
		read.tag = tag <= UINT32_MAX ? (uint32_t)tag : 0;
		read.has_children = dwarf_read_byte(reader) == DW_CHILDREN_yes;
		int err = read_attributes(table, reader, &read);
		if (err < 0)
			return err;
		if (reader->is_broken)
			return 0;
		read.is_known = err == 0;
		if (!at->is_known)
			*at = read;
	}
	return 0;
}

static const struct debug_abbreviations *add_table(struct debug_abbreviation_tables *tables,
						   const struct debug_abbreviations *key,
						   struct dwarf_reader reader)
{
	struct debug_abbreviations *table = malloc(sizeof(*table));
	const uint8_t *start = reader.at;

	if (!table)
		return NULL;
	*table = *key;
	if (dwarf_left(&reader) > tables->budget)
		reader.end = reader.at + tables->budget;
	if (read_table(table, &reader) || !tsearch(table, &tables->tree, compare_tables)) {
		free_table(table);
		return NULL;
	}
	uint64_t cost = (uint64_t)(reader.at - start) + table->n_abbreviations;
	tables->budget -= cost < tables->budget ? cost : tables->budget;
	return table;
}

int debug_tree_init(struct debug_tree *tree, struct debug_abbreviation_tables *tables,
		    const struct debug_sections *sections, uint64_t offset)
{
	struct dwarf_reader reader = debug_reader_at(sections, DEBUG_INFO, offset);
	struct debug_abbreviations key = { .offset_size = 4 };
	const uint8_t *start = reader.at;
	uint64_t size = dwarf_read_unsigned(&reader, 4);

	if (size == UINT32_MAX) {
		key.offset_size = 8;
		size = dwarf_read_unsigned(&reader, 8);
	}
	if (size > dwarf_left(&reader))
		return -EINVAL;
	*tree = (struct debug_tree){ sections, NULL, start, reader.at + size };
	key.version = (uint16_t)dwarf_read_unsigned(&reader, 2);
	if (key.version >= 5) {
		dwarf_skip(&reader, 1); /* the kind of unit */
		key.address_size = dwarf_read_byte(&reader);
	}
	offset = dwarf_read_unsigned(&reader, key.offset_size);
	if (key.version < 5)
		key.address_size = dwarf_read_byte(&reader);
	struct dwarf_reader table = debug_reader_at(sections, DEBUG_ABBREV, offset);
	if (reader.is_broken || table.is_broken)
		return -EINVAL;
	key.start = table.at;
	void *found = tfind(&key, &tables->tree, compare_tables);
	tree->abbreviations = found ? *(const struct debug_abbreviations **)found
				    : add_table(tables, &key, table);
	return tree->abbreviations ? 0 : -ENOMEM;
}

static void skip_block(struct dwarf_reader *reader, uint32_t size)
{
	dwarf_skip(reader, size ? dwarf_read_unsigned(reader, size) : dwarf_read_uleb(reader));
}

static void skip_string(struct dwarf_reader *reader)
{
	size_t left = dwarf_left(reader);
	const uint8_t *end = left ? memchr(reader->at, 0, left) : NULL;

	dwarf_skip(reader, end ? (uint64_t)(end + 1 - reader->at) : left + 1);
}

/* References are relative to the unit. */
static const uint8_t *take_sibling(const struct debug_tree *tree, struct dwarf_reader *reader,
				   uint32_t size)
{
	uint64_t offset = size ? dwarf_read_unsigned(reader, size) : dwarf_read_uleb(reader);

	if (offset >= (uint64_t)(tree->end - tree->start))
		return NULL;
	return tree->start + offset;
}

static void take_step(const struct debug_tree *tree, struct dwarf_reader *reader, struct step step,
		      const uint8_t **sibling)
{
	/* A form in the data may be DW_FORM_indirect again. Each takes a byte, so the loop ends. */
	while (step.skip == SKIP_FORM)
		if (!step_of(tree->abbreviations, dwarf_read_uleb(reader), &step) ||
		    reader->is_broken) {
			dwarf_break(reader);
			return;
		}
	switch (step.skip) {
	case SKIP_BYTES:
		dwarf_skip(reader, step.size);
		return;
	case SKIP_LEB128:
		dwarf_read_uleb(reader);
		return;
	case SKIP_STRING:
		skip_string(reader);
		return;
	case SKIP_BLOCK:
		skip_block(reader, step.size);
		return;
	case SKIP_SIBLING:
		*sibling = take_sibling(tree, reader, step.size);
		return;
	default:
		return;
	}
}

/* Reads the abbreviation that a DIE begins with. NULL: the end of a list, or malformed. */
static const struct abbreviation *take_code(const struct debug_abbreviations *table,
					    struct dwarf_reader *reader)
{
	uint64_t code = dwarf_read_uleb(reader);

	if (!code || reader->is_broken || code >= table->n_abbreviations ||
	    !table->abbreviations[code].is_known)
		return NULL;
	return &table->abbreviations[code];
}

bool debug_tree_has_code(const struct debug_tree *tree)
{
	return tree->abbreviations->has_code;
}

bool debug_tree_read(const struct debug_tree *tree, const uint8_t *at, struct debug_tree_die *die)
{
	const struct debug_abbreviations *table = tree->abbreviations;
	struct dwarf_reader reader = debug_reader(tree->sections, at, tree->end);

	if (at < tree->start || at >= tree->end)
		return false;
	const struct abbreviation *abbreviation = take_code(table, &reader);
	if (!abbreviation)
		return false;
	const struct step *step = table->steps + abbreviation->first_step;
	const struct step *last = step + abbreviation->n_steps;
	const uint8_t *sibling = NULL;
	for (; step < last; step++) {
		if (step->skip == SKIP_BYTES && step->size <= (size_t)(reader.end - reader.at))
			reader.at += step->size; /* the common case */
		else
			take_step(tree, &reader, *step, &sibling);
	}
	*die = (struct debug_tree_die){ at, reader.at, sibling, abbreviation->tag,
					abbreviation->has_children };
	return !reader.is_broken;
}

bool debug_tree_child(const struct debug_tree *tree, const struct debug_tree_die *die,
		      struct debug_tree_die *child_ret)
{
	return die->has_children && debug_tree_read(tree, die->inside, child_ret);
}

/* The end of the list of siblings at @at, including the lists inside; NULL: it does not end. */
static const uint8_t *skip_list(const struct debug_tree *tree, const uint8_t *at)
{
	struct debug_tree_die die;
	uint64_t depth = 1;

	while (depth && at < tree->end) {
		if (*at == 0) {
			depth--;
			at++;
			continue;
		}
		if (!debug_tree_read(tree, at, &die))
			return NULL;
		bool has_sibling = die.has_children && die.sibling && die.sibling > die.at;
		depth += die.has_children && !has_sibling;
		at = has_sibling ? die.sibling : die.inside;
	}
	return depth ? NULL : at;
}

bool debug_tree_next(const struct debug_tree *tree, const struct debug_tree_die *die,
		     struct debug_tree_die *next_ret)
{
	const uint8_t *at = die->inside;

	if (die->has_children)
		at = die->sibling ? die->sibling : skip_list(tree, die->inside);
	return at && debug_tree_read(tree, at, next_ret);
}
