/* What a server answers to dendro push, and a file in its spool. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "collector/push/push_answer.h"
#include "collector/push/spool_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const uint8_t *data, size_t size)
{
	static const long statuses[] = { 200, 204, 301, 400, 401, 404, 429, 500 };
	const struct push_answer answer = {
		.status = statuses[data[0] % (sizeof(statuses) / sizeof(statuses[0]))],
		.type = "application/x-protobuf",
		.body = (const char *)data + 1,
		.size = size - 1,
	};
	uint64_t n_rejected;
	char *words;

	push_answer_judge(&answer, "application/x-protobuf", &words, &n_rejected);
	if (words && !printable_is_safe(words))
		abort();
	free(words);
}

static void parse(const uint8_t *data, size_t size)
{
	struct file_text text = { .bytes = malloc(size + 1), .size = size };
	struct spool_request request;

	if (!text.bytes)
		return;
	memcpy(text.bytes, data, size);
	text.bytes[size] = '\0';
	if (!spool_request_parse(&text, &request) &&
	    strlen(request.url) + strlen(request.type) + strlen(request.id) + request.size > size)
		abort();
	free(text.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		judge(data, size);
	parse(data, size);
	return 0;
}
