/* A file and a pipe of two events that are sound, and what is found if a word of them is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/exchange/verify_perf_data.h"
#include "perf/records/record_fields.h"
#include "perf/writer/file_layout.h"

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define ATTR_SIZE 128
#define N_EVENTS  2

struct event {
	uint8_t attr[ATTR_SIZE];
	struct file_section ids;
};

struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns, period, n, callchain[3];
};

struct comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[8];
	uint32_t trailer_pid, trailer_tid;
	uint64_t time_ns, id;
};

struct round {
	struct perf_event_header header;
};

struct records {
	struct comm comm;
	struct sample first;
	struct round one;
	struct sample second;
	struct round two, three;
	struct sample third;
};

struct file {
	struct file_header header;
	struct event events[N_EVENTS];
	uint64_t ids[N_EVENTS];
	struct records records;
	struct file_section host, ids_of_builds;
	uint32_t host_size;
	char host_name[4];
	struct perf_event_header build;
	uint32_t build_pid;
	uint8_t build_id[24];
	char build_path[4];
};

struct pipe_event {
	struct perf_event_header header;
	uint8_t attr[ATTR_SIZE];
	uint64_t id;
};

struct pipe {
	uint64_t magic, size;
	struct pipe_event events[N_EVENTS];
	struct records records;
};

static void fill_attr(uint8_t bytes[ATTR_SIZE])
{
	struct perf_event_attr attr = { .size = ATTR_SIZE, .sample_type = SAMPLE_TYPE };

	attr.sample_id_all = true;
	memcpy(bytes, &attr, ATTR_SIZE);
}

static struct sample sample_at(uint64_t id, uint64_t time_ns)
{
	return (struct sample){
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(struct sample) },
		.id = id,
		.ip = 0x1000,
		.pid = 7,
		.tid = 7,
		.time_ns = time_ns,
		.period = 1,
		.n = 3,
		.callchain = { (uint64_t)PERF_CONTEXT_USER, 0x1000, 0x2000 },
	};
}

static void fill_records(struct records *records)
{
	const struct round round = { { RECORD_FINISHED_ROUND, 0, sizeof(struct round) } };

	records->comm = (struct comm){ .header = { PERF_RECORD_COMM, 0, sizeof(struct comm) },
				       .pid = 7,
				       .tid = 7,
				       .name = "program",
				       .time_ns = 100,
				       .id = 1 };
	records->first = sample_at(1, 200);
	records->second = sample_at(2, 300);
	records->third = sample_at(1, 350);
	records->one = records->two = records->three = round;
}

static void fill_file(struct file *file)
{
	memset(file, 0, sizeof(*file));
	file->header = (struct file_header){
		.magic = FILE_MAGIC,
		.size = sizeof(file->header),
		.attr_size = sizeof(struct event),
		.attrs = { offsetof(struct file, events), sizeof(file->events) },
		.data = { offsetof(struct file, records), sizeof(file->records) },
		.features = { 1 << 2 | 1 << 3 },
	};
	for (unsigned i = 0; i < N_EVENTS; i++) {
		fill_attr(file->events[i].attr);
		file->events[i].ids =
			(struct file_section){ offsetof(struct file, ids) + i * sizeof(uint64_t),
					       sizeof(uint64_t) };
		file->ids[i] = i + 1;
	}
	fill_records(&file->records);
	/* By number: the build IDs come first. */
	file->host = (struct file_section){ offsetof(struct file, build),
					    sizeof(*file) - offsetof(struct file, build) };
	file->ids_of_builds = (struct file_section){ offsetof(struct file, host_size), 8 };
	file->host_size = 4;
	memcpy(file->host_name, "oak", 4);
	file->build.size = (uint16_t)file->host.size;
	memcpy(file->build_path, "/lib", 4);
	file->build_path[3] = '\0';
}

static void fill_pipe(struct pipe *pipe)
{
	memset(pipe, 0, sizeof(*pipe));
	pipe->magic = FILE_MAGIC;
	pipe->size = 16;
	for (unsigned i = 0; i < N_EVENTS; i++) {
		pipe->events[i].header = (struct perf_event_header){ RECORD_HEADER_ATTR, 0,
								     sizeof(struct pipe_event) };
		fill_attr(pipe->events[i].attr);
		pipe->events[i].id = i + 1;
	}
	fill_records(&pipe->records);
}

/* What is found in a copy without anything before or after it; NULL: nothing. On the heap. */
static char *verify(const void *bytes, size_t size)
{
	struct verification verification = { 0 };
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	verify_perf_data(&verification, copy, size);
	assert_false(verification.lacks_memory);
	free(copy);
	return verification.problem;
}

static void expect_problem(const void *bytes, size_t size, const char *problem)
{
	char *found = verify(bytes, size);

	if (!problem) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	if (!strstr(found, problem))
		fail_msg("'%s' is not in '%s'", problem, found);
	free(found);
}

struct damage {
	size_t at, size;
	uint64_t value;
	const char *problem;
};

#define WORD(type, member, value, problem)                                                        \
	{                                                                                         \
		offsetof(struct type, member), sizeof(((struct type *)0)->member), value, problem \
	}

static void a_wrong_word_of_a_file_is_found(void **state)
{
	static const struct damage damages[] = {
		WORD(file, header.magic, 0, "does not begin with PERFILE2"),
		WORD(file, header.size, 96, "its header has 96 bytes, not 104"),
		WORD(file, header.attr_size, 72, "the events have 288 bytes, each 72"),
		WORD(file, header.attrs.offset, 1 << 20, "the events (288 bytes at offset"),
		WORD(file, header.data.size, 1 << 20, "the records ("),
		WORD(file, header.data.size, 0, "the recorder did not finish it"),
		WORD(file, header.features[3], 1, "header feature 192 ends after the file"),
		WORD(file, events[1].ids.offset, UINT64_MAX, "the IDs of an event ("),
		WORD(file, events[1].ids.size, 4, "have 4 bytes"),
		WORD(file, ids[1], 1, "the ID 1 is there twice"),
		WORD(file, records.first.id, 9, "has the ID 9, which no event has"),
		WORD(file, records.comm.id, 8, "has the ID 8, which no event has"),
		WORD(file, records.first.n, 4, "has a length that leads out of it"),
		WORD(file, records.first.n, 2, "has 80 bytes, and its fields have 72"),
		WORD(file, records.first.callchain[0], (uint64_t)-5, "has an unknown context at 0"),
		WORD(file, records.first.callchain[1], (uint64_t)PERF_CONTEXT_KERNEL,
		     "has two contexts at 1"),
		WORD(file, records.first.header.size, 4, "is smaller than its header"),
		WORD(file, records.first.header.size, 84, "has a size that is not a multiple of 8"),
		WORD(file, records.third.header.size, 88,
		     "ends after the last byte of the records"),
		WORD(file, records.first.header.type, 0, "has an unknown type"),
		WORD(file, records.first.header.type, 100, "has an unknown type"),
		WORD(file, records.first.header.type, RECORD_COMPRESSED, "is compressed"),
		WORD(file, records.third.time_ns, 299, "is older than records two rounds before"),
		WORD(file, records.third.time_ns, 300, NULL),
		WORD(file, host.size, 8, "has an entry of a wrong size"),
		WORD(file, ids_of_builds.offset, UINT64_MAX,
		     "header feature 3 ends after the file"),
		WORD(file, host_size, 3, "has a text that does not end"),
		WORD(file, host_size, 5, "has a text that leads out of it"),
		WORD(file, build_path, 0x61616161, "has a path that does not end"),
	};
	struct file file;

	(void)state;
	fill_file(&file);
	expect_problem(&file, sizeof(file), NULL);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		fill_file(&file);
		memcpy((uint8_t *)&file + damages[i].at, &damages[i].value, damages[i].size);
		expect_problem(&file, sizeof(file), damages[i].problem);
	}
}

static void a_name_ends_inside_its_record(void **state)
{
	struct file file;

	(void)state;
	fill_file(&file);
	memset(file.records.comm.name, 'n', sizeof(file.records.comm.name));
	file.records.comm.trailer_pid = file.records.comm.trailer_tid = UINT32_MAX;
	file.records.comm.time_ns = UINT64_MAX;
	expect_problem(&file, sizeof(file), "has a name that does not end in it");
}

static void events_whose_records_cannot_be_told_apart_are_found(void **state)
{
	struct perf_event_attr attr = { .size = ATTR_SIZE, .sample_type = PERF_SAMPLE_IP };
	struct file file;

	(void)state;
	fill_file(&file);
	memcpy(file.events[1].attr, &attr, ATTR_SIZE);
	expect_problem(&file, sizeof(file), "event 1 has its ID at another place than event 0");
}

static void a_pipe_is_read_as_it_comes(void **state)
{
	static const struct damage damages[] = {
		WORD(pipe, events[0].header.size, 16, "has a wrong size"),
		WORD(pipe, events[1].id, 1, "the ID 1 is there twice"),
		WORD(pipe, records.second.id, 3, "has the ID 3, which no event has"),
		WORD(pipe, records.third.header.size, 88, "ends after the last byte"),
	};
	struct pipe pipe;

	(void)state;
	fill_pipe(&pipe);
	expect_problem(&pipe, sizeof(pipe), NULL);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		fill_pipe(&pipe);
		memcpy((uint8_t *)&pipe + damages[i].at, &damages[i].value, damages[i].size);
		expect_problem(&pipe, sizeof(pipe), damages[i].problem);
	}
	fill_pipe(&pipe);
	expect_problem(&pipe, 16, "there is no event");
}

/* Whatever is cut, something is missing; and whatever is changed, nothing else is read. */
static void cut_and_changed_files_do_no_harm(void **state)
{
	struct file file;

	(void)state;
	fill_file(&file);
	for (size_t size = 0; size < sizeof(file); size++) {
		char *found = verify(&file, size);

		assert_non_null(found);
		free(found);
	}
	for (size_t bit = 0; bit < 8 * sizeof(file); bit++) {
		((uint8_t *)&file)[bit / 8] ^= (uint8_t)(1u << bit % 8);
		free(verify(&file, sizeof(file)));
		((uint8_t *)&file)[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_word_of_a_file_is_found),
		cmocka_unit_test(a_name_ends_inside_its_record),
		cmocka_unit_test(events_whose_records_cannot_be_told_apart_are_found),
		cmocka_unit_test(a_pipe_is_read_as_it_comes),
		cmocka_unit_test(cut_and_changed_files_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
