/*
 * The rows of a command's options, and how they are found by name.
 */
#ifndef COLLECTOR_CONFIGURATION_OPTION_TABLE_H
#define COLLECTOR_CONFIGURATION_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

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

	/* Why a file of settings can't have it: a part of a sentence about it. NULL: it can. */
	const char *not_a_setting;
	/* The long name of an option that says the opposite: where one of them is given, a weaker
	 * setting of the other does not count. NULL: none. */
	const char *opposite;

	/* In command_line.of_perf: the long name of our option, which takes the value instead. It
	 * may take @given instead of the user's; of static storage, because it may be changed. */
	const char *same_as;
	char *given;
};

/* Reasons that several options have. */
#define SETTING_OF_ONE_RUN    "it says what one run records"
#define SETTING_OF_FILES      "it names the files of one run"
#define SETTING_OF_SAMPLES    "reports would leave samples out without a word"
#define SETTING_OF_A_QUESTION "it asks a question about one recording"

/* An option on the command line, or a setting. */
struct option_use {
	const char *command;
	const struct command_option *option;
	/* "-i" or "--input", or "/etc/dendro.conf:2: input", for messages; for the call. */
	const char *spelling;
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

/* Iterates over a table: options and headings, shared options at their position, and last --help.
 */
struct option_walk {
	const struct command_option *row, *shared_row;
	bool is_at_end;
};
/* NULL: the end. *@offset_ret: the offset of the option's field in the command's struct. */
const struct command_option *option_walk_next(struct option_walk *walk, size_t *offset_ret);

struct found_option {
	const struct command_option *option; /* NULL: not found */
	size_t offset;                       /* of its field in the command's struct */
};

/* The row of --help, which every command has. */
extern const struct command_option option_of_help;

struct found_option option_find_letter(const struct command_line *line, char letter);
/* perf's option with that name or, without a name, with that letter. */
struct found_option option_find_of_perf(const struct command_line *line, const char *name,
					size_t length, char letter);
/* Our option with that name, or one that begins so. *@n_ret: the number that begin so. */
struct found_option option_find_ours(const struct command_line *line, const char *name,
				     size_t length, size_t *n_ret);
/* Any of both, or one that is refused; their whole names are preferred to the beginning of ours. */
struct found_option option_find_long(const struct command_line *line, const char *name,
				     size_t length, size_t *n_ret);
/* Our option with exactly that name. */
struct found_option option_find_setting(const struct command_line *line, const char *name);
/* Whether its name begins so. */
bool option_is_spelled(const struct command_option *option, const char *name, size_t length);

#endif
