#include "collector/replay/ordered_records.h"

#include <errno.h>

#include "perf/records/memory_record.h"
#include "perf/records/phase_record.h"
#include "perf/records/runtime_record.h"
#include "perf/records/stack_record.h"
#include "perf/records/waking_record.h"
#include "perf/records/window_record.h"

#define MAX_PENDING_BYTES (64u << 20)

int ordered_records_init(struct ordered_records *records, struct data_file *file,
			 struct profile_quality *quality, struct phases *phases)
{
	records->file = file;
	records->quality = quality;
	records->phases = phases;
	records->order = order_create(MAX_PENDING_BYTES);
	records->code_pages = code_pages_create();
	return records->order && records->code_pages ? 0 : -ENOMEM;
}

void ordered_records_deinit(struct ordered_records *records)
{
	code_pages_destroy(records->code_pages);
	order_destroy(records->order);
}

/* What sorts a record; the rest of it is decoded when its turn comes. */
static uint64_t time_of(const struct ordered_records *records,
			const struct perf_event_header *header)
{
	uint64_t time_ns;

	if (stack_record_is_type(header))
		return stack_record_peek_time(header, &time_ns) ? time_ns : 0;
	if (window_record_is_type(header))
		return window_record_peek_time(header, &time_ns) ? time_ns : 0;
	if (waking_record_is_type(header))
		return waking_record_peek_time(header, &time_ns) ? time_ns : 0;
	if (runtime_record_is_type(header))
		return runtime_record_peek_time(header, &time_ns) ? time_ns : 0;
	if (memory_record_is_type(header))
		return memory_record_peek_time(header, &time_ns) ? time_ns : 0;
	return data_file_peek_time(records->file, header);
}

/* Before it is put in order: samples may be older. */
static int take_code_record(struct ordered_records *records, struct raw_record *raw)
{
	int err = code_pages_add(records->code_pages, raw->header);

	records->quality->counts[QUALITY_BROKEN_RECORDS] += err == -EINVAL;
	data_block_unref(raw->block);
	return err == -EINVAL ? 0 : err;
}

/* It precedes the later samples in the file, so they find it without being put in order. */
static int take_phase_record(struct ordered_records *records, struct raw_record *raw)
{
	struct phase_record phase;
	int err = phase_record_decode(raw->header, &phase)
			  ? phases_mark(records->phases, phase.name, phase.time_ns)
			  : -EINVAL;

	records->quality->counts[QUALITY_BROKEN_RECORDS] += err == -EINVAL;
	data_block_unref(raw->block);
	return err == -EINVAL ? 0 : err;
}

static int read_more(struct ordered_records *records)
{
	struct raw_record raw;
	int got = data_file_next(records->file, &raw);

	if (got <= 0) {
		order_finish(records->order);
		records->is_at_end = true;
		return got == -ENOMEM ? got : 0;
	}
	if (raw.header->type == RECORD_FINISHED_ROUND) {
		data_block_unref(raw.block);
		order_finish_round(records->order);
		return 0;
	}
	if (code_record_is_type(raw.header))
		return take_code_record(records, &raw);
	if (phase_record_is_type(raw.header))
		return take_phase_record(records, &raw);
	return order_push(records->order, &raw, time_of(records, raw.header));
}

static int next_in_order(struct ordered_records *records, struct raw_record *ret,
			 uint64_t *time_ns_ret)
{
	while (!order_pop(records->order, ret, time_ns_ret)) {
		if (records->is_at_end)
			return 0;
		int err = read_more(records);
		if (err)
			return err;
	}
	return 1;
}

int ordered_records_next(struct ordered_records *records, struct raw_record *raw_ret,
			 struct record *record_ret, size_t *event_ret)
{
	uint64_t time_ns;
	int got;

	while ((got = next_in_order(records, raw_ret, &time_ns)) > 0) {
		if (data_file_decode(records->file, raw_ret->header, record_ret, event_ret) ==
		    RECORD_OK)
			break;
		/* Its inside is broken, its frame is not: one record less, counted. */
		records->quality->counts[QUALITY_BROKEN_RECORDS]++;
		data_block_unref(raw_ret->block);
	}
	if (got > 0 && time_ns > records->newest_ns && time_ns != UINT64_MAX)
		records->newest_ns = time_ns;
	return got;
}
