#include "perf/file/data_error.h"

#include "cct/base/sentence.h"

int data_error(char **text, int err, const char *format, ...)
{
	va_list arguments;

	if (*text)
		return err;
	va_start(arguments, format);
	*text = sentence_v(format, arguments);
	va_end(arguments);
	return err;
}
