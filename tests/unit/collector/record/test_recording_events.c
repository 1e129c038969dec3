/* Targets that exist or do not, and events on this process. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/targets.h"
#include "collector/record/recording_events.h"
#include "perf/catalog/event_parse.h"
#include "tests/unit/fixtures/emulated.h"

#define NO_CPU    1000000
#define NO_THREAD TARGET_PID_MAX

struct fixture {
	struct recorder_options options;
	struct recording_events events;
	struct recording_notes notes;
	int first_pid, first_cpu;
};

static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.options.frequency = 100;
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	recording_events_deinit(&fixture->events, &fixture->options);
	recording_notes_deinit(&fixture->notes);
	events_destroy(fixture->options.events, fixture->options.n_events);
	return 0;
}

static int find(struct fixture *fixture)
{
	return recording_events_find(&fixture->events, &fixture->options, &fixture->notes);
}

static void without_a_list_all_online_cpus_are_recorded(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(find(fixture), 0);
	assert_int_equal(fixture->events.cpus.n, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(fixture->events.pids.n, 0);
	assert_int_equal(fixture->events.tids.n, 0);
}

static void only_listed_cpus_are_recorded(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(find(fixture), 0);
	fixture->first_cpu = fixture->events.cpus.values[0];
	int_list_deinit(&fixture->events.cpus);
	fixture->options.cpus = (struct int_list){ &fixture->first_cpu, 1 };
	assert_int_equal(find(fixture), 0);
	assert_int_equal(fixture->events.cpus.n, 1);
	assert_int_equal(fixture->events.cpus.values[0], fixture->first_cpu);
}

static void a_cpu_that_is_not_online_is_named(void **state)
{
	struct fixture *fixture = *state;
	int cpu = NO_CPU;

	fixture->options.cpus = (struct int_list){ &cpu, 1 };
	assert_int_equal(find(fixture), -ENODEV);
	assert_string_equal(fixture->notes.error, "CPU 1000000 is not online (-C).");
}

static void a_process_is_recorded_with_its_threads(void **state)
{
	struct fixture *fixture = *state;

	SKIP_IF_EMULATED("threads");
	fixture->first_pid = getpid();
	fixture->options.processes.pids = (struct int_list){ &fixture->first_pid, 1 };
	assert_int_equal(find(fixture), 0);
	assert_int_equal(fixture->events.tids.n, 1);
	assert_int_equal(fixture->events.tids.values[0], getpid());
	assert_int_equal(fixture->events.pids.n, 1);
	assert_int_equal(fixture->events.pids.values[0], getpid());
}

static void a_thread_is_recorded_with_the_mappings_of_its_process(void **state)
{
	struct fixture *fixture = *state;

	fixture->first_pid = getpid();
	fixture->options.tids = (struct int_list){ &fixture->first_pid, 1 };
	assert_int_equal(find(fixture), 0);
	assert_int_equal(fixture->events.pids.n, 1);
	assert_int_equal(fixture->events.pids.values[0], getpid());
	assert_int_equal(fixture->events.tids.n, 0);
}

static void targets_that_do_not_exist_are_named(void **state)
{
	struct fixture *fixture = *state;
	int nobody = NO_THREAD;

	fixture->options.processes.pids = (struct int_list){ &nobody, 1 };
	assert_int_equal(find(fixture), -ESRCH);
	assert_string_equal(fixture->notes.error,
			    "cannot record process 4194304 (-p): No such process.");
	int_list_deinit(&fixture->events.cpus);
	int_list_deinit(&fixture->events.pids);
	fixture->options.processes.pids.n = 0;
	fixture->options.tids = (struct int_list){ &nobody, 1 };
	assert_int_equal(find(fixture), -ESRCH);
	assert_string_equal(fixture->notes.error,
			    "cannot record thread 4194304 (-t): No such process.");
}

/* The events that a recording of this process has. */
static void open_on_self(struct fixture *fixture, const char *names)
{
	SKIP_IF_EMULATED("perf_event_open");
	fixture->first_pid = getpid();
	fixture->options.tids = (struct int_list){ &fixture->first_pid, 1 };
	assert_int_equal(event_parse(names, &fixture->options.events, &fixture->options.n_events,
				     &fixture->notes.error),
			 EVENT_OK);
	assert_int_equal(find(fixture), 0);
	int err = recording_events_open(&fixture->events, &fixture->options, 0, &fixture->notes);
	if (err) {
		print_message("%s\n", fixture->notes.error);
		skip(); /* performance events are refused here */
	}
}

static bool has_detail(const struct recording_notes *notes, const char *start)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (notes->notes[i].is_detail &&
		    !strncmp(notes->notes[i].text, start, strlen(start)))
			return true;
	}
	return false;
}

static void open_events_are_described_by_a_detail(void **state)
{
	struct fixture *fixture = *state;

	open_on_self(fixture, "cpu-clock:u,page-faults:u");
	assert_int_equal(fixture->events.evlist->n_events, 2);
	assert_true(has_detail(&fixture->notes, "samples have "));
}

static void a_requested_size_of_stacks_is_never_shrunk(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.stack_size = 65528;
	fixture->options.has_stack_size = true;
	fixture->options.ring_size = 4096;
	open_on_self(fixture, "cpu-clock:u");
	assert_int_equal(fixture->events.evlist->events[0].attr.sample_stack_user, 65528);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_list_all_online_cpus_are_recorded),
		TEST(only_listed_cpus_are_recorded),
		TEST(a_cpu_that_is_not_online_is_named),
		TEST(a_process_is_recorded_with_its_threads),
		TEST(a_thread_is_recorded_with_the_mappings_of_its_process),
		TEST(targets_that_do_not_exist_are_named),
		TEST(open_events_are_described_by_a_detail),
		TEST(a_requested_size_of_stacks_is_never_shrunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
