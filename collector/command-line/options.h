/*
 * The options of a command as a table: the command line is parsed by it, the help is printed from
 * it, and the manual and the README are compared with it (test_manual.c).
 *
 * A long option may be abbreviated where only one option begins so. Its value follows after '=' or
 * is the next word. Options of one letter may be bundled (-qv); the value of the last one follows
 * directly or is the next word. "--" ends the options, and "-" is an operand. Every command has -h,
 * --help.
 *
 * Settings of files (option_settings.h) are options that come before those of the command line, if
 * they are not there, too. --no-NAME, of an option that files may have, is as if no file had it.
 *
 * Options of perf that mean the same, that do nothing here, or that are refused with a sentence are
 * a second table, which only parsing knows: they can't be abbreviated, and where both tables have a
 * name or a letter, it is ours; a message about a wrong value of such a letter tells what perf's
 * option is here.
 */
#ifndef COLLECTOR_COMMAND_LINE_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_OPTIONS_H

#include <stdio.h>

#include "collector/configuration/configuration.h"
#include "collector/configuration/option_table.h"

struct parsed_line {
	bool is_done; /* help or a message was printed: the command ends with this status */
	int status;
	char **operands; /* in argv, which is reordered; ends with NULL */
	size_t n_operands;
};

/*
 * Fills the struct @target, to whose fields the table has offsets: first from the settings of
 * @configuration (NULL: none), then from the command line. Stops at the first error. Values of
 * settings live as long as the configuration.
 */
struct parsed_line options_parse(const struct command_line *line,
				 struct configuration *configuration, int argc, char **argv,
				 void *target);

/*
 * The message of a wrong use, without its full stop; after it how perf's option of the same letter
 * is written here, if there is one: "; perf's -f (--force) is not needed". Returns
 * EXIT_WRONG_USE.
 */
__attribute__((format(printf, 2, 3))) int option_wrong_use(const struct option_use *use,
							   const char *format, ...);

void options_print_help(FILE *out, const struct command_line *line);
/* "-i, --input FILE" */
void option_print_synopsis(FILE *out, const struct command_option *option);

#endif
