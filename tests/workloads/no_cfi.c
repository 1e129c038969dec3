/*
 * Code without CFI, all of it: built with -fno-asynchronous-unwind-tables, it calls assembly of
 * every shape (no_cfi.S), each for the same work. Without arguments: a few instructions each.
 */
#include <setjmp.h>

#include "work.h"

typedef void shape(uint64_t n, uint64_t iterations, void *argument);

shape asm_leaf, asm_pushes, asm_frame, asm_big, asm_tail, asm_table, asm_kept, asm_pointer, asm_odd,
	asm_after;
__attribute__((noreturn)) void asm_forever(uint64_t n, uint64_t iterations);

static shape *const shapes[] = { asm_pushes, asm_frame,   asm_big, asm_tail, asm_table,
				 asm_kept,   asm_pointer, asm_odd, asm_after };

static jmp_buf back;

static FUNCTION void jump_back(uint64_t n, uint64_t iterations)
{
	asm_leaf(n, iterations, NULL);
	longjmp(back, 1);
}

static FUNCTION void jumping(uint64_t n, uint64_t iterations)
{
	if (!setjmp(back))
		jump_back(n, iterations);
	KEEP_FRAME();
}

static FUNCTION void all_shapes(uint64_t n, uint64_t iterations)
{
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		shapes[i](n, iterations, asm_leaf);
	jumping(n, iterations);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	unsigned n;

	if (argc == 1) {
		all_shapes(1, 2);
		all_shapes(2, 1);
	} else {
		while ((n = rounds_next(&rounds)))
			all_shapes(n, UNIT_ITERATIONS);
	}
	asm_forever(1, 2);
}
