/* Names are read as they were written, by frames of the tree or without; damaged ones are refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

#define N_CODES 60

static uint32_t text_of(struct stored_names *names, const char *text)
{
	uint32_t number;

	assert_int_equal(stored_names_add_text(names, text, &number), 0);
	return number;
}

/* Functions of 100 bytes, of which every third has no symbol. Two addresses are before the offset
 * where others are, one is before the start of its function. */
static struct stored_code make_code(struct stored_names *names, uint32_t i)
{
	static const char *const symbols[] = { "one", NULL, "two", "one", NULL, "three" };
	const uint64_t offset = 0x1000 + 37ull * i;

	return (struct stored_code){
		.offset = offset,
		.addr = offset + 0x400000 - (i % 20 == 7),
		.start = (offset + 0x400000) / 100 * 100 + (i == 11 ? 200 : 0),
		.symbol = text_of(names, symbols[offset / 100 % 6]),
		.start_kind = offset / 100 % 3,
		.flags = i % 4,
		.n_calls = i % 3,
	};
}

static void add_code(struct profile *profile, uint32_t i)
{
	struct stored_names *names = profile->names;
	struct stored_code code = make_code(names, i);

	code.first_call = names->n_calls;
	for (uint32_t k = 0; k < code.n_calls; k++) {
		const struct stored_call call = {
			.name = k + 1 < code.n_calls ? text_of(names, "inlined") : STORED_NO_TEXT,
			.decl_file = STORED_NO_TEXT,
			.file = text_of(names, i % 2 ? "a.c" : "b.c"),
			.directory = text_of(names, "/src"),
			.line = 10 * i + k,
		};

		assert_int_equal(stored_names_add_call(names, &call), 0);
	}
	assert_int_equal(stored_names_add_code(names, &code), 0);
}

/* A profile of one process. */
static struct profile *make_process(void)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	assert_int_equal(profile_add_process(profile, 7, "prog"), 0);
	return profile;
}

/* A tree with the frames of the addresses that @is_in tells, in another order than by offset. */
static struct profile *make_tree(bool (*is_in)(uint32_t i))
{
	const struct frame process = { .kind = FRAME_PROCESS };
	struct profile *profile = make_process();

	profile->cct = cct_create(0);
	assert_non_null(profile->cct);
	const uint32_t node = cct_child(profile->cct, CCT_ROOT, &process);
	for (uint32_t i = 0; i < N_CODES; i++) {
		const uint32_t number = i * 7 % N_CODES;
		const struct frame frame = { .kind = FRAME_USER,
					     .offset = 0x1000 + 37ull * number };

		if (is_in(number))
			assert_int_not_equal(cct_child(profile->cct, node, &frame), CCT_NONE);
	}
	return profile;
}

static struct profile *make_profile(bool (*is_in)(uint32_t i))
{
	struct profile *profile = make_tree(is_in);

	profile->names = stored_names_create();
	assert_non_null(profile->names);
	for (uint32_t i = 0; i < N_CODES; i++)
		add_code(profile, i * 11 % N_CODES);
	return profile;
}

/* What @written's parts are read into, after its tree. */
static int read_names(const struct profile *written, const uint8_t *bytes, size_t size,
		      struct profile **profile_ret)
{
	struct byte_buffer tree = { 0 };
	uint8_t *copy = malloc(size + !size);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	*profile_ret = make_process();
	tree_part_write(&tree, written);
	struct dwarf_reader tree_body = dwarf_reader(tree.bytes, tree.size);
	assert_int_equal(tree_part_read(&tree_body, *profile_ret), 0);
	struct dwarf_reader body = dwarf_reader(copy, size);
	int err = names_part_read(&body, *profile_ret);
	byte_buffer_deinit(&tree);
	free(copy);
	return err ? err : (int)dwarf_left(&body);
}

static void expect_text(const struct stored_names *a, uint32_t x, const struct stored_names *b,
			uint32_t y)
{
	const char *text_a = stored_names_text(a, x), *text_b = stored_names_text(b, y);

	assert_int_equal(!text_a, !text_b);
	if (text_a)
		assert_string_equal(text_a, text_b);
}

static void expect_code(const struct stored_names *a, const struct stored_code *x,
			const struct stored_names *b)
{
	const struct stored_code *y = stored_names_find(b, x->module, x->offset);

	assert_non_null(y);
	assert_int_equal(x->addr, y->addr);
	assert_int_equal(x->start, y->start);
	assert_int_equal(x->start_kind, y->start_kind);
	assert_int_equal(x->flags, y->flags);
	assert_int_equal(x->n_calls, y->n_calls);
	expect_text(a, x->symbol, b, y->symbol);
	for (uint32_t k = 0; k < x->n_calls; k++) {
		const struct stored_call *call = &a->calls[x->first_call + k];
		const struct stored_call *copy = &b->calls[y->first_call + k];

		expect_text(a, call->name, b, copy->name);
		expect_text(a, call->decl_file, b, copy->decl_file);
		expect_text(a, call->file, b, copy->file);
		expect_text(a, call->directory, b, copy->directory);
		assert_int_equal(call->line, copy->line);
	}
}

static bool is_any(uint32_t i)
{
	(void)i;
	return true;
}

static bool is_none(uint32_t i)
{
	(void)i;
	return false;
}

static bool is_fifth(uint32_t i)
{
	return i % 5 == 2;
}

static bool (*const choices[])(uint32_t i) = { is_any, is_none, is_fifth };

static void names_are_read_as_they_were_written(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof(choices) / sizeof(*choices); c++) {
		struct profile *written = make_profile(choices[c]), *read;
		struct byte_buffer body = { 0 }, again = { 0 };

		names_part_write(&body, written);
		assert_false(body.lacks_memory);
		assert_int_equal(read_names(written, body.bytes, body.size, &read), 0);
		assert_int_equal(read->names->n_codes, N_CODES);
		for (uint32_t i = 0; i < N_CODES; i++)
			expect_code(written->names, &written->names->codes[i], read->names);
		names_part_write(&again, read);
		assert_int_equal(again.size, body.size);
		assert_memory_equal(again.bytes, body.bytes, body.size);
		byte_buffer_deinit(&body);
		byte_buffer_deinit(&again);
		profile_destroy(written);
		profile_destroy(read);
	}
}

static void a_name_may_be_longer_than_a_megabyte(void **state)
{
	static char name[(1 << 20) + 2];
	struct profile *written = make_profile(is_fifth), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	written->names->codes[0].symbol = text_of(written->names, name);
	names_part_write(&body, written);
	assert_int_equal(read_names(written, body.bytes, body.size, &read), 0);
	expect_code(written->names, &written->names->codes[0], read->names);
	byte_buffer_deinit(&body);
	profile_destroy(written);
	profile_destroy(read);
}

static void cut_names_are_refused(void **state)
{
	struct profile *written = make_profile(is_fifth), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	names_part_write(&body, written);
	for (size_t size = 0; size < body.size; size++) {
		assert_int_equal(read_names(written, body.bytes, size, &read), -EINVAL);
		profile_destroy(read);
	}
	byte_buffer_deinit(&body);
	profile_destroy(written);
}

static void frames_that_the_tree_lacks_are_refused(void **state)
{
	struct profile *written = make_profile(is_any), *without = make_profile(is_fifth), *read;
	struct byte_buffer body = { 0 };

	(void)state;
	names_part_write(&body, written);
	assert_int_equal(read_names(without, body.bytes, body.size, &read), -EINVAL);
	profile_destroy(read);
	byte_buffer_deinit(&body);
	profile_destroy(written);
	profile_destroy(without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_read_as_they_were_written),
		cmocka_unit_test(a_name_may_be_longer_than_a_megabyte),
		cmocka_unit_test(cut_names_are_refused),
		cmocka_unit_test(frames_that_the_tree_lacks_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
