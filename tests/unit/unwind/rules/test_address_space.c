#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/rules/address_space.h"

static void map(struct address_space **space, uint64_t start, uint64_t end, uint32_t module)
{
	const struct mapping mapping = {
		.start = start, .end = end, .offset = 0x10000 + start, .module = module
	};

	assert_int_equal(address_space_map(space, &mapping), 0);
}

static uint32_t module_at(const struct address_space *space, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(space, addr);

	if (!mapping)
		return 0;
	assert_true(mapping->start <= addr && addr < mapping->end);
	/* Every piece keeps the offsets of the whole. */
	assert_int_equal(mapping->offset, 0x10000 + mapping->start);
	return mapping->module;
}

static void an_empty_space_has_nothing(void **state)
{
	struct address_space *space = address_space_create();

	(void)state;
	assert_null(address_space_find(space, 0));
	assert_null(address_space_find(space, UINT64_MAX));
	address_space_unref(space);
	address_space_unref(NULL);
}

static void ends_are_exclusive(void **state)
{
	struct address_space *space = address_space_create();

	(void)state;
	map(&space, 100, 200, 1);
	assert_int_equal(module_at(space, 99), 0);
	assert_int_equal(module_at(space, 100), 1);
	assert_int_equal(module_at(space, 199), 1);
	assert_int_equal(module_at(space, 200), 0);
	address_space_unref(space);
}

/* Module 9 is mapped over [200, 300) and [300, 400) and what lies around. */
static void a_later_mapping_replaces_what_it_overlaps(void **state)
{
	static const struct {
		uint64_t start, end;
		size_t n_mappings;
		uint32_t expected[6]; /* at 150, 200, 250, 300, 350, 400 */
	} cases[] = {
		{ 100, 200, 3, { 9, 1, 1, 2, 2, 0 } }, { 200, 300, 2, { 0, 9, 9, 2, 2, 0 } },
		{ 220, 280, 4, { 0, 1, 9, 2, 2, 0 } }, { 250, 350, 3, { 0, 1, 9, 9, 2, 0 } },
		{ 100, 500, 1, { 9, 9, 9, 9, 9, 9 } }, { 200, 260, 3, { 0, 9, 9, 2, 2, 0 } },
		{ 250, 300, 3, { 0, 1, 9, 2, 2, 0 } }, { 200, 400, 1, { 0, 9, 9, 9, 9, 0 } },
		{ 399, 500, 3, { 0, 1, 1, 2, 2, 9 } }, { 400, 500, 3, { 0, 1, 1, 2, 2, 9 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct address_space *space = address_space_create();

		map(&space, 300, 400, 2);
		map(&space, 200, 300, 1);
		map(&space, cases[i].start, cases[i].end, 9);
		assert_int_equal(space->n_mappings, cases[i].n_mappings);
		for (size_t j = 0; j < 6; j++)
			assert_int_equal(module_at(space, 150 + 50 * j), cases[i].expected[j]);
		address_space_unref(space);
	}
}

static void empty_mappings_are_refused(void **state)
{
	struct address_space *space = address_space_create();
	const struct mapping empty = { .start = 100, .end = 100 };
	const struct mapping backwards = { .start = 100, .end = 99 };
	uint64_t epoch = space->epoch;

	(void)state;
	assert_int_equal(address_space_map(&space, &empty), -EINVAL);
	assert_int_equal(address_space_map(&space, &backwards), -EINVAL);
	assert_int_equal(space->n_mappings, 0);
	assert_int_equal(space->epoch, epoch);
	address_space_unref(space);
}

static void code_has_epochs_of_its_own(void **state)
{
	struct address_space *space = address_space_create();
	struct mapping code = { .start = 0x1000, .end = 0x2000, .module = 1, .is_exec = true };
	struct mapping data = { .start = 0x3000, .end = 0x4000, .module = 1 };

	(void)state;
	assert_int_equal(address_space_map(&space, &code), 0);
	struct address_space *child = address_space_ref(space);
	uint64_t code_epoch = space->code_epoch;
	assert_int_equal(address_space_map(&child, &data), 0);
	assert_int_equal(child->code_epoch, code_epoch);
	data.start = 0x1800;
	assert_int_equal(address_space_map(&child, &data), 0);
	assert_int_not_equal(child->code_epoch, code_epoch);
	assert_int_equal(space->code_epoch, code_epoch);
	assert_int_equal(address_space_map(&space, &code), 0);
	assert_int_not_equal(space->code_epoch, code_epoch);
	assert_int_not_equal(space->code_epoch, child->code_epoch);
	address_space_unref(space);
	address_space_unref(child);
}

static void each_change_is_a_new_epoch(void **state)
{
	struct address_space *a = address_space_create(), *b = address_space_create();
	uint64_t epochs[] = { a->epoch, b->epoch, 0, 0 };

	(void)state;
	map(&a, 100, 200, 1);
	epochs[2] = a->epoch;
	map(&a, 100, 200, 1);
	epochs[3] = a->epoch;
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(epochs[i], epochs[j]);
	address_space_unref(a);
	address_space_unref(b);
}

static void sharers_do_not_see_each_others_changes(void **state)
{
	struct address_space *parent = address_space_create();

	(void)state;
	map(&parent, 100, 200, 1);
	struct address_space *child = address_space_ref(parent), *shared = parent;
	uint64_t epoch = parent->epoch;
	assert_ptr_equal(child, parent);
	map(&child, 150, 160, 2);
	assert_ptr_not_equal(child, parent);
	assert_ptr_equal(parent, shared);
	assert_int_equal(parent->epoch, epoch);
	assert_int_equal(module_at(parent, 155), 1);
	assert_int_equal(module_at(child, 155), 2);
	assert_int_equal(module_at(child, 165), 1);
	/* Alone again, the parent changes in place. */
	map(&parent, 300, 400, 3);
	assert_ptr_equal(parent, shared);
	assert_int_equal(module_at(child, 350), 0);
	address_space_unref(parent);
	address_space_unref(child);
}

/* Compared with a plain array of pages; random numbers by a fixed generator. */
static void many_random_mappings_agree_with_a_page_table(void **state)
{
	enum { N_PAGES = 200 };
	uint32_t pages[N_PAGES] = { 0 }, seed = 1;
	struct address_space *space = address_space_create();

	(void)state;
	for (uint32_t round = 1; round < 2000; round++) {
		seed = seed * 1103515245 + 12345;
		uint64_t start = (seed >> 8) % N_PAGES, end = start + 1 + (seed >> 20) % 20;

		if (end > N_PAGES)
			end = N_PAGES;
		map(&space, start, end, round);
		for (uint64_t page = start; page < end; page++)
			pages[page] = round;
		for (uint64_t page = 0; page < N_PAGES; page++)
			assert_int_equal(module_at(space, page), pages[page]);
	}
	address_space_unref(space);
}

/* Any set of mappings is as they are one by one. */
static void many_at_once_are_as_one_by_one(void **state)
{
	enum { N = 40, N_ROUNDS = 200 };
	struct address_space *all = address_space_create(), *each = address_space_create();
	unsigned random = 1;

	(void)state;
	for (int round = 0; round < N_ROUNDS; round++) {
		struct mapping mappings[N];
		size_t n = 0;
		uint64_t at = 0;

		for (unsigned i = 0; i < (round % 2 ? N : 3); i++) {
			random = random * 1664525u + 1013904223u;
			uint64_t start = at + (random >> 28), end = start + 1 + (random >> 16) % 30;

			mappings[n++] = (struct mapping){ .start = start,
							  .end = end,
							  .offset = 0x10000 + start,
							  .module = random >> 20 };
			at = end;
		}
		struct address_space *before = address_space_ref(all);
		assert_int_equal(address_space_map_all(&all, mappings, n), 0);
		assert_true(all->epoch != before->epoch);
		address_space_unref(before);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(address_space_map(&each, &mappings[i]), 0);
		for (uint64_t addr = 0; addr < at + 10; addr++)
			assert_int_equal(module_at(all, addr), module_at(each, addr));
	}
	address_space_unref(all);
	address_space_unref(each);
}

static void mappings_out_of_order_are_refused(void **state)
{
	static const struct mapping cases[][2] = {
		{ { .start = 20, .end = 30 }, { .start = 10, .end = 15 } },
		{ { .start = 20, .end = 30 }, { .start = 29, .end = 35 } },
		{ { .start = 20, .end = 30 }, { .start = 40, .end = 40 } },
	};
	struct address_space *space = address_space_create();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(address_space_map_all(&space, cases[i], 2), -EINVAL);
	assert_int_equal(space->n_mappings, 0);
	address_space_unref(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_space_has_nothing),
		cmocka_unit_test(ends_are_exclusive),
		cmocka_unit_test(a_later_mapping_replaces_what_it_overlaps),
		cmocka_unit_test(empty_mappings_are_refused),
		cmocka_unit_test(code_has_epochs_of_its_own),
		cmocka_unit_test(each_change_is_a_new_epoch),
		cmocka_unit_test(sharers_do_not_see_each_others_changes),
		cmocka_unit_test(many_random_mappings_agree_with_a_page_table),
		cmocka_unit_test(many_at_once_are_as_one_by_one),
		cmocka_unit_test(mappings_out_of_order_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
