/*
 * The options of a command as a table: the command line is parsed by it, the help is printed from
 * it, and the manual and the README are compared with it (test_manual.c).
 *
 * A long option may be abbreviated where only one option begins so. Its value follows after '=' or
 * is the next word. Options of one letter may be bundled (-qv); the value of the last one follows
 * directly or is the next word. "--" ends the options, and "-" is an operand. Every command has -h,
 * --help.
 *
 * Options of perf that mean the same, that do nothing here, or that are refused with a sentence are
 * a second table, which only parsing knows: they can't be abbreviated, and where both tables have a
 * name or a letter, it is ours; a message about a wrong value of such a letter tells what perf's
 * option is here.
 */
#ifndef COLLECTOR_COMMAND_LINE_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OPTION_SPELLING_SIZE 40

struct option_use;

/* One of the words that an option takes. */
struct choice {
	const char *name; /* NULL: the end of the list */
	int value;
};

/*
 * A row is an option, a heading of the help, or options that several commands share. A table ends
 * with a row of zeros.
 */
struct command_option {
	const char *heading;                 /* not NULL: a heading */
	const struct command_option *shared; /* not NULL: the options of another table */

	const char *name; /* "stack-size" */
	char letter;      /* 0: none */
	/* The value's name in the help; NULL: the option takes no value. */
	const char *argument;
	bool is_value_optional; /* only in the form --name=value */
	/* The value may be missing: the next word is taken if it does not begin with a hyphen. */
	bool is_value_loose;
	const char *help; /* sentences without the last full stop; lines are wrapped */
	/* A list of values, one a line, that follows in the help; heap, NULL without memory. NULL:
	 * none. */
	char *(*list)(void);

	/* Checks the value and sets the field. 0, or an exit status after a message. */
	int (*take)(const struct option_use *use, void *field);
	size_t offset; /* of @field in the command's struct, or in that of the shared options */
	const struct choice *choices; /* for option_take_choice() */
	int constant;                 /* for option_take_constant() */

	/* In command_line.of_perf: the long name of our option, which takes the value instead. It
	 * may take @given instead of the user's; of static storage, because it may be changed. */
	const char *same_as;
	char *given;
};

/* An option on the command line. */
struct option_use {
	const char *command;
	const struct command_option *option;
	char spelling[OPTION_SPELLING_SIZE]; /* "-i" or "--input", for messages */
	/* perf's option of that letter, where it is another; NULL: none. */
	const struct command_option *of_perf;
	/* NULL: no value. Lives as long as the process, and may be changed. */
	char *value;
};

/* The description of a command's command line. */
struct command_line {
	const char *command;     /* "report" */
	const char *synopsis;    /* one line for each form, without "dendro report" */
	const char *description; /* wrapped lines */
	const struct command_option *options;
	/* perf's spellings: without headings and shared tables; a row may have a letter only. NULL:
	 * none. */
	const struct command_option *of_perf;
	/* Options of other commands that users look for here, refused with a sentence, as a table
	 * like of_perf. NULL: none. */
	const struct command_option *refused;
	const char *notes;        /* after the options; NULL: none */
	bool is_ended_by_operand; /* words after the first operand are not options */
	/* The words that operands may be, up to a row of zeros; NULL: names of files, or others. */
	const struct choice *operands;
};

struct parsed_line {
	bool is_done; /* help or a message was printed: the command ends with this status */
	int status;
	char **operands; /* in argv, which is reordered; ends with NULL */
	size_t n_operands;
};

/* Fills the struct @target, to whose fields the table has offsets. Stops at the first error. */
struct parsed_line options_parse(const struct command_line *line, int argc, char **argv,
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

/* Iterates over a table: options and headings, shared options at their position, and last --help.
 */
struct option_walk {
	const struct command_option *row, *shared_row;
	bool is_at_end;
};
/* NULL: the end. *@offset_ret: the offset of the option's field in the command's struct. */
const struct command_option *option_walk_next(struct option_walk *walk, size_t *offset_ret);

#endif
