/* Walks noted in a log, and what they are joined to, in the log's order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/session/walk_log.h"

enum { N_LEVELS = 60, N_UNKNOWN = 20, LEVEL_SIZE = 64, ADDR = 0x1000 };

/* A recursion of N_LEVELS below main, leaf first. */
struct walk {
	struct frame frames[N_LEVELS + 1];
	uint64_t addrs[N_LEVELS + 1], sps[N_LEVELS + 1];
};

static void fill(struct walk *walk)
{
	for (size_t i = 0; i <= N_LEVELS; i++) {
		walk->addrs[i] = i < N_LEVELS ? ADDR : 2 * ADDR;
		walk->sps[i] = (1 << 20) + i * LEVEL_SIZE;
		walk->frames[i] = (struct frame){ .kind = FRAME_USER, .offset = walk->addrs[i] };
	}
}

static struct sample make_sample(const struct walk *walk, bool is_cut)
{
	return (struct sample){
		.may_join = true,
		.path = { .user_half = is_cut ? USER_INCOMPLETE : USER_COMPLETE,
			  .end = MARKER_STACK_CUT,
			  .user_frames = walk->frames,
			  .user_addrs = walk->addrs,
			  .user_sps = walk->sps,
			  .n_user = is_cut ? N_LEVELS - N_UNKNOWN : N_LEVELS + 1 },
	};
}

static void only_walks_that_may_be_joined_or_joined_to_are_noted(void **state)
{
	struct walk_log log = { .walks = NULL };
	struct walk walk;

	(void)state;
	fill(&walk);
	struct sample cut = make_sample(&walk, true), complete = make_sample(&walk, false);
	assert_int_equal(walk_log_note(&log, 0, &complete), 0);
	assert_int_equal(walk_log_note(&log, 1, &cut), 1);
	assert_int_equal(log.n_walks, 2);
	cut.path.end = MARKER_NO_MODULE;
	assert_int_equal(walk_log_note(&log, 2, &cut), 0);
	cut = make_sample(&walk, true);
	cut.may_join = false;
	assert_int_equal(walk_log_note(&log, 3, &cut), 0);
	cut = make_sample(&walk, true);
	cut.path.user_sps = NULL;
	assert_int_equal(walk_log_note(&log, 4, &cut), 0);
	assert_int_equal(log.n_walks, 2);
	walk_log_clear(&log);
	assert_int_equal(log.n_walks, 0);
	walk_log_deinit(&log);
}

static void walks_are_joined_to_those_before_them(void **state)
{
	struct path_joins *joins = path_joins_create();
	struct walk_log log = { .walks = NULL };
	struct walk walk;

	(void)state;
	fill(&walk);
	const struct sample cut = make_sample(&walk, true), complete = make_sample(&walk, false);
	struct sample shallow = complete; /* between two calls of the recursion */
	shallow.path.n_user = 1;
	assert_int_equal(walk_log_note(&log, 0, &cut), 1);
	for (size_t i = 1; i <= JOIN_LEARNED_MIN; i++) {
		assert_int_equal(walk_log_note(&log, i, &complete), 0);
		assert_int_equal(walk_log_note(&log, i, &shallow), 0);
	}
	assert_int_equal(walk_log_note(&log, JOIN_LEARNED_MIN + 1, &cut), 1);
	assert_int_equal(walk_log_join(&log, joins), 0);
	const struct noted_walk *last = &log.walks[log.n_walks - 1];
	assert_int_equal(log.walks[0].n_outer, 0);
	assert_int_equal(last->sample, JOIN_LEARNED_MIN + 1);
	assert_int_equal(last->n_outer, N_UNKNOWN + 1);
	const struct placed_frame *outer = walk_log_outer(&log, last);
	assert_int_equal(outer[0].sp, walk.sps[N_LEVELS - N_UNKNOWN]);
	assert_int_equal(outer[N_UNKNOWN].addr, 2 * ADDR);
	walk_log_deinit(&log);
	path_joins_destroy(joins);
}

static void a_full_log_notes_no_more(void **state)
{
	struct walk_log log = { .n_frames = WALK_LOG_FRAMES - N_LEVELS };
	struct walk walk;

	(void)state;
	fill(&walk);
	const struct sample complete = make_sample(&walk, false);
	assert_int_equal(walk_log_note(&log, 0, &complete), 0);
	assert_int_equal(log.n_walks, 0);
	walk_log_deinit(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_walks_that_may_be_joined_or_joined_to_are_noted),
		cmocka_unit_test(walks_are_joined_to_those_before_them),
		cmocka_unit_test(a_full_log_notes_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
