/* What a function executes at most once, by its code. */
#include <elf.h>
#include <stdlib.h>

#include "report/branches/flow_graph.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define MAX_INSTRUCTIONS 8

static void what_no_loop_contains_is_executed_at_most_once(void **state)
{
	static const struct {
		uint8_t code[16];
		uint32_t size, n;
		bool is_once[MAX_INSTRUCTIONS];
	} cases[] = {
		/* test, je over the loop, dec, jne back to dec, ret */
		{ { 0x85, 0xff, 0x74, 0x04, 0xff, 0xcf, 0x75, 0xfc, 0xc3 },
		  9,
		  5,
		  { true, true, false, false, true } },
		/* dec, jne to itself, ret: the function begins with its loop */
		{ { 0xff, 0xcf, 0x75, 0xfc, 0xc3 }, 5, 3, { false, false, true } },
		/* test, je to the second ret, ret, ret */
		{ { 0x85, 0xff, 0x74, 0x01, 0xc3, 0xc3 }, 6, 4, { true, true, true, true } },
		/* test, jmp *%rax, ret: a jump that may lead anywhere */
		{ { 0x85, 0xff, 0xff, 0xe0, 0xc3 }, 5, 3, { true, true, false } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct flow_graph graph;

		assert_int_equal(
			flow_graph_init(&graph, EM_X86_64, cases[i].code, cases[i].size, 0x1000),
			0);
		assert_int_equal(graph.n_instructions, cases[i].n);
		bool *is_once = flow_graph_find_once(&graph);
		assert_non_null(is_once);
		assert_memory_equal(is_once, cases[i].is_once, cases[i].n * sizeof(*is_once));
		free(is_once);
		flow_graph_deinit(&graph);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_loop_contains_is_executed_at_most_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
