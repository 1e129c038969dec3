#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/push/service_profiles.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Two processes of "api", of which one is in a login session, and a container's. */
static struct profile *make_profile(bool has_rows)
{
	static const struct {
		uint32_t process, code, cgroup;
		uint64_t weight;
	} samples[] = {
		{ 0, 0x10, 1, 1 },  { 0, 0x20, 1, 2 },   { 1, 0x10, 2, 4 },
		{ 1, 0x10, 0, 8 },  { 2, 0x10, 1, 16 },  { 2, 0x30, 3, 32 },
		{ 2, 0x30, 4, 64 }, { 3, 0x40, 0, 128 }, { 4, 0x40, 0, 256 },
	};
	static const char *const cgroups[] = { "/system.slice/api.service",
					       "/user.slice/user-1.slice/session-2.scope",
					       "/system.slice/docker-" ID ".scope",
					       "/user.slice/user@1.service/init.scope" };
	struct profile *profile = profile_create();
	uint32_t id;
	bool is_new;

	profile_add_metric(profile, "cycles", "events");
	profile_add_thread(profile, 10, profile_add_process(profile, 10, "api"), "api");
	profile_add_thread(profile, 11, profile_add_process(profile, 11, "api"), "api");
	profile_add_thread(profile, 20, profile_add_process(profile, 20, "sh"), "sh");
	for (size_t i = 0; i < sizeof(cgroups) / sizeof(cgroups[0]); i++)
		string_ids_add(&profile->cgroups, cgroups[i], &id, &is_new);
	/* A thread of the kernel, and an idle CPU. */
	profile_add_thread(profile, 30, profile_add_process(profile, 30, "kworker/0:1"), "k");
	profile_add_thread(profile, 0, profile_add_process(profile, 0, "swapper"), "s");
	profile->cct = cct_create(1);
	profile->rows = calloc(1, sizeof(*profile->rows));
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct frame path[] = {
			{ .kind = FRAME_PROCESS, .offset = samples[i].process },
			{ .kind = FRAME_THREAD, .offset = samples[i].process },
			{ .kind = FRAME_USER, .offset = samples[i].code },
		};
		const struct row_task task = {
			.thread = samples[i].process,
			.pid = profile->processes[samples[i].process].pid,
		};
		struct sample_row row = {
			.node = cct_insert_path(profile->cct, CCT_ROOT, path, 3),
			.weight = samples[i].weight,
			.cgroup = samples[i].cgroup,
			.end = samples[i].process >= 3 ? ROW_NO_USER_PART : ROW_COMPLETE,
		};

		sample_rows_enter_task(profile->rows, &task, "t", "p", &row.task);
		sample_row_count(&row, profile->cct, &profile->quality);
		sample_rows_add(profile->rows, &row);
		profile->metrics[0].samples++;
		profile->metrics[0].total += row.weight;
	}
	if (!has_rows) {
		sample_rows_destroy(profile->rows);
		profile->rows = NULL;
	}
	return profile;
}

static void expect(const struct service_profiles *services, const char *name, uint64_t samples,
		   uint64_t total)
{
	const uint32_t i = string_ids_find(&services->names, name);

	assert_true(i != STRING_IDS_NONE);
	assert_int_equal(services->profiles[i]->metrics[0].samples, samples);
	assert_int_equal(services->profiles[i]->metrics[0].total, total);
	assert_int_equal(cct_sum(services->profiles[i]->cct, 0).weight, total);
}

static void samples_are_their_cgroups_or_their_processes(void **state)
{
	struct profile *profile = make_profile(true);
	struct service_profiles services;

	(void)state;
	assert_int_equal(service_profiles_init(&services, profile, NULL), 0);
	assert_int_equal(services.names.n_strings, 5);
	expect(&services, "kernel", 2, 384);
	expect(&services, "api.service", 3, 19);
	expect(&services, "api", 2, 12);
	expect(&services, "docker-0123456789ab", 1, 32);
	expect(&services, "sh", 1, 64);
	/* What processes have in common is there once. */
	assert_int_equal(services.profiles[0]->cct->n_nodes, 3);
	service_profiles_deinit(&services);
	profile_destroy(profile);
}

static void without_rows_processes_are_services(void **state)
{
	struct profile *profile = make_profile(false);
	struct service_profiles services;

	(void)state;
	assert_int_equal(service_profiles_init(&services, profile, NULL), 0);
	assert_int_equal(services.names.n_strings, 4);
	expect(&services, "kworker/0:1", 1, 128);
	expect(&services, "kernel", 1, 256);
	expect(&services, "api", 4, 15);
	expect(&services, "sh", 3, 112);
	service_profiles_deinit(&services);
	assert_int_equal(service_profiles_init(&services, profile, "all"), 0);
	assert_int_equal(services.names.n_strings, 1);
	expect(&services, "all", 9, 511);
	service_profiles_deinit(&services);
	profile_destroy(profile);
}

static void halves_have_all_costs_down_to_a_path(void **state)
{
	struct profile *profile = make_profile(true), *halves[2], *quarters[2], *none[2];
	struct service_profiles services;

	(void)state;
	assert_int_equal(service_profiles_init(&services, profile, "all"), 0);
	assert_int_equal(service_profile_count(services.profiles[0], 0), 4);
	assert_int_equal(service_profile_halve(services.profiles[0], halves), 0);
	assert_int_equal(halves[0]->metrics[0].total + halves[1]->metrics[0].total, 511);
	assert_int_equal(halves[0]->metrics[0].samples + halves[1]->metrics[0].samples, 9);
	assert_int_equal(service_profile_count(halves[0], 0), 2);
	assert_int_equal(service_profile_halve(halves[0], quarters), 0);
	assert_int_equal(service_profile_halve(quarters[0], none), -ENOENT);
	service_profile_destroy(quarters[0]);
	service_profile_destroy(quarters[1]);
	service_profile_destroy(halves[0]);
	service_profile_destroy(halves[1]);
	service_profiles_deinit(&services);
	profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_their_cgroups_or_their_processes),
		cmocka_unit_test(without_rows_processes_are_services),
		cmocka_unit_test(halves_have_all_costs_down_to_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
