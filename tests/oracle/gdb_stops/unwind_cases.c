/*
 * unwind_cases FILE: unwinds the cases that stop_and_walk.py wrote and prints, for each, what gdb
 * and we see:
 *
 *	case REASON_OF_GDB END_OF_OURS
 *	ADDRESS_OF_GDB NAME ADDRESS_OF_OURS MODULE OFFSET HAS_CFI	(- where it is missing)
 */
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/model/module.h"
#include "unwind/modules/elf_modules.h"
#include "unwind/rules/address_space.h"
#include "unwind/rules/rule.h"
#include "unwind/walk/unwind.h"

#define FRAMES_MAX 4096
#define STACK_MAX  65528
#define NAME_SIZE  256

struct cases {
	FILE *file;
	struct module_table modules;
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct address_space *space;
	char maps[PATH_MAX];
	struct user_stack stack;
	uint8_t bytes[STACK_MAX];
	struct frame frames[FRAMES_MAX];
	uint64_t addrs[FRAMES_MAX];
	char end[NAME_SIZE];
};

static void give_up(const char *what)
{
	fprintf(stderr, "unwind_cases: %s\n", what);
	exit(2);
}

/* All processes of a boot have the same one. */
static int own_vdso(void)
{
	const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	const Elf64_Ehdr *header = (const void *)vdso;

	if (!vdso || fd < 0)
		return -1;
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return write(fd, vdso, size) == (ssize_t)size ? fd : -1;
}

static uint32_t add_module(struct cases *cases, const char *path, struct mapping *mapping)
{
	struct module_key key = { .kind = MODULE_ELF, .path = path };
	bool is_vdso = !strcmp(path, "[vdso]");

	if (is_vdso)
		key.kind = MODULE_VDSO;
	else if (path[0] != '/') {
		key = (struct module_key){ .kind = MODULE_ANON, .path = "//anon" };
		mapping->offset = mapping->start;
	}
	if (key.kind == MODULE_ANON && !mapping->is_exec)
		return 0;
	uint32_t id = module_table_add(&cases->modules, &key);
	struct module *module = module_table_get(&cases->modules, id);
	if (is_vdso && module->located.image_fd < 0)
		module->located.image_fd = own_vdso();
	return id;
}

static void read_maps(struct cases *cases, const char *name)
{
	char line[PATH_MAX + 128];

	if (!strcmp(name, cases->maps))
		return;
	snprintf(cases->maps, sizeof(cases->maps), "%s", name);
	address_space_unref(cases->space);
	cases->space = address_space_create();
	FILE *maps = fopen(name, "re");
	if (!maps || !cases->space)
		give_up(name);
	while (fgets(line, sizeof(line), maps)) {
		char path[PATH_MAX] = "", permissions[8];
		struct mapping mapping = { 0 };

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &mapping.start, &mapping.end,
			   permissions, &mapping.offset, path) < 4)
			give_up(line);
		mapping.is_exec = permissions[2] == 'x';
		mapping.module = add_module(cases, path, &mapping);
		if (address_space_map(&cases->space, &mapping))
			give_up("out of memory");
	}
	fclose(maps);
}

static void read_stop(struct cases *cases)
{
	const struct arch *arch = &arch_x86_64;
	struct user_stack *stack = &cases->stack;
	uint64_t value;

	*stack = (struct user_stack){ .arch = arch, .bytes = cases->bytes };
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		if (fscanf(cases->file, "%" SCNx64, &value) != 1)
			give_up("a case lacks registers");
		regs_set(&stack->regs, reg, value);
	}
	stack->regs.pc = stack->regs.values[arch->ra];
	if (fscanf(cases->file, "%zu", &stack->size) != 1 || stack->size > STACK_MAX ||
	    fgetc(cases->file) != '\n' ||
	    fread(cases->bytes, 1, stack->size, cases->file) != stack->size)
		give_up("a case lacks its stack");
	stack->is_full = stack->size == STACK_MAX;
}

static size_t unwind(struct cases *cases)
{
	struct unwind_result result;
	size_t n_frames = unwind_user_stack(cases->unwinder, cases->space, &cases->stack,
					    cases->frames, cases->addrs, FRAMES_MAX, &result);

	snprintf(cases->end, sizeof(cases->end), "%s",
		 result.end == UNWIND_ROOT ? "root" : marker_name(unwind_end_marker(result.end)));
	return n_frames;
}

static void print_ours(const struct cases *cases, size_t i)
{
	const struct frame *frame = &cases->frames[i];
	const struct module *module = module_table_get(&cases->modules, frame->module);

	struct elf_module *elf_module = elf_modules_get(cases->elf_modules, frame->module);
	struct rule rule = { .kind = RULE_NONE };

	if (elf_module)
		elf_module_find_rule(elf_module, cases->stack.arch, frame->offset, &rule);
	printf(" %" PRIx64 " %s %" PRIx64 " %s\n", cases->addrs[i], module ? module->key.path : "?",
	       frame->offset, rule.kind == RULE_NONE ? "no" : "yes");
}

static void compare(struct cases *cases)
{
	size_t n_ours = unwind(cases), n_gdb, i;
	char text[NAME_SIZE];
	uint64_t addr;

	if (fscanf(cases->file, " gdb %255s %zu", text, &n_gdb) != 2)
		give_up("a case lacks gdb's frames");
	printf("case %s %s\n", text, cases->end);
	for (i = 0; i < n_gdb; i++) {
		if (fscanf(cases->file, "%" SCNx64 " %255s", &addr, text) != 2)
			give_up("a case lacks gdb's frames");
		printf("%" PRIx64 " %s", addr, text);
		if (i < n_ours)
			print_ours(cases, i);
		else
			puts(" - - - -");
	}
	for (; i < n_ours; i++) {
		fputs("- -", stdout);
		print_ours(cases, i);
	}
}

int main(int argc, char **argv)
{
	static struct cases cases;
	char name[PATH_MAX];

	if (argc != 2 || !(cases.file = fopen(argv[1], "re")))
		give_up("usage: unwind_cases FILE");
	if (module_table_init(&cases.modules))
		give_up("out of memory");
	cases.elf_modules = elf_modules_create(&cases.modules);
	cases.unwinder = cases.elf_modules ? unwinder_create(cases.elf_modules) : NULL;
	if (!cases.unwinder)
		give_up("out of memory");
	while (fscanf(cases.file, " maps %4095s stop", name) == 1) {
		read_maps(&cases, name);
		read_stop(&cases);
		compare(&cases);
	}
	unwinder_destroy(cases.unwinder);
	elf_modules_destroy(cases.elf_modules);
	address_space_unref(cases.space);
	module_table_deinit(&cases.modules);
	fclose(cases.file);
	return 0;
}
