/* Samples that read counters, and the end of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/replay/replay.h"
#include "tests/unit/fixtures/made_up_recording.h"

static struct replay *open_recording(struct recording *recording, const char *counts)
{
	struct replay *replay = NULL;
	char path[64], *error = NULL;

	recording_finish(recording, counts, path);
	if (replay_open(path, NULL, NULL, &replay, &error))
		fail_msg("%s", error);
	return replay;
}

static void take(struct replay *replay, uint64_t ip, uint32_t metric, uint64_t weight)
{
	struct sample sample;

	assert_int_equal(replay_next(replay, &sample), 1);
	assert_int_equal(sample.record.sample.ip, ip);
	assert_int_equal(sample.metric, metric);
	assert_int_equal(sample.weight, weight);
	assert_string_equal(sample.event->name, metric ? "instructions" : "cycles");
	sample_deinit(&sample);
}

static void a_group_gives_a_sample_for_each_counter_that_grew(void **state)
{
	struct recording *recording = recording_create(true, false);
	struct sample sample;

	(void)state;
	put_group(recording, 0x1000, PID, 100, 30);
	put_group(recording, 0x2000, PID, 150, 30);
	put_group(recording, 0x3000, PID, 150, 30);
	put_group(recording, 0x4000, PID, 151, 35);
	struct replay *replay = open_recording(recording, NULL);
	take(replay, 0x1000, 0, 100);
	take(replay, 0x1000, 1, 30);
	take(replay, 0x2000, 0, 50);
	take(replay, 0x4000, 0, 1);
	take(replay, 0x4000, 1, 5);
	assert_int_equal(replay_next(replay, &sample), 0);
	assert_int_equal(replay_profile(replay)->quality.counts[QUALITY_SAMPLES], 5);
	replay_close(replay);
	recording_destroy(recording);
}

static void a_replay_may_be_closed_within_a_group(void **state)
{
	struct recording *recording = recording_create(true, false);

	(void)state;
	put_group(recording, 0x1000, PID, 100, 30);
	struct replay *replay = open_recording(recording, NULL);
	take(replay, 0x1000, 0, 100);
	replay_close(replay);
	recording_destroy(recording);
}

static void aux_data_are_announced(void **state)
{
	static const struct {
		uint32_t type;
		const char *text;
	} cases[] = {
		{ 1, "AUX data of intel_pt: not decoded" },
		{ 3, "AUX data of cs_etm: not decoded" },
		{ 99, "AUX data: not decoded" },
	};
	struct sample sample;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording *recording = recording_create(false, false);

		begin_record(&recording->records, RECORD_AUXTRACE_INFO, 0);
		put_pair(&recording->records, cases[i].type, 0);
		end_record(&recording->records);
		begin_record(&recording->records, PERF_RECORD_AUX, 0);
		put_zeros(&recording->records, 48);
		end_record(&recording->records);
		struct replay *replay = open_recording(recording, NULL);
		assert_int_equal(replay_next(replay, &sample), 0);
		assert_string_equal(replay_profile(replay)->info.not_decoded, cases[i].text);
		replay_close(replay);
		recording_destroy(recording);
	}
}

static void the_end_stays_the_end(void **state)
{
	static const char counts[] = "0 1000 10 10\n";
	struct recording *recording = recording_create(false, false);
	struct sample sample;

	(void)state;
	put_sample(recording, CYCLES_ID, 0x1000, 7);
	struct replay *replay = open_recording(recording, counts);
	const struct metric *metric;
	take(replay, 0x1000, 0, 7);
	metric = &replay_profile(replay)->metrics[0];
	for (int i = 0; i < 3; i++) {
		assert_int_equal(replay_next(replay, &sample), 0);
		assert_int_equal(metric->counted, 1000);
		assert_int_equal(metric->time_enabled_ns, 10);
	}
	replay_close(replay);
	recording_destroy(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_gives_a_sample_for_each_counter_that_grew),
		cmocka_unit_test(a_replay_may_be_closed_within_a_group),
		cmocka_unit_test(aux_data_are_announced),
		cmocka_unit_test(the_end_stays_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
