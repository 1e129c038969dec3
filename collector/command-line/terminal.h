/* Properties of the user's terminal. */
#ifndef COLLECTOR_COMMAND_LINE_TERMINAL_H
#define COLLECTOR_COMMAND_LINE_TERMINAL_H

#include "collector/command-line/options.h"

enum color_use { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* For an enum color_use. */
extern const struct command_option color_option[];

/* Whether text is coloured. COLOR_AUTO: on a terminal with colours, unless $NO_COLOR is set. */
bool terminal_wants_color(enum color_use use, bool is_terminal);
/* $COLUMNS, or the width of the terminal on standard output; 0: there is neither. */
unsigned terminal_width(void);

#endif
