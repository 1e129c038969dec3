#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/arena.h"

static void memory_is_zeroed_and_aligned(void **state)
{
	(void)state;
	struct arena arena = { 0 };

	for (size_t size = 1; size < 2000; size++) {
		char *memory = arena_alloc(&arena, size);

		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xff, size);
	}
	arena_deinit(&arena);
}

static void texts_stay_where_they_are(void **state)
{
	(void)state;
	struct arena arena = { 0 };
	char *texts[10000], text[32];

	for (int i = 0; i < 10000; i++) {
		int length = snprintf(text, sizeof(text), "text %d", i);

		texts[i] = arena_copy_text(&arena, text, (size_t)length);
		assert_non_null(texts[i]);
	}
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof(text), "text %d", i);
		assert_string_equal(texts[i], text);
	}
	arena_deinit(&arena);
}

static void a_text_ends_after_its_size(void **state)
{
	(void)state;
	struct arena arena = { 0 };

	assert_string_equal(arena_copy_text(&arena, "function(int)", 8), "function");
	assert_string_equal(arena_copy_text(&arena, "", 0), "");
	arena_deinit(&arena);
}

static void something_large_has_a_chunk_of_its_size(void **state)
{
	(void)state;
	struct arena arena = { 0 };
	size_t size = (size_t)4 << 20;
	char *large = arena_alloc(&arena, size);

	assert_non_null(large);
	memset(large, 1, size);
	char *small = arena_alloc(&arena, 8);
	assert_non_null(small);
	assert_int_equal(large[size - 1], 1);
	arena_deinit(&arena);
	arena_deinit(&arena);
}

static void sizes_that_overflow_are_refused(void **state)
{
	(void)state;
	struct arena arena = { 0 };

	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_copy_text(&arena, "", SIZE_MAX));
	assert_non_null(arena_alloc(&arena, 1));
	assert_null(arena_alloc(&arena, SIZE_MAX - 8));
	arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(texts_stay_where_they_are),
		cmocka_unit_test(a_text_ends_after_its_size),
		cmocka_unit_test(something_large_has_a_chunk_of_its_size),
		cmocka_unit_test(sizes_that_overflow_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
