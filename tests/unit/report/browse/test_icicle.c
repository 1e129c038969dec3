#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/browse/icicle.h"
#include "report/fold/fold_profile.h"
#include "tests/unit/fixtures/letter_view.h"

struct drawn {
	struct letter_view *letters;
	struct fold *fold;
	struct growing_view *growing;
	struct icicle icicle;
};

static int set_up(void **state)
{
	struct drawn *drawn = calloc(1, sizeof(*drawn));

	letter_view_set_up((void **)&drawn->letters);
	profile_add_process(drawn->letters->profile, 10, "p");
	*state = drawn;
	return 0;
}

static int tear_down(void **state)
{
	struct drawn *drawn = *state;

	icicle_deinit(&drawn->icicle);
	growing_view_destroy(drawn->growing);
	fold_destroy(drawn->fold);
	letter_view_tear_down((void **)&drawn->letters);
	free(drawn);
	return 0;
}

static void draw(struct drawn *drawn, uint32_t width, uint32_t n_levels)
{
	const struct view_options options = { .kind = VIEW_TREE };

	if (!drawn->growing) {
		assert_int_equal(fold_profile(drawn->letters->profile, drawn->letters->symbolizer,
					      &options, &drawn->fold),
				 0);
		assert_int_equal(growing_view_create(drawn->letters->profile, &options, drawn->fold,
						     &drawn->growing),
				 0);
	}
	assert_int_equal(icicle_lay_out(&drawn->icicle, drawn->growing, width, n_levels), 0);
}

/* A level as text: each box has its letter, or the number of its narrow rows, in each cell. */
static void assert_level(const struct drawn *drawn, uint32_t depth, const char *expected)
{
	char text[128];

	for (uint32_t i = 0; i < drawn->icicle.width; i++) {
		const struct icicle_box *box = icicle_at(&drawn->icicle, depth, i);

		text[i] = (char)(!box ? '.' : box->row ? *box->row->name : '0' + (int)box->n_rows);
	}
	text[drawn->icicle.width] = '\0';
	assert_string_equal(text, expected);
}

static void add_sample(const struct drawn *drawn, const char *path, uint64_t weight)
{
	letter_view_add_sample(drawn->letters, 0, path, weight);
}

static void rows_are_as_wide_as_their_shares(void **state)
{
	struct drawn *drawn = *state;

	add_sample(drawn, "mab", 4);
	add_sample(drawn, "ma", 2);
	add_sample(drawn, "mc", 3);
	add_sample(drawn, "m", 1);
	draw(drawn, 20, 5);
	assert_level(drawn, 0, "pppppppppppppppppppp");
	assert_level(drawn, 1, "mmmmmmmmmmmmmmmmmmmm");
	assert_level(drawn, 2, "aaaaaaaaaaaacccccc..");
	assert_level(drawn, 3, "bbbbbbbb............");
	assert_level(drawn, 4, "....................");
}

static void narrow_rows_are_one_box(void **state)
{
	struct drawn *drawn = *state;

	add_sample(drawn, "a", 10);
	for (char letter = 'b'; letter <= 'f'; letter++)
		add_sample(drawn, (char[]){ letter, '\0' }, 2);
	draw(drawn, 10, 2);
	assert_level(drawn, 1, "aaaaa55555");
}

static void levels_that_are_not_shown_are_not_made(void **state)
{
	struct drawn *drawn = *state;

	add_sample(drawn, "abcdefgh", 10);
	draw(drawn, 10, 3);
	assert_int_equal(drawn->growing->n_grown, 3);
	draw(drawn, 30, 5);
	assert_int_equal(drawn->growing->n_grown, 5);
	assert_level(drawn, 4, "dddddddddddddddddddddddddddddd");
}

static void a_profile_without_samples_has_no_boxes(void **state)
{
	struct drawn *drawn = *state;

	draw(drawn, 10, 3);
	assert_int_equal(drawn->icicle.n_boxes, 0);
	assert_null(icicle_at(&drawn->icicle, 0, 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_as_wide_as_their_shares),
		TEST(narrow_rows_are_one_box),
		TEST(levels_that_are_not_shown_are_not_made),
		TEST(a_profile_without_samples_has_no_boxes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
