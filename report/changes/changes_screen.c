#include "report/changes/changes_screen.h"

#include <curses.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/browse/screen_terminal.h"
#include "report/changes/change_text.h"

#define LINES_ABOVE    3 /* title, views, heading */
#define LINES_BELOW    3 /* name, costs, hints */
#define MAX_TYPED      128
#define ROWS_PER_WHEEL 3

enum screen_mode { MODE_ROWS, MODE_SEARCH, MODE_HELP };
enum { PATHS, FUNCTIONS, N_LISTS };

struct screen {
	struct screen_terminal terminal;
	struct change_list lists[N_LISTS];
	int shown;
	enum screen_mode mode;
	uint32_t help_top;
	bool is_done;
	char typed[MAX_TYPED];
	const char *message;
};

/* What dendro browse has, as far as a comparison has it. */
static const struct browse_key keys[] = {
	{ .keys = { 'j', BROWSE_KEY_DOWN },
	  .action = ACTION_DOWN,
	  .name = "j, Down",
	  .help = "next row" },
	{ .keys = { 'k', BROWSE_KEY_UP },
	  .action = ACTION_UP,
	  .name = "k, Up",
	  .help = "previous row" },
	{ .keys = { BROWSE_KEY_PAGE_DOWN },
	  .action = ACTION_PAGE_DOWN,
	  .name = "PgDn",
	  .help = "a page down" },
	{ .keys = { BROWSE_KEY_PAGE_UP },
	  .action = ACTION_PAGE_UP,
	  .name = "PgUp",
	  .help = "a page up" },
	{ .keys = { 'g', BROWSE_KEY_HOME },
	  .action = ACTION_FIRST,
	  .name = "g, Home",
	  .help = "first row" },
	{ .keys = { 'G', BROWSE_KEY_END },
	  .action = ACTION_LAST,
	  .name = "G, End",
	  .help = "last row" },
	{ .keys = { 'l', BROWSE_KEY_RIGHT },
	  .action = ACTION_UNFOLD,
	  .name = "l, Right",
	  .help = "unfold the row; if it is unfolded, go to the first row below it" },
	{ .keys = { 'h', BROWSE_KEY_LEFT },
	  .action = ACTION_FOLD,
	  .name = "h, Left",
	  .help = "fold the row; if it is folded, go to the row above it" },
	{ .keys = { BROWSE_KEY_ENTER, '\n', ' ' },
	  .action = ACTION_TOGGLE,
	  .name = "Enter, Space",
	  .help = "unfold or fold the row" },
	{ .keys = { 'p' },
	  .action = ACTION_HOT_PATH,
	  .name = "p",
	  .help = "go to what moved most below the row" },
	{ .keys = { BROWSE_KEY_TAB },
	  .action = ACTION_NEXT_VIEW,
	  .name = "Tab",
	  .help = "the other view" },
	{ .keys = { '1' },
	  .action = ACTION_TREE,
	  .name = "1",
	  .help = "tree: call paths of both sides" },
	{ .keys = { '3' }, .action = ACTION_FUNCTIONS, .name = "3", .help = "functions" },
	{ .keys = { 's' },
	  .action = ACTION_SORT,
	  .name = "s",
	  .help = "compare and sort by the other cost: total, self" },
	{ .keys = { 'f' },
	  .action = ACTION_FOCUS,
	  .name = "f",
	  .help = "show only rows that moved by more than chance, and those above them" },
	{ .keys = { 'm' },
	  .action = ACTION_NEXT_METRIC,
	  .name = "m",
	  .help = "compare the next event" },
	{ .keys = { '/' },
	  .action = ACTION_SEARCH,
	  .name = "/",
	  .help = "search a part of a name, in folded rows, too" },
	{ .keys = { 'n' }, .action = ACTION_NEXT_MATCH, .name = "n", .help = "next match" },
	{ .keys = { 'N' }, .action = ACTION_PREVIOUS_MATCH, .name = "N", .help = "previous match" },
	{ .keys = { '?' }, .action = ACTION_HELP, .name = "?", .help = "this help" },
	{ .keys = { 'q' }, .action = ACTION_QUIT, .name = "q", .help = "quit" },
	{ .heading = "Columns" },
	{ .name = "error", .help = "the standard deviation that chance gives the change" },
	{ .name = "*",
	  .help = "the row moved by more than chance explains; others are dim. If nothing "
		  "changed, at most one of twenty comparisons marks any row" },
	{ .name = "q", .help = "the false discovery rate at which the row would have its star" },
	{ 0 },
};

static struct change_list *list_of(struct screen *screen)
{
	return &screen->lists[screen->shown];
}

static uint32_t page_size(void)
{
	return LINES > LINES_ABOVE + LINES_BELOW ? (uint32_t)(LINES - LINES_ABOVE - LINES_BELOW)
						 : 1;
}

static void draw_rows(struct screen *screen)
{
	struct change_list *list = list_of(screen);
	const uint32_t size = page_size();

	change_list_scroll(list, size);
	for (uint32_t i = 0; i < size; i++) {
		struct styled_line *line = screen_terminal_line(&screen->terminal);
		const uint32_t index = list->top + i;
		const bool is_current = list->n_lines && index == list->cursor;

		if (index < list->n_lines)
			change_text_row(list, index, line);
		if (is_current)
			styled_line_pad(line, line->max_columns);
		screen_terminal_draw(&screen->terminal, LINES_ABOVE + (int)i, is_current);
	}
}

static void add_hints(struct styled_line *line)
{
	static const char *const hints[] = { "Enter unfold", "p what moved most",
					     "/ search",     "Tab view",
					     "s cost",       "f only movers" };

	styled_line_add(line, " ? help  q quit");
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		styled_line_add_whole(line, "  %s", hints[i]);
}

static void draw_hints(struct screen *screen)
{
	struct styled_line *line = screen_terminal_line(&screen->terminal);

	if (screen->mode == MODE_SEARCH)
		styled_line_addf(line, " /%s  %s  Enter stay  Esc back", screen->typed,
				 screen->message);
	else if (*screen->message)
		styled_line_addf(line, " %s", screen->message);
	else
		add_hints(line);
	styled_line_pad(line, line->max_columns);
	screen_terminal_draw(&screen->terminal, LINES - 1, true);
}

static void draw(struct screen *screen)
{
	static void (*const above[])(const struct change_list *,
				     struct styled_line *) = { change_text_title, change_text_views,
							       change_text_heading };

	for (int i = 0; i < LINES_ABOVE; i++) {
		above[i](list_of(screen), screen_terminal_line(&screen->terminal));
		screen_terminal_draw(&screen->terminal, i, i == 0);
	}
	draw_rows(screen);
	change_text_name(list_of(screen), screen_terminal_line(&screen->terminal));
	screen_terminal_draw(&screen->terminal, LINES - 3, false);
	change_text_costs(list_of(screen), screen_terminal_line(&screen->terminal));
	screen_terminal_draw(&screen->terminal, LINES - 2, false);
	draw_hints(screen);
	curs_set(0);
}

static void search(struct screen *screen, bool backward)
{
	screen->message = "";
	if (*screen->typed && !change_list_search(list_of(screen), screen->typed, backward))
		screen->message = "No row has that name.";
}

static void type_key(struct screen *screen, uint32_t key)
{
	const size_t size = strlen(screen->typed);

	if (key == BROWSE_KEY_ESCAPE || key == BROWSE_KEY_ENTER || key == '\n') {
		screen->mode = MODE_ROWS;
		if (key != BROWSE_KEY_ESCAPE)
			search(screen, false);
	} else if ((key == '\b' || key == 0x7f) && size) {
		screen->typed[size - 1] = '\0';
	} else if (key >= ' ' && key < 0x7f && size + 1 < sizeof(screen->typed)) {
		screen->typed[size] = (char)key;
		screen->typed[size + 1] = '\0';
	}
}

/* Both views show the same event. */
static int choose_metric(struct screen *screen)
{
	int err = 0;

	for (int i = 0; i < N_LISTS && !err; i++) {
		struct change_order order = screen->lists[i].order;

		order.metric = (order.metric + 1) % screen->lists[i].diff->rows.n_metrics;
		err = change_list_reorder(&screen->lists[i], &order);
	}
	return err;
}

static int reorder(struct screen *screen, enum browse_action action)
{
	struct change_order order = list_of(screen)->order;

	if (action == ACTION_SORT)
		order.measure = order.measure == DIFF_SELF ? DIFF_TOTAL : DIFF_SELF;
	else
		order.significant_only = !order.significant_only;
	return change_list_reorder(list_of(screen), &order);
}

static void move_cursor(struct change_list *list, enum browse_action action)
{
	const int64_t page = page_size();
	const int64_t steps[] = {
		[ACTION_DOWN] = 1,        [ACTION_UP] = -1,           [ACTION_PAGE_DOWN] = page,
		[ACTION_PAGE_UP] = -page, [ACTION_FIRST] = INT32_MIN, [ACTION_LAST] = INT32_MAX,
	};

	change_list_move(list, steps[action]);
}

static int act(struct screen *screen, enum browse_action action)
{
	struct change_list *list = list_of(screen);

	screen->message = "";
	switch (action) {
	case ACTION_DOWN:
	case ACTION_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_PAGE_UP:
	case ACTION_FIRST:
	case ACTION_LAST:
		move_cursor(list, action);
		return 0;
	case ACTION_UNFOLD:
		change_list_unfold(list);
		return 0;
	case ACTION_FOLD:
		change_list_fold(list);
		return 0;
	case ACTION_TOGGLE:
		change_list_toggle(list);
		return 0;
	case ACTION_HOT_PATH:
		change_list_follow(list);
		return 0;
	case ACTION_SORT:
	case ACTION_FOCUS:
		return reorder(screen, action);
	case ACTION_NEXT_METRIC:
		return choose_metric(screen);
	default:
		return 0;
	}
}

/* What is not about rows. False: it is. */
static bool act_on_screen(struct screen *screen, enum browse_action action)
{
	switch (action) {
	case ACTION_QUIT:
		screen->is_done = true;
		return true;
	case ACTION_HELP:
		screen->mode = MODE_HELP;
		screen->help_top = 0;
		return true;
	case ACTION_SEARCH:
		screen->mode = MODE_SEARCH;
		screen->typed[0] = '\0';
		screen->message = "";
		return true;
	case ACTION_NEXT_MATCH:
	case ACTION_PREVIOUS_MATCH:
		search(screen, action == ACTION_PREVIOUS_MATCH);
		return true;
	case ACTION_NEXT_VIEW:
		screen->shown = (screen->shown + 1) % N_LISTS;
		return true;
	case ACTION_TREE:
	case ACTION_FUNCTIONS:
		screen->shown = action == ACTION_TREE ? PATHS : FUNCTIONS;
		return true;
	default:
		return false;
	}
}

/* A click goes to a row, or unfolds or folds the one under the cursor; the wheel moves. */
static void handle_mouse(struct screen *screen)
{
	struct change_list *list = list_of(screen);
	MEVENT event;

	if (getmouse(&event) != OK)
		return;
	if (event.bstate & BUTTON4_PRESSED)
		change_list_move(list, -ROWS_PER_WHEEL);
	if (event.bstate & BUTTON5_PRESSED)
		change_list_move(list, ROWS_PER_WHEEL);
	if (!(event.bstate & BUTTON1_PRESSED) || event.y < LINES_ABOVE ||
	    event.y >= LINES_ABOVE + (int)page_size())
		return;
	const uint32_t line = list->top + (uint32_t)(event.y - LINES_ABOVE);
	if (line >= list->n_lines)
		return;
	if (line == list->cursor)
		change_list_toggle(list);
	else
		list->cursor = line;
}

static int handle_key(struct screen *screen, uint32_t key)
{
	if (screen->mode == MODE_SEARCH) {
		type_key(screen, key);
		return 0;
	}
	if (key == BROWSE_KEY_MOUSE) {
		if (screen->mode == MODE_ROWS)
			handle_mouse(screen);
		return 0;
	}
	const enum browse_action action = browse_key_find(keys, key);
	if (screen->mode == MODE_HELP) {
		if (!screen_terminal_scroll_help(&screen->help_top, action))
			screen->mode = MODE_ROWS;
		return 0;
	}
	return act_on_screen(screen, action) ? 0 : act(screen, action);
}

static int run(struct screen *screen)
{
	int err = 0;

	while (!screen->is_done && !err) {
		uint32_t key;

		if (screen->mode == MODE_HELP)
			screen_terminal_draw_help(&screen->terminal, keys, &screen->help_top);
		else
			draw(screen);
		if (!screen_terminal_read(&key))
			return 0; /* the terminal is gone */
		err = handle_key(screen, key);
	}
	return err;
}

/* In the order that the command line chose. */
static int make_lists(struct screen *screen, const struct diff *paths, const struct diff *functions)
{
	const struct change_order of_paths = { .measure = paths->options.measure },
				  of_functions = { .measure = functions->options.measure };
	int err = change_list_init(&screen->lists[PATHS], paths, &of_paths);

	return err ? err : change_list_init(&screen->lists[FUNCTIONS], functions, &of_functions);
}

int changes_screen_run(const struct diff *paths, const struct diff *functions, bool color)
{
	struct screen screen = { .message = "" };
	int err = make_lists(&screen, paths, functions);

	if (!err)
		err = screen_terminal_begin(&screen.terminal, color);
	if (!err) {
		err = run(&screen);
		screen_terminal_end(&screen.terminal);
	}
	for (int i = 0; i < N_LISTS; i++) {
		if (screen.lists[i].diff)
			change_list_deinit(&screen.lists[i]);
	}
	return err;
}
