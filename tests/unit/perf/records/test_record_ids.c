#include <stdlib.h>

#include "perf/records/read_values.h"
#include "perf/records/record.h"
#include "perf/records/record_ids.h"
#include "tests/unit/fixtures/record_builder.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static const struct record_layout layout = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
	.sample_id_all = true,
};

static uint64_t add_hundred(const void *owner, uint64_t id)
{
	return id < *(const uint64_t *)owner ? id + 100 : id;
}

/* A copy of the record with its ids below 50 replaced, to free. */
static struct perf_event_header *mapped(struct builder *builder)
{
	const uint64_t limit = 50;
	const struct record_id_map map = { add_hundred, &limit };

	end_record(builder);
	struct perf_event_header *copy = exact_copy(builder->bytes, builder->size);
	free(builder->bytes);
	*builder = (struct builder){ 0 };
	record_map_ids(&layout, copy, &map);
	return copy;
}

static void a_sample_has_the_ids_of_its_counter_and_of_the_group(void **state)
{
	struct builder builder = { 0 };
	struct record record;
	struct read_value value;

	(void)state;
	begin_record(&builder, PERF_RECORD_SAMPLE, 0);
	put_u64(&builder, 7);
	put_u64(&builder, 8); /* the time */
	put_u64(&builder, 2);
	put_u64(&builder, 9); /* the time enabled */
	put_u64(&builder, 10);
	put_u64(&builder, 7);
	put_u64(&builder, 11);
	put_u64(&builder, 60);
	struct perf_event_header *copy = mapped(&builder);
	assert_int_equal(record_decode(&layout, copy, &record), RECORD_OK);
	assert_int_equal(record.id, 107);
	assert_int_equal(record.time_ns, 8);
	read_values_of_sample(&record.sample, layout.read_format, 0, &value);
	assert_int_equal(value.value, 10);
	assert_int_equal(value.id, 107);
	read_values_of_sample(&record.sample, layout.read_format, 1, &value);
	assert_int_equal(value.value, 11);
	assert_int_equal(value.id, 60);
	free(copy);
}

static void other_records_have_it_in_their_trailer(void **state)
{
	struct builder builder = { 0 };
	struct record record;

	(void)state;
	begin_record(&builder, PERF_RECORD_LOST, 0);
	put_u64(&builder, 7);
	put_u64(&builder, 8); /* the number of lost records */
	put_u64(&builder, 9); /* the time */
	put_u64(&builder, 7);
	struct perf_event_header *copy = mapped(&builder);
	assert_int_equal(record_decode(&layout, copy, &record), RECORD_OK);
	assert_int_equal(record.id, 107);
	assert_int_equal(record.lost.id, 107);
	assert_int_equal(record.lost.lost, 8);
	free(copy);

	begin_record(&builder, PERF_RECORD_THROTTLE, 0);
	put_u64(&builder, 1);
	put_u64(&builder, 7);
	put_u64(&builder, 6);
	put_u64(&builder, 9);
	put_u64(&builder, 7);
	copy = mapped(&builder);
	assert_int_equal(record_decode(&layout, copy, &record), RECORD_OK);
	assert_int_equal(record.throttle.time_ns, 1);
	assert_int_equal(record.throttle.id, 107);
	assert_int_equal(record.throttle.stream_id, 106);
	assert_int_equal(record.id, 107);
	free(copy);
}

static void a_record_too_small_for_ids_is_left_alone(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_SAMPLE, PERF_RECORD_LOST,
					  PERF_RECORD_THROTTLE, PERF_RECORD_COMM };
	const uint64_t limit = 50;
	const struct record_id_map map = { add_hundred, &limit };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		for (size_t size = 8; size <= 40; size += 8) {
			struct {
				struct perf_event_header header;
				uint64_t words[4];
			} record = { .header = { .type = types[i], .size = (uint16_t)size } };
			struct perf_event_header *copy = exact_copy(&record, size);
			record_map_ids(&layout, copy, &map);
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_has_the_ids_of_its_counter_and_of_the_group),
		cmocka_unit_test(other_records_have_it_in_their_trailer),
		cmocka_unit_test(a_record_too_small_for_ids_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
