/* A program is judged by what single steps through it count. */
#include "tests/unit/stepped_program.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/single_step.h"

#define WITHOUT_CFI_MAX   2   /* instructions of 32-bit start-up code */
#define WITHOUT_CFI_SHARE 100 /* of programs without CFI: at most one instruction in so many */
/* Instructions before a jump whose target the copy of the stack does not contain. */
#define JUMPING_MAX 60
/* At most one instruction in so many: what memory is in place is the machine's choice. */
#define UNTOUCHED_SHARE 2

/* false: there is no such compiler, or what it needs for 32 bits is missing. */
static bool build(const struct stepped_program *program, const char *path)
{
	char command[PATH_MAX];

	if (program->installed) {
		snprintf(command, sizeof(command), "at=$(command -v %s) && ln -sf \"$at\" %s",
			 program->installed, path);
		return system(command) == 0;
	}
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

void build_stepped_program(const struct stepped_program *program, char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	if (build(program, path))
		return;
	unlink(path);
	if (program->installed)
		print_message("no %s here\n", program->installed);
	else
		print_message("no %s here, or no 32-bit libraries\n", program->compiler);
	skip();
}

#ifdef __x86_64__
static const size_t programs_max = SIZE_MAX;

static void print_counts(const struct stepped_program *program, const struct traced_counts *counts)
{
	if (program->installed)
		print_message("# %s", program->installed);
	else
		print_message("# %s %s %s%s%s", program->source, program->compiler, program->flags,
			      program->setting ? " " : "",
			      program->setting ? program->setting : "");
	print_message(": %lu checked, %lu wrong, %lu without CFI", counts->n_checked,
		      counts->n_wrong, counts->n_without_cfi);
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

void every_instruction_has_the_right_callers(void **state)
{
	const struct stepped_program *program = *state;
	char path[] = STEPPED_PATH;
	struct traced_counts counts;

	build_stepped_program(program, path);
	single_step(&(struct traced_program){ path, program->signal_every, program->skip_loader,
					      program->setting },
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
#else
static const size_t programs_max = 1;

void every_instruction_has_the_right_callers(void **state)
{
	(void)state;
	print_message("calls and returns are followed on x86-64 only\n");
	skip();
}
#endif

int step_programs(struct stepped_program *programs, size_t n_programs)
{
	struct CMUnitTest *tests = calloc(n_programs, sizeof(*tests));

	if (!tests)
		return 1;
	if (n_programs > programs_max)
		n_programs = programs_max;
	for (size_t i = 0; i < n_programs; i++)
		tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(
			every_instruction_has_the_right_callers, (void *)&programs[i]);
	int n_failed = _cmocka_run_group_tests("programs", tests, n_programs, NULL, NULL);
	free(tests);
	return n_failed;
}
