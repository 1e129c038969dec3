/* A Java process is this one, with a made-up machine in its memory. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "collector/record/observers/hotspot_reader.h"
#include "tests/unit/fixtures/emulated.h"
#include "tests/unit/fixtures/hotspot_image.h"
#include "tests/unit/fixtures/observed_bench.h"

#define STACK   0x7ffc00000000ull
#define N_WORDS 32

#ifdef __x86_64__

static struct hotspot_image image;
static uint8_t *mapped;

static struct observed_bench *begin(void)
{
	struct observed_bench *bench = bench_create(&hotspot_reader_observer);

	bench_begin(bench);
	hotspot_image_init(&image);
	mapped = mmap((void *)(uintptr_t)IMAGE_BASE, IMAGE_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_equal(mapped, (void *)(uintptr_t)IMAGE_BASE);
	memcpy(mapped, image.bytes, IMAGE_SIZE);
	return bench;
}

static void end(struct observed_bench *bench)
{
	munmap(mapped, IMAGE_SIZE);
	bench_destroy(bench);
}

static void map_library(struct observed_bench *bench, const char *path)
{
	const struct record record = { .type = PERF_RECORD_MMAP2,
				       .time_ns = 10,
				       .mmap = { .pid = getpid(),
						 .addr = IMAGE_BASE + 0x3000,
						 .len = 0x1000,
						 .pgoff = 0x2000, /* linked to another page */
						 .prot = PROT_READ | PROT_EXEC,
						 .ino = 1,
						 .filename = path } };

	bench_see_mapping(bench, &record);
}

/* A sample of this process. @words: its stack. */
static void sample(struct observed_bench *bench, uint64_t time_ns, uint64_t pc, uint64_t fp,
		   const uint64_t words[N_WORDS])
{
	uint64_t regs[20] = { 0 };

	/* perf's numbers of bp, sp, ip; all of the general ones but the segments'. */
	regs[6] = fp;
	regs[7] = STACK;
	regs[8] = pc;
	const struct record record = {
		.type = PERF_RECORD_SAMPLE,
		.pid = getpid(),
		.tid = getpid(),
		.has_time = true,
		.time_ns = time_ns,
		.sample = { .has_user_regs = true,
			    .user_regs = { PERF_SAMPLE_REGS_ABI_64, 0xff01ff, regs },
			    .user_stack = (const uint8_t *)words,
			    .user_stack_size = N_WORDS * sizeof(words[0]) },
	};

	assert_int_equal(bench->observer->see_sample(bench->state, &record), 0);
}

/* The names in the recording, separated by spaces, and the time of the last record. */
static uint64_t recorded(struct observed_bench *bench, char names[256])
{
	struct runtime_record record;
	struct raw_record raw;
	char path[32], *error = NULL;
	uint64_t time_ns = 0;

	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &bench->file, &error), 0);
	names[0] = '\0';
	while (data_file_next(bench->file, &raw) == 1) {
		if (runtime_record_decode(raw.header, &record)) {
			assert_int_equal(record.header.pid, getpid());
			snprintf(names + strlen(names), 256 - strlen(names), "%.*s ",
				 (int)record.header.name_size, record.name);
			time_ns = record.header.time_ns;
		}
		data_block_unref(raw.block);
	}
	return time_ns;
}

static void code_of_samples_and_of_their_stacks_is_described_once(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct observed_bench *bench = begin();
	const uint64_t words[N_WORDS] = { 7, image.stub + 130, STACK, image.heap + HEAP_SIZE };
	char names[256];

	(void)state;
	map_library(bench, "/jvm/lib/server/libjvm.so");
	for (uint64_t round = 0; round < 3; round++) {
		sample(bench, 2000 + round, image.nmethod + 140, 0, words);
		sample(bench, 1000 + round, image.nmethod + 150, 0, words);
		bench_end_round(bench);
	}
	assert_int_equal(recorded(bench, names), 999);
	assert_string_equal(names, "java.util.TreeMap.merge StubRoutines (1) ");
	end(bench);
}

static void methods_that_the_interpreter_executes_are_described(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct observed_bench *bench = begin();
	/* Two frames of the interpreter, the inner by the register, the outer by a saved word. */
	uint64_t words[N_WORDS] = { 0 };
	char names[256];

	(void)state;
	map_library(bench, "/jvm/libjvm.so (deleted)");
	words[5] = image.klass; /* no method */
	words[7] = STACK + 8 * 12;
	words[8] = STACK + 8 * 20;
	words[17] = image.method;
	words[19] = STACK + 8 * 24;
	sample(bench, 50, image.interpreter + 500, STACK + 8 * 8, words);
	bench_end_round(bench);
	recorded(bench, names);
	assert_string_equal(names, "Interpreter java.util.TreeMap.merge ");
	end(bench);
}

static void code_that_has_changed_is_described_again(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct observed_bench *bench = begin();
	const uint64_t words[N_WORDS] = { 0 };
	const uint32_t compile_id = 78;
	char names[256];

	(void)state;
	map_library(bench, "/jvm/libjvm.so");
	sample(bench, 100, image.nmethod + 140, 0, words);
	bench_end_round(bench);
	memcpy(mapped + (image.nmethod + 56 - IMAGE_BASE), &compile_id, sizeof(compile_id));
	sample(bench, 200, image.nmethod + 140, 0, words);
	bench_end_round(bench);
	assert_int_equal(recorded(bench, names), 199);
	assert_string_equal(names, "java.util.TreeMap.merge java.util.TreeMap.merge ");
	end(bench);
}

static void other_libraries_and_processes_that_have_ended_are_not_looked_into(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct observed_bench *bench = begin();
	const uint64_t words[N_WORDS] = { 0 };
	char names[256];

	(void)state;
	map_library(bench, "/jvm/libjvm.so.old");
	sample(bench, 100, image.nmethod + 140, 0, words);
	bench_end_round(bench);
	map_library(bench, "/jvm/libjvm.so");
	sample(bench, 200, image.nmethod + 140, 0, words);
	const struct record exit = { .type = PERF_RECORD_EXIT,
				     .time_ns = 300,
				     .task = { .pid = getpid(), .tid = getpid() } };
	assert_int_equal(bench->observer->see_sideband(bench->state, &exit), 0);
	bench_end_round(bench);
	bench_expect_advice(bench, NULL);
	recorded(bench, names);
	assert_string_equal(names, "");
	end(bench);
}

static void an_unknown_version_is_named_after_some_tries(void **state)
{
	SKIP_IF_EMULATED("memory");
	struct observed_bench *bench = begin();
	const uint64_t words[N_WORDS] = { 0 };

	(void)state;
	memset(mapped + (image.types - IMAGE_BASE), 0, 8);
	map_library(bench, "/jvm/libjvm.so");
	for (uint64_t round = 0; round < 20; round++) {
		sample(bench, (100 + round) * NSEC_PER_SEC, image.nmethod + 140, 0, words);
		bench_end_round(bench);
	}
	bench_expect_advice(bench,
			    "1 process runs a Java machine of a version that dendro does not "
			    "know: its methods have no names.");
	end(bench);
}

#else

static void only_x86_64_is_looked_into(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(code_of_samples_and_of_their_stacks_is_described_once),
		cmocka_unit_test(methods_that_the_interpreter_executes_are_described),
		cmocka_unit_test(code_that_has_changed_is_described_again),
		cmocka_unit_test(other_libraries_and_processes_that_have_ended_are_not_looked_into),
		cmocka_unit_test(an_unknown_version_is_named_after_some_tries),
#else
		cmocka_unit_test(only_x86_64_is_looked_into),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
