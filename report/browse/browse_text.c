#include "report/browse/browse_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "report/demangle/short_name.h"
#include "report/demangle/simple_name.h"
#include "report/names/source_paths.h"
#include "report/text/text_columns.h"
#include "report/text/text_format.h"

#define SHARE_WIDTH 8 /* "100.00% " */
#define VALUE_WIDTH 9
/* Screens that have room for a column of values, for modules, and for bars. */
#define WIDTH_FOR_VALUES  80
#define WIDTH_FOR_MODULES 100
#define WIDTH_FOR_BARS    132
#define MAX_MODULE_WIDTH  32
#define BAR_WIDTH         12
#define MIN_SCOPE_WIDTH   12
#define MAX_SCOPE_WIDTH   40 /* for which names of views give way */
#define MIN_PLACE_WIDTH   20
#define MORE_VIEWS        " more" /* after the numbers of views whose names have no room */

static bool has_self(const struct browse *browse)
{
	return view_traits(browse_view(browse)->options.kind)->has_self;
}

/* Where the columns of a row are. */
struct layout {
	bool has_self, has_value, has_bar;
	unsigned name;   /* the first column of names */
	unsigned module; /* of modules; the line's width: there is none */
};

/* A view whose rows have no cost of their own has no column for it. */
static struct layout lay_out(const struct browse *browse, unsigned width)
{
	unsigned module_width = width / 6 < MAX_MODULE_WIDTH ? width / 6 : MAX_MODULE_WIDTH;
	struct layout layout = { .has_self = has_self(browse),
				 .has_value = width >= WIDTH_FOR_VALUES,
				 .has_bar = width >= WIDTH_FOR_BARS };

	layout.name = (layout.has_self ? 2 : 1) * SHARE_WIDTH +
		      (layout.has_value ? VALUE_WIDTH : 0) + (layout.has_bar ? BAR_WIDTH + 1 : 0) +
		      1;
	layout.module = width >= WIDTH_FOR_MODULES ? width - module_width : width;
	return layout;
}

static const struct metric *metric_of(const struct browse *browse)
{
	static const struct metric none = { .name = (char *)"no events", .unit = (char *)"events" };

	return browse->metric < browse->profile->n_metrics
		       ? &browse->profile->metrics[browse->metric]
		       : &none;
}

/* The inclusive or own cost of a row; a profile may have no event. */
static uint64_t cost_of(const struct browse *browse, const uint64_t *costs)
{
	return browse->metric < browse->profile->n_metrics ? costs[browse->metric] : 0;
}

static uint64_t whole_of(const struct browse *browse)
{
	return cost_of(browse, browse_view(browse)->root->total);
}

void browse_text_title(const struct browse *browse, struct styled_line *line)
{
	const struct metric *metric = metric_of(browse);
	uint32_t place, n = browse_n_metrics(browse, &place);
	char total[64];

	if (browse->options.is_growing) {
		styled_line_add(line, " dendro top  ");
		styled_line_add(line, browse->options.source);
		styled_line_pad(line, line->max_columns);
		return;
	}
	text_format_amount(total, sizeof(total), whole_of(browse), metric->unit);
	styled_line_add(line, " dendro browse  ");
	styled_line_add_cut(line, browse->options.source, line->max_columns / 2);
	styled_line_add(line, "  ");
	styled_line_add_cut(line, metric->name, line->max_columns / 4);
	styled_line_addf(line, "  %s", total);
	if (n > 1)
		styled_line_add_whole(line, "  event %" PRIu32 " of %" PRIu32, place, n);
	styled_line_pad(line, line->max_columns);
}

/* As describe_scope() says it. */
static size_t scope_width(const struct browse *browse)
{
	const size_t width = strlen(browse->scope_text);

	return browse->page == PAGE_PATHS ? width + strlen(browse->scope.root) + strlen("from , ")
					  : width;
}

/* Whether all views up to @last, and the shown one, have room for their names, and what follows:
 * the part that is shown must be seen. */
static bool names_fit(const struct browse *browse, const struct styled_line *line, int last)
{
	const size_t scope = scope_width(browse);
	size_t width = strlen("[]") + (scope < MAX_SCOPE_WIDTH ? scope : MAX_SCOPE_WIDTH);
	bool is_any_left = false;

	for (int kind = 0; kind < N_BROWSE_PAGES; kind++) {
		const bool is_named = kind <= last || kind == (int)browse->page;

		if (!browse_has_page(browse, (enum browse_page_kind)kind))
			continue;
		width += strlen(" 1");
		if (is_named)
			width += 1 + strlen(browse_page_name((enum browse_page_kind)kind));
		is_any_left |= !is_named;
	}
	return width + (is_any_left ? strlen(MORE_VIEWS) : 0) <= line->max_columns;
}

/* Those on the left have their names first. */
static int last_named_view(const struct browse *browse, const struct styled_line *line)
{
	int last = N_BROWSE_PAGES - 1;

	while (last >= 0 && !names_fit(browse, line, last))
		last--;
	return last;
}

static void add_view(const struct browse *browse, struct styled_line *line,
		     enum browse_page_kind kind, int last_named)
{
	const bool is_shown = kind == browse->page;

	styled_line_set(line, STYLE_DIM);
	styled_line_add_whole(line, " %d", ((int)kind + 1) % 10);
	styled_line_set(line, is_shown ? STYLE_HEADING : STYLE_PLAIN);
	if (is_shown)
		styled_line_add_whole(line, " [%s]", browse_page_name(kind));
	else if ((int)kind <= last_named)
		styled_line_add_whole(line, " %s", browse_page_name(kind));
}

static char *describe_scope(const struct browse *browse)
{
	const bool is_down = browse->scope.direction == PATHS_DOWN;

	if (browse->page != PAGE_PATHS)
		return strdup(browse->scope_text);
	return sentence("%s %s%s%s", is_down ? "from" : "to", browse->scope.root,
			*browse->scope_text ? ", " : "", browse->scope_text);
}

/* What part of the profile is shown, where there is room. */
static void add_scope(const struct browse *browse, struct styled_line *line)
{
	_cleanup_free_ char *text = describe_scope(browse);
	const unsigned width = text ? printable_width(text, line->utf8) + 1 : 0;
	const unsigned room = line->max_columns - line->columns;

	if (!text || !*text || room < MIN_SCOPE_WIDTH)
		return;
	styled_line_pad(line, line->max_columns - (width < room ? width : room));
	styled_line_set(line, STYLE_WARNING);
	styled_line_add_cut(line, text, line->max_columns - line->columns);
}

void browse_text_views(const struct browse *browse, struct styled_line *line)
{
	const int last_named = last_named_view(browse, line);
	bool is_any_left = false;

	for (int kind = 0; kind < N_BROWSE_PAGES; kind++) {
		if (!browse_has_page(browse, (enum browse_page_kind)kind))
			continue;
		add_view(browse, line, (enum browse_page_kind)kind, last_named);
		is_any_left |= kind > last_named && kind != (int)browse->page;
	}
	styled_line_set(line, STYLE_PLAIN);
	if (is_any_left)
		styled_line_add_whole(line, MORE_VIEWS);
	styled_line_add(line, " ");
	add_scope(browse, line);
}

enum browse_page_kind browse_text_view_at(const struct browse *browse, struct styled_line *line,
					  unsigned column)
{
	const int last_named = last_named_view(browse, line);

	for (int kind = 0; kind < N_BROWSE_PAGES; kind++) {
		if (!browse_has_page(browse, (enum browse_page_kind)kind))
			continue;
		add_view(browse, line, (enum browse_page_kind)kind, last_named);
		if (column < line->columns)
			return (enum browse_page_kind)kind;
	}
	return N_BROWSE_PAGES;
}

static void add_column_name(const struct browse *browse, struct styled_line *line, const char *name,
			    enum view_sort sort, int width)
{
	const bool is_sorted = browse_view(browse)->options.sort == sort;

	styled_line_addf(line, "%*s", width - is_sorted, name);
	if (is_sorted)
		styled_line_add_sign(line, "▼", "v");
}

void browse_text_heading(const struct browse *browse, struct styled_line *line)
{
	const struct layout layout = lay_out(browse, line->max_columns);
	const struct view_traits *traits = view_traits(browse_view(browse)->options.kind);
	const char *name = traits->subject == ROWS_LINES ? "line, function" : traits->heading;
	const bool is_by_name = browse_view(browse)->options.sort == SORT_NAME;

	styled_line_set(line, STYLE_HEADING);
	if (browse->page == PAGE_ICICLE) {
		styled_line_add(line, " as wide as total; callers above, callees below");
		return;
	}
	add_column_name(browse, line, "total", SORT_TOTAL, SHARE_WIDTH - 1);
	styled_line_add(line, " ");
	if (layout.has_self) {
		add_column_name(browse, line, "self", SORT_SELF, SHARE_WIDTH - 1);
		styled_line_add(line, " ");
	}
	if (layout.has_value)
		styled_line_addf(line, "%*s ", VALUE_WIDTH - 1,
				 text_value_heading(metric_of(browse)->unit));
	styled_line_pad(line, layout.name + (traits->is_flat ? 0 : 2));
	add_column_name(browse, line, name, SORT_NAME, (int)strlen(name) + is_by_name);
	if (traits->subject == ROWS_FUNCTIONS || traits->subject == ROWS_LINES) {
		styled_line_pad(line, layout.module);
		styled_line_add(line, "module");
	}
}

enum browse_action browse_text_column_at(const struct browse *browse, unsigned column)
{
	if (column < SHARE_WIDTH)
		return ACTION_SORT_TOTAL;
	return has_self(browse) && column < 2 * SHARE_WIDTH ? ACTION_SORT_SELF : ACTION_SORT_NAME;
}

static void add_share(const struct browse *browse, struct styled_line *line, uint64_t cost)
{
	const double share = text_percent(cost, whole_of(browse));

	styled_line_set(line, cost ? text_share_style(share) : STYLE_DIM);
	if (cost)
		styled_line_addf(line, "%*.2f%%", SHARE_WIDTH - 2, share);
	else
		styled_line_addf(line, "%*s", SHARE_WIDTH - 1, "-");
	styled_line_set(line, STYLE_PLAIN);
	styled_line_add(line, " ");
}

/* A bar as long as the share. */
static void add_bar(const struct browse *browse, struct styled_line *line, uint64_t cost)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
	const double share = text_percent(cost, whole_of(browse));
	const unsigned start = line->columns;
	unsigned left = (unsigned)(share * BAR_WIDTH * 8 / 100 + 0.5);

	styled_line_set(line, text_share_style(share));
	for (; left >= 8; left -= 8)
		styled_line_add_sign(line, eighths[8], "#");
	if (line->utf8)
		styled_line_add(line, eighths[left]);
	styled_line_set(line, STYLE_PLAIN);
	styled_line_pad(line, start + BAR_WIDTH + 1);
}

static void add_numbers(const struct browse *browse, struct styled_line *line,
			const struct layout *layout, const struct view_row *row)
{
	char value[32];

	add_share(browse, line, cost_of(browse, row->total));
	if (layout->has_self)
		add_share(browse, line, cost_of(browse, row->self));
	if (layout->has_value) {
		text_format_value(value, sizeof(value), cost_of(browse, row->total),
				  metric_of(browse)->unit);
		styled_line_addf(line, "%*s ", VALUE_WIDTH - 1, value);
	}
	if (layout->has_bar)
		add_bar(browse, line, cost_of(browse, row->total));
	styled_line_pad(line, layout->name);
}

/* Whether the row is one of several below the same row, which are shown as branches. */
static bool is_branch(const struct view_row *row)
{
	return row->parent->children->next != NULL;
}

/*
 * The lines on the left of a name, from the row up: each step belongs to the row above, or the row
 * itself, that is a branch. @steps: of @n_steps. True: the line goes on below.
 */
static void find_steps(const struct view_row *root, const struct view_row *row, bool *steps,
		       uint32_t n_steps)
{
	for (uint32_t at = n_steps; at > 0 && row->parent != root; row = row->parent) {
		const bool is_first_level = row->parent->parent == root;

		if (is_branch(row) || is_first_level)
			steps[--at] = row->next != NULL;
	}
}

static const char *joint_of(bool utf8, bool is_last_step, bool is_here, bool goes_on)
{
	if (is_last_step && is_here)
		return goes_on ? (utf8 ? "├ " : "|-") : (utf8 ? "└ " : "`-");
	return goes_on ? (utf8 ? "│ " : "| ") : "  ";
}

/* At most @max_steps; those that are left out on the left have a mark. */
static void add_joints(const struct browse *browse, struct styled_line *line,
		       const struct browse_line *shown, uint32_t max_steps)
{
	_cleanup_free_ bool *steps = calloc(shown->indent + (size_t)1, sizeof(*steps));
	uint32_t first = shown->indent > max_steps ? shown->indent - max_steps + 1 : 0;

	if (!steps || !shown->indent)
		return;
	find_steps(browse_view(browse)->root, shown->row, steps, shown->indent);
	styled_line_set(line, STYLE_DIM);
	if (first)
		styled_line_add(line, "..");
	for (uint32_t i = first; i < shown->indent; i++)
		styled_line_add(line, joint_of(line->utf8, i + 1 == shown->indent,
					       is_branch(shown->row), steps[i]));
	styled_line_set(line, STYLE_PLAIN);
}

static void add_fold_mark(const struct browse *browse, struct styled_line *line,
			  const struct view_row *row)
{
	const struct growing_view *growing = browse_rows(browse)->growing;

	if (row->is_unfolded && row->children)
		styled_line_add_sign(line, "▾ ", "v ");
	else if (growing_view_has_children(growing, row))
		styled_line_add_sign(line, "▸ ", "> ");
	else
		styled_line_add(line, "  ");
}

static bool is_function(const struct view_row *row)
{
	return row->kind == ROW_USER || row->kind == ROW_KERNEL || row->kind == ROW_INLINE;
}

/* A name that fits as far as names can be shortened. Heap; NULL: out of memory. */
static char *fit_name(const struct view_row *row, unsigned columns, bool utf8)
{
	_cleanup_free_ char *simple = is_function(row) ? simple_name_make(row->name, false) : NULL;

	return short_name_fit(simple ? simple : row->name, columns, utf8);
}

/* "dir/file.c:12  ", with the end of the path that fits. Returns the columns used. */
static unsigned add_place(struct styled_line *line, const struct view_row *row, unsigned columns)
{
	static const char cut_mark[] = ".../";
	const unsigned start = line->columns;

	if (!row->file || columns / 2 < MIN_PLACE_WIDTH)
		return 0;
	const size_t room = columns / 2 - strlen(":123456  ") - strlen(cut_mark);
	const char *tail = source_path_tail(row->file, room);
	styled_line_addf(line, "%s%s:%" PRIu32 "  ", tail == row->file ? "" : cut_mark, tail,
			 row->line);
	return line->columns - start;
}

static void add_name(const struct browse *browse, struct styled_line *line,
		     const struct view_row *row, unsigned columns)
{
	const bool is_match = row_search_matches(&browse->search, row);
	char suffix[TEXT_SUFFIX_SIZE];

	columns -= add_place(line, row, columns);
	text_row_suffix(row, suffix, sizeof(suffix));
	if (strlen(suffix) > columns / 2 &&
	    strlen(suffix) + printable_width(row->name, line->utf8) > columns)
		suffix[0] = '\0';
	columns -= (unsigned)strlen(suffix);
	_cleanup_free_ char *name = fit_name(row, columns, line->utf8);
	styled_line_set(line, is_match ? STYLE_WARNING : text_row_style(row));
	styled_line_add_cut(line, name ? name : row->name, columns);
	styled_line_set(line, STYLE_DIM);
	styled_line_add(line, suffix);
	styled_line_set(line, STYLE_PLAIN);
}

void browse_text_row(const struct browse *browse, uint32_t index, struct styled_line *line)
{
	const struct browse_line *shown = &browse_rows(browse)->lines[index];
	const struct layout layout = lay_out(browse, line->max_columns);
	const struct view_row *row = shown->row;
	const bool is_flat = view_is_flat(browse_view(browse));
	const bool has_module = layout.module < line->max_columns && *row->module;
	const unsigned end = has_module ? layout.module - 2 : line->max_columns;

	add_numbers(browse, line, &layout, row);
	if (!is_flat) {
		add_joints(browse, line, shown, end > layout.name ? (end - layout.name) / 4 : 0);
		add_fold_mark(browse, line, row);
	}
	add_name(browse, line, row, end > line->columns ? end - line->columns : 0);
	if (!has_module)
		return;
	styled_line_pad(line, layout.module);
	styled_line_set(line, STYLE_DIM);
	styled_line_add_cut(line, row->module, line->max_columns - layout.module);
}

static void add_box(const struct browse *browse, struct styled_line *line,
		    const struct icicle_box *box)
{
	const bool is_current = box->row && box->row == browse_rows_current(browse_rows(browse));
	const unsigned room = box->width - 1;

	styled_line_fill(line, !is_current);
	styled_line_set(line, STYLE_PLAIN);
	if (box->row)
		styled_line_set(line, row_search_matches(&browse->search, box->row)
					      ? STYLE_WARNING
					      : text_row_style(box->row));
	styled_line_add_sign(line, is_current ? "▐" : "▏", is_current ? "[" : "|");
	_cleanup_free_ char *name = box->row ? fit_name(box->row, room, line->utf8)
					     : sentence("%u narrow", box->n_rows);
	if (room > 2 && name)
		styled_line_add_cut(line, name, room);
	styled_line_pad(line, box->start + box->width);
	styled_line_fill(line, false);
}

void browse_text_level(const struct browse *browse, const struct icicle *icicle, uint32_t depth,
		       struct styled_line *line)
{
	for (uint32_t i = 0; i < icicle->n_boxes; i++) {
		if (icicle->boxes[i].depth != depth)
			continue;
		styled_line_pad(line, icicle->boxes[i].start);
		add_box(browse, line, &icicle->boxes[i]);
	}
}

static const struct view_row *current_row(const struct browse *browse)
{
	return browse_rows_current(browse_rows(browse));
}

void browse_text_name(const struct browse *browse, struct styled_line *line)
{
	const struct view_row *row = current_row(browse);
	char suffix[TEXT_SUFFIX_SIZE];

	if (!row) {
		styled_line_add(line, " No samples.");
		return;
	}
	text_row_suffix(row, suffix, sizeof(suffix));
	unsigned rest = printable_width(row->module, line->utf8) + (unsigned)strlen(suffix) + 4;
	if (rest > line->max_columns / 2)
		rest = line->max_columns / 2;
	styled_line_add(line, " ");
	if (row->file)
		styled_line_add_whole(line, "%s:%" PRIu32 "  ", row->file, row->line);
	if (rest + line->columns > line->max_columns)
		rest = 0;
	styled_line_set(line, STYLE_HEADING);
	styled_line_add_cut(line, row->name, line->max_columns - line->columns - rest);
	styled_line_set(line, STYLE_PLAIN);
	styled_line_add(line, suffix);
	styled_line_add(line, *row->module ? "  " : "");
	if (line->columns < line->max_columns)
		styled_line_add_cut(line, row->module, line->max_columns - line->columns);
}

void browse_text_costs(const struct browse *browse, struct styled_line *line)
{
	const struct view_row *row = current_row(browse);
	const char *unit = metric_of(browse)->unit;

	if (!row)
		return;
	const uint64_t total = cost_of(browse, row->total), self = cost_of(browse, row->self);
	styled_line_add_whole(line, " total %" PRIu64 " %s", total, unit);
	if (has_self(browse))
		styled_line_add_whole(line, "  self %" PRIu64 " %s", self, unit);
	styled_line_add_whole(line, "  samples %" PRIu64, cost_of(browse, row->samples));
}

static const char *fold_hint(const struct browse *browse)
{
	const struct view_row *row = current_row(browse);

	if (browse->page == PAGE_ICICLE)
		return "Enter alone";
	if (row && row->is_unfolded && row->children)
		return "Enter fold";
	return row && growing_view_has_children(browse_rows(browse)->growing, row) ? "Enter unfold"
										   : "h row above";
}

void browse_text_hints(const struct browse *browse, struct styled_line *line)
{
	if (*browse->message) {
		styled_line_addf(line, " %s", browse->message);
		return;
	}
	styled_line_add(line, " ? help  q quit");
	if (browse->search.text)
		styled_line_add_whole(line, "  n next match  Esc end search");
	else if (current_row(browse) && !view_is_flat(browse_view(browse)))
		styled_line_add_whole(line, "  %s  p hot path", fold_hint(browse));
	styled_line_add_whole(line, "  / search");
	styled_line_add_whole(line, "  Tab view");
	styled_line_add_whole(line, "  s sort");
	uint32_t place;
	if (browse_n_metrics(browse, &place) > 1)
		styled_line_add_whole(line, "  m event");
}
