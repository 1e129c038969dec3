/*
 * dendro completion: the words that can follow on a command line, from the tables of options, for
 * the completion of bash, zsh and fish.
 *
 * "dendro completion SHELL" prints the shell's script, which runs "dendro completion words WORD..."
 * with the words before the cursor and the one to complete, which may be empty. That prints a line
 * for each word that fits: the word, a tab, and a description, which may be empty. Instead of
 * words there may be one line: ":files", ":folders" (names of files complete it), or ":command N"
 * (words from number N on, counted from 0 at "dendro", are a command line of its own).
 */
#ifndef COLLECTOR_COMPLETION_COMPLETION_H
#define COLLECTOR_COMPLETION_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

#include "collector/command-line/options.h"

struct completed_command {
	const struct command_line *line; /* NULL: the end of the table */
	const char *summary;
};

extern const struct command_line completion_line;

/* The command itself. Returns the exit status. */
int completion_run(const struct completed_command *commands, int argc, char **argv);
/* Writes what can stand for the last of @n words, which begin with "dendro". */
void completion_write_words(FILE *out, const struct completed_command *commands,
			    const char *const *words, size_t n);

#endif
