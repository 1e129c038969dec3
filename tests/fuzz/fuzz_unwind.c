/*
 * Unwinds with a hostile ELF file, stack and registers.
 *
 * Input: struct walk, then the ELF file. The file is mapped at FILE_START; the stack is mapped
 * where the registers say.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unwind/walk/unwind.h"

#define FILE_START   0x400000ull
#define N_WORDS      32
#define FRAMES_MAX   64
#define PC_PER_INPUT 4
#define N_REGS       17

struct walk {
	uint64_t pcs[PC_PER_INPUT]; /* offsets in the file */
	uint64_t regs[N_REGS];      /* by DWARF number; on arm64 each is used twice */
	uint64_t words[N_WORDS];    /* of the stack */
	uint8_t is_full, is_vdso, arch, padding[5];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int image_fd(const uint8_t *data, size_t size)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static void walk_from(struct unwinder *unwinder, const struct address_space *space,
		      const struct walk *walk, uint64_t pc)
{
	static const struct arch *const archs[] = { &arch_x86_64, &arch_i386, &arch_aarch64,
						    &arch_i386 };
	struct user_stack stack = { .arch = archs[walk->arch & 3],
				    .bytes = (const uint8_t *)walk->words,
				    .size = sizeof(walk->words),
				    .is_full = walk->is_full & 1 };
	struct frame frames[FRAMES_MAX];
	uint64_t addrs[FRAMES_MAX];
	struct unwind_result result;

	for (unsigned reg = 0; reg < stack.arch->n_regs; reg++) {
		uint64_t value = walk->regs[reg % N_REGS];

		regs_set(&stack.regs, reg, stack.arch->pointer_size == 4 ? (uint32_t)value : value);
	}
	stack.regs.pc = pc;
	regs_set(&stack.regs, stack.arch->pc, pc);
	size_t n = unwind_user_stack(unwinder, space, &stack, frames, addrs, FRAMES_MAX, &result);
	if (n < 1 || n > FRAMES_MAX || result.end >= N_UNWIND_ENDS || addrs[0] != pc)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct module_table modules;
	struct walk walk;

	if (size < sizeof(walk) || module_table_init(&modules))
		return 0;
	memcpy(&walk, data, sizeof(walk));
	const struct module_key key = { .kind = walk.is_vdso & 1 ? MODULE_VDSO : MODULE_ELF,
					.path = "/made/up" };
	uint32_t id = module_table_add(&modules, &key);
	module_table_get(&modules, id)->located.image_fd =
		image_fd(data + sizeof(walk), size - sizeof(walk));
	struct address_space *space = address_space_create();
	struct mapping mapping = {
		.start = FILE_START, .end = FILE_START + (1 << 20), .module = id, .is_exec = true
	};
	address_space_map(&space, &mapping);
	struct elf_modules *elf_modules = elf_modules_create(&modules);
	struct unwinder *unwinder = unwinder_create(elf_modules);

	for (size_t i = 0; i < PC_PER_INPUT; i++)
		walk_from(unwinder, space, &walk, FILE_START + walk.pcs[i]);
	unwinder_destroy(unwinder);
	elf_modules_destroy(elf_modules);
	address_space_unref(space);
	module_table_deinit(&modules);
	return 0;
}
