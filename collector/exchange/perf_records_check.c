#include "collector/exchange/perf_records_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
#include "perf/records/record_words.h"

void perf_records_check_deinit(struct perf_records_check *check)
{
	free(check->layouts);
	free(check->ids);
}

/* -- events --------------------------------------------------------------------------------- */

bool perf_records_check_event(struct perf_records_check *check, const uint8_t *attr, size_t size,
			      uint64_t where)
{
	struct perf_event_attr copy = { .size = 0 };

	if (size < PERF_ATTR_SIZE_VER0)
		return verification_fail(check->verification,
					 "the event at offset %" PRIu64 " has %zu bytes", where,
					 size);
	memcpy(&copy, attr, size < sizeof(copy) ? size : sizeof(copy));
	if (copy.size && (copy.size < PERF_ATTR_SIZE_VER0 || copy.size > size))
		return verification_fail(check->verification,
					 "the event at offset %" PRIu64 " says that it has %" PRIu32
					 " bytes, and has %zu",
					 where, copy.size, size);
	if (array_reserve_one(check->layouts, check->n_events))
		return verification_lacks_memory(check->verification);
	record_layout_init(&check->layouts[check->n_events++], &copy);
	check->is_sorted = false;
	return true;
}

bool perf_records_check_ids(struct perf_records_check *check, const uint8_t *ids, size_t size,
			    uint64_t where)
{
	const size_t n = size / sizeof(uint64_t);

	if (size % sizeof(uint64_t))
		return verification_fail(check->verification,
					 "the IDs at offset %" PRIu64 " have %zu bytes", where,
					 size);
	if (array_reserve(check->ids, check->n_ids, check->n_ids_allocated, n))
		return verification_lacks_memory(check->verification);
	for (size_t i = 0; i < n; i++) {
		struct checked_id *id = &check->ids[check->n_ids++];

		memcpy(&id->id, ids + i * sizeof(id->id), sizeof(id->id));
		id->event = check->n_events - 1;
	}
	check->is_sorted = false;
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const struct checked_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Of several events, the one of a record must be found before its layout is known. */
static bool check_identity(struct perf_records_check *check)
{
	const struct record_layout *first = &check->layouts[0];

	for (size_t i = 1; i < check->n_events; i++) {
		const struct record_layout *other = &check->layouts[i];

		if (first->sample_id_all != other->sample_id_all ||
		    (first->sample_type ^ other->sample_type) & PERF_SAMPLE_IDENTIFIER)
			return verification_fail(
				check->verification,
				"event %zu has its ID at another place than event 0", i);
		if (!(first->sample_type & PERF_SAMPLE_IDENTIFIER) &&
		    first->sample_type != other->sample_type)
			return verification_fail(check->verification,
						 "event %zu has other samples than event 0, and "
						 "none has an identifier",
						 i);
	}
	return true;
}

static bool finish_events(struct perf_records_check *check)
{
	if (check->is_sorted)
		return true;
	if (!check->n_events)
		return verification_fail(check->verification, "there is no event");
	if (check->n_ids)
		qsort(check->ids, check->n_ids, sizeof(*check->ids), compare_ids);
	for (size_t i = 1; i < check->n_ids; i++) {
		if (check->ids[i - 1].id == check->ids[i].id)
			return verification_fail(check->verification,
						 "the ID %" PRIu64 " is there twice",
						 check->ids[i].id);
	}
	check->is_sorted = true;
	return check_identity(check);
}

/* -- records -------------------------------------------------------------------------------- */

/* The layout of a record's event; NULL after noting that there is none. */
static const struct record_layout *find_layout(struct perf_records_check *check,
					       const struct perf_event_header *record,
					       uint64_t where)
{
	const struct record_layout *first = &check->layouts[0];
	uint64_t id;

	if (check->n_events == 1 && !check->n_ids)
		return first;
	if (record->type >= RECORD_HEADER_ATTR ||
	    !record_peek_id(first->sample_type, first->sample_id_all, record, &id) ||
	    (!id && record->type != PERF_RECORD_SAMPLE))
		return first;
	const size_t n = sorted_count(check->n_ids, i, check->ids[i].id < id);
	if (n < check->n_ids && check->ids[n].id == id)
		return &check->layouts[check->ids[n].event];
	verification_fail(check->verification,
			  "the record at offset %" PRIu64 " has the ID %" PRIu64
			  ", which no event has",
			  where, id);
	return NULL;
}

static bool check_decoded(struct perf_records_check *check, enum record_error error, uint64_t where)
{
	static const char *const problems[] = {
		[RECORD_TOO_SMALL] = "is too small for its type",
		[RECORD_BAD_LENGTH] = "has a length that leads out of it",
		[RECORD_NO_NUL] = "has a name that does not end in it",
		[RECORD_UNSUPPORTED] = "has fields of a later version of the format",
	};

	return error == RECORD_OK ||
	       verification_fail(check->verification, "the record at offset %" PRIu64 " %s", where,
				 problems[error]);
}

/* What perf gets after it has put this time in order, it cannot put in order any more. */
static bool check_time(struct perf_records_check *check, const struct record *record,
		       uint64_t where)
{
	if (!record->has_time || !record->time_ns || record->type >= RECORD_HEADER_ATTR)
		return true;
	if (record->time_ns > check->newest_ns)
		check->newest_ns = record->time_ns;
	return record->time_ns >= check->flushed_ns ||
	       verification_fail(check->verification,
				 "the record at offset %" PRIu64
				 " is older than records two rounds before it",
				 where);
}

static bool is_context(uint64_t word)
{
	return word == PERF_CONTEXT_HV || word == PERF_CONTEXT_KERNEL ||
	       word == PERF_CONTEXT_USER || word == PERF_CONTEXT_GUEST ||
	       word == PERF_CONTEXT_GUEST_KERNEL || word == PERF_CONTEXT_GUEST_USER ||
	       word == (uint64_t)-640; /* PERF_CONTEXT_USER_DEFERRED */
}

/* A context without a function after it, or a word of no meaning, is passed over by readers. */
static bool check_callchain(struct perf_records_check *check, const struct sample_record *sample,
			    uint64_t where)
{
	for (size_t i = 0; i < sample->n_callchain; i++) {
		const uint64_t word = sample->callchain[i];

		if (word >= PERF_CONTEXT_MAX && !is_context(word))
			return verification_fail(check->verification,
						 "the callchain of the sample at offset %" PRIu64
						 " has an unknown context at %zu",
						 where, i);
		if (is_context(word) && i && is_context(sample->callchain[i - 1]))
			return verification_fail(check->verification,
						 "the callchain of the sample at offset %" PRIu64
						 " has two contexts at %zu",
						 where, i);
	}
	return true;
}

/* Where the fields tell the size, nothing may follow them. */
static bool check_size(struct perf_records_check *check, const struct record_layout *layout,
		       const struct record *record, uint64_t where)
{
	const uint64_t type = layout->sample_type;
	size_t words = (size_t)__builtin_popcountll(type & RECORD_HEAD_BITS);

	if (type & ~(RECORD_HEAD_BITS | PERF_SAMPLE_CALLCHAIN))
		return true;
	if (type & PERF_SAMPLE_CALLCHAIN)
		words += 1 + record->sample.n_callchain;
	return record->size == sizeof(struct perf_event_header) + words * sizeof(uint64_t) ||
	       verification_fail(check->verification,
				 "the sample at offset %" PRIu64 " has %" PRIu16
				 " bytes, and its fields have %zu",
				 where, record->size,
				 sizeof(struct perf_event_header) + words * sizeof(uint64_t));
}

static bool check_sample(struct perf_records_check *check, const struct record_layout *layout,
			 const struct record *record, uint64_t where)
{
	return check_size(check, layout, record, where) &&
	       check_callchain(check, &record->sample, where);
}

static bool check_mapping(struct perf_records_check *check, const struct record *record,
			  uint64_t where)
{
	uint64_t end;

	return !__builtin_add_overflow(record->mmap.addr, record->mmap.len, &end) ||
	       verification_fail(check->verification,
				 "the mapping at offset %" PRIu64 " leads out of the address space",
				 where);
}

static void finish_round(struct perf_records_check *check)
{
	check->flushed_ns = check->round_ns;
	check->round_ns = check->newest_ns;
}

bool perf_records_check_record(struct perf_records_check *check,
			       const struct perf_event_header *record, uint64_t where)
{
	struct record decoded;

	if (record->type >= RECORD_HEADER_ATTR && !check->n_events)
		return true; /* a header in a pipe */
	if (!finish_events(check))
		return false;
	if (record->type == RECORD_FINISHED_ROUND)
		finish_round(check);
	if (record->type == RECORD_COMPRESSED || record->type == RECORD_COMPRESSED2)
		return verification_fail(check->verification,
					 "the record at offset %" PRIu64
					 " is compressed, which a file of callchains is not",
					 where);
	const struct record_layout *layout = find_layout(check, record, where);
	if (!layout || !check_decoded(check, record_decode(layout, record, &decoded), where) ||
	    !check_time(check, &decoded, where))
		return false;
	switch (decoded.type) {
	case PERF_RECORD_SAMPLE:
		return check_sample(check, layout, &decoded, where);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return check_mapping(check, &decoded, where);
	default:
		return true;
	}
}
