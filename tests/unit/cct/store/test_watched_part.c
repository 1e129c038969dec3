/* Watched times are read as they were written; what cannot be such times is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

static const struct time_span spans[] = { { 1000, 2000 }, { 2001, 5000 }, { 9000, UINT64_MAX } };

static struct profile *make_profile(uint64_t slow_ns)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	profile->info.watched.own_cpu_ns = 12345;
	profile->info.watched.own_memory = 1u << 20;
	profile->info.watched.slow_ns = slow_ns;
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		assert_int_equal(watched_time_add(&profile->info.watched, &spans[i]), 0);
	return profile;
}

static int read_watched(const uint8_t *bytes, size_t size, struct profile **profile_ret)
{
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	if (size)
		memcpy(copy, bytes, size);
	struct dwarf_reader body = dwarf_reader(copy, size);
	*profile_ret = profile_create();
	assert_non_null(*profile_ret);
	int err = watched_part_read(&body, *profile_ret);
	free(copy);
	return err ? err : (int)dwarf_left(&body);
}

static void watched_times_are_read_as_they_were_written(void **state)
{
	static const uint64_t slow_ns[] = { 0, 60, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(slow_ns) / sizeof(slow_ns[0]); i++) {
		struct profile *written = make_profile(slow_ns[i]), *read;
		struct byte_buffer body = { 0 };

		watched_part_write(&body, written);
		assert_int_equal(read_watched(body.bytes, body.size, &read), 0);
		assert_int_equal(read->info.watched.own_cpu_ns, 12345);
		assert_int_equal(read->info.watched.own_memory, 1u << 20);
		assert_int_equal(read->info.watched.slow_ns, slow_ns[i]);
		assert_int_equal(read->info.watched.n, sizeof(spans) / sizeof(spans[0]));
		assert_memory_equal(read->info.watched.spans, spans, sizeof(spans));
		byte_buffer_deinit(&body);
		profile_destroy(written);
		profile_destroy(read);
	}
}

static void those_that_were_cut_or_changed_are_refused_or_possible(void **state)
{
	struct profile *written = make_profile(0), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	watched_part_write(&body, written);
	for (size_t size = 0; size < body.size; size++) {
		assert_int_not_equal(read_watched(body.bytes, size, &read), 0);
		profile_destroy(read);
	}
	for (size_t bit = 0; bit < 8 * body.size; bit++) {
		body.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		read_watched(body.bytes, body.size, &read);
		const struct watched_time *watched = &read->info.watched;
		for (size_t i = 0; i < watched->n; i++) {
			assert_true(watched->spans[i].start_ns < watched->spans[i].end_ns);
			assert_true(!i ||
				    watched->spans[i - 1].end_ns < watched->spans[i].start_ns);
		}
		profile_destroy(read);
		body.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	byte_buffer_deinit(&body);
	profile_destroy(written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watched_times_are_read_as_they_were_written),
		cmocka_unit_test(those_that_were_cut_or_changed_are_refused_or_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
