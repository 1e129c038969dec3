/* Rows that go into one table of a database, as requests of limited size. */
#ifndef COLLECTOR_PUSH_CLICKHOUSE_TABLE_REQUEST_H
#define COLLECTOR_PUSH_CLICKHOUSE_TABLE_REQUEST_H

#include "cct/encoding/byte_buffer.h"
#include "collector/push/push_requests.h"

/* All but the first three are zero at first. */
struct table_request {
	struct push_requests *requests; /* borrowed */
	const char *table, *columns;    /* static */
	bool is_samples;                /* packed as such (collector/push/request_body.h) */
	/* Whether the server has it (collector/push/spool_request.h); NULL: that does not matter.
	 */
	const char *complete, *ask;
	struct byte_buffer rows; /* those of the request at hand */
	struct byte_buffer keys; /* of rows that are the same for all times */
	uint32_t n_rows;
};

void table_request_deinit(struct table_request *request);
/* A row is complete. Its request ends if it is large enough. 0 or -errno. */
int table_request_end_row(struct table_request *request);
/* Whether the request at hand has as many bytes as one should. */
bool table_request_is_full(const struct table_request *request);
/* Writes the request at hand to the spool, if it has rows. 0 or -errno. */
int table_request_flush(struct table_request *request);

#endif
