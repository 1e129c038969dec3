#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/replay/processes.h"
#include "perf/records/runtime_record.h"
#include "tests/unit/fixtures/memory_recording.h"

struct fixture {
	struct data_file *file;
	struct profile *profile;
	struct module_finder *finder;
	struct processes *processes;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture.file = memory_empty_recording();
	fixture.profile = profile_create();
	fixture.finder = module_finder_create(fixture.file, "", fixture.profile);
	fixture.processes = processes_create(fixture.profile, fixture.finder);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	processes_destroy(fixture->processes);
	module_finder_destroy(fixture->finder);
	profile_destroy(fixture->profile);
	data_file_close(fixture->file);
	return 0;
}

static void apply(struct fixture *fixture, const struct record *record)
{
	assert_int_equal(processes_apply(fixture->processes, record), 0);
}

static void comm(struct fixture *fixture, int32_t pid, int32_t tid, const char *name, bool is_exec)
{
	apply(fixture,
	      &(struct record){
		      .type = PERF_RECORD_COMM,
		      .comm = { .pid = pid, .tid = tid, .name = name, .is_exec = is_exec } });
}

static void map(struct fixture *fixture, int32_t pid, uint64_t addr, const char *path)
{
	apply(fixture, &(struct record){ .type = PERF_RECORD_MMAP2,
					 .mmap = { .pid = pid,
						   .tid = pid,
						   .addr = addr,
						   .len = 0x1000,
						   .ino = 1,
						   .filename = path } });
}

static void fork_task(struct fixture *fixture, int32_t ppid, int32_t pid, int32_t tid,
		      uint16_t misc)
{
	apply(fixture,
	      &(struct record){ .type = PERF_RECORD_FORK,
				.misc = misc,
				.task = { .pid = pid, .ppid = ppid, .tid = tid, .ptid = ppid } });
}

static void exit_task(struct fixture *fixture, int32_t pid, int32_t tid)
{
	apply(fixture,
	      &(struct record){ .type = PERF_RECORD_EXIT, .task = { .pid = pid, .tid = tid } });
}

static const char *path_at(struct fixture *fixture, int32_t pid, uint64_t addr)
{
	struct thread *thread = processes_thread(fixture->processes, pid, pid);
	const struct mapping *mapping = address_space_find(thread->process->space, addr);

	return mapping ? module_table_get(&fixture->profile->modules, mapping->module)->key.path
		       : NULL;
}

static const char *name_of(struct fixture *fixture, int32_t pid)
{
	return processes_thread(fixture->processes, pid, pid)->process->name;
}

static void a_forked_child_inherits_mappings_and_changes_stay_its_own(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 10, 10, "parent", false);
	map(fixture, 10, 0x1000, "/bin/parent");
	fork_task(fixture, 10, 11, 11, 0);
	assert_string_equal(name_of(fixture, 11), "parent");
	assert_string_equal(path_at(fixture, 11, 0x1800), "/bin/parent");
	map(fixture, 11, 0x1000, "/lib/other.so");
	assert_string_equal(path_at(fixture, 11, 0x1800), "/lib/other.so");
	assert_string_equal(path_at(fixture, 10, 0x1800), "/bin/parent");
}

static void exec_drops_every_mapping_and_begins_a_new_row(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 10, 10, "sh", false);
	map(fixture, 10, 0x1000, "/bin/sh");
	struct thread *thread = processes_thread(fixture->processes, 10, 10);
	assert_int_equal(processes_enter(fixture->processes, thread), 0);
	comm(fixture, 10, 10, "sort", true);
	assert_null(path_at(fixture, 10, 0x1800));
	assert_int_equal(processes_enter(fixture->processes, thread), 0);
	assert_int_equal(fixture->profile->n_processes, 2);
	assert_string_equal(fixture->profile->processes[0].name, "sh");
	assert_string_equal(fixture->profile->processes[1].name, "sort");
	assert_true(thread->process->has_exec);
}

static void a_rename_without_exec_keeps_the_row(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 10, 10, "before", false);
	struct thread *thread = processes_thread(fixture->processes, 10, 10);
	assert_int_equal(processes_enter(fixture->processes, thread), 0);
	comm(fixture, 10, 10, "after", false);
	assert_int_equal(processes_enter(fixture->processes, thread), 0);
	assert_int_equal(fixture->profile->n_processes, 1);
	assert_string_equal(fixture->profile->processes[0].name, "after");
}

static void a_thread_keeps_its_own_name(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 10, 10, "main", false);
	fork_task(fixture, 10, 10, 12, 0);
	comm(fixture, 10, 12, "worker", false);
	assert_string_equal(name_of(fixture, 10), "main");
	assert_string_equal(processes_thread(fixture->processes, 10, 12)->name, "worker");
	assert_ptr_equal(processes_thread(fixture->processes, 10, 12)->process,
			 processes_thread(fixture->processes, 10, 10)->process);
}

static void an_exited_process_is_remembered_for_a_while(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 10, 10, "main", false);
	map(fixture, 10, 0x1000, "/bin/main");
	fork_task(fixture, 10, 10, 12, 0);
	exit_task(fixture, 10, 10);
	exit_task(fixture, 10, 12);
	assert_string_equal(path_at(fixture, 10, 0x1000), "/bin/main");
	for (int32_t pid = 1000; pid < 1300; pid++) {
		comm(fixture, pid, pid, "short", false);
		map(fixture, pid, 0x1000, "/bin/short");
		exit_task(fixture, pid, pid);
	}
	assert_null(path_at(fixture, 10, 0x1000));
	assert_string_equal(path_at(fixture, 1299, 0x1000), "/bin/short");
}

static void a_reused_pid_is_a_new_process(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 1, 1, "init", false);
	comm(fixture, 10, 10, "first", false);
	map(fixture, 10, 0x1000, "/bin/first");
	struct thread *thread = processes_thread(fixture->processes, 10, 10);
	assert_int_equal(processes_enter(fixture->processes, thread), 0);
	exit_task(fixture, 10, 10);
	fork_task(fixture, 1, 10, 10, 0);
	assert_string_equal(name_of(fixture, 10), "init");
	assert_null(path_at(fixture, 10, 0x1000));
	thread = processes_thread(fixture->processes, 10, 10);
	assert_int_equal(processes_enter(fixture->processes, thread), 0);
	assert_int_equal(fixture->profile->n_processes, 2);
}

static void a_synthesized_fork_waits_for_its_own_mappings(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 10, 10, "parent", false);
	map(fixture, 10, 0x1000, "/bin/parent");
	fork_task(fixture, 10, 11, 11, 1 << 13);
	assert_null(path_at(fixture, 11, 0x1000));
}

static void an_unannounced_process_is_known_by_its_pid(void **state)
{
	struct fixture *fixture = *state;
	struct thread *thread = processes_thread(fixture->processes, 77, 78);

	assert_string_equal(thread->process->name, ":77");
	assert_false(thread->process->is_announced);
	assert_string_equal(name_of(fixture, 0), "swapper");
}

static void numbers_of_unnamed_processes_are_not_inherited(void **state)
{
	struct fixture *fixture = *state;

	processes_thread(fixture->processes, 70, 70);
	fork_task(fixture, 70, 71, 71, 0);
	assert_string_equal(name_of(fixture, 70), ":70");
	assert_string_equal(name_of(fixture, 71), ":71");
	assert_string_equal(processes_thread(fixture->processes, 71, 72)->name, ":72");
	comm(fixture, 70, 70, "named", false);
	fork_task(fixture, 70, 71, 71, 0);
	assert_string_equal(name_of(fixture, 71), "named");
}

static void long_names_are_kept(void **state)
{
	struct fixture *fixture = *state;
	char longest[300];

	comm(fixture, 10, 10, "simpleperf.demo.cpp_api", true);
	assert_string_equal(name_of(fixture, 10), "simpleperf.demo.cpp_api");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	comm(fixture, 10, 10, longest, false);
	assert_int_equal(strlen(name_of(fixture, 10)), COMM_MAX - 1);
}

static void processes_outside_of_the_pid_namespace_leave_idle_alone(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 0, 0, "outside", true);
	map(fixture, 0, 0x1000, "/bin/outside");
	fork_task(fixture, 0, 0, 0, 0);
	exit_task(fixture, 0, 0);
	assert_string_equal(name_of(fixture, 0), "swapper");
	assert_null(path_at(fixture, 0, 0x1800));
	/* One that comes in has a parent of which nothing is known. */
	fork_task(fixture, 0, 5, 5, 0);
	assert_string_equal(name_of(fixture, 5), "[other pid ns]");
	assert_null(path_at(fixture, 5, 0x1800));
}

static void every_epoch_has_its_own_number(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 10, 10, "main", false);
	map(fixture, 10, 0x1000, "/lib/a.so");
	struct thread *thread = processes_thread(fixture->processes, 10, 10);
	uint64_t first = thread->process->space->epoch;
	struct address_space *then = address_space_ref(thread->process->space);
	map(fixture, 10, 0x1000, "/lib/b.so");
	assert_int_not_equal(thread->process->space->epoch, first);
	assert_string_equal(module_table_get(&fixture->profile->modules,
					     address_space_find(then, 0x1000)->module)
				    ->key.path,
			    "/lib/a.so");
	address_space_unref(then);
}

static int tell(struct fixture *fixture, const struct runtime_record *record)
{
	static union {
		struct perf_event_header header;
		uint8_t bytes[RUNTIME_RECORD_SIZE_MAX];
	} space;

	runtime_record_encode(record, &space.header);
	return processes_describe(fixture->processes, &space.header);
}

/* A function of that name at 0x1000, of 0x100 bytes. */
static int describe(struct fixture *fixture, int32_t pid, const char *name)
{
	const struct runtime_record record = { .header = { .pid = pid,
							   .kind = RUNTIME_COMPILED,
							   .start = 0x1000,
							   .size = 0x100,
							   .frame_size = 16,
							   .name_size = (uint32_t)strlen(name) },
					       .name = name };

	return tell(fixture, &record);
}

/* A function that is inlined there, into @size bytes from @start on. */
static int describe_inlined(struct fixture *fixture, int32_t pid, uint64_t start, uint32_t size)
{
	const struct runtime_record record = { .header = { .pid = pid,
							   .kind = RUNTIME_INLINED,
							   .start = start,
							   .size = size,
							   .name_size = 8 },
					       .name = "Work.add" };

	return tell(fixture, &record);
}

/* How many functions are inlined at an address. */
static size_t count_inlined(struct fixture *fixture, int32_t pid, uint64_t addr)
{
	const struct runtime_codes *codes =
		processes_thread(fixture->processes, pid, pid)->process->runtime;
	const struct runtime_code *code = runtime_codes_find(codes, addr);
	const struct module *module = module_table_get(&fixture->profile->modules, codes->module);
	const struct inlined_code *inlined =
		inline_table_find(module->inlines, code->offset + (addr - code->start));

	return inlined ? inlined->n_names : 0;
}

/* The name at 0x1010 of what a process's run-time system has told; NULL: nothing. */
static const char *described(struct fixture *fixture, int32_t pid)
{
	const struct runtime_codes *codes =
		processes_thread(fixture->processes, pid, pid)->process->runtime;
	const struct runtime_code *code = runtime_codes_find(codes, 0x1010);

	if (!code)
		return NULL;
	const struct module *module = module_table_get(&fixture->profile->modules, codes->module);
	assert_int_equal(module->key.kind, MODULE_JIT);
	return symbol_table_find(module->symbols, code->offset + 0x10)->name;
}

static void descriptions_of_code_follow_its_process(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 7, 7, "java", true);
	assert_int_equal(describe(fixture, 7, "Work.fib"), 0);
	assert_string_equal(described(fixture, 7), "Work.fib");
	assert_null(described(fixture, 8));
	fork_task(fixture, 7, 8, 8, 0);
	assert_int_equal(describe(fixture, 7, "Work.main"), 0);
	assert_string_equal(described(fixture, 7), "Work.main");
	assert_string_equal(described(fixture, 8), "Work.fib");
	comm(fixture, 7, 7, "sh", true);
	assert_null(described(fixture, 7));
	assert_int_equal(describe(fixture, 7, ""), -EINVAL);
}

static void what_is_inlined_belongs_to_the_code_that_was_described(void **state)
{
	struct fixture *fixture = *state;

	comm(fixture, 7, 7, "java", true);
	assert_int_equal(describe_inlined(fixture, 7, 0x1010, 16), -EINVAL);
	assert_int_equal(describe(fixture, 7, "Work.fib"), 0);
	assert_int_equal(describe_inlined(fixture, 7, 0x1010, 16), 0);
	assert_int_equal(count_inlined(fixture, 7, 0x100f), 0);
	assert_int_equal(count_inlined(fixture, 7, 0x1010), 1);
	assert_int_equal(count_inlined(fixture, 7, 0x101f), 1);
	assert_int_equal(count_inlined(fixture, 7, 0x1020), 0);
	assert_int_equal(describe_inlined(fixture, 7, 0x10f0, 17), -EINVAL);
	assert_int_equal(describe_inlined(fixture, 7, 0x1100, 1), -EINVAL);
	/* Other code at the same place has nothing inlined yet. */
	assert_int_equal(describe(fixture, 7, "Work.main"), 0);
	assert_int_equal(count_inlined(fixture, 7, 0x1010), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_forked_child_inherits_mappings_and_changes_stay_its_own),
		TEST(exec_drops_every_mapping_and_begins_a_new_row),
		TEST(a_rename_without_exec_keeps_the_row),
		TEST(a_thread_keeps_its_own_name),
		TEST(an_exited_process_is_remembered_for_a_while),
		TEST(a_reused_pid_is_a_new_process),
		TEST(descriptions_of_code_follow_its_process),
		TEST(what_is_inlined_belongs_to_the_code_that_was_described),
		TEST(a_synthesized_fork_waits_for_its_own_mappings),
		TEST(an_unannounced_process_is_known_by_its_pid),
		TEST(numbers_of_unnamed_processes_are_not_inherited),
		TEST(long_names_are_kept),
		TEST(processes_outside_of_the_pid_namespace_leave_idle_alone),
		TEST(every_epoch_has_its_own_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
