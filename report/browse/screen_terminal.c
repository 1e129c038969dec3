#include "report/browse/screen_terminal.h"

#include <curses.h>
#include <errno.h>
#include <unistd.h>

#include "report/terminal/character_set.h"

#define ESCAPE_DELAY_MS 25

static const short colors[] = {
	[STYLE_KERNEL] = COLOR_CYAN, [STYLE_MARKER] = COLOR_YELLOW,  [STYLE_HOT] = COLOR_RED,
	[STYLE_WARM] = COLOR_GREEN,  [STYLE_WARNING] = COLOR_YELLOW,
};

static attr_t attributes_of(const struct screen_terminal *terminal, enum text_style style)
{
	static const attr_t attributes[] = {
		[STYLE_HEADING] = A_BOLD,
		[STYLE_DIM] = A_DIM,
		[STYLE_PROCESS] = A_BOLD,
		[STYLE_WARNING] = A_BOLD | A_UNDERLINE,
	};
	attr_t attribute = attributes[style];

	if (terminal->color && colors[style])
		attribute |= (attr_t)COLOR_PAIR((int)style);
	return attribute;
}

static void begin_colors(struct screen_terminal *terminal)
{
	terminal->color = terminal->color && has_colors();
	if (!terminal->color)
		return;
	start_color();
	use_default_colors();
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (colors[i])
			init_pair((short)i, colors[i], -1);
	}
}

int screen_terminal_begin(struct screen_terminal *terminal, bool color)
{
	*terminal = (struct screen_terminal){
		.color = color,
		.utf8 = character_set_is_utf8(),
	};
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	terminal->screen = newterm(NULL, stdout, stdin);
	if (!terminal->screen)
		return -ENODEV;
	set_escdelay(ESCAPE_DELAY_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	begin_colors(terminal);
	return 0;
}

void screen_terminal_end(struct screen_terminal *terminal)
{
	endwin();
	delscreen(terminal->screen);
}

struct styled_line *screen_terminal_line(struct screen_terminal *terminal)
{
	styled_line_init(&terminal->line, (unsigned)COLS, terminal->utf8);
	return &terminal->line;
}

void screen_terminal_draw(const struct screen_terminal *terminal, int y, bool is_reversed)
{
	const struct styled_line *line = &terminal->line;
	const attr_t base = is_reversed ? A_REVERSE : A_NORMAL;

	if (y < 0 || y >= LINES)
		return;
	move(y, 0);
	attrset((int)base);
	clrtoeol();
	for (size_t i = 0; i < line->n_parts; i++) {
		const size_t end = i + 1 < line->n_parts ? line->parts[i + 1].start : line->size;

		attrset((int)(base | attributes_of(terminal, line->parts[i].style) |
			      (line->parts[i].is_filled ? A_REVERSE : A_NORMAL)));
		addnstr(line->text + line->parts[i].start, (int)(end - line->parts[i].start));
	}
	attrset((int)A_NORMAL);
}

static uint32_t special_key(wint_t key)
{
	switch (key) {
	case KEY_DOWN:
		return BROWSE_KEY_DOWN;
	case KEY_UP:
		return BROWSE_KEY_UP;
	case KEY_LEFT:
		return BROWSE_KEY_LEFT;
	case KEY_RIGHT:
		return BROWSE_KEY_RIGHT;
	case KEY_NPAGE:
		return BROWSE_KEY_PAGE_DOWN;
	case KEY_PPAGE:
		return BROWSE_KEY_PAGE_UP;
	case KEY_HOME:
		return BROWSE_KEY_HOME;
	case KEY_END:
		return BROWSE_KEY_END;
	case KEY_BTAB:
		return BROWSE_KEY_BACK_TAB;
	case KEY_ENTER:
		return BROWSE_KEY_ENTER;
	case KEY_BACKSPACE:
		return '\b';
	case KEY_MOUSE:
		return BROWSE_KEY_MOUSE;
	default:
		return 0;
	}
}

bool screen_terminal_read(uint32_t *key_ret)
{
	wint_t key;

	refresh();
	const int got = get_wch(&key);
	if (got == ERR)
		return false;
	*key_ret = got == KEY_CODE_YES ? special_key(key) : (uint32_t)key;
	return true;
}

void screen_terminal_draw_help(struct screen_terminal *terminal, const struct browse_key *table,
			       uint32_t *top)
{
	uint32_t n_lines = 0, size = LINES > 1 ? (uint32_t)LINES - 1 : 1;

	while (browse_key_help(table, n_lines, screen_terminal_line(terminal)))
		n_lines++;
	if (*top + size > n_lines)
		*top = n_lines > size ? n_lines - size : 0;
	for (uint32_t i = 0; i < size; i++) {
		browse_key_help(table, *top + i, screen_terminal_line(terminal));
		screen_terminal_draw(terminal, (int)i, false);
	}
	struct styled_line *line = screen_terminal_line(terminal);
	styled_line_add(line, " j k scroll  any other key goes back");
	if (*top + size < n_lines)
		styled_line_addf(line, "  %u more lines below", n_lines - size - *top);
	styled_line_pad(line, line->max_columns);
	screen_terminal_draw(terminal, LINES - 1, true);
}

bool screen_terminal_scroll_help(uint32_t *top, enum browse_action action)
{
	const uint32_t page = (uint32_t)LINES / 2;

	if (action == ACTION_DOWN)
		++*top;
	else if (action == ACTION_UP)
		*top -= *top > 0;
	else if (action == ACTION_PAGE_DOWN)
		*top += page;
	else if (action == ACTION_PAGE_UP)
		*top -= *top < page ? *top : page;
	else
		return false;
	return true;
}
