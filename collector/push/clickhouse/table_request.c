#include "collector/push/clickhouse/table_request.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/text/content_id.h"
#include "collector/push/request_body.h"

#define FULL_SIZE (4u << 20) /* before it is compressed: some ten thousand rows */

void table_request_deinit(struct table_request *request)
{
	byte_buffer_deinit(&request->rows);
	byte_buffer_deinit(&request->keys);
}

bool table_request_is_full(const struct table_request *request)
{
	return request->rows.size >= FULL_SIZE;
}

int table_request_end_row(struct table_request *request)
{
	request->n_rows++;
	return table_request_is_full(request) ? table_request_flush(request) : 0;
}

static int write_request(const struct table_request *request, const struct request_body *body,
			 const char *query)
{
	const struct push_requests *requests = request->requests;
	struct content_id id = content_id_add(content_id_start(), query);
	char text[CONTENT_ID_TEXT_SIZE];

	id = content_id_add_bytes(id, request->rows.bytes, request->rows.size);
	content_id_text(id, text);
	const int err = spool_add(requests->spool,
				  &(struct spool_request){
					  .url = requests->target->url,
					  .type = "application/octet-stream",
					  .encoding = REQUEST_ZSTD,
					  .id = text,
					  .query = query,
					  .complete = request->complete,
					  .ask = request->ask,
					  .keys = request->keys.bytes,
					  .n_keys = request->keys.size / sizeof(uint64_t),
					  .body = body->bytes,
					  .size = body->size,
				  },
				  requests->max_spool);
	return err == -EFBIG ? -ENOSPC : err;
}

int table_request_flush(struct table_request *request)
{
	struct request_body body = { 0 };

	if (!request->n_rows)
		return 0;
	_cleanup_free_ char *query =
		sentence("INSERT INTO %s (%s) FORMAT RowBinary", request->table, request->columns);
	int err = query && !request->rows.lacks_memory && !request->keys.lacks_memory ? 0 : -ENOMEM;
	if (!err)
		err = request_body_pack(&body, request->rows.bytes, request->rows.size,
					request->is_samples);
	if (!err)
		err = write_request(request, &body, query);
	free(body.bytes);
	byte_buffer_clear(&request->rows);
	byte_buffer_clear(&request->keys);
	request->n_rows = 0;
	return err;
}
