#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/records/runtime_record.h"
#include "tests/unit/fixtures/record_builder.h"

static union {
	struct perf_event_header header;
	uint8_t bytes[RUNTIME_RECORD_SIZE_MAX];
} space;

static struct runtime_record compiled(void)
{
	static const char name[] = "Work.fib";

	return (struct runtime_record){ .header = { .pid = 7,
						    .kind = RUNTIME_COMPILED,
						    .time_ns = 12345,
						    .start = 0x7f0000001000,
						    .size = 0x321,
						    .frame_size = 48,
						    .complete = 20,
						    .name_size = sizeof(name) - 1 },
					.name = name };
}

static void what_was_written_is_read(void **state)
{
	struct runtime_record written = compiled(), read;
	uint64_t time_ns;

	(void)state;
	runtime_record_encode(&written, &space.header);
	assert_true(runtime_record_is_type(&space.header));
	assert_int_equal(space.header.size % 8, 0);
	assert_true(runtime_record_peek_time(&space.header, &time_ns));
	assert_int_equal(time_ns, 12345);
	assert_true(runtime_record_decode(&space.header, &read));
	written.header.magic = RUNTIME_RECORD_MAGIC;
	assert_memory_equal(&read.header, &written.header, sizeof(read.header));
	assert_memory_equal(read.name, "Work.fib", 8);
}

static void the_longest_name_fits(void **state)
{
	static char name[RUNTIME_NAME_MAX];
	struct runtime_record written = compiled(), read;

	(void)state;
	memset(name, 'n', sizeof(name));
	written.name = name;
	written.header.name_size = sizeof(name);
	runtime_record_encode(&written, &space.header);
	assert_true(runtime_record_decode(&space.header, &read));
	assert_memory_equal(read.name, name, sizeof(name));
}

static void the_names_of_inlined_functions_have_more_room(void **state)
{
	static char names[RUNTIME_NAMES_MAX];
	struct runtime_record written = { .header = { .pid = 7,
						      .kind = RUNTIME_INLINED,
						      .start = 0x7f0000001010,
						      .size = 16,
						      .name_size = sizeof(names) },
					  .name = names };
	struct runtime_record read;

	(void)state;
	memset(names, 'n', sizeof(names));
	names[100] = '\0';
	runtime_record_encode(&written, &space.header);
	assert_int_equal(space.header.size, RUNTIME_RECORD_SIZE_MAX);
	assert_true(runtime_record_decode(&space.header, &read));
	assert_memory_equal(read.name, names, sizeof(names));
}

static void a_record_that_is_cut_is_refused(void **state)
{
	struct runtime_record written = compiled(), read;
	uint64_t time_ns;

	(void)state;
	runtime_record_encode(&written, &space.header);
	for (uint16_t size = 8; size < 8 + 48 + 8; size += 8) {
		space.header.size = size;
		struct perf_event_header *copy = exact_copy(&space, size);
		assert_int_equal(runtime_record_is_type(copy), size >= 16);
		assert_int_equal(runtime_record_peek_time(copy, &time_ns), size >= 8 + 48);
		assert_false(runtime_record_decode(copy, &read));
		free(copy);
	}
}

static void contradictions_are_refused(void **state)
{
	struct runtime_record records[12], read;
	size_t n = sizeof(records) / sizeof(records[0]);

	(void)state;
	for (size_t i = 0; i < n; i++)
		records[i] = compiled();
	records[0].header.kind = 0;
	records[1].header.kind = RUNTIME_INLINED + 1;
	records[2].header.size = 0;
	records[3].header.size = RUNTIME_CODE_SIZE_MAX + 1;
	records[4].header.start = UINT64_MAX - 1;
	records[5].header.frame_size = 0;
	records[6].header.frame_size = 8;
	records[7].header.frame_size = 20;
	records[8].header.frame_size = RUNTIME_FRAME_SIZE_MAX + 8;
	records[9].header.kind = RUNTIME_STUB;
	records[10].header.name_size = 0;
	records[11].header.kind = RUNTIME_INTERPRETER;
	for (size_t i = 0; i < n; i++) {
		runtime_record_encode(&records[i], &space.header);
		assert_false(runtime_record_decode(&space.header, &read));
	}
	records[0] = compiled();
	runtime_record_encode(&records[0], &space.header);
	const uint32_t too_long = RUNTIME_NAME_MAX + 1;
	memcpy(space.bytes + 8 + offsetof(struct runtime_record_header, name_size), &too_long,
	       sizeof(too_long));
	assert_false(runtime_record_decode(&space.header, &read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(the_longest_name_fits),
		cmocka_unit_test(the_names_of_inlined_functions_have_more_room),
		cmocka_unit_test(a_record_that_is_cut_is_refused),
		cmocka_unit_test(contradictions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
