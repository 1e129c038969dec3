/* Cut paths, joined to callers that complete paths had, or not. A path is: main, a caller, and
 * levels of a recursion, each LEVEL_SIZE bytes below the one before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/paths/path_joins.h"

enum { LEVEL_SIZE = 1000, LEVELS_MAX = 400, LEFT = 100, RIGHT = 200, LEVEL = 300, TURN = 301 };
#define STACK_END 0x7ffffff00000ull

static const int threads[2];

struct made_path {
	const int *thread;
	uint64_t caller;  /* its code */
	uint64_t aside;   /* bytes by which its callees are moved */
	size_t n_levels;  /* down to the sampled one */
	size_t n_unknown; /* of the levels: those beyond the copy */
	size_t turn;      /* the level with other code; 0: none */
};

struct fixture {
	struct path_joins *joins;
	struct placed_frame frames[LEVELS_MAX + 2];
	const struct placed_frame *outer;
	size_t n_outer;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture.joins = path_joins_create();
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	path_joins_destroy(fixture->joins);
	return 0;
}

static struct placed_frame frame(uint64_t sp, uint64_t addr)
{
	return (struct placed_frame){
		.sp = sp, .addr = addr, .frame = { .kind = FRAME_USER, .module = 1, .offset = addr }
	};
}

static struct walked_path make(struct fixture *fixture, const struct made_path *of)
{
	const uint64_t top = STACK_END - 200 - of->aside;
	size_t n = 0;

	for (size_t level = of->n_levels; level > of->n_unknown; level--)
		fixture->frames[n++] =
			frame(top - level * LEVEL_SIZE, level == of->turn ? TURN : LEVEL);
	if (!of->n_unknown) {
		fixture->frames[n++] = frame(STACK_END - 200, of->caller);
		fixture->frames[n++] = frame(STACK_END - 100, 1);
	}
	return (struct walked_path){ .thread = of->thread ? of->thread : threads,
				     .frames = fixture->frames,
				     .n_frames = n };
}

/* A path of main alone: what was called before has returned. */
static void leave(struct fixture *fixture, const int *thread)
{
	const struct placed_frame outermost = frame(STACK_END - 100, 1);
	const struct walked_path path = { .thread = thread, .frames = &outermost, .n_frames = 1 };

	assert_int_equal(path_joins_learn(fixture->joins, &path), 0);
}

/* @n calls, each of them seen in a complete path. */
static void learn(struct fixture *fixture, const struct made_path *of, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct walked_path path = make(fixture, of);

		assert_int_equal(path_joins_learn(fixture->joins, &path), 0);
		leave(fixture, path.thread);
	}
}

/* The code of the caller that the path was joined to; 0: it stays cut. */
static uint64_t find(struct fixture *fixture, const struct made_path *of)
{
	const struct walked_path path = make(fixture, of);

	assert_int_equal(path_joins_find(fixture->joins, &path, &fixture->outer, &fixture->n_outer),
			 0);
	if (!fixture->n_outer)
		return 0;
	/* The levels that were unknown, the caller, main. */
	assert_int_equal(fixture->n_outer, of->n_unknown + 2);
	assert_int_equal(fixture->outer[fixture->n_outer - 1].addr, 1);
	return fixture->outer[fixture->n_outer - 2].addr;
}

static const struct made_path left = { .caller = LEFT, .n_levels = 60 },
			      right = { .caller = RIGHT, .n_levels = 60 },
			      cut = { .n_levels = 100, .n_unknown = 30 };

static void a_cut_path_gets_the_callers_that_its_frames_had(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(find(fixture, &cut), 0);
	learn(fixture, &left, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), LEFT);
	for (size_t i = 0; i < cut.n_unknown; i++)
		assert_int_equal(fixture->outer[i].sp,
				 STACK_END - 200 - (cut.n_unknown - i) * LEVEL_SIZE);
}

static void nothing_is_learned_before_a_path_of_the_thread_was_cut(void **state)
{
	struct fixture *fixture = *state;
	struct made_path other = left;

	learn(fixture, &left, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), 0);
	other.thread = threads + 1;
	learn(fixture, &other, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), 0);
}

static void few_complete_paths_prove_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct made_path shallow = left;

	find(fixture, &cut);
	learn(fixture, &left, JOIN_LEARNED_MIN - 1);
	assert_int_equal(find(fixture, &cut), 0);
	shallow.n_levels = cut.n_unknown + JOIN_FRAMES_MIN;
	learn(fixture, &shallow, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), LEFT);
}

static void one_call_that_is_seen_often_proves_nothing(void **state)
{
	struct fixture *fixture = *state;

	find(fixture, &cut);
	const struct walked_path path = make(fixture, &left);
	for (size_t i = 0; i < (size_t)2 * JOIN_LEARNED_MIN; i++)
		assert_int_equal(path_joins_learn(fixture->joins, &path), 0);
	assert_int_equal(find(fixture, &cut), 0);
}

static void paths_have_to_have_many_frames_in_common(void **state)
{
	struct fixture *fixture = *state;
	struct made_path shallow = left;

	find(fixture, &cut);
	shallow.n_levels = cut.n_unknown + JOIN_FRAMES_MIN;
	learn(fixture, &shallow, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), 0);
	shallow.n_levels++;
	learn(fixture, &shallow, JOIN_SEEN_MIN);
	assert_int_equal(find(fixture, &cut), LEFT);
}

static void two_callers_with_the_same_frames_leave_a_path_cut(void **state)
{
	struct fixture *fixture = *state;
	struct made_path shallow = right;

	find(fixture, &cut);
	learn(fixture, &left, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), LEFT);
	/* It was seen in one level only, but may have gone on as the others. */
	shallow.n_levels = 2;
	learn(fixture, &shallow, 1);
	assert_int_equal(find(fixture, &cut), 0);
	learn(fixture, &right, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), 0);
}

static void callers_are_told_apart_by_the_places_of_their_callees(void **state)
{
	struct fixture *fixture = *state;
	struct made_path aside = right, cut_aside = cut;

	aside.aside = cut_aside.aside = LEVEL_SIZE / 2;
	find(fixture, &cut);
	learn(fixture, &left, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut_aside), 0);
	learn(fixture, &aside, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut_aside), RIGHT);
	assert_int_equal(find(fixture, &cut), LEFT);
}

static void a_caller_that_always_leads_elsewhere_is_excluded(void **state)
{
	struct fixture *fixture = *state;
	struct made_path turning = right, turned_cut = cut;

	turning.turn = turned_cut.turn = 40;
	find(fixture, &cut);
	learn(fixture, &left, JOIN_LEARNED_MIN);
	learn(fixture, &turning, JOIN_SEEN_MIN - 1);
	assert_int_equal(find(fixture, &cut), 0);
	learn(fixture, &turning, 1);
	assert_int_equal(find(fixture, &cut), LEFT);
	assert_int_equal(find(fixture, &turned_cut), RIGHT);
}

static void deeper_paths_are_joined_to_joined_ones(void **state)
{
	struct fixture *fixture = *state;
	const struct made_path deeper = { .n_levels = 150, .n_unknown = 80 };
	struct made_path shallow = right;

	find(fixture, &cut);
	learn(fixture, &left, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &deeper), 0);
	for (size_t i = 0; i < JOIN_SEEN_MIN; i++) {
		assert_int_equal(find(fixture, &cut), LEFT);
		leave(fixture, threads);
	}
	assert_int_equal(find(fixture, &deeper), LEFT);
	/* What they were joined to becomes doubtful. */
	shallow.n_levels = 2;
	learn(fixture, &shallow, 1);
	assert_int_equal(find(fixture, &deeper), 0);
}

static void a_path_over_two_stacks_is_not_used(void **state)
{
	struct fixture *fixture = *state;

	find(fixture, &cut);
	for (size_t i = 0; i < JOIN_LEARNED_MIN; i++) {
		const struct walked_path path = make(fixture, &left);

		fixture->frames[0].sp = STACK_END;
		assert_int_equal(path_joins_learn(fixture->joins, &path), 0);
	}
	assert_int_equal(find(fixture, &cut), 0);
}

static void a_full_tree_begins_again(void **state)
{
	struct fixture *fixture = *state;
	struct made_path aside = left;

	find(fixture, &cut);
	learn(fixture, &left, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), LEFT);
	aside.n_levels = LEVELS_MAX;
	for (aside.aside = 0; aside.aside < FRAME_NODES_MAX / LEVELS_MAX; aside.aside++)
		learn(fixture, &aside, 1);
	assert_int_equal(find(fixture, &cut), 0);
	learn(fixture, &left, JOIN_LEARNED_MIN);
	assert_int_equal(find(fixture, &cut), LEFT);
}

static uint64_t random_below(uint64_t *seed, uint64_t n)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed % n;
}

static struct made_path random_path(uint64_t *seed)
{
	const bool is_right = !random_below(seed, 4);
	const bool is_cut = !random_below(seed, 4);
	const size_t n_levels = 20 + random_below(seed, 40);
	const size_t turn = random_below(seed, 8) ? 0 : random_below(seed, n_levels);

	return (struct made_path){ .caller = is_right ? RIGHT : LEFT,
				   .aside = is_right ? 8 : 0,
				   .n_levels = n_levels + 40,
				   .n_unknown = is_cut ? 1 + random_below(seed, 19) : 0,
				   .turn = turn };
}

/* More threads than last paths are known of have a path each. */
static void visit_others(struct fixture *fixture, const int *others, size_t n)
{
	struct made_path other = left;

	for (size_t i = 0; i < n; i++) {
		other.thread = &others[i];
		leave(fixture, other.thread);
	}
}

static void joins_do_not_depend_on_other_threads(void **state)
{
	static const int others[1000];
	struct fixture *fixture = *state, busy = { .joins = path_joins_create() };
	uint64_t seed = 1, n_joined = 0;

	for (size_t i = 0; i < 1000; i++)
		find(&busy,
		     &(struct made_path){ .thread = &others[i], .n_levels = 80, .n_unknown = 30 });
	for (size_t i = 0; i < 2000; i++) {
		const struct made_path of = random_path(&seed);

		if (of.n_unknown) {
			n_joined += find(fixture, &of) != 0;
			find(&busy, &of);
			assert_int_equal(fixture->n_outer, busy.n_outer);
		} else {
			const struct walked_path path = make(fixture, &of);

			assert_int_equal(path_joins_learn(fixture->joins, &path), 0);
			assert_int_equal(path_joins_learn(busy.joins, &path), 0);
		}
		if (random_below(&seed, 4)) {
			leave(fixture, threads);
			leave(&busy, threads);
		}
		visit_others(&busy, others, i % 4 ? 0 : 1000);
	}
	assert_in_range(n_joined, 10, 1990);
	path_joins_destroy(busy.joins);
}

#define JOINS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOINS_TEST(a_cut_path_gets_the_callers_that_its_frames_had),
		JOINS_TEST(nothing_is_learned_before_a_path_of_the_thread_was_cut),
		JOINS_TEST(few_complete_paths_prove_nothing),
		JOINS_TEST(one_call_that_is_seen_often_proves_nothing),
		JOINS_TEST(paths_have_to_have_many_frames_in_common),
		JOINS_TEST(two_callers_with_the_same_frames_leave_a_path_cut),
		JOINS_TEST(callers_are_told_apart_by_the_places_of_their_callees),
		JOINS_TEST(a_caller_that_always_leads_elsewhere_is_excluded),
		JOINS_TEST(deeper_paths_are_joined_to_joined_ones),
		JOINS_TEST(a_path_over_two_stacks_is_not_used),
		JOINS_TEST(a_full_tree_begins_again),
		JOINS_TEST(joins_do_not_depend_on_other_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
