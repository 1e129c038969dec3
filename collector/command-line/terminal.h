/* What the reader's terminal is like. */
#ifndef COLLECTOR_COMMAND_LINE_TERMINAL_H
#define COLLECTOR_COMMAND_LINE_TERMINAL_H

/* $COLUMNS, or that of the terminal that standard output is; 0: neither. */
unsigned terminal_width(void);

#endif
