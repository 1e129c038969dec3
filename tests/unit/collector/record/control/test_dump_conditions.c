#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "collector/record/control/dump_conditions.h"

#define KEPT_NS (30 * NSEC_PER_SEC)

static struct event events[] = {
	{ .name = (char *)"cpu-clock" },
	{ .name = (char *)"off-cpu", .weight.kind = WEIGHT_OFF_CPU },
	{ .name = (char *)"signal:signal_generate" },
	{ .name = (char *)"cpu-clock" },
};
#define N_EVENTS (sizeof(events) / sizeof(events[0]))

struct proc {
	char path[32];
};

static void write_file(const struct proc *proc, const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", proc->path, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	struct proc *proc = calloc(1, sizeof(*proc));
	char path[64];

	strcpy(proc->path, "/tmp/dump-conditions-XXXXXX");
	assert_non_null(mkdtemp(proc->path));
	snprintf(path, sizeof(path), "%s/pressure", proc->path);
	assert_int_equal(mkdir(path, 0700), 0);
	*state = proc;
	return 0;
}

static int tear_down(void **state)
{
	struct proc *proc = *state;
	static const char *const names[] = { "loadavg", "pressure/cpu", "pressure", "" };
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", proc->path, names[i]);
		remove(path);
	}
	free(proc);
	return 0;
}

static struct dump_conditions parse(const char *text, const struct proc *proc)
{
	const struct dump_condition_list list = { &text, 1 };
	struct dump_conditions conditions = { 0 };
	enum dump_condition_error error;
	const char *wrong;

	assert_int_equal(dump_conditions_parse(&conditions, &list, events, N_EVENTS, proc->path,
					       &wrong, &error),
			 0);
	return conditions;
}

static void wrong_conditions_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		enum dump_condition_error error;
	} rows[] = {
		{ "loadavg", DUMP_CONDITION_NO_BOUND },
		{ "off-cpu", DUMP_CONDITION_NO_BOUND },
		{ "loadavg >", DUMP_CONDITION_BAD_BOUND },
		{ "loadavg > nan", DUMP_CONDITION_BAD_BOUND },
		{ "loadavg > -1", DUMP_CONDITION_BAD_BOUND },
		{ "loadavg > 1e3", DUMP_CONDITION_BAD_BOUND },
		{ "loadavg > 99999999999", DUMP_CONDITION_BAD_BOUND },
		{ "loadavg > 8 > 9", DUMP_CONDITION_BAD_BOUND },
		{ "io-pressure > 101", DUMP_CONDITION_BAD_BOUND },
		{ "off-cpu > soon", DUMP_CONDITION_BAD_BOUND },
		{ "cpu-clock > 5", DUMP_CONDITION_BAD_BOUND },
		{ "cycles", DUMP_CONDITION_NO_EVENT },
		{ "", DUMP_CONDITION_NO_EVENT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *texts[] = { "loadavg>0", rows[i].text }, *wrong;
		const struct dump_condition_list list = { texts, 2 };
		struct dump_conditions conditions = { 0 };
		enum dump_condition_error error;

		assert_int_equal(dump_conditions_parse(&conditions, &list, events, N_EVENTS, *state,
						       &wrong, &error),
				 -EINVAL);
		assert_int_equal(error, rows[i].error);
		assert_ptr_equal(wrong, rows[i].text);
		dump_conditions_deinit(&conditions);
	}
}

static void times_off_the_cpu_need_their_event(void **state)
{
	const char *text = "off-cpu > 1s", *wrong;
	const struct dump_condition_list list = { &text, 1 };
	struct dump_conditions conditions = { 0 };
	enum dump_condition_error error;

	assert_int_equal(
		dump_conditions_parse(&conditions, &list, events, 1, *state, &wrong, &error),
		-EINVAL);
	assert_int_equal(error, DUMP_CONDITION_NO_OFF_CPU);
	dump_conditions_deinit(&conditions);
}

static void an_event_counts_and_is_written_once_in_the_time_that_is_kept(void **state)
{
	struct dump_conditions conditions = parse("  cpu-clock ", *state);

	assert_false(dump_conditions_take(&conditions, 1, KEPT_NS));
	dump_conditions_see_sample(&conditions, 1);
	dump_conditions_see_sample(&conditions, 2);
	assert_false(dump_conditions_take(&conditions, 2, KEPT_NS));
	dump_conditions_see_sample(&conditions, 0);
	dump_conditions_see_sample(&conditions, 3); /* of another kind of core */
	assert_true(dump_conditions_take(&conditions, 3, KEPT_NS));
	dump_conditions_see_sample(&conditions, 0);
	assert_false(dump_conditions_take(&conditions, 2 + KEPT_NS, KEPT_NS));
	assert_false(dump_conditions_take(&conditions, 3 + KEPT_NS, KEPT_NS));
	dump_conditions_see_sample(&conditions, 0);
	assert_true(dump_conditions_take(&conditions, 4 + KEPT_NS, KEPT_NS));
	assert_int_equal(conditions.conditions[0].n_held, 4);
	assert_int_equal(conditions.conditions[0].n_written, 2);
	dump_conditions_deinit(&conditions);
}

static void switch_thread(struct dump_conditions *conditions, bool is_out, int32_t tid,
			  uint64_t time_ns)
{
	const struct record record = {
		.type = PERF_RECORD_SWITCH,
		.pid = tid,
		.tid = tid,
		.has_tid = true,
		.has_time = true,
		.time_ns = time_ns,
		.context_switch.is_out = is_out,
	};

	dump_conditions_see_thread(conditions, &record);
}

static void end_thread(struct dump_conditions *conditions, int32_t tid)
{
	const struct record record = { .type = PERF_RECORD_EXIT, .task.tid = tid };

	dump_conditions_see_thread(conditions, &record);
}

static void a_wait_is_from_leaving_to_return_in_whatever_order_they_are_read(void **state)
{
	struct dump_conditions conditions = parse("off-cpu > 100ns", *state);
	const struct dump_condition *condition = &conditions.conditions[0];

	switch_thread(&conditions, false, 7, 1000); /* it was away since nobody knows when */
	switch_thread(&conditions, true, 7, 1100);
	switch_thread(&conditions, false, 7, 1200); /* not longer */
	assert_int_equal(condition->n_held, 0);
	switch_thread(&conditions, true, 7, 1300);
	switch_thread(&conditions, true, 8, 1300);
	switch_thread(&conditions, false, 7, 1401);
	assert_int_equal(condition->n_held, 1);
	switch_thread(&conditions, false, 8, 1350);
	assert_int_equal(condition->n_held, 1);
	switch_thread(&conditions, false, 7, 1900); /* of another ring */
	switch_thread(&conditions, true, 7, 1500);
	assert_int_equal(condition->n_held, 2);
	switch_thread(&conditions, true, 0, 1500); /* the idle thread */
	switch_thread(&conditions, false, 0, 2500);
	switch_thread(&conditions, true, getpid(), 1500);
	switch_thread(&conditions, false, getpid(), 2500);
	assert_int_equal(condition->n_held, 2);
	switch_thread(&conditions, true, 8, 3000);
	end_thread(&conditions, 8);
	switch_thread(&conditions, false, 8, 4000); /* another thread with its number */
	assert_int_equal(condition->n_held, 2);
	dump_conditions_deinit(&conditions);
}

static void threads_that_have_ended_need_no_memory(void **state)
{
	struct dump_conditions conditions = parse("off-cpu > 1s", *state);

	switch_thread(&conditions, true, 1, 1);
	for (int32_t tid = 2; tid < 100000; tid++) {
		switch_thread(&conditions, true, tid, 1);
		switch_thread(&conditions, false, tid, 2);
		end_thread(&conditions, tid);
	}
	assert_true(conditions.waits.threads.n_slots <= 1024);
	switch_thread(&conditions, false, 1, 2 + NSEC_PER_SEC); /* it was kept */
	assert_int_equal(conditions.conditions[0].n_held, 1);
	dump_conditions_deinit(&conditions);
}

static void a_level_holds_from_when_it_is_above_its_bound(void **state)
{
	struct dump_conditions conditions = parse("loadavg > 8.5", *state);
	uint64_t now_ns = NSEC_PER_SEC;

	write_file(*state, "loadavg", "8.50 1.00 1.00 1/2 3\n");
	dump_conditions_look(&conditions, now_ns);
	assert_false(dump_conditions_take(&conditions, now_ns, KEPT_NS));
	write_file(*state, "loadavg", "8.51 1.00 1.00 1/2 3\n");
	dump_conditions_look(&conditions, now_ns + 1); /* once a second */
	assert_false(dump_conditions_take(&conditions, now_ns, KEPT_NS));
	now_ns += NSEC_PER_SEC;
	dump_conditions_look(&conditions, now_ns);
	assert_true(dump_conditions_take(&conditions, now_ns, KEPT_NS));
	dump_conditions_look(&conditions, now_ns + KEPT_NS); /* still: that was written */
	assert_false(dump_conditions_take(&conditions, now_ns + KEPT_NS, KEPT_NS));
	dump_conditions_deinit(&conditions);
}

static void a_level_that_lasts_is_written_when_the_time_that_is_kept_has_passed(void **state)
{
	struct dump_conditions conditions = parse("loadavg>1", *state);
	uint64_t now_ns = NSEC_PER_SEC;

	write_file(*state, "loadavg", "2");
	dump_conditions_look(&conditions, now_ns);
	assert_true(dump_conditions_take(&conditions, now_ns, KEPT_NS));
	write_file(*state, "loadavg", "1");
	dump_conditions_look(&conditions, now_ns += NSEC_PER_SEC);
	write_file(*state, "loadavg", "3");
	dump_conditions_look(&conditions, now_ns += NSEC_PER_SEC);
	assert_false(dump_conditions_take(&conditions, now_ns, KEPT_NS));
	assert_true(dump_conditions_take(&conditions, now_ns + KEPT_NS, KEPT_NS));
	assert_int_equal(conditions.conditions[0].n_held, 2);
	assert_int_equal(conditions.conditions[0].n_written, 2);
	dump_conditions_deinit(&conditions);
}

static void pressure_is_of_the_time_between_two_looks(void **state)
{
	static const char *const format = "some avg10=9.00 avg60=9.00 avg300=9.00 total=%d\n"
					  "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
	struct dump_conditions conditions = parse("cpu-pressure > 20%", *state);
	static const int totals[] = { 5000000, 5200000, 5400001, 5400001 };
	static const bool holds[] = { false, false, true, false };
	char text[128];

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		const uint64_t now_ns = (i + 1) * NSEC_PER_SEC;

		snprintf(text, sizeof(text), format, totals[i]);
		write_file(*state, "pressure/cpu", text);
		dump_conditions_look(&conditions, now_ns);
		assert_int_equal(dump_conditions_take(&conditions, now_ns, KEPT_NS), holds[i]);
	}
	dump_conditions_deinit(&conditions);
}

static void levels_that_the_machine_lacks_are_an_error(void **state)
{
	struct dump_conditions conditions = parse("io-pressure > 5", *state);
	struct recording_notes notes = { 0 };

	assert_int_equal(dump_conditions_check_levels(&conditions, &notes), -ENOENT);
	assert_non_null(strstr(notes.error, "--when 'io-pressure > 5'"));
	recording_notes_deinit(&notes);
	dump_conditions_deinit(&conditions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wrong_conditions_are_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_off_the_cpu_need_their_event, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			an_event_counts_and_is_written_once_in_the_time_that_is_kept, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_wait_is_from_leaving_to_return_in_whatever_order_they_are_read, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(threads_that_have_ended_need_no_memory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_level_holds_from_when_it_is_above_its_bound,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_level_that_lasts_is_written_when_the_time_that_is_kept_has_passed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(pressure_is_of_the_time_between_two_looks, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(levels_that_the_machine_lacks_are_an_error, set_up,
						tear_down),
	};

	return cmocka_run_group_tests_name("dump_conditions", tests, NULL, NULL);
}
