#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/push/clickhouse/stack_ids.h"

/* A profile of one process, with two files. */
struct fixture {
	struct profile *profile;
	uint32_t program, library;
	struct stack_ids ids;
};

static uint32_t add_file(struct profile *profile, const char *path, uint8_t build_id)
{
	struct module_key key = { .kind = MODULE_ELF, .path = path };

	build_id_set(&key.build_id, &build_id, build_id != 0);
	return module_table_add(&profile->modules, &key);
}

static void make(struct fixture *fixture, bool is_library_first)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	fixture->profile = profile;
	if (is_library_first)
		fixture->library = add_file(profile, "/other/library.so", 2);
	fixture->program = add_file(profile, "/program", 1);
	if (!is_library_first)
		fixture->library = add_file(profile, "/library.so", 2);
	profile->cct = cct_create(1);
	profile->names = stored_names_create();
	assert_non_null(profile->cct);
	assert_non_null(profile->names);
}

static uint32_t add_path(struct fixture *fixture, uint64_t innermost)
{
	const struct frame frames[] = {
		{ .kind = FRAME_PROCESS },
		{ .kind = FRAME_USER, .module = fixture->program, .offset = 0x100 },
		{ .kind = FRAME_USER, .module = fixture->library, .offset = innermost },
	};

	return cct_insert_path(fixture->profile->cct, CCT_ROOT, frames, 3);
}

static const uint8_t *id_of(struct fixture *fixture, uint32_t node, uint8_t marks)
{
	const uint32_t index = stack_ids_get(&fixture->ids, node, marks);

	assert_int_not_equal(index, UINT32_MAX);
	return fixture->ids.stacks[index].id;
}

static void destroy(struct fixture *fixture)
{
	stack_ids_deinit(&fixture->ids);
	profile_destroy(fixture->profile);
}

static void equal_paths_have_equal_numbers_on_all_hosts(void **state)
{
	struct fixture a, b;
	uint8_t first[STACK_ID_SIZE];

	(void)state;
	make(&a, false);
	make(&b, true);
	const uint32_t node_of_a = add_path(&a, 7);
	add_path(&b, 9);
	const uint32_t node_of_b = add_path(&b, 7);
	assert_int_equal(stack_ids_init(&a.ids, a.profile, "a"), 0);
	assert_int_equal(stack_ids_init(&b.ids, b.profile, "b"), 0);
	memcpy(first, id_of(&a, node_of_a, 0), sizeof(first));
	assert_memory_equal(first, id_of(&b, node_of_b, 0), sizeof(first));
	assert_int_equal(a.ids.modules[a.library], b.ids.modules[b.library]);
	assert_int_equal(a.ids.modules[a.program],
			 stack_ids_of_build_id(
				 MODULE_ELF, &a.profile->modules.modules[a.program]->key.build_id));
	destroy(&a);
	destroy(&b);
}

static void paths_of_the_same_callers_are_neighbours(void **state)
{
	struct fixture a;
	uint8_t first[STACK_ID_SIZE];

	(void)state;
	make(&a, false);
	const uint32_t one = add_path(&a, 7), other = add_path(&a, 8);
	assert_int_equal(stack_ids_init(&a.ids, a.profile, "a"), 0);
	memcpy(first, id_of(&a, one, 0), sizeof(first));
	/* They differ in the offset alone. */
	assert_memory_equal(first, id_of(&a, other, 0), STACK_ID_SIZE - 1);
	assert_int_equal(first[STACK_ID_SIZE - 1], 7);
	assert_memory_not_equal(first, id_of(&a, other, 0), sizeof(first));
	assert_int_equal(a.ids.n_stacks, 2);
	/* No frame of the path is guessed: marks of samples change nothing. */
	assert_memory_equal(first, id_of(&a, one, 1 << PATH_GUESSED), sizeof(first));
	assert_int_equal(a.ids.n_stacks, 2);
	destroy(&a);
}

static void last_frames_of_other_files_parts_and_marks_have_other_numbers(void **state)
{
	struct fixture a;
	struct frame frames[] = {
		{ .kind = FRAME_PROCESS },
		{ .kind = FRAME_USER, .offset = 0x100 },
		{ .kind = FRAME_USER, .offset = 7 },
	};
	struct cct *cct;
	uint32_t nodes[5];

	(void)state;
	make(&a, false);
	cct = a.profile->cct;
	frames[1].module = frames[2].module = a.program;
	nodes[0] = cct_insert_path(cct, CCT_ROOT, frames, 3);
	frames[2].module = a.library;
	nodes[1] = cct_insert_path(cct, CCT_ROOT, frames, 3);
	frames[2].part = 1;
	nodes[2] = cct_insert_path(cct, CCT_ROOT, frames, 3);
	frames[2].part = 0;
	frames[2].offset = 7 + (1ull << 40);
	nodes[3] = cct_insert_path(cct, CCT_ROOT, frames, 3);
	frames[2] = (struct frame){ .kind = FRAME_MARKER, .offset = MARKER_KERNEL };
	nodes[4] = cct_insert_path(cct, CCT_ROOT, frames, 3);
	cct->nodes[nodes[1]].frame_marks = 1 << PATH_GUESSED;
	assert_int_equal(stack_ids_init(&a.ids, a.profile, "a"), 0);
	for (unsigned i = 0; i < 5; i++)
		id_of(&a, nodes[i], 0);
	id_of(&a, nodes[1], 1 << PATH_GUESSED);
	assert_int_equal(a.ids.n_stacks, 6);
	/* All have one caller. */
	for (unsigned i = 1; i < a.ids.n_stacks; i++)
		assert_memory_equal(a.ids.stacks[i].id, a.ids.stacks[0].id, STACK_ID_SIZE / 2);
	destroy(&a);
}

static void files_without_build_ids_are_of_their_host(void **state)
{
	struct fixture a, b;

	(void)state;
	make(&a, false);
	make(&b, false);
	const uint32_t of_a = add_file(a.profile, "/bare", 0),
		       of_b = add_file(b.profile, "/bare", 0);
	assert_int_equal(stack_ids_init(&a.ids, a.profile, "a"), 0);
	assert_int_equal(stack_ids_init(&b.ids, b.profile, "b"), 0);
	assert_int_not_equal(a.ids.modules[of_a], b.ids.modules[of_b]);
	destroy(&a);
	destroy(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_paths_have_equal_numbers_on_all_hosts),
		cmocka_unit_test(paths_of_the_same_callers_are_neighbours),
		cmocka_unit_test(last_frames_of_other_files_parts_and_marks_have_other_numbers),
		cmocka_unit_test(files_without_build_ids_are_of_their_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
