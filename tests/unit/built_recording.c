#include "tests/unit/built_recording.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/records/read_values.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static const uint64_t pipe_magic = 0x32454c4946524550;

struct perf_event_attr cycles_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = ATTR_SIZE,
		.sample_type = SAMPLE_TYPE,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static struct perf_event_attr clock_attr(void)
{
	struct perf_event_attr attr = cycles_attr();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	return attr;
}

void put_sample(struct builder *b, uint64_t id, uint64_t ip)
{
	begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(b, id);
	put_u64(b, ip);
	put_pair(b, 11, 12);
	put_u64(b, 1000 + ip);
	put_u64(b, 4000);
	end_record(b);
}

void put_pipe_start(struct builder *b)
{
	put_u64(b, pipe_magic);
	put_u64(b, 16);
}

void put_attr_record(struct builder *b, const struct perf_event_attr *attr, const uint64_t *ids,
		     size_t n_ids)
{
	begin_record(b, RECORD_HEADER_ATTR, 0);
	put_bytes(b, attr, ATTR_SIZE);
	put_bytes(b, ids, n_ids * sizeof(*ids));
	end_record(b);
}

struct builder two_events_in_a_pipe(void)
{
	struct perf_event_attr cycles = cycles_attr(), clock = clock_attr();
	struct builder b = { 0 };

	put_pipe_start(&b);
	put_attr_record(&b, &cycles, (const uint64_t[]){ 1, 2 }, 2);
	put_attr_record(&b, &clock, (const uint64_t[]){ 3 }, 1);
	return b;
}

struct builder two_events_in_a_file(struct builder *data, struct feature *features,
				    size_t n_features)
{
	struct perf_event_attr attrs[] = { cycles_attr(), clock_attr() };
	uint64_t ids = FILE_HEADER_SIZE, attr_section = ids + 3 * sizeof(uint64_t);
	uint64_t begin = attr_section + 2 * (ATTR_SIZE + 16), bits[4] = { 0 };
	uint64_t end = begin + data->size, content = end + 16 * n_features;
	struct builder b = { 0 };

	for (size_t i = 0; i < n_features; i++)
		bits[features[i].number / 64] |= 1ull << features[i].number % 64;
	put_u64(&b, pipe_magic);
	put_u64(&b, FILE_HEADER_SIZE);
	put_u64(&b, ATTR_SIZE + 16);
	put_u64(&b, attr_section);
	put_u64(&b, 2 * (ATTR_SIZE + 16));
	put_u64(&b, begin);
	put_u64(&b, data->size);
	put_zeros(&b, 16);
	put_bytes(&b, bits, sizeof(bits));
	put_bytes(&b, (const uint64_t[]){ 1, 2, 3 }, 24);
	for (size_t i = 0; i < 2; i++) {
		put_bytes(&b, &attrs[i], ATTR_SIZE);
		put_u64(&b, ids + i * 16);
		put_u64(&b, i ? 8 : 16);
	}
	put_bytes(&b, data->bytes, data->size);
	for (size_t i = 0; i < n_features; i++) {
		put_u64(&b, content);
		put_u64(&b, features[i].content.size);
		content += features[i].content.size;
	}
	for (size_t i = 0; i < n_features; i++) {
		put_bytes(&b, features[i].content.bytes, features[i].content.size);
		free(features[i].content.bytes);
	}
	free(data->bytes);
	*data = (struct builder){ 0 };
	return b;
}

void put_feature_string(struct builder *b, const char *string)
{
	put_u32(b, 64);
	put_bytes(b, string, strlen(string));
	put_zeros(b, 64 - strlen(string));
}

struct feature string_feature(unsigned number, const char *string)
{
	struct feature feature = { .number = number };

	put_feature_string(&feature.content, string);
	return feature;
}

static void put_event_desc(struct builder *b, const struct perf_event_attr *attr, const char *name,
			   uint64_t id)
{
	put_bytes(b, attr, ATTR_SIZE);
	put_u32(b, 1);
	put_feature_string(b, name);
	put_u64(b, id);
}

struct feature event_desc_feature(void)
{
	struct perf_event_attr cycles = cycles_attr(), clock = clock_attr();
	struct feature feature = { .number = EVENT_DESC };

	put_u32(&feature.content, 2);
	put_u32(&feature.content, ATTR_SIZE);
	put_event_desc(&feature.content, &clock, "the clock", 3);
	put_event_desc(&feature.content, &cycles, "the cycles", 2);
	return feature;
}

int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

int try_open(const void *bytes, size_t size, struct data_file **file, char **error)
{
	char path[64];
	int fd = memory_file(bytes, size);

	*error = NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int err = data_file_open(path, file, error);
	close(fd);
	return err;
}

struct data_file *open_built(struct builder *b)
{
	struct data_file *file = NULL;
	char *error;

	if (try_open(b->bytes, b->size, &file, &error))
		fail_msg("%s", error);
	free(b->bytes);
	*b = (struct builder){ 0 };
	return file;
}

/* The counter's value when it was last sampled. */
static uint64_t *last_value(struct counts *counts, uint64_t id)
{
	size_t i = 0;

	while (i < counts->n_counters && counts->counters[i].id != id)
		i++;
	assert_true(i < MAX_COUNTERS);
	if (i == counts->n_counters)
		counts->n_counters++;
	counts->counters[i].id = id;
	return &counts->counters[i].value;
}

/* As perf has it: each member of a group whose count grew had a sample. */
static void count_group(const struct data_file *file, const struct data_file_event *event,
			const struct sample_record *sample, struct counts *counts)
{
	struct read_value value;

	for (size_t i = 0; i < sample->n_read_values; i++) {
		read_values_of_sample(sample, event->layout.read_format, i, &value);
		size_t index = data_file_find_event(file, value.id);
		if (index == SIZE_MAX)
			continue;
		uint64_t *last = last_value(counts, value.id);
		counts->n_group[index] += value.value != *last;
		*last = value.value;
	}
}

static void count_record(const struct data_file *file, const struct raw_record *raw,
			 struct counts *counts)
{
	struct record record;
	size_t index;

	counts->n_records++;
	if (data_file_decode(file, raw->header, &record, &index))
		counts->n_undecodable++;
	else if (record.type == PERF_RECORD_SAMPLE && index >= MAX_EVENTS)
		counts->n_unknown++;
	else if (record.type == PERF_RECORD_SAMPLE) {
		const struct data_file_event *event = data_file_event(file, index);
		counts->n_samples[index]++;
		counts->periods[index] +=
			record.sample.has_period ? record.sample.period : event->attr.sample_period;
		if (event->layout.read_format & PERF_FORMAT_GROUP)
			count_group(file, event, &record.sample, counts);
	}
}

struct counts count_all(struct data_file *file)
{
	struct counts counts = { 0 };
	struct raw_record raw;

	while ((counts.end = data_file_next(file, &raw)) > 0) {
		assert_int_equal((uintptr_t)raw.header % 8, 0);
		count_record(file, &raw, &counts);
		data_block_unref(raw.block);
	}
	return counts;
}

void check_two_events(struct data_file *file, size_t n_first, size_t n_second)
{
	struct counts counts = count_all(file);

	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_undecodable, 0);
	assert_int_equal(counts.n_samples[0], n_first);
	assert_int_equal(counts.n_samples[1], n_second);
	assert_int_equal(counts.periods[0], n_first * 4000);
	assert_null(data_file_error(file));
}

void check_error(const char *error, const char *part)
{
	assert_non_null(error);
	if (!strstr(error, part))
		fail_msg("\"%s\" does not say \"%s\"", error, part);
}

void put_payload(struct builder *b, uint32_t type, const void *payload, size_t size)
{
	begin_record(b, type, 0);
	if (type == RECORD_COMPRESSED2)
		put_u64(b, size);
	put_bytes(b, payload, size);
	if (type == RECORD_COMPRESSED2)
		put_zeros(b, (8 - size % 8) % 8);
	end_record(b);
}

void put_compressed(struct builder *b, const struct builder *inner, size_t step, uint32_t type,
		    ZSTD_EndDirective directive)
{
	ZSTD_CCtx *encoder = ZSTD_createCCtx();
	uint8_t room[60000];

	for (size_t at = 0; at < inner->size; at += step) {
		size_t size = inner->size - at < step ? inner->size - at : step;
		ZSTD_inBuffer in = { .src = inner->bytes + at, .size = size };
		ZSTD_outBuffer out = { .dst = room, .size = sizeof(room) };
		assert_int_equal(ZSTD_compressStream2(encoder, &out, &in, directive), 0);
		put_payload(b, type, room, out.pos);
	}
	ZSTD_freeCCtx(encoder);
}

void check_corrupt(struct builder *b, size_t n_before, const char *what, size_t offset)
{
	struct data_file *file = open_built(b);
	struct counts counts = count_all(file);
	struct raw_record raw;
	char place[32];

	snprintf(place, sizeof(place), "offset %zu", offset);
	assert_int_equal(counts.n_records, n_before);
	assert_int_equal(counts.end, -EINVAL);
	check_error(data_file_error(file), what);
	check_error(data_file_error(file), place);
	assert_int_equal(data_file_next(file, &raw), -EINVAL);
	data_file_close(file);
}
