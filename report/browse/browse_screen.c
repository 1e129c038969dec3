#include "report/browse/browse_screen.h"

#include <curses.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/browse/browse_change.h"
#include "report/browse/browse_listing.h"
#include "report/browse/browse_text.h"
#include "report/browse/browse_typing.h"
#include "report/browse/screen_terminal.h"

#define LINES_ABOVE    3 /* title, views, heading */
#define LINES_BELOW    3 /* name, costs, hints */
#define MIN_LINES      8 /* a lower screen has the title and the hints alone */
#define ROWS_PER_WHEEL 3
#define MAX_TYPED      128 /* bytes */
#define MANY_NODES     50000

/* What the keys do now. */
enum screen_mode { MODE_ROWS, MODE_SEARCH, MODE_FOCUS, MODE_IGNORE, MODE_LISTING, MODE_HELP };

struct browse_screen {
	struct browse *browse;
	struct screen_terminal terminal;
	bool is_done;
	enum screen_mode mode;
	uint32_t help_top;
	char typed[MAX_TYPED];
	struct icicle icicle;
	struct browse_listing listing;
	enum browse_action asked; /* of the caller */
};

bool browse_screen_is_there(void)
{
	return true;
}

static struct styled_line *begin_line(struct browse_screen *screen)
{
	return screen_terminal_line(&screen->terminal);
}

/* Draws the line that was begun. */
static void draw_line(const struct browse_screen *screen, int y, attr_t base)
{
	screen_terminal_draw(&screen->terminal, y, base == A_REVERSE);
}

static int lines_above(void)
{
	return LINES < MIN_LINES ? 1 : LINES_ABOVE;
}

static uint32_t page_size(void)
{
	const int n_used = LINES < MIN_LINES ? 2 : LINES_ABOVE + LINES_BELOW;

	return LINES > n_used ? (uint32_t)(LINES - n_used) : 0;
}

static void draw_rows(struct browse_screen *screen)
{
	const struct browse_page *page = browse_page(screen->browse);
	const uint32_t size = page_size();

	for (uint32_t i = 0; i < size; i++) {
		const uint32_t index = page->top + i;
		struct styled_line *line = begin_line(screen);

		if (index < page->rows.n_lines)
			browse_text_row(screen->browse, index, line);
		const bool is_current = index == page->rows.cursor && page->rows.n_lines;
		if (is_current)
			styled_line_pad(line, line->max_columns);
		draw_line(screen, lines_above() + (int)i, is_current ? A_REVERSE : A_NORMAL);
	}
}

/* As many levels as there are lines; that of the row under the cursor is one of them. */
static int draw_icicle(struct browse_screen *screen)
{
	struct browse_page *page = browse_page(screen->browse);
	const struct browse_rows *rows = &page->rows;
	const uint32_t size = page_size(),
		       depth = rows->n_lines ? rows->lines[rows->cursor].depth : 0;

	if (page->top > depth)
		page->top = depth;
	if (size && depth - page->top >= size)
		page->top = depth - size + 1;
	int err = icicle_lay_out(&screen->icicle, rows->growing, (uint32_t)COLS, page->top + size);
	for (uint32_t i = 0; i < size && !err; i++) {
		browse_text_level(screen->browse, &screen->icicle, page->top + i,
				  begin_line(screen));
		draw_line(screen, lines_above() + (int)i, A_NORMAL);
	}
	return err;
}

static void draw_above(struct browse_screen *screen)
{
	browse_text_title(screen->browse, begin_line(screen));
	draw_line(screen, 0, A_REVERSE);
	if (LINES < MIN_LINES)
		return;
	browse_text_views(screen->browse, begin_line(screen));
	draw_line(screen, 1, A_NORMAL);
	browse_text_heading(screen->browse, begin_line(screen));
	draw_line(screen, 2, A_NORMAL);
}

static bool is_typing(const struct browse_screen *screen)
{
	return screen->mode == MODE_SEARCH || screen->mode == MODE_FOCUS ||
	       screen->mode == MODE_IGNORE;
}

static void draw_typed(struct browse_screen *screen)
{
	struct styled_line *line = begin_line(screen);
	const bool is_search = screen->mode == MODE_SEARCH;

	styled_line_addf(line, " %s%s",
			 is_search                    ? "/"
			 : screen->mode == MODE_FOCUS ? "focus: "
						      : "ignore: ",
			 screen->typed);
	unsigned column = line->columns;
	styled_line_set(line, STYLE_DIM);
	styled_line_addf(line, "  %s  Enter %s  Esc back", screen->browse->message,
			 is_search ? "stay" : "apply the regular expression");
	draw_line(screen, LINES - 1, A_NORMAL);
	move(LINES - 1, (int)column);
}

static void draw_answer(struct browse_screen *screen)
{
	browse_text_name(screen->browse, begin_line(screen));
	draw_line(screen, LINES - 3, A_NORMAL);
	browse_text_costs(screen->browse, begin_line(screen));
	draw_line(screen, LINES - 2, A_NORMAL);
}

static void draw_below(struct browse_screen *screen)
{
	if (LINES >= MIN_LINES)
		draw_answer(screen);
	if (is_typing(screen)) {
		draw_typed(screen);
		return;
	}
	browse_text_hints(screen->browse, begin_line(screen));
	draw_line(screen, LINES - 1, A_REVERSE);
}

static uint32_t listing_size(void)
{
	return LINES > 1 ? (uint32_t)LINES - 1 : 1;
}

static void draw_listing(struct browse_screen *screen)
{
	const struct browse_listing *listing = &screen->listing;
	const uint32_t size = listing_size();

	browse_listing_scroll(&screen->listing, 0, size);
	for (uint32_t i = 0; i < size; i++) {
		struct styled_line *line = begin_line(screen);

		if (listing->top + i < listing->n_lines)
			styled_line_add(line, listing->lines[listing->top + i]);
		draw_line(screen, (int)i, A_NORMAL);
	}
	styled_line_add_whole(begin_line(screen), " q goes back  j k scroll");
	styled_line_add_whole(&screen->terminal.line, "  lines %u to %u of %u", listing->top + 1,
			      listing->top + size < listing->n_lines ? listing->top + size
								     : listing->n_lines,
			      listing->n_lines);
	if (*screen->browse->scope_text)
		styled_line_add_whole(&screen->terminal.line, "  of the whole recording");
	styled_line_pad(&screen->terminal.line, screen->terminal.line.max_columns);
	draw_line(screen, LINES - 1, A_REVERSE);
}

static int draw(struct browse_screen *screen)
{
	int err = 0;

	if (screen->mode == MODE_HELP) {
		curs_set(0);
		screen_terminal_draw_help(&screen->terminal, browse_keys, &screen->help_top);
	} else if (screen->mode == MODE_LISTING) {
		curs_set(0);
		draw_listing(screen);
	} else {
		if (screen->browse->page != PAGE_ICICLE)
			browse_scroll(screen->browse, page_size());
		curs_set(is_typing(screen));
		draw_above(screen);
		if (screen->browse->page == PAGE_ICICLE)
			err = draw_icicle(screen);
		else
			draw_rows(screen);
		draw_below(screen);
	}
	refresh();
	return err;
}

/* Removes the last character. */
static void shorten(char *text)
{
	size_t size = strlen(text);

	while (size && (text[size - 1] & 0xc0) == 0x80)
		size--;
	text[size ? size - 1 : 0] = '\0';
}

static void lengthen(char *text, size_t room, wchar_t c)
{
	char bytes[MB_LEN_MAX + 1];
	int size = wctomb(bytes, c);

	if (size <= 0 || strlen(text) + (size_t)size >= room)
		return;
	bytes[size] = '\0';
	strcat(text, bytes);
}

/* What takes longer than a blink in a large profile is announced first. */
static void say_counting(struct browse_screen *screen)
{
	if (screen->browse->base.fold->n_nodes < MANY_NODES)
		return;
	styled_line_add(begin_line(screen), " Counting...");
	styled_line_pad(&screen->terminal.line, screen->terminal.line.max_columns);
	draw_line(screen, LINES - 1, A_REVERSE);
	refresh();
}

static int finish_typing(struct browse_screen *screen, bool is_wanted)
{
	const enum screen_mode mode = screen->mode;

	screen->mode = MODE_ROWS;
	if (mode == MODE_SEARCH)
		return browse_search_finish(screen->browse, is_wanted);
	if (!is_wanted || !*screen->typed)
		return 0;
	say_counting(screen);
	return browse_add_regex(screen->browse, mode == MODE_FOCUS ? PATH_FOCUS : PATH_IGNORE,
				screen->typed);
}

static int type_key(struct browse_screen *screen, uint32_t key)
{
	if (key == BROWSE_KEY_ESCAPE || key == BROWSE_KEY_ENTER || key == '\n')
		return finish_typing(screen, key != BROWSE_KEY_ESCAPE);
	if (key == '\b' || key == 0x7f)
		shorten(screen->typed);
	else if (key >= ' ' && key < BROWSE_KEY_DOWN)
		lengthen(screen->typed, sizeof(screen->typed), (wchar_t)key);
	return screen->mode == MODE_SEARCH ? browse_search_type(screen->browse, screen->typed) : 0;
}

static void begin_typing(struct browse_screen *screen, enum screen_mode mode)
{
	screen->mode = mode;
	screen->typed[0] = '\0';
	screen->browse->message = "";
	if (mode == MODE_SEARCH)
		browse_search_begin(screen->browse);
}

static int begin_listing(struct browse_screen *screen)
{
	int err = browse_listing_make(&screen->listing, screen->browse, (unsigned)COLS);

	if (!err && screen->listing.n_lines)
		screen->mode = MODE_LISTING;
	return err;
}

static void act_on_listing(struct browse_screen *screen, enum browse_action action)
{
	const int64_t page = listing_size();
	const int64_t steps[] = {
		[ACTION_DOWN] = 1,        [ACTION_UP] = -1,           [ACTION_PAGE_DOWN] = page,
		[ACTION_PAGE_UP] = -page, [ACTION_FIRST] = INT32_MIN, [ACTION_LAST] = INT32_MAX,
	};

	if (action == ACTION_QUIT || action == ACTION_CANCEL || action == ACTION_ANNOTATE ||
	    action == ACTION_FOLD) {
		browse_listing_deinit(&screen->listing);
		screen->mode = MODE_ROWS;
	} else if ((size_t)action < sizeof(steps) / sizeof(steps[0])) {
		browse_listing_scroll(&screen->listing, steps[action], listing_size());
	}
}

static int act(struct browse_screen *screen, enum browse_action action)
{
	switch (action) {
	case ACTION_QUIT:
		screen->is_done = true;
		return 0;
	case ACTION_HELP:
		screen->mode = MODE_HELP;
		screen->help_top = 0;
		return 0;
	case ACTION_SEARCH:
		begin_typing(screen, MODE_SEARCH);
		return 0;
	case ACTION_ANNOTATE:
		return begin_listing(screen);
	case ACTION_TYPE_FOCUS:
	case ACTION_TYPE_IGNORE:
		begin_typing(screen, action == ACTION_TYPE_FOCUS ? MODE_FOCUS : MODE_IGNORE);
		return 0;
	case ACTION_FREEZE:
	case ACTION_SAVE:
	case ACTION_RECENT:
		screen->asked = action;
		if (!screen->browse->options.is_growing)
			screen->browse->message = "This key is for dendro top.";
		return 0;
	default:
		if (browse_act_counts(screen->browse, action))
			say_counting(screen);
		return browse_act(screen->browse, action);
	}
}

static int handle_key(struct browse_screen *screen, uint32_t key)
{
	if (!key)
		return 0;
	if (is_typing(screen))
		return type_key(screen, key);
	const enum browse_action action = browse_key_action(key);
	if (screen->mode == MODE_HELP) {
		if (!screen_terminal_scroll_help(&screen->help_top, action))
			screen->mode = MODE_ROWS;
		return 0;
	}
	if (screen->mode == MODE_LISTING) {
		act_on_listing(screen, action);
		return 0;
	}
	return act(screen, action);
}

static int click_cell(struct browse_screen *screen, int y, int x)
{
	struct browse_page *page = browse_page(screen->browse);
	const uint32_t line = page->top + (uint32_t)(y - lines_above());
	const struct view_row *row = browse_rows_current(&page->rows);
	struct view_row *clicked = NULL;

	if (screen->browse->page == PAGE_ICICLE) {
		const struct icicle_box *box = icicle_at(&screen->icicle, line, (uint32_t)x);

		clicked = box ? box->row : NULL;
	} else if (line < page->rows.n_lines) {
		clicked = page->rows.lines[line].row;
	}
	if (!clicked)
		return 0;
	return clicked == row ? act(screen, ACTION_TOGGLE)
			      : browse_rows_reveal(&page->rows, clicked);
}

static int click(struct browse_screen *screen, int y, int x)
{
	const bool has_views = LINES >= MIN_LINES;

	screen->browse->message = "";
	if (has_views && y == 1) {
		const enum browse_page_kind kind =
			browse_text_view_at(screen->browse, begin_line(screen), (unsigned)x);

		return kind < N_BROWSE_PAGES ? act(screen, ACTION_TREE + kind) : 0;
	}
	if (has_views && y == 2)
		return act(screen, browse_text_column_at(screen->browse, (unsigned)x));
	if (y < lines_above() || y >= lines_above() + (int)page_size())
		return 0;
	return click_cell(screen, y, x);
}

static int handle_mouse(struct browse_screen *screen)
{
	const uint32_t up = BROWSE_KEY_UP, down = BROWSE_KEY_DOWN;
	MEVENT event;
	int err = 0;

	if (getmouse(&event) != OK)
		return 0;
	if (event.bstate & BUTTON1_PRESSED)
		return screen->mode == MODE_ROWS ? click(screen, event.y, event.x) : 0;
	for (int i = 0; i < ROWS_PER_WHEEL && !err; i++) {
		if (event.bstate & BUTTON4_PRESSED)
			err = handle_key(screen, up);
		else if (event.bstate & BUTTON5_PRESSED)
			err = handle_key(screen, down);
	}
	return err;
}

int browse_screen_step(struct browse_screen *screen, int wake_fd, int timeout_ms,
		       enum browse_action *action_ret)
{
	struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 }, { wake_fd, POLLIN, 0 } };
	int err = draw(screen), n_keys = 0;
	uint32_t key;

	screen->asked = ACTION_NONE;
	if (!err)
		poll(fds, 2, timeout_ms); /* a signal may end it: the terminal has another size */
	while (!err && !screen->is_done && !screen->asked && screen_terminal_read(&key)) {
		n_keys++;
		err = key == BROWSE_KEY_MOUSE ? handle_mouse(screen) : handle_key(screen, key);
	}
	if (!n_keys && fds[0].revents) /* the terminal is gone */
		screen->is_done = true;
	*action_ret = screen->asked;
	return err;
}

bool browse_screen_is_done(const struct browse_screen *screen)
{
	return screen->is_done;
}

bool browse_screen_shows_rows(const struct browse_screen *screen)
{
	return screen->mode == MODE_ROWS;
}

int browse_screen_open(struct browse *browse, bool color, struct browse_screen **screen_ret)
{
	struct browse_screen *screen = calloc(1, sizeof(*screen));
	int err = screen ? screen_terminal_begin(&screen->terminal, color) : -ENOMEM;

	if (err) {
		free(screen);
		return err;
	}
	nodelay(stdscr, TRUE);
	screen->browse = browse;
	*screen_ret = screen;
	return 0;
}

void browse_screen_close(struct browse_screen *screen)
{
	screen_terminal_end(&screen->terminal);
	icicle_deinit(&screen->icicle);
	browse_listing_deinit(&screen->listing);
	free(screen);
}

int browse_screen_run(struct browse *browse, bool color)
{
	struct browse_screen *screen;
	enum browse_action action;
	int err = browse_screen_open(browse, color, &screen);

	if (err)
		return err;
	err = browse_screen_step(screen, -1, 0, &action);
	if (!err && !screen->is_done)
		err = browse_prepare(browse);
	while (!err && !screen->is_done)
		err = browse_screen_step(screen, -1, -1, &action);
	browse_screen_close(screen);
	return err;
}
