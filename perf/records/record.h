/*
 * perf_event records: bytes -> struct record. Checked and borrowed: every length is verified
 * against the record's size, and every pointer leads into the record's own bytes. Host byte order
 * only.
 */
#ifndef PERF_RECORDS_RECORD_H
#define PERF_RECORDS_RECORD_H

#include "perf/records/record_fields.h"

void record_layout_init(struct record_layout *layout, const struct perf_event_attr *attr);

/*
 * Decodes @header (header->size readable bytes, 8-byte aligned) with the layout of its event. Types
 * without a decoder fill @ret->body. All sideband types of kernels up to 6.18 are known.
 */
enum record_error record_decode(const struct record_layout *layout,
				const struct perf_event_header *header, struct record *ret);

/*
 * Reads the event id before the layout is known. All events of the recording share @sample_type and
 * @sample_id_all. false: no id in this record.
 */
bool record_peek_id(uint64_t sample_type, bool sample_id_all,
		    const struct perf_event_header *header, uint64_t *id_ret);

/*
 * Reads the time alone, a word whose position follows from @layout: that of record_decode(), for
 * records that are put in order before they are decoded. false: no time in this record.
 */
bool record_peek_time(const struct record_layout *layout, const struct perf_event_header *header,
		      uint64_t *time_ns_ret);

#endif
