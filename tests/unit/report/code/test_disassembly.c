/* Bytes and what they are, in each architecture; and this program's own code. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/code/disassembly.h"
#include "report/code/machine_code.h"
#include "tests/unit/fixtures/own_code.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

/* An ELF header is all that says whose code it is. */
static Elf *header_of(uint16_t machine, unsigned char class, unsigned char data, int *fd)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} header = { .e64 = { .e_ident = { 0x7f, 'E', 'L', 'F', class, data, EV_CURRENT },
			      .e_type = ET_EXEC,
			      .e_machine = machine,
			      .e_version = EV_CURRENT } };

	elf_version(EV_CURRENT);
	*fd = memfd_create("header", MFD_CLOEXEC);
	assert_int_equal(write(*fd, &header, sizeof(header)), sizeof(header));
	return elf_begin(*fd, ELF_C_READ, NULL);
}

static int create(uint16_t machine, unsigned char class, unsigned char data, bool intel,
		  struct disassembler **disassembler)
{
	int fd, err;
	Elf *elf = header_of(machine, class, data, &fd);

	err = disassembler_create(machine_code_arch(elf), intel, disassembler);
	elf_end(elf);
	close(fd);
	return err;
}

static void instructions_have_size_text_and_target(void **state)
{
	static const struct {
		uint16_t machine;
		unsigned char class;
		bool intel;
		unsigned size; /* of the code */
		uint8_t code[12];
		unsigned expected_size;
		const char *text;
		uint64_t target; /* 0: none */
		bool is_operand, is_call;
	} cases[] = {
		{ EM_X86_64, 2, false, 3, { 0x48, 0x89, 0xd8 }, 3, "movq %rbx, %rax", 0, 0, 0 },
		{ EM_X86_64, 2, true, 3, { 0x48, 0x89, 0xd8 }, 3, "mov rax, rbx", 0, 0, 0 },
		{ EM_X86_64, 2, false, 3, { 0xeb, 0x10, 0x90 }, 2, "jmp 0x1012", 0x1012, 0, 0 },
		{ EM_X86_64, 2, false, 5, { 0xe8, 1, 0, 0, 0 }, 5, "callq 0x1006", 0x1006, 0, 1 },
		{ EM_X86_64,
		  2,
		  false,
		  7,
		  { 0x48, 0x8d, 0x05, 0x10 },
		  7,
		  "leaq 0x10(%rip), %rax",
		  0x1017,
		  1,
		  0 },
		{ EM_X86_64, 2, false, 1, { 0x06 }, 1, ".byte 0x06", 0, 0, 0 },
		{ EM_X86_64, 2, false, 2, { 0xe8, 0 }, 1, ".byte 0xe8", 0, 0, 0 },
		/* kmovd %k0, %eax; vpcmpeqb (%rdi), %ymm16, %k0; wrpkru */
		{ EM_X86_64, 2, false, 5, { 0xc5, 0xfb, 0x93, 0xc0, 0x90 }, 4, NULL, 0, 0, 0 },
		{ EM_X86_64,
		  2,
		  false,
		  8,
		  { 0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0, 0x90 },
		  7,
		  NULL,
		  0,
		  0,
		  0 },
		{ EM_X86_64, 2, false, 4, { 0x0f, 0x01, 0xef, 0x90 }, 3, NULL, 0, 0, 0 },
		{ EM_386, 1, false, 2, { 0x06, 0x90 }, 1, "pushl %es", 0, 0, 0 },
		{ EM_386,
		  1,
		  false,
		  5,
		  { 0xe8, 0xfb, 0xff, 0xff, 0xff },
		  5,
		  "calll 0x1000",
		  0x1000,
		  0,
		  1 },
		{ EM_AARCH64, 2, false, 4, { 0xc0, 0x03, 0x5f, 0xd6 }, 4, "ret", 0, 0, 0 },
		{ EM_AARCH64, 2, false, 4, { 0x04, 0, 0, 0x94 }, 4, "bl #0x1010", 0x1010, 0, 1 },
		{ EM_AARCH64,
		  2,
		  false,
		  4,
		  { 0x60, 0, 0, 0xb4 },
		  4,
		  "cbz x0, #0x100c",
		  0x100c,
		  0,
		  0 },
		{ EM_AARCH64,
		  2,
		  false,
		  4,
		  { 0xff, 0xff, 0xff, 0xff },
		  4,
		  ".word 0xffffffff",
		  0,
		  0,
		  0 },
		{ EM_AARCH64, 2, false, 2, { 0xc0, 0x03 }, 1, ".byte 0xc0", 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct disassembler *disassembler;
		struct instruction instruction;

		assert_int_equal(create(cases[i].machine, cases[i].class, ELFDATA2LSB,
					cases[i].intel, &disassembler),
				 0);
		disassembler_next(disassembler, cases[i].code, cases[i].size, 0x1000, &instruction);
		assert_int_equal(instruction.size, cases[i].expected_size);
		if (cases[i].text)
			assert_string_equal(instruction.text, cases[i].text);
		assert_int_equal(instruction.has_target || instruction.has_operand,
				 cases[i].target != 0);
		if (cases[i].target)
			assert_int_equal(instruction.target, cases[i].target);
		assert_int_equal(instruction.has_operand, cases[i].is_operand);
		assert_int_equal(instruction.is_call, cases[i].is_call);
		disassembler_destroy(disassembler);
	}
}

static void other_processors_are_refused(void **state)
{
	struct disassembler *disassembler;

	(void)state;
	assert_int_equal(create(EM_RISCV, 2, ELFDATA2LSB, false, &disassembler), -ENOTSUP);
	assert_int_equal(create(EM_AARCH64, 2, ELFDATA2MSB, false, &disassembler), -ENOTSUP);
	assert_int_equal(create(EM_AARCH64, 1, ELFDATA2LSB, false, &disassembler), -ENOTSUP);
}

static void code_is_found_by_address_up_to_the_end_of_its_section(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct own_address own = own_address((const void *)own_segment);
	const uint8_t *bytes;
	size_t size;
	Elf *elf;

	(void)state;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bytes = machine_code_bytes(elf, own.vaddr, own.vaddr + 16, &size);
	assert_non_null(bytes);
	assert_int_equal(size, 16);
	assert_memory_equal(bytes, (const void *)own_segment, 16);
	/* A function that claims more than its section has. */
	assert_non_null(machine_code_bytes(elf, own.vaddr, own.vaddr + (1u << 30), &size));
	assert_in_range(size, 16, 1u << 24);
	assert_non_null(machine_code_bytes(elf, own.vaddr, UINT64_MAX, &size));
	assert_null(machine_code_bytes(elf, own.vaddr, own.vaddr, &size));
	assert_null(machine_code_bytes(elf, UINT64_MAX - 16, UINT64_MAX, &size));
	elf_end(elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_have_size_text_and_target),
		cmocka_unit_test(other_processors_are_refused),
		cmocka_unit_test(code_is_found_by_address_up_to_the_end_of_its_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
