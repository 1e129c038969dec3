/* What the reader's terminal is like. */
#ifndef COLLECTOR_COMMAND_LINE_TERMINAL_H
#define COLLECTOR_COMMAND_LINE_TERMINAL_H

#include "collector/command-line/options.h"

enum color_use { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Of an enum color_use. */
extern const struct command_option color_option[];

/* Whether text is coloured: if it may be, on a terminal that can, unless $NO_COLOR is set. */
bool terminal_wants_color(enum color_use use, bool is_terminal);
/* $COLUMNS, or that of the terminal that standard output is; 0: neither. */
unsigned terminal_width(void);

#endif
