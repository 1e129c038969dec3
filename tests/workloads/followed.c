/*
 * followed [SECONDS [ITERATIONS]]: an interpreter whose program and state are on the heap, so that
 * no sample has them. Of its ten instructions, which all do the same work, five are ADD, three LOAD
 * and two STORE. The machine's ->opcode and ->op change in place before each instruction, and run()
 * has the truth in @now, in a register or on its stack. ITERATIONS: of a loop, the work of an
 * instruction; without, it is some units of a round. Prints how many instructions it has run.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/workloads/work.h"

enum opcode { ADD, LOAD = 7, STORE };

struct op {
	enum opcode opcode;
	const char *name;
};

struct machine {
	unsigned long n_different; /* of instructions from the machine's: none */
	const struct op *op;
	enum opcode opcode;
	char name[8];
	struct machine *next;
};

/* With LEAF, samples are in run() itself. */
#ifdef LEAF
#define ITERATE static inline __attribute__((always_inline))
#else
#define ITERATE FUNCTION static
#endif

/* With IN_KERNEL, the work is done in the kernel. */
#ifdef IN_KERNEL
static char room[1 << 16];
static int zero_fd;

ITERATE void iterate(unsigned long n)
{
	while (n) {
		const ssize_t done = read(zero_fd, room, n < sizeof(room) ? n : sizeof(room));

		if (done <= 0)
			exit(1);
		n -= (unsigned long)done;
	}
	KEEP_FRAME();
}
#else
ITERATE void iterate(unsigned long n)
{
	__asm__ volatile(".p2align 6\n"
			 "1:\t" DECREMENT "\n"
			 : "+r"(n)
			 :
			 : "cc");
	KEEP_FRAME();
}
#endif

#ifdef INLINED
#define RUN static inline __attribute__((always_inline))
#else
#define RUN FUNCTION static
#endif

/* What it needs after its work it keeps, in registers or on its stack. */
RUN void run(struct machine *machine, enum opcode now, unsigned long iterations)
{
	iterate(iterations);
	machine->n_different += now != machine->opcode;
	KEEP_FRAME();
}

static void *on_heap(const void *from, size_t size)
{
	void *to = malloc(size);

	if (!to)
		exit(1);
	return memcpy(to, from, size);
}

static struct op *make_program(void)
{
	static const enum opcode opcodes[10] = { ADD, LOAD, STORE, ADD,  ADD,
						 ADD, LOAD, STORE, LOAD, ADD };
	struct op program[10];

	for (int i = 0; i < 10; i++) {
		const char *name = opcodes[i] == ADD ? "add" : "memory";

		program[i] = (struct op){ opcodes[i], on_heap(name, strlen(name) + 1) };
	}
	return on_heap(program, sizeof(program));
}

int main(int argc, char **argv)
{
	const unsigned long iterations = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	struct rounds rounds = rounds_begin(argc, argv);
	struct machine *machine = on_heap(&(struct machine){ .op = NULL }, sizeof(*machine));
	const struct op *program = make_program();
	unsigned long n_instructions = 0;

#ifdef IN_KERNEL
	zero_fd = open("/dev/zero", O_RDONLY);
#endif
	for (unsigned n; (n = rounds_next(&rounds)) > 0;) {
		for (int i = 0; i < 10; i++, n_instructions++) {
			machine->op = &program[i];
			machine->opcode = program[i].opcode;
			snprintf(machine->name, sizeof(machine->name), "%.7s", program[i].name);
			run(machine, program[i].opcode,
			    iterations ? iterations : n * UNIT_ITERATIONS);
		}
	}
	printf("%lu\n", n_instructions);
	return machine->n_different != 0;
}
