#include "collector/send/fetch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "collector/database/block_stream.h"

/* Of ClickHouse's answers in RowBinary. */
#define ANSWER_TYPE "application/octet-stream"

static size_t pass_on(const char *bytes, size_t size, void *out)
{
	return blocks_write(out, bytes, size) ? size : 0;
}

/* false: there is none. */
static bool read_query(struct file_text *query)
{
	struct block_stream blocks = { .from = stdin };
	FILE *in = block_stream_open(&blocks);
	size_t n = 1;

	query->size = 0;
	while (in && n && !file_text_reserve(query, BUFSIZ)) {
		n = fread(query->bytes + query->size, 1, BUFSIZ, in);
		query->size += n;
	}
	if (in)
		fclose(in);
	block_stream_deinit(&blocks);
	return blocks.is_whole;
}

int fetch_run(struct transfer *transfer, const char *url)
{
	struct file_text query = { 0 };
	bool is_read = true;

	while (is_read && read_query(&query)) {
		_cleanup_free_ char *words =
			transfer_fetch(transfer, url, &query, ANSWER_TYPE, pass_on, stdout);

		is_read = blocks_end(stdout, words);
	}
	free(query.bytes);
	return is_read ? 0 : 1;
}
