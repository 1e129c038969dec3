#include "collector/command-line/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

bool message_can_erase(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

/* In one piece, and over a line that shows progress (collector/files/progress.h), whose rest is
 * erased. */
__attribute__((format(printf, 2, 0))) static void print_line(const char *command,
							     const char *format, va_list args)
{
	flockfile(stderr);
	fprintf(stderr, "dendro%s%s: ", command ? " " : "", command ? command : "");
	vfprintf(stderr, format, args);
	fputs(message_can_erase() ? MESSAGE_ERASE "\n" : "\n", stderr);
	funlockfile(stderr);
}

void message_note(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(command, format, args);
	va_end(args);
}

int message_error(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(command, format, args);
	va_end(args);
	return 1;
}

int message_error_of_file(const char *command, const char *path, const char *message)
{
	_cleanup_free_ char *text = sentence_of_file(path, message);

	if (!text)
		return message_error_of_memory(command);
	const size_t length = strlen(text);
	return message_error(command, "%s%s", text, length && text[length - 1] == '.' ? "" : ".");
}

int message_wrong_use(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(command, format, args);
	va_end(args);
	fprintf(stderr, "See 'dendro%s%s --help'.\n", command ? " " : "", command ? command : "");
	return EXIT_WRONG_USE;
}

int message_error_of_memory(const char *command)
{
	return message_error(command, "out of memory.");
}
