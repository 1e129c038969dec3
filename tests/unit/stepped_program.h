/*
 * Programs of known callers: each is built by one of the compilers and stepped through
 * (tests/unit/single_step.h). A test program has a table of them, for one subject; without the
 * compiler, or the libraries for 32 bits, a program is skipped.
 */
#ifndef TESTS_STEPPED_PROGRAM_H
#define TESTS_STEPPED_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Headers that are not in 64-bit ones' place: without the multilib package, which would remove the
 * cross compilers. */
#define M32    "-m32 -idirafter /usr/include/x86_64-linux-gnu"
#define NO_CFI "-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions "
#define GCC    .compiler = "gcc", .flags
#define CLANG  .compiler = "clang", .flags

struct stepped_program {
	const char *source; /* in tests/workloads; compiled with @compiler and @flags */
	const char *compiler;
	const char *installed; /* a program of the system's, in place of these three */
	const char *flags;
	const char *setting; /* NAME=VALUE of its environment; NULL: none */
	unsigned signal_every;
	bool skip_loader;
	bool lacks_cfi; /* the program or the C library */
	bool jumps;     /* and has handlers on alternate stacks */
	bool throws;
};

#define STEPPED_PATH "/tmp/dendro-test-XXXXXX"

/* Builds @program as a new file, to unlink, at @path, which is a STEPPED_PATH. Skips the test if
 * the compiler is missing, or what it needs for 32 bits. */
void build_stepped_program(const struct stepped_program *program, char *path);

/* A test: *@state is the struct stepped_program. */
void every_instruction_has_the_right_callers(void **state);

/* Runs that test for each of @programs, and returns what main() is to return. One that is skipped
 * represents them all where the processor is another one. */
int step_programs(struct stepped_program *programs, size_t n_programs);

#endif
