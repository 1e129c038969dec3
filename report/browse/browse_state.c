#include "report/browse/browse_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/scope/scope_functions.h"
#include "report/scope/scope_lines.h"
#include "report/scope/scope_tasks.h"

static const struct {
	enum view_kind kind;
	const char *name;
} page_kinds[] = {
	[PAGE_TREE] = { VIEW_TREE, "tree" },
	[PAGE_CALLERS] = { VIEW_CALLERS, "callers" },
	[PAGE_FUNCTIONS] = { VIEW_FUNCTIONS, "functions" },
	[PAGE_MODULES] = { VIEW_MODULES, "modules" },
	[PAGE_LINES] = { VIEW_LINES, "lines" },
	[PAGE_ICICLE] = { VIEW_TREE, "icicle" },
	[PAGE_PATHS] = { VIEW_PATHS, "paths" },
	[PAGE_PROCESSES] = { VIEW_PROCESSES, "processes" },
	[PAGE_THREADS] = { VIEW_THREADS, "threads" },
	[PAGE_CGROUPS] = { VIEW_CGROUPS, "cgroups" },
};

const char *browse_page_name(enum browse_page_kind kind)
{
	return page_kinds[kind].name;
}

bool browse_has_page(const struct browse *browse, enum browse_page_kind kind)
{
	if (kind == PAGE_PATHS)
		return browse->scope.root;
	return kind != PAGE_CGROUPS || (browse->all->rows && browse->all->cgroups.n_strings);
}

/* The view of paths begins with the functions of that name. */
static void mark_root(struct browse *browse)
{
	struct fold *fold = browse_fold(browse);

	for (uint32_t i = 0; i < fold->n_entities; i++) {
		struct fold_entity *entity = &fold->entities[i];

		entity->root_match = browse->scope.root && entity_is_code(entity) &&
				     strcmp(entity->name, browse->scope.root) == 0;
	}
}

static void folds_deinit(const struct browse *browse, struct browse_folds *folds)
{
	fold_destroy(folds->part);
	if (folds->whole != browse->base.fold)
		fold_destroy(folds->whole);
	*folds = (struct browse_folds){ 0 };
}

struct symbolizer *browse_line_symbolizer(struct browse *browse)
{
	struct symbolizer_options names = browse->options.symbolizer;

	if (!names.no_inlines) {
		symbolizer_want_lines(browse->symbolizer);
		return browse->symbolizer;
	}
	names.lines = true;
	if (!browse->line_symbolizer)
		browse->line_symbolizer = symbolizer_create(browse->all, &names);
	return browse->line_symbolizer;
}

static int fold_lines(struct browse *browse, const struct view_options *options,
		      struct fold **fold_ret)
{
	struct symbolizer *symbolizer = browse_line_symbolizer(browse);

	return symbolizer ? scope_lines_fold(&browse->scope, &browse->base, symbolizer, options,
					     fold_ret)
			  : -ENOMEM;
}

/* The lines of the whole, which stay. 0 or -errno. */
static int find_whole_lines(struct browse *browse, struct fold **fold_ret)
{
	int err = browse->base.lines
			  ? 0
			  : fold_lines(browse, &browse->options.view, &browse->base.lines);

	if (!err)
		*fold_ret = browse->base.lines;
	return err;
}

/* Of a page that has a separate fold. 0 or -errno. */
static int make_fold(struct browse *browse, enum browse_page_kind kind, struct fold **fold_ret)
{
	struct view_options options = browse->options.view;

	if (kind == PAGE_LINES && !browse->scope.n_zoom && browse_scope_is_whole(&browse->scope))
		return find_whole_lines(browse, fold_ret);
	options.kind = page_kinds[kind].kind;
	int err = kind == PAGE_LINES ? fold_lines(browse, &options, fold_ret)
				     : scope_tasks_fold(&browse->scope, &browse->base,
							browse->symbolizer, &options, fold_ret);
	if (!err)
		browse->pages[kind].fold = *fold_ret;
	return err;
}

/* The folds of another scope; the whole is that of the present one if that does. */
static int make_folds(const struct browse *browse, const struct browse_scope *scope,
		      struct refold_base *base, struct browse_folds *folds)
{
	const bool is_same = browse->folds.whole && browse_scope_folds_alike(scope, &browse->scope);
	int err = 0;

	*folds = (struct browse_folds){ 0 };
	if (is_same)
		folds->whole = browse->folds.whole;
	else if (browse_scope_is_whole(scope))
		folds->whole = base->fold;
	else
		err = browse_scope_fold(scope, base, &folds->whole);
	if (err)
		return err;
	err = browse_scope_part(scope, folds->whole, &folds->part);
	if (err && !is_same && folds->whole != base->fold)
		fold_destroy(folds->whole);
	return err;
}

/* Makes the folds that were put off. 0 or -errno. */
static int find_folds(struct browse *browse)
{
	return browse->folds.whole
		       ? 0
		       : make_folds(browse, &browse->scope, &browse->base, &browse->folds);
}

/* What the page is made of. 0 or -errno. */
static int find_fold(struct browse *browse, enum browse_page_kind kind, struct fold **fold_ret)
{
	if (browse->pages[kind].fold) {
		*fold_ret = browse->pages[kind].fold;
		return 0;
	}
	if (kind == PAGE_LINES || browse_page_has_tasks(kind))
		return make_fold(browse, kind, fold_ret);
	int err = find_folds(browse);
	if (err)
		return err;
	*fold_ret = browse_fold(browse);
	if (kind == PAGE_PATHS)
		mark_root(browse);
	return 0;
}

static int open_page(struct browse *browse, enum browse_page_kind kind)
{
	struct browse_page *page = &browse->pages[kind];
	struct view_options options = browse->options.view;
	struct growing_view *growing;
	struct fold *fold;
	int err = find_fold(browse, kind, &fold);

	if (err)
		return err;
	options.kind = page_kinds[kind].kind;
	options.sort = page->sort;
	options.sort_metric = browse->metric;
	options.root = browse->scope.root;
	options.direction = browse->scope.direction;
	err = growing_view_create(browse->profile, &options, fold, &growing);
	if (!err)
		err = browse_rows_init(&page->rows, growing);
	if (err)
		browse_close_page(browse, kind);
	return err;
}

void browse_close_page(struct browse *browse, enum browse_page_kind kind)
{
	struct browse_page *page = &browse->pages[kind];

	if (browse->search.growing == page->rows.growing)
		browse->search.growing = NULL;
	browse_rows_deinit(&page->rows);
	fold_destroy(page->fold);
	page->fold = NULL;
	page->top = 0;
}

int browse_show_page(struct browse *browse, enum browse_page_kind kind)
{
	struct browse_page *page = &browse->pages[kind];
	int err = 0;

	if (!page->rows.growing)
		err = open_page(browse, kind);
	else if (page->rows.growing->view->options.sort_metric != browse->metric)
		err = browse_rows_sort(&page->rows, page->sort, browse->metric);
	if (!err)
		browse->page = kind;
	return err;
}

/* The samples that a scope chooses from, and the base of its folds. */
struct basis {
	struct profile *part; /* NULL: all samples */
	struct refold_base base;
};

static void basis_deinit(struct basis *basis)
{
	refold_base_deinit(&basis->base);
	profile_part_destroy(basis->part);
}

/* Of other tasks. 0, -ENOENT or -ENOMEM. */
static int make_basis(const struct browse *browse, const struct task_choice *tasks,
		      struct basis *basis)
{
	struct view_options view = browse->options.view;

	*basis = (struct basis){ 0 };
	int err = task_choice_is_all(tasks) ? 0
					    : profile_part_create(browse->all, tasks, &basis->part);
	if (err)
		return err;
	view.kind = VIEW_TREE;
	err = refold_base_init(&basis->base, basis->part ? basis->part : browse->all,
			       browse->symbolizer, &view);
	if (!err && !browse->options.is_growing) /* that one is replaced again and again */
		err = refold_base_prepare(&basis->base);
	if (err)
		basis_deinit(basis);
	return err;
}

/* Takes over the basis; no fold of the one before is in use. */
static void take_basis(struct browse *browse, const struct basis *basis)
{
	struct basis before = { browse->part, browse->base };

	basis_deinit(&before);
	browse->part = basis->part;
	browse->base = basis->base;
	browse->profile = basis->part ? basis->part : browse->all;
}

int browse_state_init(struct browse *browse, const struct profile *profile,
		      struct symbolizer *symbolizer, const struct browse_options *options)
{
	*browse = (struct browse){
		.all = profile,
		.profile = profile,
		.symbolizer = symbolizer,
		.options = *options,
		.scope.kernel = options->view.kernel,
		.metric = options->view.sort_metric,
		.page_size = 1,
		.message = "",
	};
	for (int kind = 0; kind < N_BROWSE_PAGES; kind++)
		browse->pages[kind].sort = view_traits(page_kinds[kind].kind)->sort;
	browse->scope_text = browse_scope_describe(&browse->scope);
	if (!browse->scope_text)
		return -ENOMEM;
	/* Where lines are stored beside names, they are found together, so that no key has to. */
	if (profile->names && !options->symbolizer.no_inlines)
		symbolizer_want_lines(symbolizer);
	struct basis basis;
	int err = make_basis(browse, &browse->scope.tasks, &basis);
	if (err)
		return err;
	take_basis(browse, &basis);
	if (!options->is_growing)
		err = refold_base_find_steps(&browse->base);
	if (!err)
		err = make_folds(browse, &browse->scope, &browse->base, &browse->folds);
	return err ? err : browse_show_page(browse, PAGE_TREE);
}

int browse_prepare(struct browse *browse)
{
	struct fold *lines;

	if (!browse->all->names || browse->options.is_growing || browse->scope.n_zoom ||
	    !browse_scope_is_whole(&browse->scope) || browse->profile->cct->n_nodes < BROWSE_LARGE)
		return 0;
	return find_whole_lines(browse, &lines);
}

static void close_pages(struct browse *browse)
{
	for (int kind = 0; kind < N_BROWSE_PAGES; kind++)
		browse_close_page(browse, (enum browse_page_kind)kind);
}

void browse_state_deinit(struct browse *browse)
{
	row_search_end(&browse->search);
	free(browse->revealed);
	close_pages(browse);
	folds_deinit(browse, &browse->folds);
	take_basis(browse, &(struct basis){ 0 });
	symbolizer_destroy(browse->line_symbolizer);
	for (uint32_t i = 0; i < browse->n_past; i++)
		browse_scope_deinit(&browse->past[i].scope);
	browse_scope_deinit(&browse->scope);
	free(browse->scope_text);
	string_ids_deinit(&browse->names);
}

/* A row of a page, by what stays when the page is made again. */
struct place {
	const char **names; /* from the outermost on; of the symbolizer or the profile; owned */
	size_t n_names;
};

/* What is above the row that is shown alone belongs to the path. */
static struct place note_place(const struct browse *browse)
{
	const struct view_row *row =
		browse->page == PAGE_LINES || browse_page_has_tasks(browse->page)
			? NULL
			: browse_rows_current(browse_rows(browse));
	const size_t n_above = browse->scope.n_zoom ? browse->scope.n_zoom - 1 : 0;
	struct place place = { .n_names = n_above };

	for (const struct view_row *above = row; above && above->parent; above = above->parent)
		place.n_names++;
	place.names = calloc(place.n_names + 1, sizeof(*place.names));
	for (size_t i = 0; place.names && i < n_above; i++)
		place.names[i] = browse->scope.zoom[i].name;
	for (size_t i = place.n_names; place.names && i > n_above; row = row->parent)
		place.names[--i] = row->name;
	return place;
}

static struct view_row *find_child(struct view_row *row, const char *name)
{
	for (row = row->children; row; row = row->next) {
		if (strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}

/* Names that are not there are left out: the page may begin further down. */
static int go_to_place(struct browse *browse, const struct place *place)
{
	struct browse_rows *rows = &browse_page(browse)->rows;
	struct view_row *row = rows->growing->view->root;

	for (size_t i = 0; place->names && i < place->n_names; i++) {
		struct view_row *child = find_child(row, place->names[i]);

		if (!child)
			continue;
		row = child;
		if (i + 1 < place->n_names && growing_view_grow(rows->growing, row))
			return -ENOMEM;
	}
	return row->parent ? browse_rows_reveal(rows, row) : 0;
}

/* @basis: NULL: it stays. @page_fold: that the shown page alone needs, taken over; or NULL. */
static int show_other_folds(struct browse *browse, const struct basis *basis,
			    const struct browse_folds *folds, struct fold *page_fold,
			    const struct place *place)
{
	close_pages(browse);
	browse->pages[browse->page].fold = page_fold;
	if (browse->folds.whole == folds->whole)
		browse->folds.whole = NULL;
	folds_deinit(browse, &browse->folds);
	if (basis)
		take_basis(browse, basis);
	browse->folds = *folds;
	int err = browse_show_page(browse, browse->page);
	if (err == -ENOENT) /* the function of the paths is not there any more */
		err = browse_show_page(browse, PAGE_TREE);
	return err ? err : go_to_place(browse, place);
}

static void take_scope(struct browse *browse, struct browse_scope *scope, char *text)
{
	browse_scope_deinit(&browse->scope);
	browse->scope = *scope;
	*scope = (struct browse_scope){ 0 };
	free(browse->scope_text);
	browse->scope_text = text;
}

/* The page of lines does without folds. They are put off until another page is shown, if nothing
 * can be found then that should have been said now: that no path is selected, or a row is not
 * there. */
static bool can_put_off(const struct browse *browse, const struct browse_scope *scope)
{
	return browse->page == PAGE_LINES && !scope->n_zoom &&
	       browse_scope_selects_alike(scope, &browse->scope);
}

/* The folds of another scope, or what the page that is shown needs alone. 0 or -errno. */
static int prepare_page(const struct browse *browse, const struct browse_scope *scope,
			struct refold_base *base, struct browse_folds *folds,
			struct fold **page_fold)
{
	if (can_put_off(browse, scope))
		return 0;
	if (browse->page == PAGE_FUNCTIONS && scope_functions_can_fold(scope, base))
		return scope_functions_fold(scope, base, page_fold);
	return make_folds(browse, scope, base, folds);
}

int browse_change_scope(struct browse *browse, struct browse_scope *scope, bool changes_fold)
{
	const bool has_basis = !task_choice_equal(&scope->tasks, &browse->scope.tasks);
	struct browse_folds folds = { 0 };
	struct fold *page_fold = NULL;
	struct basis basis = { 0 };
	char *text = browse_scope_describe(scope);
	int err = text ? 0 : -ENOMEM;

	if (!err && has_basis)
		err = make_basis(browse, &scope->tasks, &basis);
	if (!err && changes_fold)
		err = prepare_page(browse, scope, has_basis ? &basis.base : &browse->base, &folds,
				   &page_fold);
	if (err) {
		if (has_basis)
			basis_deinit(&basis);
		free(text);
		browse_scope_deinit(scope);
		return err;
	}
	struct place place = note_place(browse);
	take_scope(browse, scope, text);
	if (changes_fold)
		err = show_other_folds(browse, has_basis ? &basis : NULL, &folds, page_fold,
				       &place);
	else
		browse_close_page(browse, PAGE_PATHS);
	free(place.names);
	return err;
}

uint32_t browse_n_metrics(const struct browse *browse, uint32_t *place_ret)
{
	uint32_t n = 0;

	*place_ret = 1;
	for (uint32_t i = 0; i < browse->profile->n_metrics; i++) {
		n += browse->profile->metrics[i].samples || i == browse->metric;
		if (i == browse->metric)
			*place_ret = n;
	}
	return n;
}

void browse_scroll(struct browse *browse, uint32_t page_size)
{
	struct browse_page *page = browse_page(browse);
	const uint32_t cursor = page->rows.cursor, n = page->rows.n_lines;

	browse->page_size = page_size ? page_size : 1;
	if (page->top > cursor)
		page->top = cursor;
	if (cursor - page->top >= browse->page_size)
		page->top = cursor - browse->page_size + 1;
	if (n - page->top < browse->page_size)
		page->top = n > browse->page_size ? n - browse->page_size : 0;
}
