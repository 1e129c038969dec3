/* Made-up recordings of groups and multiplexed events, through dendro_build_from(). */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/session/dendro.h"
#include "tests/unit/fixtures/made_up_recording.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
static struct profile *recording_read(struct recording *recording, const char *counts)
{
	const struct dendro_options options = { .n_threads = 1 };
	struct profile *profile = NULL;
	char path[64], *error = NULL;

	recording_finish(recording, counts, path);
	const struct dendro_source source = { .path = path };
	if (dendro_build_from(&source, &options, &profile, &error))
		fail_msg("%s", error);
	assert_null(error);
	recording_destroy(recording);
	return profile;
}

/* The cost of paths that end in @ip. */
static struct cct_cost cost_at(const struct profile *profile, uint64_t ip, uint32_t metric)
{
	struct cct_cost sum = { 0 };

	for (uint32_t i = 0; i < profile->cct->n_nodes; i++) {
		if (cct_frame(profile->cct, i)->kind != FRAME_USER ||
		    cct_frame(profile->cct, i)->offset != ip)
			continue;
		sum.samples += cct_cost(profile->cct, i, metric)->samples;
		sum.weight += cct_cost(profile->cct, i, metric)->weight;
	}
	return sum;
}

static void each_path_gets_what_every_event_grew_by(void **state)
{
	struct recording *recording = recording_create(true, false);

	(void)state;
	put_group(recording, 0x100, PID, 1000, 500);
	put_group(recording, 0x200, PID, 2000, 2500);
	put_group(recording, 0x100, PID, 3100, 2600);
	put_group(recording, 0x200, PID, 4100, 2600); /* no instruction more */
	struct profile *profile = recording_read(recording, NULL);

	assert_int_equal(cost_at(profile, 0x100, 0).weight, 1000 + 1100);
	assert_int_equal(cost_at(profile, 0x200, 0).weight, 1000 + 1000);
	assert_int_equal(cost_at(profile, 0x100, 1).weight, 500 + 100);
	assert_int_equal(cost_at(profile, 0x200, 1).weight, 2000);
	assert_int_equal(cost_at(profile, 0x200, 1).samples, 1);
	assert_int_equal(profile->metrics[0].total, 4100);
	assert_int_equal(profile->metrics[1].total, 2600);
	assert_int_equal(profile_check_conservation(profile), -1);
	profile_destroy(profile);
}

static void inherited_counters_grow_thread_by_thread(void **state)
{
	struct recording *recording = recording_create(true, true);

	(void)state;
	put_group(recording, 0x100, PID, 1000, 100);
	put_fork(recording, 51);
	put_group(recording, 0x200, 51, 700, 70);
	put_group(recording, 0x100, PID, 1500, 150);
	put_group(recording, 0x200, 51, 900, 90);
	put_fork(recording, 51); /* the number is another thread's now */
	put_group(recording, 0x300, 51, 2000, 200);
	struct profile *profile = recording_read(recording, NULL);

	assert_int_equal(cost_at(profile, 0x100, 0).weight, 1500);
	assert_int_equal(cost_at(profile, 0x200, 0).weight, 900);
	assert_int_equal(cost_at(profile, 0x300, 0).weight, 2000);
	assert_int_equal(profile->metrics[1].total, 150 + 90 + 200);
	profile_destroy(profile);
}

static void counters_that_are_not_inherited_ignore_the_thread(void **state)
{
	struct recording *recording = recording_create(true, false);

	(void)state;
	put_group(recording, 0x100, PID, 1000, 100);
	put_group(recording, 0x200, 51, 1700, 170);
	struct profile *profile = recording_read(recording, NULL);

	assert_int_equal(cost_at(profile, 0x200, 0).weight, 700);
	assert_int_equal(profile->metrics[1].total, 170);
	profile_destroy(profile);
}

static void counters_without_an_id_or_an_event_are_left_out(void **state)
{
	struct recording *recording = recording_create(true, false);
	struct builder *b = &recording->records;

	(void)state;
	put_head(recording, CYCLES_ID, 0x100, PID);
	put_u64(b, 1000);
	put_u64(b, 3);
	put_u64(b, 0);
	put_u64(b, 0);
	put_u64(b, 5);
	put_u64(b, 0);
	put_u64(b, 6);
	put_u64(b, 99);
	put_u64(b, 7);
	put_u64(b, CYCLES_ID);
	end_record(b);
	struct profile *profile = recording_read(recording, NULL);

	assert_int_equal(profile->metrics[0].total, 7);
	assert_int_equal(profile->metrics[1].total, 0);
	assert_int_equal(profile->quality.counts[QUALITY_NOT_ATTRIBUTED], 1);
	profile_destroy(profile);
}

static void what_was_counted_scales_what_was_sampled(void **state)
{
	static const struct {
		const char *counts;
		bool has_counted, is_scaled;
		uint64_t counted, total; /* of cycles */
	} cases[] = {
		{ NULL, false, false, 0, 4000 },
		{ "", false, false, 0, 4000 },
		{ "0 4100 1000 1000\n1 9000 1000 1000\n", true, false, 4100, 4000 },
		{ "1 9000 1000 1000\n0 4100 1000 500\n", true, true, 4100, 8000 },
		{ "0 4100 1000 500", true, true, 4100, 8000 },
		{ "0 0 1000 0\n", true, false, 0, 4000 },
		{ "0 4100 1000\n", false, false, 0, 4000 },
		{ "x\n\n0 4100 1000 500\n", true, true, 4100, 8000 },
		{ "2 4100 1000 500\n", false, false, 0, 4000 },
		{ "99999999999999999999 1 2 1\n", false, false, 0, 4000 },
		{ "0 18446744073709551615 18446744073709551615 1\n", true, false, UINT64_MAX,
		  4000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct recording *recording = recording_create(false, false);

		put_sample(recording, CYCLES_ID, 0x100, 1000);
		put_sample(recording, CYCLES_ID, 0x200, 3000);
		put_sample(recording, INSTRUCTIONS_ID, 0x100, 70);
		struct profile *profile = recording_read(recording, cases[i].counts);
		const struct metric *cycles = &profile->metrics[0];

		assert_int_equal(cycles->has_counted, cases[i].has_counted);
		assert_int_equal(cycles->counted, cases[i].counted);
		assert_int_equal(cycles->is_scaled, cases[i].is_scaled);
		assert_int_equal(cycles->total, cases[i].total);
		assert_int_equal(cost_at(profile, 0x200, 0).weight, cases[i].total / 4 * 3);
		assert_int_equal(profile->metrics[1].total, 70);
		assert_int_equal(profile_check_conservation(profile), -1);
		profile_destroy(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_path_gets_what_every_event_grew_by),
		cmocka_unit_test(inherited_counters_grow_thread_by_thread),
		cmocka_unit_test(counters_that_are_not_inherited_ignore_the_thread),
		cmocka_unit_test(counters_without_an_id_or_an_event_are_left_out),
		cmocka_unit_test(what_was_counted_scales_what_was_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
