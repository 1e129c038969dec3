/* Formats of tracepoints, and data. Input: the size of the data, the data, the format's text; or,
 * if the first byte is odd, a section of formats. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "perf/file/tracing_formats.h"
#include "perf/tracing/trace_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of exactly its size, so that a read beyond is seen. */
static uint8_t *copy(const uint8_t *bytes, size_t size)
{
	uint8_t *to = malloc(size + !size);

	if (to && size)
		memcpy(to, bytes, size);
	return to;
}

static void print_with(const struct trace_format *format, const uint8_t *raw, size_t raw_size)
{
	char text[TRACE_TEXT_MAX];
	size_t length = trace_print(format, raw, raw_size, text);

	assert(length < TRACE_TEXT_MAX && text[length] == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	size_t raw_size = data[1] < size - 2 ? data[1] : size - 2;
	uint8_t *raw = copy(data + 2, raw_size);
	uint8_t *text = copy(data + 2 + raw_size, size - 2 - raw_size);
	struct tracing_formats formats;
	static struct trace_format format;

	if (raw && text && data[0] & 1) {
		if (!tracing_formats_init(&formats, text, size - 2 - raw_size))
			for (size_t i = 0; i < formats.n; i++)
				print_with(&formats.formats[i], raw, raw_size);
		tracing_formats_deinit(&formats);
	} else if (raw && text &&
		   trace_format_parse((const char *)text, size - 2 - raw_size, &format)) {
		print_with(&format, raw, raw_size);
	}
	free(raw);
	free(text);
	return 0;
}
