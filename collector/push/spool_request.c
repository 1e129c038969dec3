#include "collector/push/spool_request.h"

#include <errno.h>
#include <string.h>

#include "cct/base/numbers.h"
#include "cct/base/stream.h"

#define KEY_SIZE   8u
#define FIRST_LINE "dendro request 1"

int spool_request_write(FILE *out, const struct spool_request *request)
{
	fprintf(out, FIRST_LINE "\nurl %s\ntype %s\n", request->url, request->type);
	if (request->encoding)
		fprintf(out, "encoding %s\n", request->encoding);
	if (request->query)
		fprintf(out, "query %s\n", request->query);
	if (request->complete)
		fprintf(out, "complete %s\n", request->complete);
	if (request->ask)
		fprintf(out, "ask %s\n", request->ask);
	if (request->n_keys)
		fprintf(out, "keys %zu\n", request->n_keys);
	fprintf(out, "id %s\n\n", request->id);
	if (request->n_keys)
		fwrite(request->keys, KEY_SIZE, request->n_keys, out);
	fwrite(request->body, 1, request->size, out);
	return stream_finish(out);
}

/* The next line, which becomes a string; NULL: there is no end of it. */
static char *next_line(char **at, const char *end)
{
	char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));

	if (!stop || memchr(line, '\0', (size_t)(stop - line)))
		return NULL;
	*stop = '\0';
	*at = stop + 1;
	return line;
}

static int take_line(char *line, struct spool_request *request, const char **n_keys)
{
	const struct {
		const char *name;
		const char **value;
	} fields[] = {
		{ "url", &request->url },           { "type", &request->type },
		{ "encoding", &request->encoding }, { "id", &request->id },
		{ "query", &request->query },       { "complete", &request->complete },
		{ "ask", &request->ask },           { "keys", n_keys },
	};
	char *space = strchr(line, ' ');

	if (!space)
		return -EBADMSG;
	*space = '\0';
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(line, fields[i].name) != 0)
			continue;
		*fields[i].value = space + 1;
		return 0;
	}
	return -EBADMSG;
}

int spool_request_parse(struct file_text *text, struct spool_request *request_ret)
{
	struct spool_request request = { 0 };
	const char *keys = "0";
	uint64_t n_keys;
	char *at = text->bytes, *end = text->bytes + text->size, *line;

	line = text->size ? next_line(&at, end) : NULL;
	if (!line || strcmp(line, FIRST_LINE) != 0)
		return -EBADMSG;
	while ((line = next_line(&at, end)) && line[0]) {
		if (take_line(line, &request, &keys))
			return -EBADMSG;
	}
	if (!line || !request.url || !request.type || !request.id)
		return -EBADMSG;
	if (numbers_parse(keys, (uint64_t)(end - at) / KEY_SIZE, &n_keys))
		return -EBADMSG;
	request.keys = at;
	request.n_keys = n_keys;
	request.body = at + n_keys * KEY_SIZE;
	request.size = (size_t)(end - at) - n_keys * KEY_SIZE;
	*request_ret = request;
	return 0;
}
