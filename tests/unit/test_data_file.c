#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "perf/file/data_file.h"
#include "perf/file/order.h"
#include "perf/records/read_values.h"
#include "tests/unit/record_builder.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define RECORDINGS "../shared/recordings/"

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_PERIOD)

enum {
	FILE_HEADER_SIZE = 104,
	ATTR_SIZE = sizeof(struct perf_event_attr),
	MAX_EVENTS = 8,
	MAX_COUNTERS = 256,
	HOSTNAME = 3,
	NRCPUS = 7,
	CMDLINE = 11,
	EVENT_DESC = 12,
};

static const uint64_t pipe_magic = 0x32454c4946524550;

/* ---- Recordings made here ---- */

static struct perf_event_attr cycles_attr(void)
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

static void put_sample(struct builder *b, uint64_t id, uint64_t ip)
{
	begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(b, id);
	put_u64(b, ip);
	put_pair(b, 11, 12);
	put_u64(b, 1000 + ip);
	put_u64(b, 4000);
	end_record(b);
}

static void put_pipe_start(struct builder *b)
{
	put_u64(b, pipe_magic);
	put_u64(b, 16);
}

static void put_attr_record(struct builder *b, const struct perf_event_attr *attr,
			    const uint64_t *ids, size_t n_ids)
{
	begin_record(b, RECORD_HEADER_ATTR, 0);
	put_bytes(b, attr, ATTR_SIZE);
	put_bytes(b, ids, n_ids * sizeof(*ids));
	end_record(b);
}

/* A pipe with the events cycles:u (ids 1 and 2) and cpu-clock (id 3). */
static struct builder two_events_in_a_pipe(void)
{
	struct perf_event_attr cycles = cycles_attr(), clock = clock_attr();
	struct builder b = { 0 };

	put_pipe_start(&b);
	put_attr_record(&b, &cycles, (const uint64_t[]){ 1, 2 }, 2);
	put_attr_record(&b, &clock, (const uint64_t[]){ 3 }, 1);
	return b;
}

struct feature {
	unsigned number;
	struct builder content;
};

/* A file with the same events; @features in the order of their numbers; takes @data over. */
static struct builder two_events_in_a_file(struct builder *data, struct feature *features,
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

static void put_feature_string(struct builder *b, const char *string)
{
	put_u32(b, 64);
	put_bytes(b, string, strlen(string));
	put_zeros(b, 64 - strlen(string));
}

static struct feature string_feature(unsigned number, const char *string)
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

static struct feature event_desc_feature(void)
{
	struct perf_event_attr cycles = cycles_attr(), clock = clock_attr();
	struct feature feature = { .number = EVENT_DESC };

	put_u32(&feature.content, 2);
	put_u32(&feature.content, ATTR_SIZE);
	put_event_desc(&feature.content, &clock, "the clock", 3);
	put_event_desc(&feature.content, &cycles, "the cycles", 2);
	return feature;
}

/* ---- Reading them ---- */

static int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int try_open(const void *bytes, size_t size, struct data_file **file, char **error)
{
	char path[64];
	int fd = memory_file(bytes, size);

	*error = NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int err = data_file_open(path, file, error);
	close(fd);
	return err;
}

/* Takes @b over. */
static struct data_file *open_built(struct builder *b)
{
	struct data_file *file = NULL;
	char *error;

	if (try_open(b->bytes, b->size, &file, &error))
		fail_msg("%s", error);
	free(b->bytes);
	*b = (struct builder){ 0 };
	return file;
}

struct counts {
	size_t n_records, n_undecodable, n_unknown;
	size_t n_samples[MAX_EVENTS];
	uint64_t n_group[MAX_EVENTS]; /* members of counter groups that grew */
	uint64_t periods[MAX_EVENTS];
	struct {
		uint64_t id, value;
	} counters[MAX_COUNTERS];
	size_t n_counters;
	int end;
};

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

static struct counts count_all(struct data_file *file)
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

static void check_two_events(struct data_file *file, size_t n_first, size_t n_second)
{
	struct counts counts = count_all(file);

	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_undecodable, 0);
	assert_int_equal(counts.n_samples[0], n_first);
	assert_int_equal(counts.n_samples[1], n_second);
	assert_int_equal(counts.periods[0], n_first * 4000);
	assert_null(data_file_error(file));
}

static void check_error(const char *error, const char *part)
{
	assert_non_null(error);
	if (!strstr(error, part))
		fail_msg("\"%s\" does not say \"%s\"", error, part);
}

static void a_file_with_two_events_is_read(void **state)
{
	struct builder data = { 0 }, b;
	struct feature features[] = {
		string_feature(HOSTNAME, "oak"),
		{ .number = NRCPUS },
		{ .number = CMDLINE },
		event_desc_feature(),
	};

	(void)state;
	put_sample(&data, 2, 1);
	put_sample(&data, 3, 2);
	put_sample(&data, 1, 3);
	put_pair(&features[1].content, 8, 4);
	put_u32(&features[2].content, 4);
	put_feature_string(&features[2].content, "perf");
	put_feature_string(&features[2].content, "it's two words");
	put_feature_string(&features[2].content, "");
	put_feature_string(&features[2].content, "-o=x");
	b = two_events_in_a_file(&data, features, 4);
	struct data_file *file = open_built(&b);
	const struct data_file_info *info = data_file_info(file);
	assert_string_equal(info->hostname, "oak");
	assert_int_equal(info->n_cpus_available, 8);
	assert_int_equal(info->n_cpus_online, 4);
	assert_string_equal(info->command_line, "perf 'it'\\''s two words' '' -o=x");
	assert_false(info->is_pipe || info->is_cut || info->is_compressed || info->is_dendro);
	assert_int_equal(data_file_n_events(file), 2);
	assert_string_equal(data_file_event(file, 0)->name, "the cycles");
	assert_string_equal(data_file_event(file, 1)->name, "the clock");
	assert_int_equal(data_file_event(file, 0)->n_ids, 2);
	check_two_events(file, 2, 1);
	assert_null(data_file_truncation(file));
	data_file_close(file);
}

static void a_pipe_names_its_events_and_features_in_records(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	begin_record(&b, RECORD_EVENT_UPDATE, 0);
	put_u64(&b, 2); /* NAME */
	put_u64(&b, 3);
	put_string(&b, "my clock");
	end_record(&b);
	begin_record(&b, RECORD_FEATURE, 0);
	put_u64(&b, HOSTNAME);
	put_feature_string(&b, "elm");
	end_record(&b);
	put_sample(&b, 3, 1);
	struct data_file *file = open_built(&b);
	assert_true(data_file_info(file)->is_pipe);
	assert_string_equal(data_file_info(file)->hostname, "elm");
	assert_string_equal(data_file_event(file, 0)->name, "cycles:u");
	assert_string_equal(data_file_event(file, 1)->name, "my clock");
	check_two_events(file, 0, 1);
	data_file_close(file);
}

static void names_may_come_before_their_events(void **state)
{
	struct perf_event_attr cycles = cycles_attr();
	struct feature desc = event_desc_feature();
	struct builder b = { 0 };

	(void)state;
	put_pipe_start(&b);
	begin_record(&b, RECORD_FEATURE, 0);
	put_u64(&b, EVENT_DESC);
	put_bytes(&b, desc.content.bytes, desc.content.size);
	end_record(&b);
	free(desc.content.bytes);
	put_attr_record(&b, &cycles, (const uint64_t[]){ 2 }, 1);
	put_sample(&b, 2, 1);
	struct data_file *file = open_built(&b);
	assert_string_equal(data_file_event(file, 0)->name, "the cycles");
	check_two_events(file, 1, 0);
	data_file_close(file);
}

static void attrs_of_any_age_are_read(void **state)
{
	static const size_t sizes[] = { 64, 72, 80, 96, 112, 120, 128, 136, 144, 512 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t bytes[512];
		struct perf_event_attr attr = cycles_attr();
		struct builder b = { 0 };
		memset(bytes, 0xff, sizeof(bytes));
		memcpy(bytes, &attr, ATTR_SIZE);
		memcpy(bytes + offsetof(struct perf_event_attr, size), &(uint32_t){ sizes[i] }, 4);
		put_pipe_start(&b);
		begin_record(&b, RECORD_HEADER_ATTR, 0);
		put_bytes(&b, bytes, sizes[i]);
		put_u64(&b, 5);
		end_record(&b);
		put_sample(&b, 5, 1);
		struct data_file *file = open_built(&b);
		assert_int_equal(data_file_event(file, 0)->n_ids, 1);
		assert_int_equal(data_file_event(file, 0)->ids[0], 5);
		assert_int_equal(data_file_event(file, 0)->attr.sample_type, SAMPLE_TYPE);
		check_two_events(file, 1, 0);
		data_file_close(file);
	}
}

static void the_event_of_a_record_is_found_as_perf_finds_it(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	put_sample(&b, 0, 1); /* synthesized: the first event's */
	put_sample(&b, 3, 2);
	put_sample(&b, 99, 3); /* nobody's */
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.n_samples[0], 1);
	assert_int_equal(counts.n_samples[1], 1);
	assert_int_equal(counts.n_unknown, 1);
	assert_int_equal(data_file_find_event(file, 3), 1);
	assert_int_equal(data_file_find_event(file, 99), SIZE_MAX);
	data_file_close(file);
}

static void samples_before_any_event_are_refused(void **state)
{
	struct builder b = { 0 };
	struct counts counts;

	(void)state;
	put_pipe_start(&b);
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.end, -EINVAL);
	check_error(data_file_error(file), "offset 16");
	data_file_close(file);
}

/* ---- Compressed records ---- */

static void put_payload(struct builder *b, uint32_t type, const void *payload, size_t size)
{
	begin_record(b, type, 0);
	if (type == RECORD_COMPRESSED2)
		put_u64(b, size);
	put_bytes(b, payload, size);
	if (type == RECORD_COMPRESSED2)
		put_zeros(b, (8 - size % 8) % 8);
	end_record(b);
}

/* Packs @inner, @step bytes at a time, into compressed records of one stream or a frame each. */
static void put_compressed(struct builder *b, const struct builder *inner, size_t step,
			   uint32_t type, ZSTD_EndDirective directive)
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

static void compressed_records_are_expanded_whatever_their_borders(void **state)
{
	static const size_t steps[] = { 1, 7, 48, 100, 4096, 1 << 20 };
	static const uint32_t types[] = { RECORD_COMPRESSED, RECORD_COMPRESSED2 };
	static const ZSTD_EndDirective directives[] = { ZSTD_e_flush, ZSTD_e_end };

	(void)state;
	for (size_t i = 0; i < 6 * 2 * 2; i++) {
		struct builder b = two_events_in_a_pipe(), inner = { 0 };
		for (uint64_t ip = 0; ip < 50; ip++)
			put_sample(&inner, 1 + ip % 3, ip);
		put_compressed(&b, &inner, steps[i / 4], types[i / 2 % 2], directives[i % 2]);
		put_sample(&b, 3, 1); /* plain again */
		free(inner.bytes);
		struct data_file *file = open_built(&b);
		check_two_events(file, 34, 17);
		assert_true(data_file_info(file)->is_compressed);
		data_file_close(file);
	}
}

static void large_compressed_recordings_pass_through_many_blocks(void **state)
{
	struct builder b = two_events_in_a_pipe(), inner = { 0 };

	(void)state;
	for (uint64_t ip = 0; ip < 100000; ip++)
		put_sample(&inner, 1, ip);
	put_compressed(&b, &inner, 1 << 19, RECORD_COMPRESSED, ZSTD_e_flush);
	free(inner.bytes);
	struct data_file *file = open_built(&b);
	check_two_events(file, 100000, 0);
	data_file_close(file);
}

static void check_corrupt(struct builder *b, size_t n_before, const char *what, size_t offset)
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

static void corrupt_compressed_records_are_named(void **state)
{
	static const uint8_t no_zstd[16] = "this is not zstd";
	struct builder b, inner = { 0 };
	size_t offset;

	(void)state;
	b = two_events_in_a_pipe();
	put_sample(&b, 1, 1);
	offset = b.size;
	put_payload(&b, RECORD_COMPRESSED, no_zstd, sizeof(no_zstd));
	check_corrupt(&b, 1, "can't be expanded", offset);

	b = two_events_in_a_pipe();
	offset = b.size;
	begin_record(&b, RECORD_COMPRESSED2, 0);
	put_u64(&b, 1000);
	end_record(&b);
	check_corrupt(&b, 0, "longer than the record", offset);

	b = two_events_in_a_pipe();
	offset = b.size;
	put_payload(&inner, RECORD_COMPRESSED, no_zstd, sizeof(no_zstd));
	put_compressed(&b, &inner, 1 << 20, RECORD_COMPRESSED, ZSTD_e_end);
	free(inner.bytes);
	check_corrupt(&b, 0, "another compressed record", offset);
}

/* ---- Corrupt and cut files ---- */

static void a_record_of_size_zero_ends_the_reading_and_keeps_what_precedes(void **state)
{
	struct builder b = two_events_in_a_pipe();
	size_t offset;

	(void)state;
	put_sample(&b, 1, 1);
	put_sample(&b, 1, 2);
	offset = b.size;
	put_u32(&b, PERF_RECORD_SAMPLE);
	put_u32(&b, 0);
	put_sample(&b, 1, 3);
	check_corrupt(&b, 2, "size 0", offset);
}

static void a_record_beyond_the_data_section_is_refused(void **state)
{
	struct builder data = { 0 }, b;
	size_t offset;

	(void)state;
	put_sample(&data, 1, 1);
	offset = data.size;
	begin_record(&data, PERF_RECORD_SAMPLE, 0);
	put_zeros(&data, 16);
	end_record(&data);
	data.size -= 8;
	struct feature hostname = string_feature(HOSTNAME, "oak");
	b = two_events_in_a_file(&data, &hostname, 1);
	check_corrupt(&b, 1, "beyond the end of the data",
		      offset + FILE_HEADER_SIZE + 24 + 2 * (ATTR_SIZE + 16));
}

/* A copy with @size bytes at @offset set to @value. */
static struct builder damaged(const struct builder *whole, size_t offset, uint8_t value,
			      size_t size)
{
	struct builder copy = { 0 };

	put_bytes(&copy, whole->bytes, offset);
	for (size_t i = 0; i < size; i++)
		put_bytes(&copy, &value, 1);
	put_bytes(&copy, whole->bytes + offset + size, whole->size - offset - size);
	return copy;
}

static void files_that_are_no_recordings_are_refused_with_a_sentence(void **state)
{
	static const uint8_t swapped[16] = "2ELIFREP";
	static const uint8_t tiny_header[16] = "PERFILE2\x18";
	struct builder data = { 0 };
	struct builder whole = two_events_in_a_file(&data, NULL, 0);
	struct builder no_attrs = damaged(&whole, 32, 0, 8);
	struct builder bad_attr_size = damaged(&whole, 16, 0, 8);
	struct builder bad_ids = damaged(&whole, FILE_HEADER_SIZE + 24 + ATTR_SIZE + 8, 0xff, 8);
	struct data_file *file;
	char *error;

	(void)state;
	const struct {
		const void *bytes;
		size_t size;
		const char *sentence;
	} cases[] = {
		{ "", 0, "is empty" },
		{ "PERF", 4, "ends inside its header" },
		{ "#!/bin/sh\nexit 0\n", 17, "not a perf.data file" },
		{ swapped, 16, "other byte order" },
		{ tiny_header, 16, "header's size" },
		{ whole.bytes, 60, "inside its header" },
		{ whole.bytes, 300, "inside its event descriptions" },
		{ no_attrs.bytes, no_attrs.size, "names no event" },
		{ bad_attr_size.bytes, bad_attr_size.size, "offset 16" },
		{ bad_ids.bytes, bad_ids.size, "ids of the event" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(try_open(cases[i].bytes, cases[i].size, &file, &error), -EINVAL);
		check_error(error, cases[i].sentence);
		free(error);
	}
	free(whole.bytes);
	free(no_attrs.bytes);
	free(bad_attr_size.bytes);
	free(bad_ids.bytes);
}

static void paths_that_can_not_be_opened_are_named(void **state)
{
	struct data_file *file;
	char *error;

	(void)state;
	assert_int_equal(data_file_open("/nonexistent/x.data", &file, &error), -ENOENT);
	check_error(error, "/nonexistent/x.data");
	free(error);
	assert_int_equal(data_file_open("/tmp", &file, &error), -EISDIR);
	check_error(error, "directory");
	free(error);
}

/* Reads the first @size bytes: how many records, as far as the file can be opened. */
static size_t read_cut(const uint8_t *bytes, size_t size, bool *is_reported)
{
	struct data_file *file;
	struct counts counts;
	char *error;

	*is_reported = true;
	if (try_open(bytes, size, &file, &error)) {
		assert_non_null(error);
		free(error);
		return 0;
	}
	counts = count_all(file);
	assert_int_equal(counts.end, 0);
	*is_reported = data_file_truncation(file) && data_file_info(file)->is_cut;
	data_file_close(file);
	return counts.n_records;
}

static void a_file_cut_at_any_byte_is_read_up_to_there(void **state)
{
	struct feature features[] = { string_feature(HOSTNAME, "oak"), event_desc_feature() };
	struct builder data = { 0 }, inner = { 0 }, b;
	size_t n_before = 0;
	bool is_reported;

	(void)state;
	for (uint64_t ip = 0; ip < 5; ip++)
		put_sample(&data, 1, ip);
	for (uint64_t ip = 0; ip < 20; ip++)
		put_sample(&inner, 3, ip);
	put_compressed(&data, &inner, 100, RECORD_COMPRESSED, ZSTD_e_flush);
	free(inner.bytes);
	b = two_events_in_a_file(&data, features, 2);
	for (size_t size = 0; size < b.size; size++) {
		size_t n = read_cut(b.bytes, size, &is_reported);
		assert_true(n >= n_before);
		assert_true(is_reported);
		n_before = n;
	}
	assert_int_equal(read_cut(b.bytes, b.size, &is_reported), 25);
	assert_false(is_reported);
	free(b.bytes);
}

static void a_pipe_cut_inside_a_record_says_so(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	put_sample(&b, 1, 1);
	put_sample(&b, 1, 2);
	b.size -= 5;
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_true(data_file_info(file)->is_cut);
	check_error(data_file_truncation(file), "inside the record at offset");
	data_file_close(file);
}

static void a_recording_never_finished_is_read_to_its_end(void **state)
{
	struct feature hostname = string_feature(HOSTNAME, "oak");
	struct builder data = { 0 }, b;

	(void)state;
	put_sample(&data, 1, 1);
	put_sample(&data, 3, 1);
	b = two_events_in_a_file(&data, &hostname, 1);
	memset(b.bytes + 48, 0, 8);           /* the data's size */
	b.size -= hostname.content.size + 16; /* and no table */
	struct data_file *file = open_built(&b);
	assert_true(data_file_info(file)->is_cut);
	check_two_events(file, 1, 1);
	check_error(data_file_truncation(file), "did not finish");
	data_file_close(file);
}

static void a_finished_recording_without_records_is_not_cut(void **state)
{
	struct feature hostname = string_feature(HOSTNAME, "oak");
	struct builder data = { 0 };
	struct builder b = two_events_in_a_file(&data, &hostname, 1);

	(void)state;
	struct data_file *file = open_built(&b);
	assert_false(data_file_info(file)->is_cut);
	assert_string_equal(data_file_info(file)->hostname, "oak");
	check_two_events(file, 0, 0);
	data_file_close(file);
}

/* ---- What is between records ---- */

static void raw_bytes_behind_a_record_are_left_out(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	begin_record(&b, RECORD_AUXTRACE, 0);
	put_u64(&b, 3 << 20);
	put_zeros(&b, 32);
	end_record(&b);
	put_zeros(&b, 3 << 20);
	begin_record(&b, RECORD_TRACING_DATA, 0);
	put_u32(&b, 100);
	end_record(&b);
	put_zeros(&b, 100);
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_records, 3);
	assert_int_equal(counts.n_samples[0], 1);
	data_file_close(file);
}

static void raw_bytes_that_lead_beyond_the_file_cut_it(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	begin_record(&b, RECORD_AUXTRACE, 0);
	put_u64(&b, UINT64_MAX);
	put_zeros(&b, 32);
	end_record(&b);
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_records, 1);
	assert_non_null(data_file_truncation(file));
	data_file_close(file);
}

static void records_of_odd_sizes_are_handed_out_aligned(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		begin_record(&b, RECORD_THREAD_MAP, 0);
		put_zeros(&b, i % 13);
		end_record(&b);
		put_sample(&b, 1 + i % 3, i);
	}
	struct data_file *file = open_built(&b);
	counts = count_all(file); /* checks the alignment */
	assert_int_equal(counts.end, 0);
	assert_int_equal(counts.n_records, 2000);
	assert_int_equal(counts.n_samples[0], 667);
	assert_int_equal(counts.n_samples[1], 333);
	data_file_close(file);
}

static void records_stay_as_they_are_while_held(void **state)
{
	enum { N = 300, BODY = 30000 };
	struct builder b = two_events_in_a_pipe();
	struct raw_record held[N];
	uint8_t body[BODY];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		memset(body, (int)(i % 251), sizeof(body));
		begin_record(&b, RECORD_THREAD_MAP, 0);
		put_bytes(&b, body, sizeof(body) - i % 7 * 8);
		end_record(&b);
	}
	struct data_file *file = open_built(&b);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(data_file_next(file, &held[i]), 1);
	for (size_t i = 0; i < N; i++) {
		const uint8_t *bytes = (const uint8_t *)(held[i].header + 1);
		assert_int_equal(held[i].header->size, 8 + BODY - i % 7 * 8);
		assert_int_equal(bytes[0], i % 251);
		assert_int_equal(bytes[held[i].header->size - 9], i % 251);
		data_block_unref(held[i].block);
	}
	assert_int_equal(data_file_next(file, &held[0]), 0);
	data_file_close(file);
}

static void build_ids_are_taken_in(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	for (int has_size = 0; has_size < 2; has_size++) {
		begin_record(&b, RECORD_BUILD_ID, has_size ? 1 << 15 : 0);
		put_u32(&b, UINT32_MAX);
		put_bytes(&b, "BUILDIDBUILDIDBUILDI", 20);
		put_u32(&b, has_size ? 16 : 0);
		put_string(&b, "/lib/libc.so.6");
		end_record(&b);
	}
	struct data_file *file = open_built(&b);
	check_two_events(file, 0, 0);
	assert_int_equal(data_file_n_build_ids(file), 2);
	assert_string_equal(data_file_build_id(file, 0)->path, "/lib/libc.so.6");
	assert_int_equal(data_file_build_id(file, 0)->size, 20);
	assert_int_equal(data_file_build_id(file, 1)->size, 16);
	assert_memory_equal(data_file_build_id(file, 1)->bytes, "BUILDID", 7);
	data_file_close(file);
}

/* ---- Attachments ---- */

static void put_attachment_part(struct builder *b, uint32_t kind, const char *key, uint64_t total,
				uint64_t offset, const char *part)
{
	struct attachment_header header = {
		.magic = ATTACHMENT_MAGIC,
		.kind = kind,
		.key_size = (uint32_t)strlen(key),
		.total_size = total,
		.offset = offset,
		.data_size = (uint32_t)strlen(part),
	};
	size_t size = strlen(key) + strlen(part);

	begin_record(b, RECORD_ATTACHMENT, 0);
	put_bytes(b, &header, sizeof(header));
	put_bytes(b, key, strlen(key));
	put_bytes(b, part, strlen(part));
	put_zeros(b, (8 - size % 8) % 8);
	end_record(b);
}

static void check_attachment(const struct data_file *file, size_t index, uint32_t kind,
			     const char *key, const char *content)
{
	const struct data_file_attachment *attachment = data_file_attachment(file, index);
	char bytes[64];

	assert_int_equal(attachment->kind, kind);
	assert_string_equal(attachment->key, key);
	assert_int_equal(attachment->is_complete, !!content);
	if (!content)
		return;
	assert_int_equal(attachment->size, strlen(content));
	assert_int_equal(pread(attachment->fd, bytes, sizeof(bytes), 0), strlen(content));
	assert_memory_equal(bytes, content, strlen(content));
}

static void attachments_are_put_together(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	begin_record(&b, RECORD_ATTACHMENT, 0); /* perf's own, retired */
	put_zeros(&b, 72);
	end_record(&b);
	put_attachment_part(&b, ATTACHMENT_PERF_MAP, "42", 11, 0, "hello ");
	put_attachment_part(&b, ATTACHMENT_PERF_MAP, "42", 11, 6, "world");
	put_attachment_part(&b, ATTACHMENT_KALLSYMS, "", 0, 0, "");
	put_attachment_part(&b, ATTACHMENT_VDSO, "[vdso]", 9, 0, "ELF");
	put_attachment_part(&b, ATTACHMENT_VDSO, "[vdso]", 9, 6, "gap"); /* after a gap */
	put_attachment_part(&b, ATTACHMENT_PERF_MAP, "42", 3, 0, "new");
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_true(data_file_info(file)->is_dendro);
	assert_int_equal(data_file_n_attachments(file), 4);
	check_attachment(file, 0, ATTACHMENT_PERF_MAP, "42", "hello world");
	check_attachment(file, 1, ATTACHMENT_KALLSYMS, "", "");
	check_attachment(file, 2, ATTACHMENT_VDSO, "[vdso]", NULL);
	check_attachment(file, 3, ATTACHMENT_PERF_MAP, "42", "new");
	data_file_close(file);
}

static void put_attachment(struct builder *b, uint32_t kind, const char *key, const char *content)
{
	put_attachment_part(b, kind, key, strlen(content), 0, content);
}

static void attachments_tell_what_events_count(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	put_attachment(&b, ATTACHMENT_EVENT, "1", "unit bytes\nweight field 16 8 signed\n");
	put_attachment(&b, ATTACHMENT_EVENT, "2", "unit bytes\n"); /* no such event */
	put_attachment(&b, ATTACHMENT_EVENT, "", "unit bytes\n");
	put_attachment(&b, ATTACHMENT_EVENT, "0x", "unit bytes\n");
	put_attachment(&b, ATTACHMENT_EVENT, "18446744073709551616", "unit bytes\n");
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_int_equal(data_file_n_attachments(file), 0);
	assert_string_equal(data_file_event(file, 0)->unit, "events");
	assert_int_equal(data_file_event(file, 0)->weight.kind, WEIGHT_PERIOD);
	assert_string_equal(data_file_event(file, 1)->unit, "bytes");
	assert_int_equal(data_file_event(file, 1)->weight.kind, WEIGHT_FIELD);
	assert_int_equal(data_file_event(file, 1)->weight.offset, 16);
	data_file_close(file);
}

static void attachments_that_lie_about_their_sizes_are_left_out(void **state)
{
	static const struct attachment_header lies[] = {
		{ .key_size = UINT32_MAX },
		{ .data_size = UINT32_MAX, .total_size = UINT64_MAX },
		{ .data_size = 8, .total_size = 7 },
		{ .data_size = 8, .total_size = 8, .offset = 1 },
		{ .data_size = 8, .total_size = 8, .offset = UINT64_MAX },
	};
	struct builder b = two_events_in_a_pipe();

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct attachment_header header = lies[i];
		header.magic = ATTACHMENT_MAGIC;
		header.kind = ATTACHMENT_ELF;
		begin_record(&b, RECORD_ATTACHMENT, 0);
		put_bytes(&b, &header, sizeof(header));
		put_zeros(&b, 16);
		end_record(&b);
	}
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	check_two_events(file, 1, 0);
	assert_int_equal(data_file_n_attachments(file), 0);
	data_file_close(file);
}

static void a_cut_file_has_its_features_from_attachments(void **state)
{
	struct builder data = { 0 }, inner = { 0 }, b;
	char hostname[8] = "\x04";

	(void)state;
	memcpy(hostname + 4, "ash", 3);
	struct attachment_header header = {
		.magic = ATTACHMENT_MAGIC,
		.kind = ATTACHMENT_FEATURE,
		.key_size = 1,
		.total_size = sizeof(hostname),
		.data_size = sizeof(hostname),
	};
	begin_record(&inner, RECORD_ATTACHMENT, 0);
	put_bytes(&inner, &header, sizeof(header));
	put_bytes(&inner, "3", 1);
	put_bytes(&inner, hostname, sizeof(hostname));
	put_zeros(&inner, 7);
	end_record(&inner);
	put_compressed(&data, &inner, 1 << 20, RECORD_COMPRESSED, ZSTD_e_end);
	free(inner.bytes);
	put_sample(&data, 1, 1);
	b = two_events_in_a_file(&data, NULL, 0);
	memset(b.bytes + 48, 0, 8);
	struct data_file *file = open_built(&b);
	assert_true(data_file_info(file)->is_cut);
	assert_string_equal(data_file_info(file)->hostname, "ash");
	assert_int_equal(data_file_n_attachments(file), 0);
	check_two_events(file, 1, 0);
	data_file_close(file);
}

/* ---- Names ---- */

static void events_without_a_name_are_named_as_perf_names_them(void **state)
{
	/* As `perf evlist` of 6.1 prints them, but for bpf-output, which it does not know. */
	static const struct {
		struct perf_event_attr attr;
		const char *name;
	} cases[] = {
		{ { .type = PERF_TYPE_HARDWARE, .exclude_guest = 1 }, "cycles" },
		{ { .type = PERF_TYPE_HARDWARE }, "cycles:HG" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 5, .exclude_kernel = 1 },
		  "branch-misses:uh" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1, .exclude_hv = 1 },
		  "cycles:u" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_user = 1, .exclude_guest = 1 },
		  "cycles:khH" },
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 3 }, "cycles:ppp" },
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 2, .exclude_guest = 1 },
		  "cycles:ppH" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 99, .exclude_host = 1 },
		  "unknown-hardware:G" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0x400000001, .exclude_guest = 1 },
		  "instructions" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 1, .exclude_user = 1 }, "task-clock:kh" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 9 }, "dummy:HG" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 10, .exclude_guest = 1 }, "bpf-output" },
		{ { .type = PERF_TYPE_RAW, .config = 0x1a8, .precise_ip = 1 }, "raw 0x1a8:p" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x10000, .exclude_guest = 1 },
		  "L1-dcache-load-misses" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x103, .exclude_guest = 1 },
		  "dTLB-stores" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0xff, .exclude_guest = 1 },
		  "unknown-ext-hardware-cache-type" },
		{ { .type = PERF_TYPE_BREAKPOINT,
		    .bp_addr = 0x1000,
		    .bp_type = 3,
		    .exclude_guest = 1 },
		  "mem:0x1000:rw" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 47 }, "unknown tracepoint" },
		{ { .type = 42 }, "unknown attr type: 42" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_attr attr = cases[i].attr;
		struct builder b = { 0 };
		attr.size = ATTR_SIZE;
		put_pipe_start(&b);
		put_attr_record(&b, &attr, NULL, 0);
		struct data_file *file = open_built(&b);
		assert_string_equal(data_file_event(file, 0)->name, cases[i].name);
		data_file_close(file);
	}
}

/* ---- Standard input ---- */

static int open_as_stdin(int fd, struct data_file **file, char **error)
{
	int saved = dup(STDIN_FILENO);

	assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	int err = data_file_open("-", file, error);
	if (!err) {
		check_two_events(*file, 1, 0);
		data_file_close(*file);
	}
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	return err;
}

static void a_pipe_is_read_from_standard_input(void **state)
{
	struct builder b = two_events_in_a_pipe(), data = { 0 };
	struct data_file *file;
	char *error;
	int fds[2];

	(void)state;
	put_sample(&b, 1, 1);
	put_sample(&data, 1, 1);
	struct builder in_file = two_events_in_a_file(&data, NULL, 0);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], b.bytes, b.size), b.size);
	close(fds[1]);
	assert_int_equal(open_as_stdin(fds[0], &file, &error), 0);
	close(fds[0]);

	/* What was recorded to a file can come from a file only. */
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], in_file.bytes, in_file.size), in_file.size);
	close(fds[1]);
	assert_int_equal(open_as_stdin(fds[0], &file, &error), -ESPIPE);
	check_error(error, "standard input");
	free(error);
	close(fds[0]);
	int fd = memory_file(in_file.bytes, in_file.size);
	assert_int_equal(open_as_stdin(fd, &file, &error), 0);
	close(fd);
	free(b.bytes);
	free(in_file.bytes);
}

/* ---- Recordings of other machines ---- */

struct expected_event {
	const char *name;
	size_t n_samples;
	uint64_t periods;
};

/*
 * Samples and sums of periods as perf 6.1's `perf script -F event,period` has them; for what it
 * refuses (compressed2, sleep.compressed, lbr, trace-offcpu, zero_size_sample) and for the group as
 * tests/oracle/walk_records.py counts them.
 */
static const struct {
	const char *name;
	size_t n_records;
	int end;
	struct expected_event events[MAX_EVENTS];
} recordings[] = {
	{ "lpd.fibo.compressed2.pipe",
	  1755,
	  0,
	  { { "cycles:P", 547, 942061728 }, { "dummy:u", 0, 0 } } },
	{ "lpd.sleep.compressed", 95, 0, { { "cycles:P", 8, 2201546 } } },
	{ "lpd.sleep.compressed.pipe", 95, 0, { { "cycles:P", 8, 2171147 } } },
	{ "quipper.branch-4.14", 50, 0, { { "cycles:ppp", 13, 2668332 } } },
	{ "quipper.callgraph-3.8", 3798, 0, { { "cycles", 1768, 291177942 } } },
	{ "quipper.ctx_switch_namespaces-4.14", 42, 0, { { "cycles", 2, 2 } } },
	{ "quipper.group_desc-4.14",
	  50,
	  0,
	  { { "cache-references", 7, 165909 }, { "branch-misses", 6, 23813 } } },
	{ "quipper.hybrid_topology",
	  122,
	  0,
	  { { "cpu_core/cycles:ppp/", 7, 7048948 },
	    { "cpu_atom/cycles:ppp/", 0, 0 },
	    { "dummy:HG", 0, 0 } } },
	{ "quipper.i686-3.4",
	  2499,
	  0,
	  { { "cycles", 147, 264438523 },
	    { "instructions", 155, 85205501 },
	    { "cache-references", 116, 1447587 },
	    { "cache-misses", 89, 65138 },
	    { "branches", 95, 11678830 },
	    { "branch-misses", 101, 817902 } } },
	{ "quipper.lost_samples-4.4",
	  243,
	  0,
	  { { "cycles:pp", 97, 1940291 },
	    { "instructions:pp", 80, 1600240 },
	    { "branch-instructions:pp", 14, 280042 } } },
	{ "quipper.piped.corrupted.zero_size_sample-3.2", 568, -EINVAL, { { "cycles", 0, 0 } } },
	{ "quipper.piped.ctx_switch_namespaces-4.14", 80, 0, { { "cycles", 7, 2383444 } } },
	{ "quipper.piped.header_features_aligned-6.12", 22, 0, { { "cycles:u", 9, 780008 } } },
	{ "quipper.piped.lost_samples-4.4",
	  243,
	  0,
	  { { "cycles:ppH", 98, 1960294 },
	    { "instructions:ppH", 79, 1580237 },
	    { "branches:ppH", 14, 280042 } } },
	{ "quipper.remmap-3.2", 343, 0, { { "cycles", 198, 538511820 } } },
	{ "quipper.throttle-3.8",
	  17001,
	  0,
	  { { "cycles", 9036, 90360000 }, { "instructions", 5944, 59440000 } } },
	{ "simpleperf.arm64-stacks", 239, 0, { { "cpu-cycles", 8, 536 } } },
	{ "simpleperf.lbr", 101, 0, { { "cpu-cycles", 19, 5806423 } } },
	{ "simpleperf.read-group",
	  77,
	  0,
	  { { "cpu-cycles", 12, 1262572 }, { "instructions", 0, 0 } } },
	{ "simpleperf.trace-offcpu",
	  3028,
	  0,
	  { { "cpu-cycles", 2270, 892880099 }, { "sched:sched_switch", 99, 99 } } },
};
enum { N_RECORDINGS = sizeof(recordings) / sizeof(recordings[0]) };

static void need_recordings(void)
{
	if (access(RECORDINGS, R_OK)) {
		print_message("skipped: no " RECORDINGS " here\n");
		skip();
	}
}

static void recording_path(size_t index, char *path, size_t size)
{
	snprintf(path, size, RECORDINGS "%s.data", recordings[index].name);
}

static struct data_file *open_recording(size_t index)
{
	struct data_file *file;
	char path[256], *error;

	recording_path(index, path, sizeof(path));
	if (data_file_open(path, &file, &error))
		fail_msg("%s", error);
	return file;
}

static void recordings_of_other_machines_have_the_samples_perf_counts(void **state)
{
	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct data_file *file = open_recording(i);
		struct counts counts = count_all(file);
		assert_int_equal(counts.end, recordings[i].end);
		assert_int_equal(counts.n_records, recordings[i].n_records);
		assert_int_equal(counts.n_undecodable, 0);
		assert_int_equal(counts.n_unknown, 0);
		for (size_t j = 0; j < data_file_n_events(file); j++) {
			const struct expected_event *expected = &recordings[i].events[j];
			assert_string_equal(data_file_event(file, j)->name, expected->name);
			assert_int_equal(counts.n_samples[j], expected->n_samples);
			assert_int_equal(counts.periods[j], expected->periods);
		}
		data_file_close(file);
	}
}

static size_t drain_in_order(struct order *order, uint64_t *last_ns)
{
	struct raw_record raw;
	uint64_t time_ns;
	size_t n = 0;

	while (order_pop(order, &raw, &time_ns)) {
		assert_true(time_ns >= *last_ns);
		*last_ns = time_ns;
		data_block_unref(raw.block);
		n++;
	}
	return n;
}

static void check_order(struct data_file *file)
{
	struct order *order = order_create(64 << 20);
	size_t n_pushed = 0, n_popped = 0, event;
	struct raw_record raw;
	struct record record;
	uint64_t last_ns = 0;

	assert_non_null(order);
	while (data_file_next(file, &raw) > 0) {
		assert_int_equal(data_file_decode(file, raw.header, &record, &event), RECORD_OK);
		assert_int_equal(
			order_push(order, &raw, record.has_time ? record.time_ns : UINT64_MAX), 0);
		n_pushed++;
		if (record.type == RECORD_FINISHED_ROUND)
			order_finish_round(order);
		n_popped += drain_in_order(order, &last_ns);
	}
	order_finish(order);
	n_popped += drain_in_order(order, &last_ns);
	assert_int_equal(n_popped, n_pushed);
	assert_int_equal(order_n_late(order), 0);
	order_destroy(order);
}

static void recordings_come_out_in_time_order_and_whole(void **state)
{
	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct data_file *file = open_recording(i);
		check_order(file);
		data_file_close(file);
	}
}

/* perf script prints a sample for each event of the group. */
static void a_group_sample_counts_for_each_member_that_grew(void **state)
{
	struct counts counts;

	(void)state;
	need_recordings();
	struct data_file *file = open_recording(N_RECORDINGS - 2);
	counts = count_all(file);
	assert_int_equal(counts.n_group[0], 12);
	assert_int_equal(counts.n_group[1], 12);
	data_file_close(file);
}

static void the_zero_size_sample_is_named_by_its_offset(void **state)
{
	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		if (!recordings[i].end)
			continue;
		struct data_file *file = open_recording(i);
		count_all(file);
		check_error(data_file_error(file), "offset 49104");
		data_file_close(file);
	}
}

static uint8_t *read_whole(size_t index, size_t *size_ret)
{
	char path[256];

	recording_path(index, path, sizeof(path));
	FILE *stream = fopen(path, "rb");
	assert_non_null(stream);
	fseek(stream, 0, SEEK_END);
	*size_ret = (size_t)ftell(stream);
	rewind(stream);
	uint8_t *bytes = malloc(*size_ret);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size_ret, stream), *size_ret);
	fclose(stream);
	return bytes;
}

static size_t count_cut_recording(const uint8_t *bytes, size_t size)
{
	struct data_file *file;
	struct counts counts;
	char *error;

	if (try_open(bytes, size, &file, &error)) {
		free(error);
		return 0;
	}
	counts = count_all(file);
	data_file_close(file);
	return counts.n_records;
}

static void recordings_cut_anywhere_lose_only_what_follows(void **state)
{
	enum { N_CUTS = 97 };

	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		size_t size, n_before = 0;
		uint8_t *bytes = read_whole(i, &size);
		for (size_t cut = 0; cut <= N_CUTS; cut++) {
			size_t n = count_cut_recording(bytes, size * cut / N_CUTS);
			assert_true(n >= n_before);
			n_before = n;
		}
		assert_int_equal(n_before, recordings[i].n_records);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_with_two_events_is_read),
		cmocka_unit_test(a_pipe_names_its_events_and_features_in_records),
		cmocka_unit_test(names_may_come_before_their_events),
		cmocka_unit_test(attrs_of_any_age_are_read),
		cmocka_unit_test(the_event_of_a_record_is_found_as_perf_finds_it),
		cmocka_unit_test(samples_before_any_event_are_refused),
		cmocka_unit_test(compressed_records_are_expanded_whatever_their_borders),
		cmocka_unit_test(large_compressed_recordings_pass_through_many_blocks),
		cmocka_unit_test(corrupt_compressed_records_are_named),
		cmocka_unit_test(a_record_of_size_zero_ends_the_reading_and_keeps_what_precedes),
		cmocka_unit_test(a_record_beyond_the_data_section_is_refused),
		cmocka_unit_test(files_that_are_no_recordings_are_refused_with_a_sentence),
		cmocka_unit_test(paths_that_can_not_be_opened_are_named),
		cmocka_unit_test(a_file_cut_at_any_byte_is_read_up_to_there),
		cmocka_unit_test(a_pipe_cut_inside_a_record_says_so),
		cmocka_unit_test(a_recording_never_finished_is_read_to_its_end),
		cmocka_unit_test(a_finished_recording_without_records_is_not_cut),
		cmocka_unit_test(raw_bytes_behind_a_record_are_left_out),
		cmocka_unit_test(raw_bytes_that_lead_beyond_the_file_cut_it),
		cmocka_unit_test(records_of_odd_sizes_are_handed_out_aligned),
		cmocka_unit_test(records_stay_as_they_are_while_held),
		cmocka_unit_test(build_ids_are_taken_in),
		cmocka_unit_test(attachments_are_put_together),
		cmocka_unit_test(attachments_tell_what_events_count),
		cmocka_unit_test(attachments_that_lie_about_their_sizes_are_left_out),
		cmocka_unit_test(a_cut_file_has_its_features_from_attachments),
		cmocka_unit_test(events_without_a_name_are_named_as_perf_names_them),
		cmocka_unit_test(a_pipe_is_read_from_standard_input),
		cmocka_unit_test(recordings_of_other_machines_have_the_samples_perf_counts),
		cmocka_unit_test(recordings_come_out_in_time_order_and_whole),
		cmocka_unit_test(a_group_sample_counts_for_each_member_that_grew),
		cmocka_unit_test(the_zero_size_sample_is_named_by_its_offset),
		cmocka_unit_test(recordings_cut_anywhere_lose_only_what_follows),
	};

	return cmocka_run_group_tests_name("data_file", tests, NULL, NULL);
}
