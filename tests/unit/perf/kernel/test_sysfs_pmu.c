#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/system/cpu_list.h"
#include "perf/kernel/sysfs_pmu.h"
#include "tests/unit/fixtures/sysfs_tree.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static void lists_of_cpus_are_read_as_the_kernel_prints_them(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t n_cpus;
		int first, last;
	} cases[] = {
		{ "0\n", 1, 0, 0 },         { "0-3\n", 4, 0, 3 }, { "0-3,8\n", 5, 0, 8 },
		{ "2,4-5,9-9\n", 4, 2, 9 }, { "7", 1, 7, 7 },     { "0-65535\n", 65536, 0, 65535 },
		{ "\n", 0, 0, 0 },          { "", 0, 0, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int *cpus;
		size_t n_cpus;
		assert_int_equal(cpu_list_parse(cases[i].text, &cpus, &n_cpus), 0);
		assert_int_equal(n_cpus, cases[i].n_cpus);
		if (n_cpus) {
			assert_int_equal(cpus[0], cases[i].first);
			assert_int_equal(cpus[n_cpus - 1], cases[i].last);
		}
		free(cpus);
	}
}

static void lists_of_cpus_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	static const char *const texts[] = { "x",       "0-",    "-1",
					     "3-1",     "5,4",   "0-3,2",
					     "0-70000", "0,",    ",0",
					     "0 1",     "0-3;5", "99999999999999999999",
					     "1-2-3",   "0,0",   "0-65535,65536" };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int *cpus;
		size_t n_cpus;
		if (cpu_list_parse(texts[i], &cpus, &n_cpus) != -EINVAL)
			fail_msg("%s was read", texts[i]);
	}
}

static void pmus_come_by_type_with_their_cpus(void **state)
{
	(void)state;
	static const struct sysfs_file files[] = {
		{ "uncore_imc_0/type", "12\n" }, { "uncore_imc_0/cpumask", "0\n" },
		{ "cpu_atom/type", "10\n" },     { "cpu_atom/cpus", "4-7\n" },
		{ "cpu_core/type", "4\n" },      { "cpu_core/cpus", "0-3\n" },
		{ "software/type", "1\n" },      { "no_type/format/event", "config:0-7\n" },
		{ "all_offline/type", "11\n" },  { "all_offline/cpus", "\n" },
	};
	char *root = sysfs_tree_create(files, ARRAY_SIZE(files));
	struct sysfs_pmus pmus;
	assert_int_equal(sysfs_pmus_load(root, &pmus), 0);
	assert_int_equal(pmus.n_pmus, 4);
	assert_string_equal(pmus.pmus[0].name, "software");
	assert_string_equal(pmus.pmus[1].name, "cpu_core");
	assert_string_equal(pmus.pmus[2].name, "cpu_atom");
	assert_string_equal(pmus.pmus[3].name, "uncore_imc_0");
	assert_int_equal(sysfs_pmus_n_core(&pmus), 2);
	assert_int_equal(pmus.pmus[2].n_cpus, 4);
	assert_int_equal(pmus.pmus[2].cpus[0], 4);
	assert_null(pmus.pmus[0].cpus);
	assert_true(pmus.pmus[3].is_uncore && !pmus.pmus[1].is_uncore);
	sysfs_pmus_deinit(&pmus);
	sysfs_tree_destroy(root);
}

static void a_machine_without_sysfs_has_no_pmus(void **state)
{
	(void)state;
	struct sysfs_pmus pmus;
	assert_int_equal(sysfs_pmus_load("/nowhere", &pmus), 0);
	assert_int_equal(pmus.n_pmus, 0);
	sysfs_pmus_deinit(&pmus);
}

static void pmus_whose_files_make_no_sense_are_left_out(void **state)
{
	(void)state;
	static const struct sysfs_file files[] = {
		{ "a/type", "" },
		{ "b/type", "-1\n" },
		{ "c/type", "4294967296\n" },
		{ "d/type", "four\n" },
		{ "e/type", "4x\n" },
		{ "f/type", "2147483648\n" },
		{ "g/type/is_a_folder", "4\n" },
		{ "h/type", "20\n" },
		{ "h/cpus", "0-\n" },
		{ "i/type", "21\n" },
		{ "i/cpus/is_a_folder", "0\n" },
	};
	char *root = sysfs_tree_create(files, ARRAY_SIZE(files));
	char fifo[PATH_MAX];
	sysfs_tree_write(root, "j/format/x", "", 0);
	snprintf(fifo, sizeof(fifo), "%s/bus/event_source/devices/j/type", root);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	char *link = fifo;
	snprintf(link, sizeof(fifo), "%s/bus/event_source/devices/k", root);
	assert_int_equal(symlink("k", link), 0);

	struct sysfs_pmus pmus;
	assert_int_equal(sysfs_pmus_load(root, &pmus), 0);
	assert_int_equal(pmus.n_pmus, 0);
	sysfs_pmus_deinit(&pmus);
	sysfs_tree_destroy(root);
}

static int read_format(const char *text, size_t length, struct pmu_format *format)
{
	char *root = sysfs_tree_create(NULL, 0);
	sysfs_tree_write(root, "p/format/term", text, length);
	const struct sysfs_pmu pmu = { .sysfs = root, .name = "p" };
	int err = sysfs_pmu_format(&pmu, "term", 4, format);
	sysfs_tree_destroy(root);
	return err;
}

static void formats_say_which_bits_a_term_has(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned int field;
		uint64_t mask, max, value, config;
	} cases[] = {
		{ "config:0-7\n", 0, 0xff, 0xff, 0x3c, 0x3c },
		{ "config:8-15\n", 0, 0xff00, 0xff, 0x41, 0x4100 },
		{ "config:23\n", 0, 1 << 23, 1, 1, 1 << 23 },
		{ "config1:0-63\n", 1, UINT64_MAX, UINT64_MAX, 0x123456789, 0x123456789 },
		{ "config2:63\n", 2, 1ull << 63, 1, 1, 1ull << 63 },
		{ "config3:0-3\n", 3, 0xf, 0xf, 5, 5 },
		/* AMD's event numbers have 12 bits: arch/x86/events/amd/core.c, AMD PPR PERF_CTL.
		 */
		{ "config:0-7,32-35\n", 0, 0xf000000ff, 0xfff, 0x18e, 0x10000008e },
		{ "config:0-7,32-35,59-60\n", 0, 0x1800000f000000ff, 0x3fff, 0x3fff,
		  0x1800000f000000ff },
		{ "config:32-35,0-7", 0, 0xf000000ff, 0xfff, 0x18e, 0x10000008e },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pmu_format format;
		uint64_t config = 0;
		assert_int_equal(read_format(cases[i].text, strlen(cases[i].text), &format), 0);
		assert_int_equal(format.field, cases[i].field);
		assert_int_equal(format.mask, cases[i].mask);
		assert_int_equal(sysfs_pmu_format_max(&format), cases[i].max);
		sysfs_pmu_format_set(&format, cases[i].value, &config);
		assert_int_equal(config, cases[i].config);
		/* Set again, it is exchanged. */
		config |= ~format.mask;
		sysfs_pmu_format_set(&format, 0, &config);
		assert_int_equal(config, ~format.mask);
	}
}

static void formats_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"",
		"config",
		"config:",
		"config:64",
		"config:7-0",
		"confg:0",
		"config:0-7,",
		"config:,1",
		"config:-1",
		"config:0-99",
		"config:0x1",
		"config:0 1",
		"config12:0-3",
		"config1 :0",
		"7",
		"config:99999999999999999999",
		"config:0-18446744073709551617",
	};
	struct pmu_format format;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (read_format(texts[i], strlen(texts[i]), &format) != -EINVAL)
			fail_msg("%s was read", texts[i]);
	assert_int_equal(read_format("config:0-7\0\n", 12, &format), -EINVAL);

	char *endless = malloc(PMU_TEXT_SIZE);
	memcpy(endless, "config:0", 8);
	for (size_t i = 8; i < PMU_TEXT_SIZE; i += 2)
		memcpy(endless + i, ",0", 2);
	assert_int_equal(read_format(endless, PMU_TEXT_SIZE, &format), -EINVAL);
	free(endless);
}

static void names_do_not_lead_out_of_their_folder(void **state)
{
	(void)state;
	static const struct sysfs_file files[] = {
		{ "p/events/good", "event=1\n" },    { "p/events/good.scale", "2.5\n" },
		{ "p/events/good.unit", "MiB\n" },   { "p/secret", "event=2\n" },
		{ "p/events/.hidden", "event=3\n" },
	};
	static const char *const names[] = { "../secret", "..",      ".",          "",
					     "good/",     ".hidden", "good.scale", "good.unit",
					     "good\n",    "a b" };
	char *root = sysfs_tree_create(files, ARRAY_SIZE(files));
	const struct sysfs_pmu pmu = { .sysfs = root, .name = "p" };
	char text[PMU_TEXT_SIZE], long_name[300];
	assert_int_equal(sysfs_pmu_event(&pmu, "good", 4, text), 0);
	assert_string_equal(text, "event=1");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(sysfs_pmu_event(&pmu, names[i], strlen(names[i]), text), -ENOENT);
	memset(long_name, 'a', sizeof(long_name));
	assert_int_equal(sysfs_pmu_event(&pmu, long_name, sizeof(long_name), text), -ENOENT);

	DIR *dir = sysfs_pmu_folder(&pmu, "events");
	assert_string_equal(sysfs_pmu_next(dir), "good");
	assert_null(sysfs_pmu_next(dir));
	closedir(dir);
	sysfs_tree_destroy(root);
}

static void a_number_behind_a_pmu_s_name_may_be_left_out(void **state)
{
	(void)state;
	static const struct {
		const char *pmu, *name;
		bool is_named;
	} cases[] = {
		{ "armv8_pmuv3_0", "armv8_pmuv3_0", true },
		{ "armv8_pmuv3_0", "armv8_pmuv3", true },
		{ "armv8_pmuv3_0", "armv8", false },
		{ "cpu_core", "cpu", false },
		{ "uncore_imc_10", "uncore_imc", true },
		{ "uncore_imc_10", "uncore_imc_1", false },
		{ "uncore_imc_free_running", "uncore_imc", false },
		{ "cpu", "", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sysfs_pmu pmu = { .type = 4 };
		strcpy(pmu.name, cases[i].pmu);
		assert_int_equal(sysfs_pmu_is_named(&pmu, cases[i].name, strlen(cases[i].name)),
				 cases[i].is_named);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_cpus_are_read_as_the_kernel_prints_them),
		cmocka_unit_test(lists_of_cpus_that_make_no_sense_are_refused),
		cmocka_unit_test(pmus_come_by_type_with_their_cpus),
		cmocka_unit_test(a_machine_without_sysfs_has_no_pmus),
		cmocka_unit_test(pmus_whose_files_make_no_sense_are_left_out),
		cmocka_unit_test(formats_say_which_bits_a_term_has),
		cmocka_unit_test(formats_that_make_no_sense_are_refused),
		cmocka_unit_test(names_do_not_lead_out_of_their_folder),
		cmocka_unit_test(a_number_behind_a_pmu_s_name_may_be_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
