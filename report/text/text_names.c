#include "report/text/text_names.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "cct/base/pair_map.h"
#include "report/demangle/simple_name.h"
#include "report/text/text_sums.h"

struct shown_name {
	const char *name, *module; /* as in the row */
	char *shown;
};

struct text_names {
	struct shown_name *all;
	uint32_t n_all, n_allocated;
	struct pair_map by_name;  /* pointers to name and module -> index: names are interned */
	struct pair_map by_shown; /* hashes of the short name and the module -> the first of them */
};

static bool is_function(const struct view_row *row)
{
	return row->kind == ROW_USER || row->kind == ROW_KERNEL || row->kind == ROW_INLINE;
}

static uint32_t find_name(const struct text_names *names, const struct view_row *row)
{
	return pair_map_find(&names->by_name, (uintptr_t)row->name, (uintptr_t)row->module);
}

static void show_parameters(struct shown_name *name)
{
	char *with_parameters = simple_name_make(name->name, true);

	if (!with_parameters)
		return;
	free(name->shown);
	name->shown = with_parameters;
}

/*
 * Restores the parameters of two functions that have the same short name. A name without parameters
 * (debug information may lack them) stays as it is.
 */
static int tell_apart(struct text_names *names, uint32_t index)
{
	struct shown_name *name = &names->all[index];
	uint64_t key = hash_text(HASH_START, name->shown),
		 module = hash_text(HASH_START, name->module);
	uint32_t first = pair_map_find(&names->by_shown, key, module);

	if (!strchr(name->name, '('))
		return 0;
	if (first == PAIR_MAP_NONE)
		return pair_map_add(&names->by_shown, key, module, index);
	if (strcmp(names->all[first].name, name->name) == 0)
		return 0;
	show_parameters(&names->all[first]);
	show_parameters(name);
	return 0;
}

static int add_row(struct text_names *names, const struct view_row *row)
{
	uint32_t index = names->n_all;

	if (!is_function(row) || find_name(names, row) != PAIR_MAP_NONE)
		return 0;
	if (array_reserve(names->all, index, names->n_allocated, 1))
		return -1;
	names->all[index] = (struct shown_name){
		.name = row->name,
		.module = row->module,
		.shown = simple_name_make(row->name, false),
	};
	if (!names->all[index].shown)
		return -1;
	names->n_all++;
	if (pair_map_add(&names->by_name, (uintptr_t)row->name, (uintptr_t)row->module, index))
		return -1;
	return tell_apart(names, index);
}

/* Rows below a hidden row are hidden, too. */
static int add_rows(struct text_names *names, const struct text *text)
{
	const struct view_row *root = text->view->root, *row = root->children;

	while (row) {
		bool is_visible = text_is_visible(text, row);

		if (is_visible && add_row(names, row))
			return -1;
		if (is_visible && row->children) {
			row = row->children;
			continue;
		}
		while (row != root && !row->next)
			row = row->parent;
		row = row == root ? NULL : row->next;
	}
	return 0;
}

static int add_hottest(struct text_names *names, const struct hottest *hottest)
{
	for (unsigned i = 0; i < hottest->n_functions; i++) {
		if (add_row(names, &hottest->functions[i].row))
			return -1;
	}
	return 0;
}

struct text_names *text_names_create(const struct text *text)
{
	struct text_names *names = calloc(1, sizeof(*names));

	if (names && (add_hottest(names, &text->hottest) || add_rows(names, text))) {
		text_names_destroy(names);
		return NULL;
	}
	return names;
}

void text_names_destroy(struct text_names *names)
{
	if (!names)
		return;
	for (uint32_t i = 0; i < names->n_all; i++)
		free(names->all[i].shown);
	free(names->all);
	pair_map_deinit(&names->by_name);
	pair_map_deinit(&names->by_shown);
	free(names);
}

const char *text_names_get(const struct text_names *names, const struct view_row *row)
{
	uint32_t index = names && is_function(row) ? find_name(names, row) : PAIR_MAP_NONE;

	return index == PAIR_MAP_NONE ? row->name : names->all[index].shown;
}
