/*
 * Hostile registers and stack bytes over good CFI: the fuzzer's own program, with thousands of
 * functions. Words with certain top bytes become return addresses and stack addresses, so that
 * walks get far.
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unwind/walk/unwind.h"

#define STACK_START 0x7fff00000000ull
#define FRAMES_MAX  256
#define WORDS_MAX   2048
#define N_REGS      17

struct input {
	uint64_t pc, sp_offset;
	uint64_t regs[N_REGS];
	uint8_t is_full, missing_regs, padding[6];
};

/* The program stays open: every input asks the same file. */
static struct module_table modules;
static struct elf_modules *elf_modules;
static struct unwinder *unwinder;
static struct address_space *space;
static uint64_t text_start, text_size;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int map_program(struct dl_phdr_info *info, size_t size, void *id)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const struct mapping mapping = {
			.start = segment->p_vaddr & -4096ull,
			.end = (segment->p_vaddr + segment->p_filesz + 4095) & -4096ull,
			.offset = segment->p_offset & -4096ull,
			.module = *(uint32_t *)id,
			.is_exec = segment->p_flags & PF_X,
		};

		if (segment->p_type != PT_LOAD || !segment->p_filesz)
			continue;
		address_space_map(&space, &mapping);
		if (mapping.is_exec) {
			text_start = mapping.start;
			text_size = mapping.end - mapping.start;
		}
	}
	return 1; /* the first is the program */
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)argc;
	(void)argv;
	if (n <= 0 || module_table_init(&modules))
		abort();
	const struct module_key key = { .kind = MODULE_ELF, .path = path };
	uint32_t id = module_table_add(&modules, &key);
	space = address_space_create();
	elf_modules = elf_modules_create(&modules);
	unwinder = elf_modules ? unwinder_create(elf_modules) : NULL;
	if (!id || !space || !unwinder)
		abort();
	dl_iterate_phdr(map_program, &id);
	return 0;
}

static uint64_t shape_word(uint64_t word)
{
	switch (word >> 56) {
	case 0xc0:
		return text_start + (word & 0xffffffff) % text_size;
	case 0x5a:
		return STACK_START + (word & 0x3fff);
	case 0x5b:
		return STACK_START + (word & 0x3ff8);
	default:
		return word;
	}
}

static void check(size_t n, const struct frame *frames, const uint64_t *addrs, uint64_t pc,
		  const struct unwind_result *result)
{
	if (n < 1 || n > FRAMES_MAX || result->end >= N_UNWIND_ENDS || addrs[0] != pc)
		abort();
	/* Every caller is code of the program. */
	for (size_t i = 1; i < n; i++) {
		const struct mapping *mapping = address_space_find(space, addrs[i]);

		if (!mapping || !mapping->is_exec || frames[i].module != mapping->module ||
		    frames[i].offset != addrs[i] - mapping->start + mapping->offset)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t words[WORDS_MAX];
	static struct frame frames[FRAMES_MAX];
	static uint64_t addrs[FRAMES_MAX];
	struct unwind_result result;
	struct input input;

	if (size < sizeof(input))
		return 0;
	memcpy(&input, data, sizeof(input));
	data += sizeof(input);
	size -= sizeof(input);
	size = size > sizeof(words) ? sizeof(words) : size;
	memcpy(words, data, size);
	for (size_t i = 0; i < size / 8; i++)
		words[i] = shape_word(words[i]);

	struct user_stack stack = { .arch = &arch_x86_64,
				    .bytes = (const uint8_t *)words,
				    .size = size,
				    .is_full = input.is_full & 1 };
	for (unsigned reg = 0; reg < N_REGS; reg++)
		if (!(input.missing_regs & 1) || reg % 3)
			regs_set(&stack.regs, reg, shape_word(input.regs[reg]));
	regs_set(&stack.regs, stack.arch->sp, STACK_START + input.sp_offset % 4096);
	stack.regs.pc = shape_word(input.pc);

	size_t n = unwind_user_stack(unwinder, space, &stack, frames, addrs, FRAMES_MAX, &result);
	check(n, frames, addrs, stack.regs.pc, &result);
	/* What was found first must be found again, now from the caches. */
	struct unwind_result again;
	static struct frame frames_again[FRAMES_MAX];
	if (unwind_user_stack(unwinder, space, &stack, frames_again, addrs, FRAMES_MAX, &again) !=
		    n ||
	    again.end != result.end || memcmp(frames, frames_again, n * sizeof(*frames)) != 0)
		abort();
	return 0;
}
