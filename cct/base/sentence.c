#include "cct/base/sentence.h"

#include <stdio.h>
#include <string.h>

char *sentence_v(const char *format, va_list args)
{
	char *text;
	return vasprintf(&text, format, args) < 0 ? NULL : text;
}

char *sentence(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = sentence_v(format, args);
	va_end(args);
	return text;
}

char *sentence_of_file(const char *path, const char *message)
{
	if (strncmp(message, path, strlen(path)) == 0)
		return strdup(message);
	return sentence("%s: %s", path, message);
}
