/*
 * String functions: the C library has several of each, and calls the one that suits the processor.
 * glibc can be made to choose as for another one.
 *
 * test_steps_strings [all]: with "all", every choice that this processor can run is stepped
 * through, also with caches so small that the functions take their ways for large sizes.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/fixtures/stepped_program.h"

#define SETTING       "GLIBC_TUNABLES=glibc.cpu.hwcaps="
#define SMALL_CACHES  ":glibc.cpu.x86_data_cache_size=256:glibc.cpu.x86_shared_cache_size=512"
#define FLAGS         "-O2 -fno-builtin -D_GNU_SOURCE"
#define STRINGS       .skip_loader = true, .source = "unwind_strings.c"
#define AMD_I386      "-Fast_Unaligned_Load,-Fast_Rep_String"
#define VARIANTS_MAX  24
#define NO_AVX512     "-AVX512F,-AVX512VL"
#define NO_AVX        NO_AVX512 ",-AVX_Fast_Unaligned_Load"
#define VZEROUPPER    "-RTM,-Prefer_No_VZEROUPPER"
#define CPU_FLAGS_MAX 8192

/* A choice of functions. */
struct variant {
	const char *hwcaps;     /* of glibc's tunable of that name */
	const char *memcpy_for; /* the processor's flags without which memcpy() is another
				 * variant's; NULL: in any case, what differs is other functions */
};

struct variants {
	const char *flags; /* the compiler's */
	struct variant variants[VARIANTS_MAX];
};

static struct variants variants_64 = {
	FLAGS,
	{ { "-AVX512F", "avx512vl erms" },
	  { "-AVX512F,-ERMS", "avx512vl" },
	  { NO_AVX512, "avx2 rtm erms" },
	  { NO_AVX512 ",-ERMS", "avx2 rtm" },
	  { NO_AVX512 "," VZEROUPPER, "avx2 erms" },
	  { NO_AVX512 "," VZEROUPPER ",-ERMS", "avx2" },
	  { NO_AVX ",-Fast_Unaligned_Copy", "ssse3" },
	  { NO_AVX ",Fast_Unaligned_Copy", "erms" },
	  { NO_AVX ",Fast_Unaligned_Copy,-ERMS", "sse2" },
	  { "Prefer_ERMS", "erms" },
	  { "", NULL },
	  { "-ERMS", NULL },
	  { "-AVX512VL", NULL },
	  { NO_AVX ",-AVX2", NULL },
	  { NO_AVX ",-AVX2,-SSE4_2,-SSE4_1,-SSSE3", NULL },
	  { NO_AVX ",Slow_BSF,-AVX2", NULL } },
};

static struct variants variants_i386 = {
	M32 " " FLAGS,
	{ { "Fast_Unaligned_Load", "sse2" },
	  { AMD_I386, "ssse3" },
	  { "-Fast_Unaligned_Load,Fast_Rep_String", "ssse3" },
	  { "-Fast_Unaligned_Load,-Fast_Rep_String,-SSSE3", "sse2" },
	  { "", NULL },
	  { "-Fast_Unaligned_Load,Fast_Rep_String,-SSSE3", NULL },
	  { "-SSE4_2,-SSE4_1", NULL },
	  { "-SSE4_2,-SSE4_1,-SSSE3", NULL },
	  { "-SSE2", NULL },
	  { "Slow_BSF", NULL } },
};

#ifdef __x86_64__
/* The flags line of /proc/cpuinfo, each flag with a space on both sides. */
static void read_cpu_flags(char *flags, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");

	assert_non_null(file);
	while (fgets(flags, (int)size - 1, file) && strncmp(flags, "flags", 5) != 0)
		;
	fclose(file);
	flags[strcspn(flags, "\n")] = ' ';
}

/* Whether the processor has all of @flags, which spaces separate. */
static bool has_flags(const char *flags)
{
	char cpu_flags[CPU_FLAGS_MAX] = "", wanted[64];

	read_cpu_flags(cpu_flags, sizeof(cpu_flags));
	while (*flags) {
		size_t n = strcspn(flags, " ");

		snprintf(wanted, sizeof(wanted), " %.*s ", (int)n, flags);
		if (!strstr(cpu_flags, wanted))
			return false;
		flags += n + (flags[n] == ' ');
	}
	return true;
}

/* Where the program says that memcpy() lies. */
static unsigned long chosen_memcpy(const char *path, const struct variant *variant)
{
	char command[PATH_MAX];
	unsigned long offset = 0;

	snprintf(command, sizeof(command), SETTING "%s %s", variant->hwcaps, path);
	FILE *output = popen(command, "re");
	assert_non_null(output);
	assert_int_equal(fscanf(output, "%lx", &offset), 1);
	assert_int_equal(pclose(output), 0);
	print_message("# memcpy at 0x%lx: %s\n", offset, variant->hwcaps);
	return offset;
}

/* Which of @variants the processor can run, and where their memcpy() is. Returns how many. */
static size_t choose_each(const struct variant *variants, const char *path,
			  unsigned long offsets[VARIANTS_MAX])
{
	size_t n_chosen = 0;

	for (size_t i = 0; i < VARIANTS_MAX && variants[i].hwcaps; i++) {
		if (!variants[i].memcpy_for)
			continue;
		if (has_flags(variants[i].memcpy_for))
			offsets[n_chosen++] = chosen_memcpy(path, &variants[i]);
		else
			print_message("# no %s here: %s is left out\n", variants[i].memcpy_for,
				      variants[i].hwcaps);
	}
	return n_chosen;
}

static void settings_choose_different_functions(void **state)
{
	const struct variants *variants = *state;
	const struct stepped_program program = { .source = "chosen_memcpy.c",
						 .flags = variants->flags,
						 .compiler = "gcc" };
	unsigned long offsets[VARIANTS_MAX];
	char path[] = STEPPED_PATH;

	build_stepped_program(&program, path);
	size_t n_chosen = choose_each(variants->variants, path, offsets);
	unlink(path);
	for (size_t i = 0; i < n_chosen; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(offsets[i], offsets[j]);
	if (n_chosen < 2) {
		print_message("the processor can run one of them\n");
		skip();
	}
}
#else
static void settings_choose_different_functions(void **state)
{
	(void)state;
	print_message("other processors have other functions\n");
	skip();
}
#endif

static struct stepped_program programs[] = {
	{ STRINGS, GCC = FLAGS },
	{ STRINGS, GCC = M32 " " FLAGS },
	{ STRINGS, GCC = M32 " " FLAGS, .setting = SETTING AMD_I386 },
};

#define ALL_MAX (2 * 2 * VARIANTS_MAX)
static struct stepped_program all_programs[ALL_MAX];
static char all_settings[ALL_MAX][256];

static size_t add_all(const struct variants *variants, const char *caches, size_t n)
{
	const struct variant *variant = variants->variants;

	for (; variant < variants->variants + VARIANTS_MAX && variant->hwcaps; variant++, n++) {
		snprintf(all_settings[n], sizeof(all_settings[n]), SETTING "%s%s", variant->hwcaps,
			 caches);
		all_programs[n] = (struct stepped_program){ STRINGS, GCC = variants->flags,
							    .setting = all_settings[n] };
	}
	return n;
}

static size_t list_all(void)
{
	size_t n = add_all(&variants_64, "", 0);

	n = add_all(&variants_i386, "", n);
	n = add_all(&variants_64, SMALL_CACHES, n);
	return add_all(&variants_i386, SMALL_CACHES, n);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(settings_choose_different_functions, &variants_64),
		cmocka_unit_test_prestate(settings_choose_different_functions, &variants_i386),
	};
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (argc > 1 && !strcmp(argv[1], "all"))
		return n_failed + step_programs(all_programs, list_all());
	return n_failed + step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
