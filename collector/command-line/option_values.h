/* Functions for struct command_option::take, for types of values that many options have. */
#ifndef COLLECTOR_COMMAND_LINE_OPTION_VALUES_H
#define COLLECTOR_COMMAND_LINE_OPTION_VALUES_H

#include "collector/command-line/options.h"

/* bool: becomes true */
int option_take_flag(const struct option_use *use, void *field);
/* const char *: the value */
int option_take_text(const struct option_use *use, void *field);
/* An enum or int: the constant of the row */
int option_take_constant(const struct option_use *use, void *field);
/* An enum or int: the value of one of the row's choices */
int option_take_choice(const struct option_use *use, void *field);
/* struct int_list: process or thread IDs are added */
int option_take_ids(const struct option_use *use, void *field);
/* struct int_list: CPUs are added */
int option_take_cpus(const struct option_use *use, void *field);
/* double: a percentage */
int option_take_percent(const struct option_use *use, void *field);

/* --format of commands that write text or JSON: for an enum text_or_json. */
enum text_or_json { AS_TEXT, AS_JSON };
extern const struct command_option text_or_json_option[];

/* Nothing: dendro does anyway what the option requests. */
int option_take_nothing(const struct option_use *use, void *field);
/* Nothing: "--data is not supported: ...", with the row's text, is printed. EXIT_WRONG_USE. */
int option_refuse(const struct option_use *use, void *field);

/*
 * The message that the value is not what the option takes: "--min takes a percentage, not 'x'.".
 * Returns EXIT_WRONG_USE.
 */
__attribute__((format(printf, 2, 3))) int option_wrong_value(const struct option_use *use,
							     const char *format, ...);

#endif
