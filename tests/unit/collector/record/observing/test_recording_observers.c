/* Three observers that write down the calls of their hooks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collector/record/observers/observer_table.h"
#include "collector/record/observing/recording_observers.h"

static struct {
	char text[1024];
	const char *failing; /* "a.end": this one fails there */
	bool b_is_absent;
} world;

static int tell(const void *state, const char *what)
{
	char entry[32];

	snprintf(entry, sizeof(entry), "%s.%s", (const char *)state, what);
	size_t n = strlen(world.text);
	snprintf(world.text + n, sizeof(world.text) - n, "%s%s", n ? " " : "", entry);
	return world.failing && strcmp(world.failing, entry) == 0 ? -EDOM : 0;
}

static char a_state[] = "a", b_state[] = "b", c_state[] = "c";

static int prepare_a(const struct observed_recording *recording, void **state)
{
	(void)recording;
	*state = a_state;
	return tell(a_state, "prepare");
}

static int begin_a(const struct observed_recording *recording, void **state)
{
	assert_string_equal(recording->proc, "/nowhere");
	return tell(*state, "begin");
}

static int begin_b(const struct observed_recording *recording, void **state)
{
	(void)recording;
	if (!world.b_is_absent)
		*state = b_state;
	return tell(b_state, "begin");
}

static int begin_c(const struct observed_recording *recording, void **state)
{
	(void)recording;
	*state = c_state;
	return tell(c_state, "begin");
}

static void destroy(void *state)
{
	tell(state, "destroy");
}

static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	(void)mapping;
	(void)build_id;
	tell(state, "mapping");
}

static void see_new_mapping(void *state, const struct observed_mapping *mapping)
{
	(void)mapping;
	tell(state, "new");
}

static int see_sideband(void *state, const struct record *record)
{
	(void)record;
	return tell(state, "sideband");
}

static int see_sample(void *state, const struct record *record)
{
	(void)record;
	return tell(state, "sample");
}

static int begin_round(void *state, const struct observed_round *round)
{
	assert_int_equal(round->end_ns, 7);
	return tell(state, "round");
}

static int end_round(void *state, const struct observed_round *round)
{
	(void)round;
	return tell(state, "end");
}

static int write_waiting(void *state, size_t max_bytes)
{
	assert_int_equal(max_bytes, 99);
	return tell(state, "write");
}

static int look(void *state, bool is_last)
{
	return tell(state, is_last ? "last" : "look");
}

static int finish(void *state)
{
	return tell(state, "finish");
}

static int wake_fd(const void *state)
{
	return state == a_state ? -1 : *(const char *)state;
}

static uint64_t interval_ns(const void *state)
{
	return *(const uint8_t *)state;
}

static void advise(const void *state, struct recording_notes *notes)
{
	recording_notes_add(notes, false, "%s advises", (const char *)state);
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	recording_notes_add(notes, is_verbose, "%s describes", (const char *)state);
}

#define ALL_HOOKS                                                                               \
	.destroy = destroy, .see_mapping = see_mapping, .see_new_mapping = see_new_mapping,     \
	.see_sideband = see_sideband, .see_sample = see_sample, .begin_round = begin_round,     \
	.end_round = end_round, .write_waiting = write_waiting, .look = look, .finish = finish, \
	.wake_fd = wake_fd, .interval_ns = interval_ns, .advise = advise, .describe = describe

static const struct recording_observer a = { .prepare = prepare_a, .begin = begin_a, ALL_HOOKS };
static const struct recording_observer b = { .begin = begin_b, ALL_HOOKS };
static const struct recording_observer c = { .begin = begin_c, ALL_HOOKS };
static const struct recording_observer bare = { .name = "no hooks" };
enum { N_TABLE = 4 };
static const struct recording_observer *const table[N_TABLE] = { &a, &bare, &b, &c };
static const struct observed_recording recording = { .proc = "/nowhere" };

static int setup(void **state)
{
	memset(&world, 0, sizeof(world));
	*state = NULL;
	return 0;
}

/* All have begun, and the text is empty. */
static struct recording_observers *begun(void)
{
	struct recording_observers *observers;

	assert_int_equal(recording_observers_create(table, N_TABLE, &recording, &observers), 0);
	assert_int_equal(recording_observers_begin(observers), 0);
	world.text[0] = '\0';
	return observers;
}

static void observers_begin_and_see_in_the_order_of_the_table(void **state)
{
	struct recording_observers *observers;
	const struct record record = { .type = PERF_RECORD_SAMPLE };
	const struct observed_mapping mapping = { .pid = 1 };
	const struct observed_round round = { .end_ns = 7 };

	(void)state;
	assert_int_equal(recording_observers_create(table, N_TABLE, &recording, &observers), 0);
	assert_string_equal(world.text, "a.prepare");
	assert_int_equal(recording_observers_begin(observers), 0);
	assert_string_equal(world.text, "a.prepare a.begin b.begin c.begin");
	world.text[0] = '\0';
	recording_observers_see_mapping(observers, &mapping, NULL);
	assert_int_equal(recording_observers_begin_round(observers, &round), 0);
	assert_int_equal(recording_observers_see_sideband(observers, &record), 0);
	assert_int_equal(recording_observers_write_waiting(observers, 99), 0);
	assert_int_equal(recording_observers_see_sample(observers, &record), 0);
	assert_string_equal(world.text, "a.mapping b.mapping c.mapping a.round b.round c.round "
					"a.sideband b.sideband c.sideband a.write b.write c.write "
					"a.sample b.sample c.sample");
	recording_observers_destroy(observers);
}

static void mappings_of_rounds_are_decoded_for_all(void **state)
{
	static const struct record mapping = { .type = PERF_RECORD_MMAP2 };
	struct recording_observers *observers = begun();

	(void)state;
	assert_int_equal(recording_observers_see_sideband(observers, &mapping), 0);
	assert_string_equal(world.text, "a.new b.new c.new a.sideband b.sideband c.sideband");
	recording_observers_destroy(observers);
}

static void rounds_and_recordings_end_in_the_opposite_order(void **state)
{
	struct recording_observers *observers = begun();
	const struct observed_round round = { .end_ns = 7 };

	(void)state;
	assert_int_equal(recording_observers_end_round(observers, &round), 0);
	assert_int_equal(recording_observers_look(observers, false), 0);
	assert_int_equal(recording_observers_look(observers, true), 0);
	assert_int_equal(recording_observers_finish(observers), 0);
	recording_observers_destroy(observers);
	assert_string_equal(world.text, "c.end b.end a.end c.look b.look a.look c.last b.last "
					"a.last c.finish b.finish a.finish c.destroy b.destroy "
					"a.destroy");
}

static void after_an_error_no_more_is_seen_but_everything_ends(void **state)
{
	static const struct record record = { .type = PERF_RECORD_SAMPLE };
	const struct observed_round round = { .end_ns = 7 };
	struct recording_observers *observers = begun();

	(void)state;
	world.failing = "b.sample";
	assert_int_equal(recording_observers_see_sample(observers, &record), -EDOM);
	assert_string_equal(world.text, "a.sample b.sample");
	world.text[0] = '\0';
	world.failing = "c.end";
	assert_int_equal(recording_observers_end_round(observers, &round), -EDOM);
	world.failing = "b.write";
	assert_int_equal(recording_observers_write_waiting(observers, 99), -EDOM);
	world.failing = "c.last";
	assert_int_equal(recording_observers_look(observers, true), -EDOM);
	world.failing = "b.finish";
	assert_int_equal(recording_observers_finish(observers), -EDOM);
	assert_string_equal(world.text, "c.end b.end a.end a.write b.write c.write c.last b.last "
					"a.last c.finish b.finish a.finish");
	recording_observers_destroy(observers);
}

static void an_observer_that_does_not_take_part_is_not_called(void **state)
{
	static const struct record record = { .type = PERF_RECORD_EXIT };

	(void)state;
	world.b_is_absent = true;
	struct recording_observers *observers = begun();
	assert_int_equal(recording_observers_see_sideband(observers, &record), 0);
	assert_int_equal(recording_observers_finish(observers), 0);
	recording_observers_destroy(observers);
	assert_string_equal(world.text, "a.sideband c.sideband c.finish a.finish c.destroy "
					"a.destroy");
}

static void what_was_prepared_is_destroyed_where_it_can_not_begin(void **state)
{
	struct recording_observers *observers = NULL;

	(void)state;
	world.failing = "a.prepare";
	assert_int_equal(recording_observers_create(table, N_TABLE, &recording, &observers), -EDOM);
	assert_null(observers);
	assert_string_equal(world.text, "a.prepare a.destroy");
	setup(state);
	world.failing = "b.begin";
	assert_int_equal(recording_observers_create(table, N_TABLE, &recording, &observers), 0);
	assert_int_equal(recording_observers_begin(observers), -EDOM);
	recording_observers_destroy(observers);
	assert_string_equal(world.text, "a.prepare a.begin b.begin b.destroy a.destroy");
}

static void samples_are_shown_only_where_someone_sees_them(void **state)
{
	static const struct recording_observer blind = { .begin = begin_c, .finish = finish };
	static const struct recording_observer *const blind_table[] = { &blind };
	struct recording_observers *observers = begun();

	(void)state;
	assert_true(recording_observers_see_samples(observers));
	recording_observers_destroy(observers);
	assert_int_equal(recording_observers_create(blind_table, 1, &recording, &observers), 0);
	assert_int_equal(recording_observers_begin(observers), 0);
	assert_false(recording_observers_see_samples(observers));
	recording_observers_destroy(observers);
}

static void the_recorder_wakes_up_for_each_of_them_and_for_the_most_impatient(void **state)
{
	struct recording_observers *observers = begun();

	(void)state;
	assert_int_equal(recording_observers_wake_fd(observers, 0), 'b');
	assert_int_equal(recording_observers_wake_fd(observers, 1), 'c');
	assert_int_equal(recording_observers_wake_fd(observers, 2), -1);
	assert_int_equal(recording_observers_interval_ns(observers), 'a');
	recording_observers_destroy(observers);
}

static void what_is_missing_is_reported_before_what_was_done(void **state)
{
	static const char *const expected[] = { "c advises",   "b advises",   "a advises",
						"a describes", "b describes", "c describes" };
	struct recording_observers *observers = begun();
	struct recording_notes notes = { .n = 0 };

	(void)state;
	recording_observers_report(observers, true, &notes);
	assert_int_equal(notes.n, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(notes.notes[i].text, expected[i]);
		assert_int_equal(notes.notes[i].is_detail, i > 2);
	}
	recording_notes_deinit(&notes);
	recording_observers_destroy(observers);
}

/* Threads run on while stacks wait, and the gaps are known when all stacks are complete. */
static void the_table_ends_with_observers_that_look_at_threads(void **state)
{
	static const char *const names[N_OBSERVERS] = {
		"kernel modules",     "files of code",
		"build IDs",          "jitdumps",
		"perf-PID.map files", "anonymous code",
		"Java code",          "wakers",
		"gaps in stacks",     "untouched pages in stacks",
		"deep stacks",        "what signals interrupt",
		"silent threads",     "memory that variables lead to"
	};

	(void)state;
	for (size_t i = 0; i < N_OBSERVERS; i++)
		assert_string_equal(observer_table[i]->name, names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(observers_begin_and_see_in_the_order_of_the_table, setup),
		cmocka_unit_test_setup(mappings_of_rounds_are_decoded_for_all, setup),
		cmocka_unit_test_setup(rounds_and_recordings_end_in_the_opposite_order, setup),
		cmocka_unit_test_setup(after_an_error_no_more_is_seen_but_everything_ends, setup),
		cmocka_unit_test_setup(an_observer_that_does_not_take_part_is_not_called, setup),
		cmocka_unit_test_setup(what_was_prepared_is_destroyed_where_it_can_not_begin,
				       setup),
		cmocka_unit_test_setup(samples_are_shown_only_where_someone_sees_them, setup),
		cmocka_unit_test_setup(
			the_recorder_wakes_up_for_each_of_them_and_for_the_most_impatient, setup),
		cmocka_unit_test_setup(what_is_missing_is_reported_before_what_was_done, setup),
		cmocka_unit_test_setup(the_table_ends_with_observers_that_look_at_threads, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
