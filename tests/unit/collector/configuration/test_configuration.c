/* Which files of settings are read, and which are left out because others can write them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/configuration/configuration.h"

static char folder[] = "/tmp/test_configuration.XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(path_of(name), "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path_of(name), mode), 0);
}

/* The user's files are in the folder; the system's file may exist or not. */
static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	setenv("XDG_CONFIG_HOME", folder, 1);
	unsetenv(CONFIGURATION_VARIABLE);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "dendro.conf", "named", "option" };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}

static void assert_value(const struct configuration *configuration,
			 enum configuration_source source, const char *value)
{
	const struct configuration_file *file = &configuration->files[source];

	assert_int_equal(file->n_settings, value ? 1 : 0);
	if (value)
		assert_string_equal(file->settings[0].value, value);
}

static void files_are_read_from_all_places(void **state)
{
	struct configuration configuration;

	(void)state;
	write_file("dendro.conf", "[record]\nfreq = 1\n", 0644);
	write_file("named", "[record]\nfreq = 2\n", 0600);
	write_file("option", "[record]\nfreq = 3\n", 0600);
	setenv(CONFIGURATION_VARIABLE, path_of("named"), 1);
	assert_int_equal(configuration_load(&configuration, path_of("option")), 0);
	assert_value(&configuration, CONFIGURATION_OF_USER, "1");
	assert_value(&configuration, CONFIGURATION_OF_VARIABLE, "2");
	assert_value(&configuration, CONFIGURATION_OF_OPTION, "3");
	configuration_deinit(&configuration);

	unsetenv(CONFIGURATION_VARIABLE);
	assert_int_equal(configuration_load(&configuration, NULL), 0);
	assert_value(&configuration, CONFIGURATION_OF_USER, "1");
	assert_value(&configuration, CONFIGURATION_OF_VARIABLE, NULL);
	configuration_deinit(&configuration);
}

static void an_empty_variable_leaves_the_places_out(void **state)
{
	struct configuration configuration;

	(void)state;
	write_file("dendro.conf", "[record]\nfreq = 1\n", 0644);
	write_file("option", "[record]\nfreq = 3\n", 0600);
	setenv(CONFIGURATION_VARIABLE, "", 1);
	assert_int_equal(configuration_load(&configuration, path_of("option")), 0);
	assert_null(configuration.files[CONFIGURATION_OF_SYSTEM].path);
	assert_null(configuration.files[CONFIGURATION_OF_USER].path);
	assert_value(&configuration, CONFIGURATION_OF_OPTION, "3");
	configuration_deinit(&configuration);
	unsetenv(CONFIGURATION_VARIABLE);
}

static void what_others_can_write_does_not_count(void **state)
{
	struct configuration configuration;

	(void)state;
	write_file("dendro.conf", "[record\n", 0666);
	assert_int_equal(configuration_load(&configuration, NULL), 0);
	assert_string_equal(configuration.files[CONFIGURATION_OF_USER].left_out,
			    "everybody can write it: chmod o-w");
	assert_value(&configuration, CONFIGURATION_OF_USER, NULL);
	configuration_deinit(&configuration);

	setenv(CONFIGURATION_VARIABLE, path_of("dendro.conf"), 1);
	assert_int_equal(configuration_load(&configuration, NULL), -EINVAL);
	assert_non_null(strstr(configuration.wrong, "everybody can write it"));
	configuration_deinit(&configuration);
	unsetenv(CONFIGURATION_VARIABLE);
}

static void root_obeys_its_own_files_alone(void **state)
{
	struct configuration configuration;
	const char *left_out;

	(void)state;
	if (geteuid()) {
		print_message("this is not root\n");
		skip();
	}
	write_file("dendro.conf", "[record]\nfreq = 1\n", 0664);
	assert_int_equal(configuration_load(&configuration, NULL), 0);
	left_out = configuration.files[CONFIGURATION_OF_USER].left_out;
	assert_string_equal(left_out, "its group can write it, and this is root: chmod g-w");
	configuration_deinit(&configuration);

	write_file("dendro.conf", "[record]\nfreq = 1\n", 0600);
	assert_int_equal(chown(path_of("dendro.conf"), 1234, 0), 0);
	assert_int_equal(configuration_load(&configuration, NULL), 0);
	left_out = configuration.files[CONFIGURATION_OF_USER].left_out;
	assert_string_equal(left_out, "it belongs to user 1234, and root obeys root's files alone");
	configuration_deinit(&configuration);
	/* The user's own word. */
	assert_int_equal(configuration_load(&configuration, path_of("dendro.conf")), 0);
	assert_value(&configuration, CONFIGURATION_OF_OPTION, "1");
	configuration_deinit(&configuration);
	assert_int_equal(chown(path_of("dendro.conf"), 0, 0), 0);
}

static void a_file_that_is_named_must_be_there(void **state)
{
	struct configuration configuration;

	(void)state;
	assert_int_equal(configuration_load(&configuration, "/nowhere/file"), -EINVAL);
	assert_string_equal(configuration.wrong, "/nowhere/file: No such file or directory.");
	configuration_deinit(&configuration);
	write_file("option", "[record]\nfreq\n", 0600);
	assert_int_equal(configuration_load(&configuration, path_of("option")), -EINVAL);
	assert_non_null(strstr(configuration.wrong, "/option:2: a setting is "));
	configuration_deinit(&configuration);
}

static void a_file_without_end_is_refused(void **state)
{
	struct configuration configuration;

	(void)state;
	assert_int_equal(configuration_load(&configuration, "/dev/zero"), -EINVAL);
	assert_string_equal(configuration.wrong, "/dev/zero: File too large.");
	configuration_deinit(&configuration);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_from_all_places),
		cmocka_unit_test(an_empty_variable_leaves_the_places_out),
		cmocka_unit_test(what_others_can_write_does_not_count),
		cmocka_unit_test(root_obeys_its_own_files_alone),
		cmocka_unit_test(a_file_that_is_named_must_be_there),
		cmocka_unit_test(a_file_without_end_is_refused),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
