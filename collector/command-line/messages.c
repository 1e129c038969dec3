#include "collector/command-line/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void print_line(const char *command,
							     const char *format, va_list args)
{
	fprintf(stderr, "dendro%s%s: ", command ? " " : "", command ? command : "");
	vfprintf(stderr, format, args);
	putc('\n', stderr);
}

void notify(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(command, format, args);
	va_end(args);
}

int complain(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(command, format, args);
	va_end(args);
	return 1;
}

int complain_of_file(const char *command, const char *path, const char *message)
{
	if (strncmp(message, path, strlen(path)) == 0)
		return complain(command, "%s", message);
	return complain(command, "%s: %s", path, message);
}

int wrong_use(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(command, format, args);
	va_end(args);
	fprintf(stderr, "See 'dendro%s%s --help'.\n", command ? " " : "", command ? command : "");
	return EXIT_WRONG_USE;
}

int complain_of_memory(const char *command)
{
	return complain(command, "out of memory.");
}
