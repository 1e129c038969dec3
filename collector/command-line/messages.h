/*
 * Messages of a command on standard error: sentences with a full stop, each on a line that begins
 * with the command's name, as in "dendro record: cannot run 'x': Permission denied.".
 *
 * @command is the name of the subcommand; NULL stands for dendro itself.
 */
#ifndef COLLECTOR_COMMAND_LINE_MESSAGES_H
#define COLLECTOR_COMMAND_LINE_MESSAGES_H

#include <stdbool.h>

#define EXIT_WRONG_USE 129
/* Erases the rest of the line that the cursor is on. */
#define MESSAGE_ERASE "\033[K"

/* Whether standard error is a terminal that can erase. */
bool message_can_erase(void);

/* A note about something that is not an error. */
__attribute__((format(printf, 2, 3))) void message_note(const char *command, const char *format,
							...);
/* Why the command fails. Returns 1, its exit status. */
__attribute__((format(printf, 2, 3))) int message_error(const char *command, const char *format,
							...);
/*
 * As message_error(), about the file @path. @message may begin with the path already, and may be a
 * system's error text without a full stop.
 */
int message_error_of_file(const char *command, const char *path, const char *message);
/* Why the command fails: there is not enough memory. Returns 1. */
int message_error_of_memory(const char *command);
/* What is wrong with the command line, and how to get the help. Returns EXIT_WRONG_USE. */
__attribute__((format(printf, 2, 3))) int message_wrong_use(const char *command, const char *format,
							    ...);

#endif
