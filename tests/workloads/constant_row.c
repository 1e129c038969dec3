/*
 * Assembly that has one row of CFI from its first to its last instruction, as luajit's interpreter
 * has: in its prologue and its epilogue the row leads to the return address of an outer frame.
 */
#include <stdint.h>

uint64_t constant_row(uint64_t depth, uint64_t (*work)(uint64_t));
uint64_t constant_tail(uint64_t depth, uint64_t (*work)(uint64_t));

__asm__(".text\n"
	".globl constant_row\n"
	".type constant_row, @function\n"
	"constant_row:\n"
	".cfi_startproc\n"
	".cfi_def_cfa rsp, 48\n"
	".cfi_offset rbx, -16\n"
	".cfi_offset rbp, -24\n"
	"push %rbx\n"
	"push %rbp\n"
	"sub $24, %rsp\n"
	"mov %rdi, %rbx\n"
	"mov %rsi, %rbp\n"
	"call *%rbp\n"
	"test %rbx, %rbx\n"
	"je 1f\n"
	"lea -1(%rbx), %rdi\n"
	"mov %rbp, %rsi\n"
	"test $1, %bl\n"
	"je 2f\n"
	"call constant_tail\n"
	"jmp 1f\n"
	"2: call constant_row\n"
	"1: add $24, %rsp\n"
	"pop %rbp\n"
	"pop %rbx\n"
	"ret\n"
	"constant_tail:\n"
	"jmp constant_row\n"
	".cfi_endproc\n"
	".size constant_row, . - constant_row\n");

static __attribute__((noinline)) uint64_t twice(uint64_t number)
{
	return 2 * number;
}

int main(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 4; i++)
		sum += constant_row(8, twice);
	return sum == 1;
}
