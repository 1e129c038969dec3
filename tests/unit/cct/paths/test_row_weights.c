#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/paths/row_weights.h"
#include "tests/unit/fixtures/sample_profile.h"

#define N_ROWS 100

struct fixture {
	struct profile *profile;
	uint32_t nodes[2];
	uint64_t *weights;
};

static uint32_t leaf(struct profile *profile, uint64_t offset)
{
	const struct frame frame = { .kind = FRAME_USER, .module = 1, .offset = offset };

	return cct_child(profile->cct, CCT_ROOT, &frame);
}

static void add(struct fixture *fixture, uint32_t node, uint16_t metric, uint64_t weight)
{
	const struct sample_row row = { .number = fixture->profile->rows->n_rows,
					.node = node,
					.metric = metric,
					.weight = weight };

	assert_int_equal(sample_rows_add(fixture->profile->rows, &row), 0);
	sample_profile_add(fixture->profile, node, metric, weight);
}

/* The first metric had a counter for a part of the time. */
static void set_up(struct fixture *fixture, uint64_t running_ns)
{
	struct profile *profile = sample_profile_create((const char *[]){ "a", "b" }, 2);

	profile->rows = calloc(1, sizeof(*profile->rows));
	*fixture = (struct fixture){ .profile = profile };
	fixture->nodes[0] = leaf(profile, 0x10);
	fixture->nodes[1] = leaf(profile, 0x20);
	for (uint32_t i = 0; i < N_ROWS; i++)
		add(fixture, fixture->nodes[i % 3 == 0], 0, i);
	add(fixture, fixture->nodes[0], 1, 1234);
	profile->metrics[0].time_enabled_ns = 1000;
	profile->metrics[0].time_running_ns = running_ns;
	profile_scale(profile);
	sample_rows_finish(profile->rows, 0);
}

static void tear_down(struct fixture *fixture)
{
	free(fixture->weights);
	profile_destroy(fixture->profile);
}

static void assert_costs(const struct fixture *fixture)
{
	const struct profile *profile = fixture->profile;
	uint64_t sums[2] = { 0 };

	for (uint32_t i = 0; i < N_ROWS; i++)
		sums[profile->rows->rows[i].node == fixture->nodes[1]] += fixture->weights[i];
	for (int i = 0; i < 2; i++)
		assert_int_equal(sums[i], cct_cost(profile->cct, fixture->nodes[i], 0)->weight);
	assert_int_equal(fixture->weights[N_ROWS], 1234);
}

static void weights_add_up_to_scaled_costs(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, 300);
	assert_int_equal(row_weights_create(fixture.profile, &fixture.weights), 0);
	assert_costs(&fixture);
	tear_down(&fixture);
}

static void costs_of_paths_that_were_joined_are_reached(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, 333);
	cct_cost(fixture.profile->cct, fixture.nodes[0], 0)->weight += 2;
	cct_cost(fixture.profile->cct, fixture.nodes[1], 0)->weight -= 1;
	assert_int_equal(row_weights_create(fixture.profile, &fixture.weights), 0);
	assert_costs(&fixture);
	tear_down(&fixture);
}

static void without_scaled_events_rows_have_their_weights(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, 1000);
	assert_int_equal(row_weights_create(fixture.profile, &fixture.weights), 0);
	assert_null(fixture.weights);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_add_up_to_scaled_costs),
		cmocka_unit_test(costs_of_paths_that_were_joined_are_reached),
		cmocka_unit_test(without_scaled_events_rows_have_their_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
