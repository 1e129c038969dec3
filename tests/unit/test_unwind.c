/*
 * Programs of known callers, one table per subject, built by each compiler and stepped through from
 * their first instruction to their last (tests/unit/single_step.h).
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/single_step.h"

#if !defined(__x86_64__)
static void every_instruction_has_the_right_callers(void **state)
{
	(void)state;
	print_message("calls and returns are followed on x86-64 only\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_has_the_right_callers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

#define WITHOUT_CFI_MAX   2   /* instructions of 32-bit start-up code */
#define WITHOUT_CFI_SHARE 100 /* of programs without CFI: at most one instruction in so many */
#define JUMPING_MAX       60
#define UNTOUCHED_SHARE                                                                          \
	2 /* at most one instruction in so many: what memory is in place is the machine's choice \
	   */

/* Headers that are not in 64-bit ones' place: without the multilib package, which would remove the
 * cross compilers. */
#define M32 "-m32 -idirafter /usr/include/x86_64-linux-gnu"

struct program {
	const char *source; /* in tests/workloads; compiled with @compiler and @flags */
	const char *compiler;
	const char *flags;
	unsigned signal_every;
	bool skip_loader;
	bool lacks_cfi; /* the program or the C library */
	bool jumps;     /* and has handlers on stacks of their own */
	bool throws;
};

/* false: there is no such compiler, or what it needs for 32 bits is missing. */
static bool build(const struct program *program, const char *path)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program->compiler);
	if (system(command))
		return false;
	snprintf(command, sizeof(command),
		 "echo 'int main(void) { return 0; }' | %s -x c - " M32 " -o %s 2>/dev/null",
		 program->compiler, path);
	if (strstr(program->flags, M32) && system(command))
		return false;
	snprintf(command, sizeof(command), "%s %s -o %s tests/workloads/%s -lpthread",
		 program->compiler, program->flags, path, program->source);
	assert_int_equal(system(command), 0);
	return true;
}

static void print_counts(const struct program *program, const struct traced_counts *counts)
{
	print_message("# %s %s %s: %lu checked, %lu wrong, %lu without CFI", program->source,
		      program->compiler, program->flags, counts->n_checked, counts->n_wrong,
		      counts->n_without_cfi);
	if (counts->n_other_stack)
		print_message(", %lu on another stack", counts->n_other_stack);
	if (counts->n_untouched)
		print_message(", %lu above untouched pages", counts->n_untouched);
	if (counts->n_jumping)
		print_message(", %lu before a jump", counts->n_jumping);
	if (counts->n_installed)
		print_message(", %lu with a landing pad installed", counts->n_installed);
	print_message("; %lu expressions, %lu guessed\n", counts->unwind.n_expressions,
		      counts->unwind.n_guessed);
}

static void every_instruction_has_the_right_callers(void **state)
{
	const struct program *program = *state;
	char path[] = "/tmp/dendro-test-XXXXXX";
	struct traced_counts counts;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	if (!build(program, path)) {
		unlink(path);
		print_message("no %s here, or no 32-bit libraries\n", program->compiler);
		skip();
	}
	single_step(&(struct traced_program){ path, program->signal_every, program->skip_loader },
		    &counts);
	unlink(path);
	print_counts(program, &counts);
	assert_true(counts.n_checked > 1000);
	assert_int_equal(counts.n_wrong, 0);
	assert_true(counts.n_without_cfi <=
		    (program->lacks_cfi ? counts.n_checked / WITHOUT_CFI_SHARE : WITHOUT_CFI_MAX));
	assert_true(!program->lacks_cfi || counts.unwind.n_guessed > counts.n_checked / 2);
	assert_true(counts.n_jumping <= (program->jumps ? JUMPING_MAX : 0));
	assert_true(program->jumps || !counts.n_other_stack);
	assert_true(program->throws || !counts.n_installed);
	assert_true(counts.n_untouched <= counts.n_checked / UNTOUCHED_SHARE);
}

#define GCC          .compiler = "gcc", .flags
#define CLANG        .compiler = "clang", .flags
#define CALLS        .skip_loader = true, .source = "unwind_calls.c"
#define FRAME        .skip_loader = true, .source = "unwind_frames.c"
#define START        .source = "unwind_start.c"
#define JUMPS        .skip_loader = true, .jumps = true, .source = "unwind_jumps.c"
#define NO_CFI       "-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions "
#define LACKS        .skip_loader = true, .lacks_cfi = true, .source = "unwind_calls.c"
/* The program's second source comes with the flags. */
#define SHAPES       .skip_loader = true, .lacks_cfi = true, .source = "no_cfi.c"
#define SHAPES_FLAGS NO_CFI "-w tests/workloads/no_cfi.S "
#define THROW        .skip_loader = true, .throws = true, .source = "unwind_throw.cpp"

static struct program programs[] = {
	{ .source = "unwind_calls.c", GCC = "-O2" },
	{ CALLS, GCC = "-O3 -s -Wl,-z,now" },
	{ CALLS, GCC = "-O0" },
	{ CALLS, GCC = "-O2 -static", .signal_every = 53 },
	{ CALLS, CLANG = "-O2" },
	{ CALLS, CLANG = "-O0", .signal_every = 37 },
	{ .source = "unwind_thread.c", .skip_loader = true, GCC = "-O2" },

	{ .source = "unwind_calls.c", GCC = M32 " -O2" },
	{ CALLS, GCC = M32 " -O3 -s -Wl,-z,now -fcf-protection" },
	{ CALLS, GCC = M32 " -O0" },
	{ .source = "unwind_calls.c", GCC = M32 " -O2 -static", .signal_every = 53 },
	{ CALLS, CLANG = M32 " -O2" },
	{ .source = "unwind_thread.c", .skip_loader = true, GCC = M32 " -O2" },

	{ FRAME, GCC = "-O0" },
	{ FRAME, GCC = "-O1 -fno-plt" },
	{ FRAME, GCC = "-O2" },
	{ FRAME, GCC = "-O2", .signal_every = 37 },
	{ FRAME, GCC = "-O2 -flto" },
	{ FRAME, GCC = "-O2 -fno-omit-frame-pointer" },
	{ FRAME, GCC = "-O2 -fcf-protection=full -fno-plt -Wl,-z,now" },
	{ FRAME, GCC = "-O2 -fstack-clash-protection" },
	{ FRAME, GCC = "-O0 -fstack-clash-protection" },
	{ FRAME, GCC = "-O2 -mforce-drap -mstackrealign" },
	{ FRAME, GCC = "-O3 -march=haswell" },
	{ FRAME, GCC = "-Os -no-pie" },
	{ FRAME, CLANG = "-O0" },
	{ FRAME, CLANG = "-O1 -fno-plt" },
	{ FRAME, CLANG = "-O2" },
	{ FRAME, CLANG = "-O2", .signal_every = 41 },
	{ FRAME, CLANG = "-O2 -flto" },
	{ FRAME, CLANG = "-O2 -fno-omit-frame-pointer" },
	{ FRAME, CLANG = "-O2 -fcf-protection=full -fno-plt -Wl,-z,now" },
	{ FRAME, CLANG = "-O2 -fstack-clash-protection" },
	{ FRAME, CLANG = "-O0 -fstack-clash-protection" },
	{ FRAME, CLANG = "-O3 -march=haswell -mstackrealign" },
	{ FRAME, CLANG = "-Os -no-pie" },

	{ START, GCC = "-O2 -Wl,-z,lazy" },
	{ START, GCC = "-O2 -static" },
	{ START, GCC = "-O2 -static-pie" },
	{ START, GCC = "-O2 -no-pie -s", .skip_loader = true },
	{ START, GCC = M32 " -O2 -static" },
	{ START, CLANG = "-O2 -static-pie -s" },
	{ START, CLANG = "-O2 -no-pie", .skip_loader = true },
	{ START, .compiler = "musl-gcc", .flags = "-O2", .lacks_cfi = true },
	{ START, .compiler = "musl-gcc", .flags = "-O2 -static", .lacks_cfi = true },
	{ START, .compiler = "musl-gcc", .flags = "-O2 -static -s", .lacks_cfi = true },

	{ JUMPS, GCC = "-O0" },
	{ JUMPS, GCC = "-O2" },
	{ JUMPS, GCC = "-O2 -static" },
	{ JUMPS, GCC = "-O2 -static-pie -s", .signal_every = 61 },
	{ JUMPS, GCC = "-O2 -fcf-protection=full -fno-plt", .signal_every = 67 },
	{ JUMPS, CLANG = "-O2" },
	{ JUMPS, CLANG = "-O0", .signal_every = 71 },
	{ JUMPS, GCC = M32 " -O2" },
	{ JUMPS, GCC = M32 " -O2 -static", .signal_every = 61 },
	{ JUMPS, GCC = M32 " -O2 -fcf-protection=full -fno-plt", .signal_every = 67 },
	{ JUMPS, CLANG = M32 " -O2" },

	{ LACKS, GCC = NO_CFI "-O0" },
	{ LACKS, GCC = NO_CFI "-O2 -s" },
	{ LACKS, GCC = NO_CFI "-Os -s -fno-omit-frame-pointer" },
	{ LACKS, GCC = NO_CFI "-O2", .signal_every = 43 },
	{ LACKS, GCC = NO_CFI "-O3 -fcf-protection=full -mforce-drap -mstackrealign" },
	{ LACKS, CLANG = NO_CFI "-O0 -s" },
	{ LACKS, CLANG = NO_CFI "-O2 -s" },
	{ LACKS, CLANG = NO_CFI "-Os -s", .signal_every = 47 },
	{ LACKS, GCC = NO_CFI M32 " -O2" },
	{ LACKS, CLANG = NO_CFI M32 " -O2" },
	{ LACKS, .compiler = "musl-gcc", .flags = NO_CFI "-O2 -static -s" },
	{ SHAPES, GCC = SHAPES_FLAGS "-O2" },
	{ SHAPES, GCC = SHAPES_FLAGS "-O0 -s -no-pie" },
	{ SHAPES, CLANG = SHAPES_FLAGS "-O2 -s" },

	{ THROW, .compiler = "g++", .flags = "-O2 -Wl,-z,now" },
	{ THROW, .compiler = "clang++", .flags = "-O2 -Wl,-z,now" },
};

int main(void)
{
	struct CMUnitTest tests[sizeof(programs) / sizeof(programs[0])] = { 0 };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(
			every_instruction_has_the_right_callers, (void *)(void *)&programs[i]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
