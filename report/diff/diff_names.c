#include "report/diff/diff_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/text/string_ids.h"
#include "report/demangle/simple_name.h"
#include "report/fold/view_traits.h"

const char *diff_row_noun(const struct diff *diff)
{
	switch (diff->options.view) {
	case VIEW_LINES:
		return "line";
	case VIEW_SYSCALLS:
		return "system call";
	case VIEW_TREE:
	case VIEW_PATHS:
	case VIEW_MODULES:
	case VIEW_PROCESSES:
	case VIEW_THREADS:
	case VIEW_CPUS:
	case VIEW_CGROUPS:
	case VIEW_PHASES:
	case VIEW_EPOCHS:
		return view_traits(diff->options.view)->heading;
	default:
		return "function";
	}
}

const char *diff_arc_name(enum row_arc arc)
{
	static const char *const names[] = {
		[ARC_NONE] = "", [ARC_FROM_CALLER] = "caller", [ARC_TO_CALLEE] = "callee"
	};

	return names[arc];
}

static bool is_function(const struct diff_row *row)
{
	return row->kind == ROW_USER || row->kind == ROW_KERNEL || row->kind == ROW_INLINE;
}

static char *simplify(const struct diff *diff, const struct diff_row *row, bool parameters)
{
	bool has_functions =
		view_traits(diff->options.view)->subject == ROWS_FUNCTIONS || row->file;

	return is_function(row) && has_functions ? simple_name_make(row->name, parameters)
						 : strdup(row->name);
}

static char *make_place(const struct diff_row *row)
{
	const char *slash = strrchr(row->file, '/');
	char *text;

	return asprintf(&text, "%s:%u", slash ? slash + 1 : row->file, row->line) < 0 ? NULL : text;
}

/* "caller function" */
static char *add_arc(const struct diff_row *row, char *name)
{
	char *text;

	if (!row->arc || !name)
		return name;
	if (asprintf(&text, "%s %s", diff_arc_name(row->arc), name) < 0)
		text = NULL;
	free(name);
	return text;
}

/* The number of a name within its module. */
static int number(struct string_ids *ids, const struct diff_row *row, const char *name,
		  uint32_t *id_ret)
{
	_cleanup_free_ char *key = NULL;
	bool is_new;

	if (asprintf(&key, "%s\x1f%s", name, row->module) < 0)
		return -ENOMEM;
	return string_ids_add(ids, key, id_ret, &is_new);
}

static int show_parameters_of_same(struct diff_names *names, const struct diff *diff,
				   const size_t *rows, struct string_ids *ids)
{
	_cleanup_free_ uint32_t *id = calloc(names->n + 1, sizeof(*id));
	_cleanup_free_ const char **whole = calloc(names->n + 1, sizeof(*whole));
	_cleanup_free_ bool *has_several = calloc(names->n + 1, sizeof(*has_several));

	if (!id || !whole || !has_several)
		return -ENOMEM;
	for (size_t i = 0; i < names->n; i++) {
		const struct diff_row *row = &diff->rows.rows[rows[i]];

		if (number(ids, row, names->shown[i], &id[i]))
			return -ENOMEM;
		if (!whole[id[i]])
			whole[id[i]] = row->name;
		has_several[id[i]] |= strcmp(whole[id[i]], row->name) != 0;
	}
	for (size_t i = 0; i < names->n; i++) {
		const struct diff_row *row = &diff->rows.rows[rows[i]];

		if (!has_several[id[i]])
			continue;
		free(names->shown[i]);
		names->shown[i] = simplify(diff, row, true);
		if (!names->shown[i])
			return -ENOMEM;
	}
	return 0;
}

int diff_names_init(struct diff_names *names, const struct diff *diff, const size_t *rows, size_t n,
		    bool full)
{
	struct string_ids ids = { 0 };
	int err = 0;

	*names = (struct diff_names){
		.n = n,
		.shown = calloc(n + 1, sizeof(*names->shown)),
		.places = calloc(n + 1, sizeof(*names->places)),
	};
	if (!names->shown || !names->places)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct diff_row *row = &diff->rows.rows[rows[i]];

		names->shown[i] = full ? strdup(row->name) : simplify(diff, row, false);
		if (!names->shown[i])
			return -ENOMEM;
	}
	if (!full)
		err = show_parameters_of_same(names, diff, rows, &ids);
	string_ids_deinit(&ids);
	for (size_t i = 0; !err && i < n; i++) {
		const struct diff_row *row = &diff->rows.rows[rows[i]];

		names->shown[i] = add_arc(row, names->shown[i]);
		names->places[i] = row->file ? make_place(row) : NULL;
		if (!names->shown[i] || (row->file && !names->places[i]))
			err = -ENOMEM;
	}
	return err;
}

void diff_names_deinit(struct diff_names *names)
{
	for (size_t i = 0; names->shown && i < names->n; i++)
		free(names->shown[i]);
	for (size_t i = 0; names->places && i < names->n; i++)
		free(names->places[i]);
	free(names->shown);
	free(names->places);
}
