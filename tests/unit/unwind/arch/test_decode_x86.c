/* What instructions do, by their bytes; sizes of the many that do nothing of interest, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/arch/decode_x86.h"

/* DWARF numbers. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15 };

#define BIT(reg) (1ull << (reg))

static const struct {
	const char *text;
	const char *bytes;
	uint8_t size;
	enum machine_flow flow;
	uint64_t clobbers;
	int64_t target;
	size_t n_ops;
	struct machine_op ops[MACHINE_OPS_MAX];
} cases[] = {
	{ "nop", "\x90", 1, .flow = FLOW_NEXT },
	{ "endbr64", "\xf3\x0f\x1e\xfa", 4, .flow = FLOW_NEXT },
	{ "nopw cs:0(rax,rax)", "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10, .flow = FLOW_NEXT },
	{ "push rbp", "\x55", 1, .n_ops = 2,
	  .ops = { { OP_STORE, RSP, RBP, -8 }, { OP_SET, RSP, RSP, -8 } } },
	{ "push r12", "\x41\x54", 2, .n_ops = 2,
	  .ops = { { OP_STORE, RSP, R12, -8 }, { OP_SET, RSP, RSP, -8 } } },
	{ "push 8(rax)", "\xff\x70\x08", 3, .n_ops = 2,
	  .ops = { { OP_PUSH, RSP, RAX, 8 }, { OP_SET, RSP, RSP, -8 } } },
	{ "push 8(rax,rcx)", "\xff\x74\x08\x08", 4, .n_ops = 2,
	  .ops = { { OP_STORE, RSP, MACHINE_NO_REG, -8 }, { OP_SET, RSP, RSP, -8 } } },
	{ "push fs:8(rax)", "\x64\xff\x70\x08", 4, .n_ops = 2,
	  .ops = { { OP_STORE, RSP, MACHINE_NO_REG, -8 }, { OP_SET, RSP, RSP, -8 } } },
	{ "pop 8(rbp)", "\x8f\x45\x08", 3, .n_ops = 2,
	  .ops = { { OP_SET, RSP, RSP, 8 }, { OP_POP, RBP, RSP, 8 } } },
	{ "pop x(rip)", "\x8f\x05\x01\x02\x03\x04", 6, .n_ops = 1,
	  .ops = { { OP_SET, RSP, RSP, 8 } } },
	{ "pop rbx", "\x5b", 1, .n_ops = 2,
	  .ops = { { OP_SET, RSP, RSP, 8 }, { OP_LOAD, RBX, RSP, -8 } } },
	{ "mov rsp,rbp", "\x48\x89\xe5", 3, .n_ops = 1, .ops = { { OP_SET, RBP, RSP, 0 } } },
	{ "mov rsp,rbp, the other way", "\x48\x8b\xec", 3, .n_ops = 1,
	  .ops = { { OP_SET, RBP, RSP, 0 } } },
	{ "mov esp,ebp", "\x89\xe5", 2, .clobbers = BIT(RBP) },
	{ "mov rbx,16(rsp)", "\x48\x89\x5c\x24\x10", 5, .n_ops = 1,
	  .ops = { { OP_STORE, RSP, RBX, 16 } } },
	{ "mov ebx,16(rsp)", "\x89\x5c\x24\x10", 4, .n_ops = 1,
	  .ops = { { OP_STORE, RSP, MACHINE_NO_REG, 16 } } },
	{ "mov -8(rbp),rbx", "\x48\x8b\x5d\xf8", 4, .n_ops = 1,
	  .ops = { { OP_LOAD, RBX, RBP, -8 } } },
	{ "mov fs:(rax),rbx", "\x64\x48\x8b\x18", 4, .clobbers = BIT(RBX) },
	{ "mov (rsp,rax,8),r15", "\x4c\x8b\x3c\xc4", 4, .clobbers = BIT(R15) },
	{ "lea 8(rsp),r10", "\x4c\x8d\x54\x24\x08", 5, .n_ops = 1,
	  .ops = { { OP_SET, R10, RSP, 8 } } },
	{ "lea x(rip),rdi", "\x48\x8d\x3d\x01\x02\x03\x04", 7, .clobbers = BIT(RDI) },
	{ "sub 8,rsp", "\x48\x83\xec\x08", 4, .n_ops = 1, .ops = { { OP_SET, RSP, RSP, -8 } } },
	{ "add -128,rsp", "\x48\x83\xc4\x80", 4, .n_ops = 1,
	  .ops = { { OP_SET, RSP, RSP, -128 } } },
	{ "sub 0x1000,rsp", "\x48\x81\xec\x00\x10\x00\x00", 7, .n_ops = 1,
	  .ops = { { OP_SET, RSP, RSP, -4096 } } },
	{ "and -64,rsp", "\x48\x83\xe4\xc0", 4, .clobbers = BIT(RSP) },
	{ "sub rax,rsp", "\x48\x29\xc4", 3, .clobbers = BIT(RSP) },
	{ "cmp 0x1000,rsp", "\x48\x81\xfc\x00\x10\x00\x00", 7, .flow = FLOW_NEXT },
	{ "test 1,rbx", "\x48\xf7\xc3\x01\x00\x00\x00", 7, .flow = FLOW_NEXT },
	{ "not rbx", "\x48\xf7\xd3", 3, .clobbers = BIT(RBX) },
	{ "div rbx", "\x48\xf7\xf3", 3, .clobbers = BIT(RAX) | BIT(RDX) },
	{ "mov 1,ah", "\xb4\x01", 2, .clobbers = BIT(RAX) },
	{ "mov 1,spl", "\x40\xb4\x01", 3, .clobbers = BIT(RSP) },
	{ "movabs,r12", "\x49\xbc\x01\x02\x03\x04\x05\x06\x07\x08", 10, .clobbers = BIT(R12) },
	{ "xchg rbx,rax", "\x48\x93", 2, .n_ops = 1, .ops = { { OP_SWAP, RAX, RBX, 0 } } },
	{ "xchg ebx,eax", "\x93", 1, .clobbers = BIT(RAX) | BIT(RBX) },
	{ "bswap r13", "\x49\x0f\xcd", 3, .clobbers = BIT(R13) },
	{ "sete bpl", "\x40\x0f\x94\xc5", 4, .clobbers = BIT(RBP) },
	{ "cpuid", "\x0f\xa2", 2, .clobbers = BIT(RAX) | BIT(RBX) | BIT(RCX) | BIT(RDX) },
	{ "movq xmm0,rbx", "\x66\x48\x0f\x7e\xc3", 5, .clobbers = BIT(RBX) },
	{ "movq xmm3,xmm4", "\xf3\x0f\x7e\xdc", 4, .flow = FLOW_NEXT },
	{ "vpaddd ymm5,ymm4,ymm3", "\xc5\xdd\xfe\xdd", 4, .flow = FLOW_NEXT },
	{ "mulx r8,r9,rbx", "\xc4\x62\xb3\xf6\xc3", 5, .clobbers = BIT(R8) | BIT(R9) },
	{ "vpternlogd zmm", "\x62\xf3\x7d\x48\x25\xc0\xff", 7, .flow = FLOW_NEXT },
	{ "rorx 5,rax,rbx", "\xc4\xe3\xfb\xf0\xd8\x05", 6, .clobbers = BIT(RBX) },
	{ "leave", "\xc9", 1, .n_ops = 3,
	  .ops = { { OP_SET, RSP, RBP, 0 }, { OP_LOAD, RBP, RSP, 0 }, { OP_SET, RSP, RSP, 8 } } },
	{ "enter 32,0", "\xc8\x20\x00\x00", 4, .n_ops = 4,
	  .ops = { { OP_STORE, RSP, RBP, -8 },
		   { OP_SET, RSP, RSP, -8 },
		   { OP_SET, RBP, RSP, 0 },
		   { OP_SET, RSP, RSP, -32 } } },
	{ "ret", "\xc3", 1, .flow = FLOW_RETURN, .n_ops = 1, .ops = { { OP_SET, RSP, RSP, 8 } } },
	{ "rep ret", "\xf3\xc3", 2, .flow = FLOW_RETURN, .n_ops = 1,
	  .ops = { { OP_SET, RSP, RSP, 8 } } },
	{ "ret 16", "\xc2\x10\x00", 3, .flow = FLOW_RETURN, .n_ops = 1,
	  .ops = { { OP_SET, RSP, RSP, 24 } } },
	{ "call", "\xe8\x10\x00\x00\x00", 5, .flow = FLOW_CALL, .target = 21 },
	{ "call __tls_get_addr", "\x66\x66\x48\xe8\x10\x00\x00\x00", 8, .flow = FLOW_CALL,
	  .target = 24 },
	{ "call next", "\xe8\x00\x00\x00\x00", 5, .target = 5, .n_ops = 2,
	  .ops = { { OP_STORE, RSP, MACHINE_NO_REG, -8 }, { OP_SET, RSP, RSP, -8 } } },
	{ "call *8(rax)", "\xff\x50\x08", 3, .flow = FLOW_CALL },
	{ "jmp short", "\xeb\xfe", 2, .flow = FLOW_JUMP, .target = 0 },
	{ "jmp", "\xe9\x00\x01\x00\x00", 5, .flow = FLOW_JUMP, .target = 261 },
	{ "jne", "\x75\x10", 2, .flow = FLOW_BRANCH, .target = 18 },
	{ "jne, far", "\x0f\x85\xf0\xff\xff\xff", 6, .flow = FLOW_BRANCH, .target = -10 },
	{ "loop", "\xe2\xfe", 2, .flow = FLOW_BRANCH, .clobbers = BIT(RCX), .target = 0 },
	{ "jmp *x(rip)", "\xff\x25\x01\x02\x03\x04", 6, .flow = FLOW_TAIL_CALL },
	{ "notrack jmp *rax", "\x3e\xff\xe0", 3, .flow = FLOW_INDIRECT },
	{ "jmp *table(,rax,8)", "\xff\x24\xc5\x01\x02\x03\x04", 7, .flow = FLOW_SWITCH },
	{ "syscall", "\x0f\x05", 2, .clobbers = BIT(RAX) | BIT(RCX) | BIT(R11) },
	{ "ud2", "\x0f\x0b", 2, .flow = FLOW_STOP },
	{ "int3", "\xcc", 1, .flow = FLOW_STOP },
	{ "hlt", "\xf4", 1, .flow = FLOW_STOP },
	{ "push ax", "\x66\x50", 2, .flow = FLOW_STOP },
};

static void instructions_are_known_by_their_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine_instruction what;

		bool ok = x86_64_decode((const uint8_t *)cases[i].bytes, cases[i].size, &what) &&
			  what.size == cases[i].size && what.flow == cases[i].flow &&
			  what.clobbers == cases[i].clobbers && what.target == cases[i].target &&
			  what.n_ops == cases[i].n_ops &&
			  !memcmp(what.ops, cases[i].ops, what.n_ops * sizeof(what.ops[0]));
		if (!ok)
			print_error("%s: size %u, flow %u, %u ops, clobbers %lx, target %ld\n",
				    cases[i].text, what.size, what.flow, what.n_ops, what.clobbers,
				    what.target);
		assert_true(ok);
	}
}

static void no_instruction_is_known_by_a_part_of_it(void **state)
{
	struct machine_instruction what;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* Prefixes and opcodes alone may tell that the flow ends. */
		if (cases[i].flow == FLOW_STOP)
			continue;
		for (size_t size = 0; size < cases[i].size; size++)
			assert_false(x86_64_decode((const uint8_t *)cases[i].bytes, size, &what));
	}
}

static void thirty_two_bit_code_has_its_own(void **state)
{
	const uint8_t dec[] = { 0x48 }, push[] = { 0x55 }, mov[] = { 0x89, 0xe5 };
	const uint8_t vex[] = { 0xc5, 0xfd, 0x6f, 0x00 }, lds[] = { 0xc5, 0x00 };
	const uint8_t entry[] = { 0x03, 0x54, 0x8b, 0x08 }, bytes[] = { 0x03, 0x14, 0x0b };
	const uint8_t jump[] = { 0xff, 0xe2 }, memory[] = { 0xff, 0x22 };
	struct machine_instruction what;

	(void)state;
	assert_true(i386_decode(dec, sizeof(dec), &what));
	assert_int_equal(what.size, 1);
	assert_int_equal(what.clobbers, 1); /* eax */
	assert_true(i386_decode(push, sizeof(push), &what));
	assert_int_equal(what.ops[0].from, 5); /* ebp */
	assert_int_equal(what.ops[1].value, -4);
	assert_true(i386_decode(mov, sizeof(mov), &what));
	assert_int_equal(what.ops[0].kind, OP_SET);
	assert_int_equal(what.ops[0].from, 4); /* esp */
	assert_true(i386_decode(vex, sizeof(vex), &what));
	assert_int_equal(what.size, 4);
	assert_true(i386_decode(lds, sizeof(lds), &what));
	assert_int_equal(what.size, 2);
	assert_true(i386_decode(entry, sizeof(entry), &what)); /* add 8(ebx,ecx,4),edx */
	assert_int_equal(what.clobbers, 0);
	assert_int_equal(what.n_ops, 1);
	assert_int_equal(what.ops[0].kind, OP_ENTRY);
	assert_int_equal(what.ops[0].to, 2);
	assert_int_equal(what.ops[0].from, 3);
	assert_int_equal(what.ops[0].value, 8);
	assert_true(i386_decode(bytes, sizeof(bytes), &what)); /* add (ebx,ecx),edx */
	assert_int_equal(what.clobbers, 1 << 2);
	assert_int_equal(what.n_ops, 0);
	assert_true(i386_decode(jump, sizeof(jump), &what));
	assert_int_equal(what.jumps_to, 2);
	assert_true(i386_decode(memory, sizeof(memory), &what));
	assert_int_equal(what.jumps_to, MACHINE_NO_REG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_known_by_their_bytes),
		cmocka_unit_test(no_instruction_is_known_by_a_part_of_it),
		cmocka_unit_test(thirty_two_bit_code_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
