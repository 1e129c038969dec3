#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/findings/runtimes.h"
#include "tests/unit/fixtures/sample_profile.h"

struct fixture {
	struct profile *profile;
	uint32_t n_processes;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = sample_profile_create((const char *[]){ "cycles" }, 1);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	profile_destroy(fixture->profile);
	free(fixture);
	return 0;
}

/* A process with a sample in code of this file and, if it @has_code, in code made at run time. */
static void add_process(struct fixture *fixture, const char *path, bool has_code, uint64_t weight)
{
	struct profile *profile = fixture->profile;
	const struct module_key file = { .kind = MODULE_ELF, .path = path };
	const struct module_key made = { .kind = MODULE_ANON, .path = "//anon" };
	uint32_t process = profile_add_process(profile, 7, "p");
	uint32_t node = sample_profile_process(profile, process);
	struct frame frame = { .kind = FRAME_USER,
			       .module = module_table_add(&profile->modules, &file),
			       .offset = 0x1000 };

	node = cct_child(profile->cct, node, &frame);
	frame.module = module_table_add(&profile->modules, &made);
	if (has_code)
		node = cct_child(profile->cct, node, &frame);
	sample_profile_add(profile, node, 0, weight);
}

/* The advice that begins with @start; NULL: it is not given. */
static const char *find(struct fixture *fixture, const char *start)
{
	struct symbolizer *symbolizer =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ 0 });
	const char *advice[RUNTIMES_MAX], *found = NULL;
	struct view *view;
	size_t n;

	assert_int_equal(view_create(fixture->profile, symbolizer,
				     &(struct view_options){ .kind = VIEW_TREE }, &view),
			 0);
	assert_int_equal(runtimes_find(fixture->profile, symbolizer, 0, 1.0, advice, &n), 0);
	for (size_t i = 0; i < n; i++) {
		if (strncmp(advice[i], start, strlen(start)) != 0)
			continue;
		assert_null(found);
		found = advice[i];
	}
	view_destroy(view);
	symbolizer_destroy(symbolizer);
	return found;
}

static void a_runtime_is_named_where_code_that_it_made_has_no_names(void **state)
{
	struct fixture *fixture = *state;

	add_process(fixture, "/usr/bin/node", true, 100);
	add_process(fixture, "/usr/bin/node2", true, 100);
	add_process(fixture, "/usr/bin/luajit-2.1", true, 100);
	add_process(fixture, "/usr/lib/libjvm.so", false, 100);
	add_process(fixture, "/usr/lib/chromium/chromium", true, 100);
	assert_non_null(strstr(find(fixture, "Run Chromium"), "--no-sandbox --js-flags="));
	assert_string_equal(find(fixture, "Run node"),
			    "Run node with --perf-basic-prof --interpreted-frames-native-stack "
			    "to name its functions.");
	assert_non_null(find(fixture, "A LuaJIT"));
	assert_null(find(fixture, "Record Java"));
}

static void a_small_process_gives_no_advice(void **state)
{
	struct fixture *fixture = *state;

	add_process(fixture, "/usr/bin/make", true, 1000);
	add_process(fixture, "/usr/bin/node", true, 5);
	assert_null(find(fixture, "Run node"));
}

static void python_is_named_where_it_has_made_no_code_and_could(void **state)
{
	struct fixture *fixture = *state;

	add_process(fixture, "/usr/lib/libpython3.11.so.1.0", false, 100);
	add_process(fixture, "/usr/bin/python3.13", true, 100);
	assert_null(find(fixture, "Run Python"));
	add_process(fixture, "/usr/lib/libpython3.12.so.1.0", false, 100);
	add_process(fixture, "/usr/bin/python3.12", false, 100);
	assert_non_null(find(fixture, "Run Python"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_runtime_is_named_where_code_that_it_made_has_no_names),
		TEST(a_small_process_gives_no_advice),
		TEST(python_is_named_where_it_has_made_no_code_and_could),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
