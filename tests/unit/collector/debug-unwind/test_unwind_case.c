/* Cases of walks through JIT code, whose bytes the source of the sample may not repeat. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/debug-unwind/unwind_case.h"
#include "unwind/arch/perf_regs_x86.h"

#define CODE  0x10000ull
#define STACK 0x70000ull
#define PC    (CODE + 4) /* the nop */

/* sub $24,%rsp; nop; add $24,%rsp; ret; and a call before CODE + 0x105 */
static uint8_t code[CODE_VIEW_PAGE_SIZE];
static unsigned n_answers; /* of the source, before it knows nothing any more */

static void find_code(const struct code_source *source, uint64_t addr, struct code_view *view_ret)
{
	(void)source;
	*view_ret = (struct code_view){ 0 };
	if (addr - CODE >= sizeof(code) || !n_answers)
		return;
	n_answers--;
	*view_ret = (struct code_view){
		.start = CODE, .n_pages = 1, .before = { code }, .after = { code }
	};
}

struct fixture {
	char folder[32], cases[64];
	struct module_table modules;
	struct data_file_event event;
	uint64_t regs[PERF_REG_X86_IP + 1], stack[4];
	struct sample sample;
};

static int setup(void **state)
{
	static const uint8_t body[] = {
		0x48, 0x83, 0xec, 0x18, 0x90, 0x48, 0x83, 0xc4, 0x18, 0xc3
	};
	static const uint8_t call[] = { 0xe8, 0x0b, 0, 0, 0 };
	static struct fixture fixture;
	const struct module_key key = { .kind = MODULE_ANON, .path = "//anon" };

	memset(&fixture, 0, sizeof(fixture));
	memcpy(code, body, sizeof(body));
	memcpy(code + 0x100, call, sizeof(call));
	strcpy(fixture.folder, "/tmp/unwind-case.XXXXXX");
	assert_non_null(mkdtemp(fixture.folder));
	snprintf(fixture.cases, sizeof(fixture.cases), "%s/case", fixture.folder);
	assert_int_equal(module_table_init(&fixture.modules), 0);

	const struct mapping mapping = { .start = CODE,
					 .end = CODE + sizeof(code),
					 .offset = CODE,
					 .module = module_table_add(&fixture.modules, &key),
					 .is_exec = true };
	struct address_space *space = address_space_create();
	assert_int_equal(address_space_map(&space, &mapping), 0);

	/* Only the code shows where it is: there is no chain of frame pointers. */
	fixture.stack[3] = CODE + 0x105;
	fixture.regs[PERF_REG_X86_SP] = STACK;
	fixture.regs[PERF_REG_X86_IP] = PC;
	fixture.event.attr.sample_stack_user = 65528;
	fixture.sample = (struct sample){
		.event = &fixture.event,
		.machine = machine_find("x86_64"),
		.space = space,
		.code = { .source.find = find_code,
			  .pages = (struct process_pages *)&fixture /* not read by find_code() */ },
		.record.sample = {
			.has_user_regs = true,
			.user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64,
				       .mask = (1u << (PERF_REG_X86_IP + 1)) - 1,
				       .values = fixture.regs },
			.user_stack = (const uint8_t *)fixture.stack,
			.user_stack_size = sizeof(fixture.stack),
		},
	};
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/case", fixture->cases);
	unlink(path);
	rmdir(fixture->cases);
	rmdir(fixture->folder);
	address_space_unref(fixture->sample.space);
	module_table_deinit(&fixture->modules);
	return 0;
}

static int export(struct fixture *fixture)
{
	return unwind_case_export(fixture->cases, &fixture->modules, &fixture->sample);
}

static bool has_line(const struct fixture *fixture, const char *start)
{
	char path[128], line[256];
	bool is_there = false;

	snprintf(path, sizeof(path), "%s/case", fixture->cases);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		is_there |= !strncmp(line, start, strlen(start));
	fclose(file);
	return is_there;
}

static void a_case_contains_the_code_that_its_walk_needs(void **state)
{
	struct fixture *fixture = *state;

	n_answers = UINT32_MAX;
	assert_int_equal(export(fixture), 0);
	assert_true(has_line(fixture, "frame 10004 cfi"));
	assert_true(has_line(fixture, "frame 10104 guessed"));
	assert_true(has_line(fixture, "code"));
}

static void a_walk_that_cannot_be_repeated_is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct stat st;

	/* The walk has the code; the copy of it does not. */
	n_answers = 1;
	assert_int_equal(export(fixture), -ENOTSUP);
	assert_int_not_equal(stat(fixture->cases, &st), 0);
}

static void a_sample_without_a_stack_has_no_case(void **state)
{
	struct fixture *fixture = *state;

	fixture->sample.record.sample.user_stack_size = 0;
	assert_int_equal(export(fixture), -ENODATA);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_case_contains_the_code_that_its_walk_needs),
		TEST(a_walk_that_cannot_be_repeated_is_refused),
		TEST(a_sample_without_a_stack_has_no_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
