#include "report/browse/row_search.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

void row_search_end(struct row_search *search)
{
	free(search->text);
	free(search->leads_to_match);
	*search = (struct row_search){ 0 };
}

static bool name_matches(const struct row_search *search, const char *name)
{
	return search->has_upper_case ? strstr(name, search->text) : strcasestr(name, search->text);
}

bool row_search_matches(const struct row_search *search, const struct view_row *row)
{
	return search->text && name_matches(search, row->name);
}

/* Which functions match. NULL: out of memory. */
static bool *match_entities(const struct row_search *search)
{
	const struct fold *fold = search->growing->fold;
	bool *matches = calloc(fold->n_entities, sizeof(*matches));

	for (uint32_t i = 1; matches && i < fold->n_entities; i++)
		matches[i] = name_matches(search, fold->entities[i].name);
	return matches;
}

/* A node's parent comes before it. */
static void mark_nodes(const struct row_search *search, const bool *matches)
{
	const struct fold *fold = search->growing->fold;
	bool *leads = search->leads_to_match;

	if (search->growing->view->options.kind == VIEW_TREE) {
		for (uint32_t i = fold->n_nodes - 1; i > 0; i--)
			leads[fold->nodes[i].parent] |= leads[i] || matches[fold->nodes[i].entity];
		return;
	}
	for (uint32_t i = 1; i < fold->n_nodes; i++)
		leads[i] = leads[fold->nodes[i].parent] || matches[fold->nodes[i].entity];
}

static int look_ahead(struct row_search *search)
{
	const enum view_kind kind = search->growing->view->options.kind;

	if (kind != VIEW_TREE && kind != VIEW_CALLERS)
		return 0;
	_cleanup_free_ bool *matches = match_entities(search);
	search->leads_to_match =
		calloc(search->growing->fold->n_nodes, sizeof(*search->leads_to_match));
	if (!matches || !search->leads_to_match)
		return -ENOMEM;
	mark_nodes(search, matches);
	return 0;
}

int row_search_begin(struct row_search *search, struct growing_view *growing, const char *text)
{
	char *copy = strdup(text);

	row_search_end(search);
	if (!copy)
		return -ENOMEM;
	*search = (struct row_search){ .text = copy, .growing = growing };
	for (const char *c = text; *c; c++)
		search->has_upper_case |= isupper((unsigned char)*c) != 0;
	int err = look_ahead(search);
	if (err)
		row_search_end(search);
	return err;
}

/* Whether there may be a match below the row. Of rows that are there, each is looked at. */
static bool may_lead_to_match(const struct row_search *search, const struct view_row *row)
{
	if (row->children || !search->leads_to_match)
		return row->children;
	if (row->is_grown)
		return false;
	if (search->growing->view->options.kind == VIEW_TREE)
		return search->leads_to_match[row->source];
	return caller_rows_have_callers(&search->growing->callers, row, search->leads_to_match);
}

/* Gives the row its children if a match may be below it. */
static bool descend(struct row_search *search, struct view_row *row)
{
	return may_lead_to_match(search, row) && !growing_view_grow(search->growing, row);
}

/* The row after @row, in the order in which rows are shown; after the last, the root. */
static struct view_row *step_forward(struct row_search *search, struct view_row *row)
{
	if (descend(search, row))
		return row->children;
	while (row->parent && !row->next)
		row = row->parent;
	return row->parent ? row->next : row;
}

static struct view_row *last_below(struct row_search *search, struct view_row *row)
{
	while (descend(search, row)) {
		row = row->children;
		while (row->next)
			row = row->next;
	}
	return row;
}

/* The row before @row; before the first, the root, and before that the last. */
static struct view_row *step_backward(struct row_search *search, struct view_row *row)
{
	struct view_row *before;

	if (!row->parent)
		return last_below(search, row);
	if (row->parent->children == row)
		return row->parent;
	for (before = row->parent->children; before->next != row;)
		before = before->next;
	return last_below(search, before);
}

struct view_row *row_search_next(struct row_search *search, struct view_row *from, bool backward)
{
	struct view_row *root = search->growing->view->root, *row = from ? from : root;

	for (unsigned n_ends = 0; n_ends < 2;) {
		row = backward ? step_backward(search, row) : step_forward(search, row);
		if (row == root)
			n_ends++;
		else if (row_search_matches(search, row))
			return row;
	}
	return NULL;
}
