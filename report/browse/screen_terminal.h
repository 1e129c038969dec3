/*
 * The terminal that is standard input and output, as a screen of styled lines, with its keyboard
 * and mouse, by ncurses. One at a time, in one thread.
 */
#ifndef REPORT_BROWSE_SCREEN_TERMINAL_H
#define REPORT_BROWSE_SCREEN_TERMINAL_H

#include "report/browse/browse_keys.h"
#include "report/terminal/styled_line.h"

struct screen_terminal {
	bool utf8, color;
	void *screen; /* of ncurses */
	struct styled_line line;
};

/* 0, -ENOTTY: there is no terminal, or -ENODEV: it is of an unknown type. */
int screen_terminal_begin(struct screen_terminal *terminal, bool color);
void screen_terminal_end(struct screen_terminal *terminal);
/* Begins a line, in the place of the one before. */
struct styled_line *screen_terminal_line(struct screen_terminal *terminal);
/* Draws the line that was begun, where the screen has it. */
void screen_terminal_draw(const struct screen_terminal *terminal, int y, bool is_reversed);
/* Shows what was drawn, and waits for a key, or an event of the mouse; not after nodelay(). False:
 * there is none, for the terminal is gone. */
bool screen_terminal_read(uint32_t *key_ret);
/* Draws the help of a table of keys on the whole screen, from line *@top on, as far as there is. */
void screen_terminal_draw_help(struct screen_terminal *terminal, const struct browse_key *table,
			       uint32_t *top);
/* Moves *@top. False: the key leaves the help. */
bool screen_terminal_scroll_help(uint32_t *top, enum browse_action action);

#endif
