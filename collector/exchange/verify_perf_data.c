#include "collector/exchange/verify_perf_data.h"

#include <inttypes.h>
#include <string.h>

#include "collector/exchange/perf_records_check.h"
#include "perf/writer/file_layout.h"

#define PIPE_HEADER_SIZE 16
#define RECORD_TYPE_LAST RECORD_COMPRESSED2

/* tools/perf/util/header.h: those that are one text */
enum { HEADER_TEXT_FIRST = 3, HEADER_TEXT_LAST = 6, HEADER_TEXT_CPU = 8, HEADER_TEXT_CPUID = 9 };
#define HEADER_EVENT_DESC 12

struct checker {
	struct verification *verification;
	const uint8_t *bytes;
	size_t size;
	struct perf_records_check records;
	uint64_t record[(UINT16_MAX + 1) /
			sizeof(uint64_t)]; /* a copy: those of tools end anywhere */
};

static bool is_inside(const struct checker *checker, const struct file_section *section)
{
	return section->offset <= checker->size && section->size <= checker->size - section->offset;
}

static bool need_inside(const struct checker *checker, const struct file_section *section,
			const char *what)
{
	return is_inside(checker, section) ||
	       verification_fail(checker->verification,
				 "%s (%" PRIu64 " bytes at offset %" PRIu64
				 ") end after the file's %zu bytes",
				 what, section->size, section->offset, checker->size);
}

/* -- events --------------------------------------------------------------------------------- */

/* An attr, then the section of its IDs. */
static bool check_event(struct checker *checker, uint64_t where, uint64_t size)
{
	struct file_section ids;
	const size_t attr_size = (size_t)size - sizeof(ids);

	memcpy(&ids, checker->bytes + where + attr_size, sizeof(ids));
	return need_inside(checker, &ids, "the IDs of an event") &&
	       perf_records_check_event(&checker->records, checker->bytes + where, attr_size,
					where) &&
	       perf_records_check_ids(&checker->records, checker->bytes + ids.offset,
				      (size_t)ids.size, ids.offset);
}

static bool check_events(struct checker *checker, const struct file_header *header)
{
	const uint64_t size = header->attr_size;

	if (size < PERF_ATTR_SIZE_VER0 + sizeof(struct file_section) || header->attrs.size % size)
		return verification_fail(checker->verification,
					 "the events have %" PRIu64 " bytes, each %" PRIu64,
					 header->attrs.size, size);
	for (uint64_t at = 0; at < header->attrs.size; at += size) {
		if (!check_event(checker, header->attrs.offset + at, size))
			return false;
	}
	return true;
}

/* -- records -------------------------------------------------------------------------------- */

/* What is wrong with the size of a record that has @left bytes at most; NULL: nothing. */
static const char *size_problem(const struct perf_event_header *record, uint64_t left)
{
	if (record->size < sizeof(*record))
		return "is smaller than its header";
	if (record->size > left)
		return "ends after the last byte of the records";
	if (record->type < RECORD_HEADER_ATTR && record->size % 8)
		return "has a size that is not a multiple of 8";
	if (!record->type || record->type > RECORD_TYPE_LAST)
		return "has an unknown type";
	return NULL;
}

/* The record at an offset, until the next is taken; NULL after noting that there is none. */
static const struct perf_event_header *take_record(struct checker *checker, uint64_t where,
						   uint64_t end)
{
	struct perf_event_header *record = (struct perf_event_header *)checker->record;
	const char *problem = "is cut";

	if (end - where >= sizeof(*record)) {
		memcpy(record, checker->bytes + where, sizeof(*record));
		problem = size_problem(record, end - where);
	}
	if (problem) {
		verification_fail(checker->verification, "the record at offset %" PRIu64 " %s",
				  where, problem);
		return NULL;
	}
	memcpy(record, checker->bytes + where, record->size);
	return record;
}

static bool check_records(struct checker *checker, const struct file_section *section)
{
	const uint64_t end = section->offset + section->size;
	const struct perf_event_header *record;

	for (uint64_t at = section->offset; at < end; at += record->size) {
		record = take_record(checker, at, end);
		if (!record || !perf_records_check_record(&checker->records, record, at))
			return false;
	}
	return true;
}

/* -- features ------------------------------------------------------------------------------- */

static bool fail_feature(const struct checker *checker, unsigned number, const char *problem)
{
	return verification_fail(checker->verification, "header feature %u %s", number, problem);
}

/* A size, and so many bytes with a zero among them. */
static bool check_text(const struct checker *checker, unsigned number,
		       const struct file_section *section)
{
	const uint8_t *bytes = checker->bytes + section->offset;
	uint32_t size;

	if (section->size < sizeof(size))
		return fail_feature(checker, number, "is cut");
	memcpy(&size, bytes, sizeof(size));
	if (size > section->size - sizeof(size))
		return fail_feature(checker, number, "has a text that leads out of it");
	return memchr(bytes + sizeof(size), 0, size) ||
	       fail_feature(checker, number, "has a text that does not end");
}

/* As many events as there are, with attrs of the size that they have. */
static bool check_descriptions(const struct checker *checker, unsigned number,
			       const struct file_section *section)
{
	uint32_t numbers[2];

	if (section->size < sizeof(numbers))
		return fail_feature(checker, number, "is cut");
	memcpy(numbers, checker->bytes + section->offset, sizeof(numbers));
	return numbers[0] == checker->records.n_events ||
	       fail_feature(checker, number, "describes another number of events");
}

static bool check_build_ids(const struct checker *checker, unsigned number,
			    const struct file_section *section)
{
	const uint64_t end = section->offset + section->size;
	const size_t path = sizeof(struct perf_event_header) + 4 + 24; /* pid, build ID */

	for (uint64_t at = section->offset; at < end;) {
		struct perf_event_header entry;

		if (end - at < sizeof(entry))
			return fail_feature(checker, number, "is cut");
		memcpy(&entry, checker->bytes + at, sizeof(entry));
		if (entry.size <= path || entry.size > end - at)
			return fail_feature(checker, number, "has an entry of a wrong size");
		if (!memchr(checker->bytes + at + path, 0, entry.size - path))
			return fail_feature(checker, number, "has a path that does not end");
		at += entry.size;
	}
	return true;
}

static bool check_feature(const struct checker *checker, unsigned number,
			  const struct file_section *section)
{
	if (!is_inside(checker, section))
		return fail_feature(checker, number, "ends after the file");
	if (number == HEADER_BUILD_ID)
		return check_build_ids(checker, number, section);
	if (number == HEADER_EVENT_DESC)
		return check_descriptions(checker, number, section);
	if ((number >= HEADER_TEXT_FIRST && number <= HEADER_TEXT_LAST) ||
	    number == HEADER_TEXT_CPU || number == HEADER_TEXT_CPUID)
		return check_text(checker, number, section);
	return true;
}

/* Their table follows the records. */
static bool check_features(const struct checker *checker, const struct file_header *header)
{
	uint64_t at = header->data.offset + header->data.size;

	for (unsigned number = 0; number < N_FEATURE_BITS; number++) {
		struct file_section section;

		if (!(header->features[number / 64] >> number % 64 & 1))
			continue;
		if (checker->size - at < sizeof(section))
			return fail_feature(checker, number, "has no place: the file is cut");
		memcpy(&section, checker->bytes + at, sizeof(section));
		if (!check_feature(checker, number, &section))
			return false;
		at += sizeof(section);
	}
	return true;
}

/* -- both modes ----------------------------------------------------------------------------- */

static bool check_file(struct checker *checker)
{
	struct file_header header;

	if (checker->size < sizeof(header))
		return verification_fail(checker->verification, "its header is cut");
	memcpy(&header, checker->bytes, sizeof(header));
	if (header.size != sizeof(header))
		return verification_fail(checker->verification,
					 "its header has %" PRIu64 " bytes, not %zu", header.size,
					 sizeof(header));
	if (!header.data.size)
		return verification_fail(checker->verification, "the recorder did not finish it");
	return need_inside(checker, &header.attrs, "the events") &&
	       need_inside(checker, &header.data, "the records") &&
	       check_events(checker, &header) && check_records(checker, &header.data) &&
	       check_features(checker, &header);
}

/* An event in a pipe: its attr, then its IDs. */
static bool check_piped_event(struct checker *checker, const struct perf_event_header *record,
			      uint64_t where)
{
	const uint8_t *attr = (const uint8_t *)(record + 1);
	const size_t size = record->size - sizeof(*record);
	uint32_t attr_size = 0;

	if (size >= PERF_ATTR_SIZE_VER0)
		memcpy(&attr_size, attr + offsetof(struct perf_event_attr, size),
		       sizeof(attr_size));
	if (attr_size < PERF_ATTR_SIZE_VER0 || attr_size > size)
		return verification_fail(checker->verification,
					 "the event at offset %" PRIu64 " has a wrong size", where);
	return perf_records_check_event(&checker->records, attr, attr_size, where) &&
	       perf_records_check_ids(&checker->records, attr + attr_size, size - attr_size, where);
}

/* What tracing data have after their record. */
static uint64_t size_after(const struct perf_event_header *record)
{
	uint32_t size = 0;

	if (record->type == RECORD_TRACING_DATA && record->size >= sizeof(*record) + sizeof(size))
		memcpy(&size, record + 1, sizeof(size));
	return ((uint64_t)size + 7) & ~7ull;
}

static bool check_pipe(struct checker *checker)
{
	const struct perf_event_header *record;

	for (uint64_t at = PIPE_HEADER_SIZE; at < checker->size; at += record->size) {
		record = take_record(checker, at, checker->size);
		if (!record)
			return false;
		const bool is_good =
			record->type == RECORD_HEADER_ATTR
				? check_piped_event(checker, record, at)
				: perf_records_check_record(&checker->records, record, at);
		if (!is_good)
			return false;
		const uint64_t after = size_after(record);
		if (after > checker->size - at - record->size)
			return verification_fail(checker->verification,
						 "the tracing data at offset %" PRIu64 " are cut",
						 at);
		at += after;
	}
	return checker->records.n_events ||
	       verification_fail(checker->verification, "there is no event");
}

void verify_perf_data(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = {
		.verification = verification,
		.bytes = bytes,
		.size = size,
		.records.verification = verification,
	};
	uint64_t start[2] = { 0 };

	memcpy(start, bytes, size < sizeof(start) ? size : sizeof(start));
	if (size < sizeof(start) || start[0] != FILE_MAGIC)
		verification_fail(verification, "it does not begin with PERFILE2");
	else if (start[1] == PIPE_HEADER_SIZE)
		check_pipe(&checker);
	else
		check_file(&checker);
	perf_records_check_deinit(&checker.records);
}
