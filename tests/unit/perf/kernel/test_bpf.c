/* Programs for the kernel's BPF machine; the kernel's own checks are the judge where it has any. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/kernel/bpf.h"

enum { R0, R1, R2 };
enum label { AGAIN, FUNCTION };

static void jumps_and_calls_lead_to_their_labels(void **state)
{
	struct bpf_code code = { .n = 0 };

	(void)state;
	bpf_move_value(&code, R1, 0);
	bpf_label(&code, AGAIN);
	bpf_compute_value(&code, BPF_ADD, R1, 1);
	bpf_jump_value(&code, BPF_JLT, R1, 3, AGAIN);
	bpf_call_label(&code, FUNCTION);
	bpf_return(&code);
	bpf_label(&code, FUNCTION);
	bpf_move(&code, R0, R1);
	bpf_return(&code);
	/* A type that does not exist: nothing is loaded. */
	assert_true(bpf_load_program(&code, 0x7fffffff, "test") < 0);
	assert_int_equal(code.insns[2].off, -2);
	assert_int_equal(code.insns[3].imm, 1);
	assert_int_equal(code.insns[3].src_reg, BPF_PSEUDO_CALL);
}

/* Skips the test where programs are refused. */
static int load(struct bpf_code *code)
{
	int fd = bpf_load_program(code, BPF_PROG_TYPE_RAW_TRACEPOINT, "test");

	if (fd == -EPERM || fd == -ENOSYS || fd == -EACCES)
		skip();
	assert_true(fd >= 0);
	return fd;
}

/* Register 5 has no value. */
static void what_the_kernel_refuses_has_its_reason(void **state)
{
	struct bpf_code code = { .n = 0 };

	(void)state;
	bpf_move_value(&code, R0, 0);
	bpf_return(&code);
	close(load(&code));
	assert_string_equal(code.reason, "");
	code = (struct bpf_code){ .n = 0 };
	bpf_move(&code, R0, BPF_REG_5);
	bpf_return(&code);
	assert_int_equal(bpf_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, "test"), -EACCES);
	assert_non_null(strstr(code.reason, "R5 !read_ok"));
	assert_null(strchr(code.reason, '\n'));
	assert_null(strstr(code.reason, "processed"));
}

static size_t count_functions(void)
{
	struct bpf_function *functions;
	size_t n;

	assert_int_equal(bpf_functions_read(&functions, &n), 0);
	for (size_t i = 0; i < n; i++)
		assert_true(functions[i].addr && functions[i].size);
	free(functions);
	return n;
}

/* 2 + 3 */
static void a_program_runs_and_writes_into_its_map(void **state)
{
	struct bpf_code code = { .n = 0 };
	uint64_t value = 2;

	(void)state;
	int map_fd = bpf_create_map(BPF_MAP_TYPE_ARRAY, sizeof(value), 1);
	if (map_fd == -EPERM || map_fd == -ENOSYS)
		skip();
	assert_int_equal(bpf_map_set(map_fd, 0, &value), 0);
	bpf_find_value(&code, map_fd);
	bpf_move(&code, R1, R0);
	bpf_load(&code, R2, R1, 0);
	bpf_compute_value(&code, BPF_ADD, R2, 3);
	bpf_store(&code, R1, 0, R2);
	bpf_move_value(&code, R0, 0);
	bpf_return(&code);
	int program_fd = load(&code);
	assert_true(count_functions() > 0);
	assert_int_equal(bpf_run(program_fd), 0);
	assert_int_equal(bpf_map_get(map_fd, 0, &value), 0);
	assert_int_equal(value, 5);
	close(program_fd);
	close(map_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_and_calls_lead_to_their_labels),
		cmocka_unit_test(what_the_kernel_refuses_has_its_reason),
		cmocka_unit_test(a_program_runs_and_writes_into_its_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
